// The table of contents of a request: every step from its validation to its answer.
import { FormatError } from '../format/parse.ts';
import type { Authenticator } from './auth/authenticate.ts';
import type { ResourceMetadata } from './auth/resource-metadata.ts';
import { isMetadataPath, metadataToAnswer, metadataUrl } from './auth/resource-metadata.ts';
import { errorToAnswer } from './error-answer.ts';
import type { Answer, Basis } from './http/answer.ts';
import { OPTIONS_ANSWER, PREFLIGHT_ANSWER } from './http/answer.ts';
import type { BaseUrl } from './http/base-url.ts';
import { Problem } from './http/problem.ts';
import type { HttpRequest, Principal } from './http/request.ts';
import { codingFor, isPreflight, refuseUnsupported, validate } from './http/request.ts';
import type { ClientLimits } from './limits/admit-client.ts';
import { admitClient } from './limits/admit-client.ts';
import type { Lifecycle } from './operations/health.ts';
import { answerHealth, HEALTH_PATHS } from './operations/health.ts';
import { OriginError } from './origin/origin.ts';
import type { Endpoint, PageEndpoint } from './pages/endpoints.ts';
import { ENDPOINTS, isProtected, PATHS_RULE } from './pages/endpoints.ts';
import type { PageParams } from './pages/query.ts';
import { parseQuery, refuseQuery } from './pages/query.ts';
import { pickRelease, servedRelease } from './pages/resolve.ts';
import { respondWithFile, respondWithPage } from './pages/respond.ts';
import type { ResponseCaches } from './pages/response-cache.ts';
import type { Releases } from './releases/releases.ts';
import type { Assets } from './site/asset.ts';
import { assetToAnswer } from './site/asset.ts';

/** What all requests share; created once by assemble-server.ts. */
export interface HandlerContext {
  authenticator: Authenticator;
  releases: Releases;
  responses: ResponseCaches;
  lifecycle: Lifecycle;
  /** Undefined if clients are not limited. */
  limits: ClientLimits | undefined;
  /** Why tokens cannot be verified; undefined if they can. Reads key sets that are not known yet. */
  keysUnavailableReason: () => Promise<string | undefined>;
  baseUrl: BaseUrl;
  /** Base URL of the service if it is configured. */
  publicUrl: string | undefined;
  /** Undefined if no issuer is a URL. */
  resourceMetadata: ResourceMetadata | undefined;
  /** Files that need no token. */
  assets: Assets;
  /** Receives a line for each error that the client did not cause; never a token. */
  log: (line: string) => void;
}

/**
 * The answer to a request; a promise only where something must be waited for: a token that is not known yet, a limit of
 * the client, a release that is not in memory. Neither throws nor rejects: errors become answers.
 */
export function handle(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  try {
    validate(request);
    const answer = isProtected(request.path) ? answerProtected(context, request) : answerPublic(context, request);
    return answer instanceof Promise ? answer.catch((error: unknown) => errorToAnswer(error, context.log)) : answer;
  } catch (error) {
    return errorToAnswer(error, context.log);
  }
}

/** The answer to a request under /api/. */
function answerProtected(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  if (isPreflight(request)) return PREFLIGHT_ANSWER;
  // Logged with a refusal, too; without a token the client does not learn whether there is one.
  const endpoint = ENDPOINTS.get(request.path);
  request.route = endpoint?.path;
  const known = context.authenticator.known(request.headers.authorization);
  if (known === undefined || context.limits !== undefined)
    return authenticateAndAnswer(context, request, endpoint, known);
  request.client = known;
  return answerClient(context, request, endpoint);
}

/** The same where the token must be verified, or the client has limits. */
async function authenticateAndAnswer(
  context: HandlerContext,
  request: HttpRequest,
  endpoint: Endpoint | undefined,
  known: Principal | undefined,
): Promise<Answer> {
  const { authenticator, resourceMetadata, baseUrl, limits } = context;
  const metadata = (): string | undefined => resourceMetadata && metadataUrl(baseUrl.of(request));
  request.client = known ?? (await authenticator.verify(request.headers.authorization, metadata));
  if (limits !== undefined) admitClient(limits, request.client, request);
  return answerClient(context, request, endpoint);
}

/** The answer to a request with a valid token. */
function answerClient(
  context: HandlerContext,
  request: HttpRequest,
  endpoint: Endpoint | undefined,
): Answer | Promise<Answer> {
  const { baseUrl, responses, releases } = context;
  if (endpoint === undefined) throw new Problem('not-found', `Available: ${PATHS_RULE}.`);
  if (request.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseUnsupported(request);
  const coding = codingFor(request.headers['accept-encoding']);
  const base = baseUrl.of(request);
  return responses[coding].find(request.target, base, releases) ?? answerFrom(context, request, endpoint, base, coding);
}

/** The answer from a release. */
function answerFrom(
  { releases }: HandlerContext,
  request: HttpRequest,
  endpoint: Endpoint,
  base: string,
  coding: Basis['coding'],
): Answer | Promise<Answer> {
  if (endpoint.kind === 'file') {
    refuseQuery(request.query);
    return respondWithFile(endpoint, { release: servedRelease(releases), base, coding, isPinned: false });
  }
  const params = parseQuery(request.query, endpoint.level);
  const release = pickRelease(releases, params.cursor);
  if (release instanceof Promise) return release.then((found) => answerPage(endpoint, params, found, base, coding));
  return answerPage(endpoint, params, release, base, coding);
}

function answerPage(
  endpoint: PageEndpoint,
  params: PageParams,
  release: Basis['release'],
  base: string,
  coding: Basis['coding'],
): Answer | Promise<Answer> {
  const basis = { release, base, coding, isPinned: params.cursor !== undefined };
  const level = release.level(endpoint.level);
  if (level instanceof Promise)
    return level.then((loaded) => respondWithPage({ endpoint, params, level: loaded, basis }));
  return respondWithPage({ endpoint, params, level, basis });
}

/**
 * The answer to a request whose body could not be read. If a file of its release is missing or damaged, the release may
 * just have been removed or replaced: then the request is answered as it would be now. Never rejects.
 */
export async function answerAgain(
  context: HandlerContext,
  request: HttpRequest,
  { basis }: Answer,
  error: unknown,
): Promise<Answer> {
  try {
    const reason = error instanceof OriginError ? error.reason : undefined;
    const mayBeGone = reason === 'missing' || reason === 'damaged' || error instanceof FormatError;
    const isGone =
      mayBeGone && basis !== undefined && (await context.releases.recheck(basis.release, reason === 'missing'));
    if (!isGone) throw error;
    return await answerClient(context, request, ENDPOINTS.get(request.path));
  } catch (other) {
    return errorToAnswer(other, context.log);
  }
}

/** The answer to a request outside /api/, which needs no token. */
function answerPublic(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  const { assets, releases, resourceMetadata, publicUrl, lifecycle, keysUnavailableReason, baseUrl } = context;
  const { path } = request;
  const asset = assets.get(path);
  const isMetadata = resourceMetadata !== undefined && isMetadataPath(path, publicUrl);
  if (asset === undefined && !isMetadata && !HEALTH_PATHS.includes(path))
    throw new Problem('not-found', 'Available: /healthz, /readyz, /openapi.json and the paths under /api/v1/.');
  request.route = isMetadata ? 'metadata' : path;
  if (isPreflight(request)) return PREFLIGHT_ANSWER;
  if (request.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseUnsupported(request);
  if (isMetadata) return metadataToAnswer(resourceMetadata, baseUrl.of(request));
  if (asset === undefined) return answerHealth(path, releases, lifecycle, keysUnavailableReason);
  const file = typeof asset === 'function' ? asset(servedRelease(releases)) : asset;
  return assetToAnswer(file, codingFor(request.headers['accept-encoding']));
}
