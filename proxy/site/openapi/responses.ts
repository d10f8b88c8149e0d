// The answers as the document has them: headers, bodies, and each problem with an example.
import type { JsonObject } from '../../../format/parse.ts';
import type { ProblemCode } from '../../http/problem.ts';
import { PROBLEMS, problemToJson } from '../../http/problem.ts';
import { PROBLEM_EXAMPLES } from './problems.ts';

const HEADERS = {
  Link: '`<URL>; rel="next"`, absolute, when and only when more features match. Its cursor stays on the release that the walk began with.',
  ETag: 'Strong, and different for gzip and plain text. A page whose bytes did not change keeps it in the next release.',
  Vary: 'Always `Accept-Encoding`.',
  'Cache-Control':
    'Always private; with a cursor immutable for a year, without one to be asked about again (`no-cache`).',
  'Boundaries-Release': 'The release that answered.',
  'Boundaries-Matched': 'How many features match the filters in all.',
} as const;

/** The headers of pages, by name. */
export function headerComponents(): JsonObject {
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

/** What a page's answer refers to. */
export function responseHeaders(): JsonObject {
  return Object.fromEntries(Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One response for each status that a problem has, with an example of each of its problems. */
export function problemResponses(): JsonObject {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status);
      const examples = Object.fromEntries(own.map((code) => [code, exampleOf(code)]));
      const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } };
      const description = own.map((code) => `${PROBLEMS[code].title}.`).join(' ');
      return [`problem-${status}`, { description, headers: headersOf(status), content }];
    }),
  );
}

/** The schemas of bodies. */
export function schemas(): JsonObject {
  return {
    Feature: {
      type: 'object',
      required: ['type', 'id', 'properties', 'geometry'],
      properties: {
        type: { const: 'Feature' },
        id: { type: 'integer', minimum: 0, description: 'The fid.' },
        bbox: {
          type: 'array',
          items: { type: 'number' },
          minItems: 4,
          maxItems: 4,
          description: 'West, south, east, north; west > east when the unit crosses the antimeridian (RFC 7946).',
        },
        properties: {
          type: 'object',
          required: ['fid'],
          properties: { fid: { type: 'integer', minimum: 0 } },
          additionalProperties: true,
          description: "fid first, then the source's own columns under their own names.",
        },
        geometry: { oneOf: [{ $ref: '#/components/schemas/Geometry' }, { type: 'null' }] },
      },
    },
    FeatureCollection: {
      type: 'object',
      required: ['type', 'features'],
      properties: {
        type: { const: 'FeatureCollection' },
        features: { type: 'array', items: { $ref: '#/components/schemas/Feature' } },
      },
    },
    FeatureLines: {
      type: 'string',
      description: 'Each line is the JSON text of a Feature and ends in a line feed. Nothing matches: no line.',
    },
    Geometry: {
      type: 'object',
      required: ['type'],
      properties: { type: { type: 'string' }, coordinates: { type: 'array' }, geometries: { type: 'array' } },
      description: 'As RFC 7946 has it: WGS 84, longitude first, exterior rings counter-clockwise.',
    },
    Problem: {
      type: 'object',
      required: ['type', 'title', 'status', 'detail', 'code'],
      properties: {
        type: { type: 'string', format: 'uri' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string', description: 'What was wrong with what, and what is allowed.' },
        code: { enum: Object.keys(PROBLEMS), description: 'Stable: programs may rely on it.' },
      },
      description: 'An error as RFC 9457 has it. Nobody may store it (`Cache-Control: no-store`).',
    },
  };
}

function exampleOf(code: ProblemCode): JsonObject {
  const { request, detail } = PROBLEM_EXAMPLES[code];
  const shown = request === undefined ? {} : { 'x-request': request };
  return { summary: PROBLEMS[code].title, value: problemToJson(code, detail), ...shown };
}

function headersOf(status: number): JsonObject {
  const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
  if (status === 401 || status === 403) return { 'WWW-Authenticate': text('The challenge, as RFC 6750 has it.') };
  if (status === 405) return { Allow: text('The methods that are allowed.') };
  if (status === 503) return { 'Retry-After': text('After how many seconds to try again.') };
  return {};
}
