// The table of contents of a request: every step from its validation to its answer.
import { FormatError } from '../format/parse.ts';
import type { Answer, Basis } from './answers/answer.ts';
import { OPTIONS_ANSWER, PREFLIGHT_ANSWER } from './answers/answer.ts';
import { errorToAnswer } from './answers/error-answer.ts';
import type { Authenticator } from './auth/authenticate.ts';
import type { ResourceMetadata } from './auth/resource-metadata.ts';
import { isMetadataPath, metadataToAnswer, metadataUrl } from './auth/resource-metadata.ts';
import type { BaseUrl } from './http/base-url.ts';
import { notReady, Problem } from './http/problem.ts';
import type { HttpRequest } from './http/request.ts';
import { codingFor, isPreflight, refuseUnsupported, validate } from './http/request.ts';
import type { ClientLimits } from './limits/admit-client.ts';
import { admitClient } from './limits/admit-client.ts';
import { respondWithDocument } from './ogc/documents.ts';
import { respondWithItems } from './ogc/items.ts';
import { parseItems } from './ogc/query.ts';
import type { Lifecycle } from './operations/health.ts';
import { answerHealth, HEALTH_PATHS, healthAnswer } from './operations/health.ts';
import { OriginError, type Reads } from './origin/origin.ts';
import { respondWithDownload } from './pages/download.ts';
import type { Endpoint, ItemsEndpoint, ListingEndpoint } from './pages/endpoints.ts';
import { endpointOf, isProtected, PATHS_RULE } from './pages/endpoints.ts';
import type { ListingParams } from './pages/query.ts';
import { geometryOf, parseQuery, refuseQuery } from './pages/query.ts';
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
  /** Of the cells that requests for a point need. */
  reads: Reads;
  lifecycle: Lifecycle;
  /** Undefined if clients are not limited. */
  limits: ClientLimits | undefined;
  /** Why tokens cannot be verified; undefined if they can. Reads key sets that are not known yet. */
  keysUnavailableReason: () => Promise<string | undefined>;
  baseUrl: BaseUrl;
  /** Base URL of the service if it is configured. */
  publicUrl: string | undefined;
  /** What the service is called, if that is configured. */
  title?: string | undefined;
  /** Undefined if no issuer is a URL. */
  resourceMetadata: ResourceMetadata | undefined;
  /** Files that need no token. */
  assets: Assets;
  /** Receives a line for each error that the client did not cause; never a token. */
  log: (line: string) => void;
}

/**
 * The answer to a request; a promise only if something must be brought into memory first. Neither throws nor rejects:
 * errors become answers.
 */
export function handle(context: HandlerContext, request: HttpRequest): Answer | Promise<Answer> {
  try {
    validate(request);
    return answerNow(context, request) ?? answerLater(context, request);
  } catch (error) {
    return errorToAnswer(error, context.log);
  }
}

/** The answer from what is in memory; undefined if something is missing: principal, keys, release or level. */
function answerNow(context: HandlerContext, request: HttpRequest): Answer | undefined {
  if (!isProtected(request.path)) return answerPublic(context, request);
  if (isPreflight(request)) return PREFLIGHT_ANSWER;
  // Logged with a refusal, too; without a token the client does not learn whether there is one.
  const endpoint = endpointOf(request.path);
  request.route = endpoint?.path;
  request.client ??= context.authenticator.known(request.headers.authorization);
  if (request.client === undefined) return undefined;
  // Once for each request.
  if (request.limitFields === undefined && context.limits !== undefined)
    admitClient(context.limits, request.client, request);
  if (endpoint === undefined) throw new Problem('not-found', `Available: ${PATHS_RULE}.`);
  if (request.method === 'OPTIONS') return OPTIONS_ANSWER;
  refuseUnsupported(request);
  const coding = codingFor(request.headers['accept-encoding']);
  const base = context.baseUrl.of(request);
  return (
    context.responses[coding].find(request.target, base, context.releases) ??
    answerFrom(context, endpoint, request, base, coding)
  );
}

/** The answer from a release. */
function answerFrom(
  { releases, reads, title }: HandlerContext,
  endpoint: Endpoint,
  request: HttpRequest,
  base: string,
  coding: Basis['coding'],
): Answer | undefined {
  if (endpoint.kind === 'file' || endpoint.kind === 'document') {
    refuseQuery(request.query);
    const basis = { release: releases.requireCurrent(), base, coding, isPinned: false };
    return endpoint.kind === 'file' ? respondWithFile(endpoint, basis) : respondWithDocument(endpoint, basis, title);
  }
  const params = paramsOf(endpoint, request);
  const release = params.release === undefined ? releases.requireCurrent() : releases.get(params.release);
  const level = release?.get(endpoint.level);
  const source = release && level?.get(geometryOf(params, release.geometries));
  const places = level?.spatial.at(params, reads);
  if (release === undefined || level === undefined || source === undefined || places === undefined) return undefined;
  const basis = { release, base, coding, isPinned: params.release !== undefined };
  if (endpoint.kind === 'page') return respondWithPage({ endpoint, params, places, level, source, basis });
  if (endpoint.kind === 'download')
    return respondWithDownload({ endpoint, params, places, level, source, basis }, request);
  return respondWithItems({ endpoint, params, places, level, source, basis });
}

function paramsOf(endpoint: ListingEndpoint | ItemsEndpoint, { path, query }: HttpRequest): ListingParams {
  if (endpoint.kind === 'page' || endpoint.kind === 'download') return parseQuery(query, endpoint);
  return parseItems(endpoint, path, query);
}

/** The answer after what is missing has been brought into memory. The one place of the path that waits. Never rejects. */
async function answerLater(context: HandlerContext, request: HttpRequest): Promise<Answer> {
  const { authenticator, releases, resourceMetadata, baseUrl, keysUnavailableReason, reads, log } = context;
  try {
    if (!isProtected(request.path)) return healthAnswer(await keysUnavailableReason());
    const metadata = (): string | undefined => resourceMetadata && metadataUrl(baseUrl.of(request));
    request.client ??= await authenticator.verify(request.headers.authorization, metadata);
    const known = answerNow(context, request);
    if (known !== undefined) return known;
    const endpoint = endpointOf(request.path);
    if (endpoint === undefined || endpoint.kind === 'file' || endpoint.kind === 'document')
      throw new TypeError('nothing is missing');
    const params = paramsOf(endpoint, request);
    const release = params.release === undefined ? releases.requireCurrent() : await releases.load(params.release);
    try {
      const level = await release.load(endpoint.level);
      await level.load(geometryOf(params, release.geometries));
      await level.spatial.load(params, reads);
    } catch (error) {
      return answerAgain(context, request, { basis: { release, isPinned: params.release !== undefined } }, error);
    }
    const answer = answerNow(context, request);
    if (answer === undefined) throw notReady('Too much is being loaded at the moment. Try again.');
    return answer;
  } catch (error) {
    if (error instanceof Problem) request.tokenFault = error.tokenFault;
    return errorToAnswer(error, log);
  }
}

/**
 * The answer to a request whose body, or what it depends on, could not be read. If a file of its release is missing or damaged, the release may
 * just have been removed or replaced: then the request is answered as it would be now. Never rejects.
 */
export async function answerAgain(
  context: HandlerContext,
  request: HttpRequest,
  { basis }: { basis: Pick<Basis, 'release' | 'isPinned'> | undefined },
  error: unknown,
): Promise<Answer> {
  const { releases, log } = context;
  const mayBeGone = error instanceof FormatError || (error instanceof OriginError && error.mayBeGone);
  if (mayBeGone) await releases.lookAgain();
  const isGone = mayBeGone && basis !== undefined && !releases.hosts(basis.release);
  // Without a newer release the current one is still served, though its files are gone.
  if (!isGone || (!basis.isPinned && basis.release === releases.current)) return errorToAnswer(error, log);
  return handle(context, request);
}

/** The answer to a request outside /api/, which needs no token; undefined if keys must be read first. */
function answerPublic(context: HandlerContext, request: HttpRequest): Answer | undefined {
  const { assets, releases, resourceMetadata, publicUrl, lifecycle, baseUrl } = context;
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
  if (asset === undefined) return answerHealth(path, releases, lifecycle);
  const file = typeof asset === 'function' ? asset(releases.requireCurrent()) : asset;
  return assetToAnswer(file, codingFor(request.headers['accept-encoding']));
}
