// The responses in the OpenAPI document: headers, bodies, and each problem with an example.
import type { Audience } from '../../bodies/headers.ts';
import type { ProblemCode } from '../../http/problem.ts';
import { PROBLEMS, problemToJson } from '../../http/problem.ts';
import { HEADERS, problemSchema, schemaReference } from '../../query/describe.ts';
import { PROBLEM_DETAILS, PROBLEM_REQUESTS } from './problems.ts';

/** The response headers of a page, by name. */
export function headerComponents() {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [
      name,
      {
        description,
        required: name !== 'Link',
        schema: name === 'Boundaries-Matched' ? { type: 'integer', minimum: 0 } : { type: 'string' },
      },
    ]),
  );
}

/** One response per status, with an example of each problem that has this status. */
export function problemResponses(audience: Audience = 'private') {
  const all = Object.keys(PROBLEMS).filter(isProblemCode);
  const codes = audience === 'private' ? all : all.filter((code) => !OF_TOKENS.has(code));
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => PROBLEMS[code].status === status);
      const examples = Object.fromEntries(ofStatus.map((code) => [code, problemExample(code)]));
      const content = { 'application/problem+json': { schema: schemaReference('Problem'), examples } };
      const description = ofStatus.map((code) => `${PROBLEMS[code].title}.`).join(' ');
      return [String(status), { description, headers: problemHeaders(status), content }];
    }),
  );
}

/** What a service without tokens never says. */
const OF_TOKENS: ReadonlySet<ProblemCode> = new Set([
  'token-missing',
  'token-invalid',
  'scope-missing',
  'keys-unavailable',
]);

/** An error. */
export const PROBLEM_SCHEMA = problemSchema(
  { enum: Object.keys(PROBLEMS) },
  'An error (RFC 9457). Caches must not store it (`Cache-Control: no-store`).',
);

function isProblemCode(text: string): text is ProblemCode {
  return text in PROBLEMS;
}

function problemExample(code: ProblemCode) {
  const request = PROBLEM_REQUESTS[code];
  const value = problemToJson(code, PROBLEM_DETAILS[code]);
  return { value, ...(request !== undefined && { 'x-request': request }) };
}

function problemHeaders(status: number) {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  if (status === 401 || status === 403) return { 'WWW-Authenticate': text('The challenge (RFC 6750).') };
  if (status === 416) return { 'Content-Range': text('`bytes */<length of the file>`.') };
  if (status === 405) return { Allow: text('The allowed methods.') };
  if (status === 429)
    return {
      'Retry-After': text('When to retry, in seconds.'),
      'RateLimit-Policy': text('The limits of a client (draft-ietf-httpapi-ratelimit-headers).'),
      RateLimit: text('What remains of the rate limit, and the seconds until it is reset.'),
    };
  if (status === 503) return { 'Retry-After': text('When to retry, in seconds.') };
  return {};
}
