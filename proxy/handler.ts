// The table of contents of a request: every step from its validation to its answer.
import type { Authenticate } from './auth/authenticate.ts';
import type { ResourceMetadata } from './auth/resource-metadata.ts';
import { isMetadataPath, metadataToAnswer, metadataUrl } from './auth/resource-metadata.ts';
import { errorToAnswer } from './error-answer.ts';
import { codingFor } from './http/accept-encoding.ts';
import type { Answer } from './http/answer.ts';
import type { HttpLinkWarning, TrustedProxies } from './http/base-url.ts';
import { requestBaseUrl } from './http/base-url.ts';
import { isPreflight, OPTIONS_ANSWER, PREFLIGHT_ANSWER } from './http/cors.ts';
import { Problem } from './http/problem.ts';
import type { HttpRequest } from './http/request.ts';
import type { Target, UnsupportedFeature } from './http/validate-request.ts';
import { refuseOtherMethods, refuseUnsupported, validateRequest } from './http/validate-request.ts';
import type { ClientLimits } from './limits/admit-client.ts';
import { admitClient } from './limits/admit-client.ts';
import type { WorkQueue } from './limits/work-queue.ts';
import type { Lifecycle } from './operations/health.ts';
import { answerHealth, HEALTH_PATHS } from './operations/health.ts';
import type { Origin } from './origin/origin.ts';
import { answerRequest } from './pages/answer-request.ts';
import type { Endpoint } from './pages/endpoints.ts';
import { ENDPOINTS, isProtected, PATHS_RULE } from './pages/endpoints.ts';
import type { FilterMatches } from './pages/filter-matches.ts';
import { parseEmptyQuery, parseQuery } from './pages/parse-query.ts';
import { servedRelease } from './pages/pick-release.ts';
import { respondWithFile, respondWithPage } from './pages/respond.ts';
import type { ResponseCache } from './pages/response-cache.ts';
import type { Releases } from './releases/releases.ts';
import type { Assets } from './site/asset.ts';
import { assetToAnswer } from './site/asset.ts';

/** What all requests share; created once by assemble-server.ts. */
export interface HandlerContext {
  authenticate: Authenticate;
  releases: Releases;
  origin: Origin;
  matches: FilterMatches;
  responses: ResponseCache;
  lifecycle: Lifecycle;
  work: Pick<WorkQueue, 'answer'>;
  /** Undefined if clients are not limited. */
  limits: ClientLimits | undefined;
  /** Why tokens cannot be verified; undefined if they can. Reads key sets that are not known yet. */
  keysUnavailableReason: () => Promise<string | undefined>;
  /** Base URL in Link headers; undefined uses that of the request. */
  publicUrl: string | undefined;
  /** Reverse proxies whose X-Forwarded-* headers are used. */
  trustedProxies: TrustedProxies | undefined;
  linkWarning: HttpLinkWarning;
  /** Undefined if no issuer is a URL. */
  resourceMetadata: ResourceMetadata | undefined;
  /** Files that need no token. */
  assets: Assets;
  /** Receives a line for each error that the client did not cause; never a token. */
  log: (line: string) => void;
}

/** A request whose target and headers are valid. */
interface ValidRequest extends Target {
  req: HttpRequest;
  unsupported: UnsupportedFeature | undefined;
  /** Base URL in Link headers. */
  base: string;
}

/** The answer to a request. Never rejects: errors become answers. */
export async function handle(
  context: HandlerContext,
  req: HttpRequest,
  unsupported: UnsupportedFeature | undefined,
): Promise<Answer> {
  return withErrorAnswers(context, async () => {
    const target = validateRequest(req);
    const base = context.publicUrl ?? requestBaseUrl(req, context.trustedProxies);
    const request = { ...target, req, unsupported, base };
    if (!isProtected(target.path)) return answerPublic(context, request);
    if (isPreflight(req)) return PREFLIGHT_ANSWER;

    const metadata = context.resourceMetadata && metadataUrl(base);
    const { subject, client } = await context.authenticate(req.headers.authorization, metadata);
    context.linkWarning.check(req);
    const endpoint = ENDPOINTS.get(target.path);
    const { limits } = context;
    const makeAnswer = () => withErrorAnswers(context, () => answerApi(context, request, endpoint));
    const answer = await withErrorAnswers(context, () =>
      limits === undefined ? makeAnswer() : admitClient(limits, client, makeAnswer),
    );
    return { ...answer, route: endpoint?.path, subject };
  });
}

/** The answer to a request under /api/ with a valid token. */
async function answerApi(
  { releases, origin, matches, responses, work }: HandlerContext,
  { req, target, query, unsupported, base }: ValidRequest,
  endpoint: Endpoint | undefined,
): Promise<Answer> {
  if (endpoint === undefined) throw new Problem('not-found', `Available: ${PATHS_RULE}.`);
  if (req.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseOtherMethods(req);
  refuseUnsupported(unsupported);
  const coding = codingFor(req.headers['accept-encoding']);
  return responses.find({ target, base, coding }, releases, async () => {
    const request = endpoint.kind === 'file' ? parseEmptyQuery(query) : parseQuery(query, endpoint.level);
    return answerRequest(releases, request, async (release) => {
      const key = `${release.digest} ${coding} ${base} ${target}`;
      if (endpoint.kind === 'file')
        return work.answer(key, () => respondWithFile(origin, { endpoint, release, coding }));
      const level = await release.level(endpoint.level);
      return work.answer(key, () =>
        respondWithPage(origin, { endpoint, request, release, level, matches, coding, base }),
      );
    });
  });
}

/** The answer to a request outside /api/, which needs no token. */
async function answerPublic(context: HandlerContext, request: ValidRequest): Promise<Answer> {
  const { assets, releases, resourceMetadata, publicUrl, lifecycle, keysUnavailableReason } = context;
  const { req, path, unsupported, base } = request;
  refuseUnsupported(unsupported);
  const asset = assets.get(path);
  const isMetadata = resourceMetadata !== undefined && isMetadataPath(path, publicUrl);
  if (asset === undefined && !isMetadata && !HEALTH_PATHS.includes(path))
    throw new Problem('not-found', 'Available: /healthz, /readyz, /openapi.json and the paths under /api/v1/.');
  const route = isMetadata ? 'metadata' : path;
  const answer = await withErrorAnswers(context, async () => {
    refuseOtherMethods(req);
    if (isMetadata) return metadataToAnswer(resourceMetadata, base);
    if (asset === undefined) return answerHealth(path, releases, lifecycle, keysUnavailableReason);
    const file = typeof asset === 'function' ? asset(servedRelease(releases)) : asset;
    return assetToAnswer(file, codingFor(req.headers['accept-encoding']));
  });
  return { ...answer, route };
}

/** The result of `makeAnswer`, or the answer for its error. */
async function withErrorAnswers({ log }: HandlerContext, makeAnswer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await makeAnswer();
  } catch (error) {
    return errorToAnswer(error, log);
  }
}
