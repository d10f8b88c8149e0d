// The table of contents of a request: every step from its validation to its answer.
import type { IncomingMessage } from 'node:http';
import type { Authenticate } from './auth/authenticate.ts';
import type { ResourceMetadata } from './auth/resource-metadata.ts';
import { isMetadataPath, metadataToAnswer, metadataUrl } from './auth/resource-metadata.ts';
import { errorToAnswer } from './error-answer.ts';
import { codingFor } from './http/accept-encoding.ts';
import type { Answer } from './http/answer.ts';
import type { TrustedProxies } from './http/base-url.ts';
import { requestBaseUrl } from './http/base-url.ts';
import { isPreflight, OPTIONS_ANSWER, PREFLIGHT_ANSWER } from './http/cors.ts';
import { Problem } from './http/problem.ts';
import {
  refuseMalformed,
  refuseOtherMethods,
  refuseUnsupported,
  requestTarget,
  splitTarget,
} from './http/validate-request.ts';
import { answerHealth, HEALTH_PATHS } from './operations/health.ts';
import type { Origin } from './origin/origin.ts';
import type { Releases } from './origin/releases.ts';
import { isPinned, parseQuery } from './pages/parse-query.ts';
import { pickRelease, servedRelease } from './pages/pick-release.ts';
import { respond } from './pages/respond.ts';
import type { ResponseCache } from './pages/response-cache.ts';
import { endpointAt, isProtected } from './pages/routes.ts';
import type { Assets } from './site/asset.ts';
import { assetToAnswer } from './site/asset.ts';

/** What all requests share; created once by assemble-server.ts. */
export interface HandlerContext {
  authenticate: Authenticate;
  releases: Releases;
  origin: Origin;
  responses: ResponseCache;
  /** Why tokens cannot be verified; undefined if they can. Reads key sets that are not known yet. */
  keysUnavailableReason: () => Promise<string | undefined>;
  /** Base URL in Link headers; undefined uses that of the request. */
  publicUrl: string | undefined;
  /** Reverse proxies whose X-Forwarded-* headers are used. */
  trustedProxies: TrustedProxies | undefined;
  /** Undefined if no issuer is a URL. */
  resourceMetadata: ResourceMetadata | undefined;
  /** Files that need no token. */
  assets: Assets;
  /** Receives a line for each error that the client did not cause; never a token. */
  log: (line: string) => void;
}

/** The parts of a request target. */
interface Target {
  path: string;
  /** Without `?`. */
  query: string;
  /** Base URL in Link headers. */
  base: string;
}

/** The answer to a request. Never rejects: errors become answers. */
export async function handle(context: HandlerContext, req: IncomingMessage): Promise<Answer> {
  return withErrorAnswers(context, async () => {
    refuseMalformed(req);
    const base = context.publicUrl ?? requestBaseUrl(req, context.trustedProxies);
    const target = { ...splitTarget(requestTarget(req)), base };
    if (!isProtected(target.path)) return answerPublic(context, target, req);
    if (isPreflight(req)) return PREFLIGHT_ANSWER;

    const metadata = context.resourceMetadata && metadataUrl(base);
    const { subject } = await context.authenticate(req.headers.authorization, metadata);
    const answer = await withErrorAnswers(context, () => answerApi(context, target, req));
    return { ...answer, route: endpointAt(target.path)?.path, subject };
  });
}

/** The answer to a request under /api/ with a valid token. */
async function answerApi(
  context: HandlerContext,
  { path, query, base }: Target,
  req: IncomingMessage,
): Promise<Answer> {
  const endpoint = endpointAt(path);
  if (endpoint === undefined)
    throw new Problem(
      'not-found',
      'Available: /api/v1/geojsonl/<LEVEL> and /api/v1/fc/<LEVEL>, LEVEL one of lv0 lv1 lv2 lv3 lv4 lv5.',
    );
  if (req.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseOtherMethods(req);
  refuseUnsupported(req);
  const { releases, origin, responses } = context;
  const coding = codingFor(req.headers['accept-encoding']);
  return responses.find({ target: requestTarget(req), base, coding }, releases, async () => {
    const request = parseQuery(query, endpoint.level);
    const release = await pickRelease(releases, request);
    const answer = respond(origin, { endpoint, request, release, coding, base });
    return { answer, release: release.id, isPinned: isPinned(request) };
  });
}

/** The answer to a request outside /api/, which needs no token. */
async function answerPublic(context: HandlerContext, { path, base }: Target, req: IncomingMessage): Promise<Answer> {
  const { assets, releases, resourceMetadata, publicUrl, keysUnavailableReason } = context;
  refuseUnsupported(req);
  const asset = assets.get(path);
  const isMetadata = resourceMetadata !== undefined && isMetadataPath(path, publicUrl);
  if (asset === undefined && !isMetadata && !HEALTH_PATHS.includes(path))
    throw new Problem('not-found', 'Available: /healthz, /readyz, /openapi.json and the paths under /api/v1/.');
  const route = isMetadata ? 'metadata' : path;
  const answer = await withErrorAnswers(context, async () => {
    refuseOtherMethods(req);
    if (isMetadata) return metadataToAnswer(resourceMetadata, base);
    if (asset === undefined) return answerHealth(path, releases, keysUnavailableReason);
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
