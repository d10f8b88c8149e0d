// The table of contents of a request: every step from its validation to its answer.
import { FormatError } from '../../format/parse.ts';
import {
  type Answer,
  errorToAnswer,
  OPTIONS_ANSWER,
  PREFLIGHT_ANSWER,
  problemToAnswer,
  type ResponseCaches,
} from '../bodies/answer.ts';
import type { PublicRow, PublicRows, Row, Rows, Sources } from '../bodies/row.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { type Admit, turnOf } from '../http/guards.ts';
import { Problem } from '../http/problem.ts';
import type { HttpRequest, Principal, Principals, Sender, Source } from '../http/request.ts';
import { codingFor, isPreflight, isProtected, refuseUnsupported, validate } from '../http/request.ts';
import { OriginError } from '../origin/origin.ts';

/** What all requests share; a service has one. */
export interface HandlerContext extends Sources {
  principals: Principals;
  /** Whose turn a request is that has no valid token. */
  addressOf: (sender: Sender) => Principal;
  /** The URL of the metadata of the service at a base URL; undefined if it has none. */
  metadataUrl: ((base: string) => string) | undefined;
  /** Admits a request of a client; undefined if clients are not limited. @throws Problem too-many-requests */
  admit: Admit | undefined;
  responses: ResponseCaches;
  /** What each path of the API answers. */
  rows: Rows;
  /** What needs no token. */
  publicRows: PublicRows;
  baseUrl: BaseUrl;
  /** Receives each error that the client did not cause; in none is a token. */
  log: (error: unknown) => void;
}

/** The answer to a request: at once if it is kept. Neither throws nor rejects: errors become answers. */
export function handle(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  try {
    validate(request);
    const answer = isProtected(request.path) ? answerClient(context, request) : answerPublic(context, request);
    return answer instanceof Promise ? answer.catch((error: unknown) => answerError(context, request, error)) : answer;
  } catch (error) {
    return answerError(context, request, error);
  }
}

/** The answer to a request under /api/, which needs a token unless the service is public. */
function answerClient(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  if (isPreflight(request)) return PREFLIGHT_ANSWER;
  const { principals, metadataUrl, baseUrl, turns, rows } = context;
  // Logged with a refusal, too; without a token the client does not learn whether there is one.
  const row = rows.of(request.path);
  request.route = row?.path;
  request.principal ??= principals.known(request);
  const answer = (): Answer | Promise<Answer> => answerRow(context, request, row);
  if (request.principal !== undefined) return inTurn(context, request, request.principal, answer);
  const metadata = (): string | undefined => metadataUrl?.(baseUrl(request));
  return inTurn(context, request, context.addressOf(request), async () => {
    request.principal = await principals.verify(request, metadata);
    await turnOf(turns, request.principal, request);
    return answer();
  });
}

/** The answer when it is the turn of a client: at once, unless much is being done. */
function inTurn(
  { turns }: HandlerContext,
  request: HttpRequest,
  principal: Principal,
  answer: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  return turns.next(principal.id) ? answer() : turnOf(turns, principal, request).then(answer);
}

/** The answer to a client. */
function answerRow(context: HandlerContext, request: HttpRequest, row: Row | undefined): Answer | Promise<Answer> {
  const { admit, baseUrl, responses, releases, rows } = context;
  // Once for each request, also if it is answered again.
  if (request.principal !== undefined && request.limitFields === undefined) admit?.(request.principal, request);
  if (row === undefined) throw new Problem('not-found', `Available: ${rows.rule}.`);
  if (request.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseUnsupported(request);
  const coding = codingFor(request.headers['accept-encoding']);
  const base = baseUrl(request);
  return responses[coding].find(request.target, base, releases) ?? row.answer(context, request, { base, coding });
}

/** What is outside /api/, for messages, where the service has it. */
const PUBLIC_PATHS = ['/', '/docs', '/embed', '/healthz', '/readyz', '/openapi.json'];

/** The answer to a request outside /api/, which needs no token. Health checks wait for nobody. */
function answerPublic(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  const row = context.publicRows.get(request.path);
  const answer = (): Answer | Promise<Answer> => answerPublicRow(context, request, row);
  return row?.isProbe === true ? answer() : inTurn(context, request, context.addressOf(request), answer);
}

function answerPublicRow(
  { publicRows }: HandlerContext,
  request: HttpRequest,
  row: PublicRow | undefined,
): Answer | Promise<Answer> {
  if (row === undefined) {
    const paths = PUBLIC_PATHS.filter((path) => publicRows.has(path));
    throw new Problem('not-found', `Available: ${paths.join(', ')} and the paths under /api/v1/.`);
  }
  request.route = row.path;
  if (isPreflight(request)) return PREFLIGHT_ANSWER;
  if (request.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseUnsupported(request);
  return row.answer(request);
}

/** The answer after an error. Never rejects. */
function answerError(context: HandlerContext, request: HttpRequest, error: unknown): Answer | Promise<Answer> {
  if (!(error instanceof Problem)) return answerAgain(context, request, error);
  request.tokenFault = error.tokenFault;
  return problemToAnswer(error);
}

/**
 * The answer to a request whose body, or what it depends on, could not be read. If a file is missing or damaged, its
 * release, or what else current.json lists, may just have been removed or replaced: then the request is answered as it
 * would be now. Never rejects.
 */
export async function answerAgain(
  context: HandlerContext,
  request: HttpRequest,
  error: unknown,
  source: Source | undefined = request.source,
): Promise<Answer> {
  const { releases, log } = context;
  const mayBeGone = error instanceof FormatError || (error instanceof OriginError && error.mayBeGone);
  if (source === undefined || !mayBeGone) return errorToAnswer(error, log);
  await releases.rereadPointer();
  const { release, isPinned, members = releases.members } = source;
  // Without a newer release the current one is still served, though its files are gone.
  const isHosted = releases.hosts(release) || (!isPinned && release.digest === releases.current?.digest);
  if (isHosted && members === releases.members) return errorToAnswer(error, log);
  request.source = undefined;
  return handle(context, request);
}
