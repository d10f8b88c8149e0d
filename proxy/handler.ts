// What happens to a request, from its first byte to its answer, as a table of contents.
import type { IncomingMessage } from 'node:http';
import type { Authenticate } from './auth/authenticate.ts';
import type { ResourceMetadata } from './auth/resource-metadata.ts';
import { isMetadataPath, metadataToAnswer, metadataUrl } from './auth/resource-metadata.ts';
import { errorToAnswer } from './error-answer.ts';
import { codingFor } from './http/accept-encoding.ts';
import type { Answer } from './http/answer.ts';
import type { TrustedProxies } from './http/base-url.ts';
import { baseOf } from './http/base-url.ts';
import { isPreflight, OPTIONS_ANSWER, PREFLIGHT_ANSWER } from './http/cors.ts';
import { Problem } from './http/problem.ts';
import { refuseExtras, refuseMalformed, refuseOtherMethods, targetOf } from './http/validate-request.ts';
import { answerHealth, HEALTH_PATHS } from './operations/health.ts';
import type { Origin } from './origin/origin.ts';
import type { Catalogue } from './origin/releases.ts';
import { isPinned, parseQuery } from './pages/parse-query.ts';
import { pickRelease, servedRelease } from './pages/pick-release.ts';
import { respond } from './pages/respond.ts';
import type { ResponseCache } from './pages/response-cache.ts';
import { endpointAt, isProtected } from './pages/routes.ts';
import type { Assets } from './site/asset.ts';
import { assetToAnswer } from './site/asset.ts';

/** What the proxy works with. */
export interface Service {
  authenticate: Authenticate;
  catalogue: Catalogue;
  origin: Origin;
  responses: ResponseCache;
  /** Why tokens cannot be checked yet; undefined when they can. Asks for keys where none are known. */
  keysMissing: () => Promise<string | undefined>;
  /** What stands before the path in Link headers; undefined takes what `trusted` or the Host of the request says. */
  publicUrl: string | undefined;
  /** The proxies whose X-Forwarded-* headers are believed. */
  trusted: TrustedProxies | undefined;
  /** Undefined where no issuer has an address. */
  metadata: ResourceMetadata | undefined;
  /** Files that anyone may have. */
  assets: Assets;
  /** Takes a line about a fault of ours or of the origin; never a token. */
  log: (line: string) => void;
}

/** A request in its parts. */
interface Target {
  path: string;
  /** Without `?`. */
  query: string;
  /** What stands before the path in Link headers. */
  base: string;
}

/** The answer to one request; faults of the client, of the origin and of ours are answers too. */
export async function handle(service: Service, req: IncomingMessage): Promise<Answer> {
  return orProblem(service, async () => {
    refuseMalformed(req);
    const target = { ...targetOf(req), base: service.publicUrl ?? baseOf(req, service.trusted) };
    if (!isProtected(target.path)) return answerOpenly(service, target, req);
    if (isPreflight(req)) return PREFLIGHT_ANSWER;

    const metadata = service.metadata && metadataUrl(target.base);
    const { subject } = await service.authenticate(req.headers.authorization, metadata);
    const answer = await orProblem(service, () => answerApi(service, target, req));
    return { ...answer, route: endpointAt(target.path)?.path, subject };
  });
}

/** Answers a path under /api/ for a client with a valid token. */
async function answerApi(service: Service, { path, query, base }: Target, req: IncomingMessage): Promise<Answer> {
  const endpoint = endpointAt(path);
  if (endpoint === undefined)
    throw new Problem(
      'not-found',
      'There are /api/v1/geojsonl/<LEVEL> and /api/v1/fc/<LEVEL>, LEVEL one of lv0 lv1 lv2 lv3 lv4 lv5.',
    );
  if (req.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseOtherMethods(req);
  refuseExtras(req);
  const { catalogue, origin, responses } = service;
  const coding = codingFor(req.headers['accept-encoding']);
  return responses.find({ target: req.url ?? '', base, coding }, catalogue, async () => {
    const request = parseQuery(query, endpoint.level);
    const release = await pickRelease(catalogue, request);
    const answer = respond(origin, { endpoint, request, release, coding, base });
    return { answer, release: release.id, isPinned: isPinned(request) };
  });
}

/** Answers the paths outside /api/. */
async function answerOpenly(service: Service, { path, base }: Target, req: IncomingMessage): Promise<Answer> {
  const { assets, catalogue, metadata, publicUrl, keysMissing } = service;
  refuseExtras(req);
  const asset = assets.get(path);
  const isMetadata = metadata !== undefined && isMetadataPath(path, publicUrl);
  if (asset === undefined && !isMetadata && !HEALTH_PATHS.includes(path))
    throw new Problem('not-found', 'There are /healthz, /readyz, /openapi.json and the paths under /api/v1/.');
  const route = isMetadata ? 'metadata' : path;
  const answer = await orProblem(service, async () => {
    refuseOtherMethods(req);
    if (isMetadata) return metadataToAnswer(metadata, base);
    if (asset === undefined) return answerHealth(path, catalogue, keysMissing);
    const file = typeof asset === 'function' ? asset(servedRelease(catalogue)) : asset;
    return assetToAnswer(file, codingFor(req.headers['accept-encoding']));
  });
  return { ...answer, route };
}

/** What `answer` gives, or the answer that its error becomes. */
async function orProblem({ log }: Service, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    return errorToAnswer(error, log);
  }
}
