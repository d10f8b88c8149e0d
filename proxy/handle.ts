// What happens to a request, from its first byte to its answer, as a table of contents.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerAgain, answerName } from './again.ts';
import { answer } from './answer.ts';
import type { Assets } from './asset.ts';
import { answerAsset } from './asset.ts';
import type { Authenticate } from './auth.ts';
import type { Catalogue, LoadedRelease } from './catalogue.ts';
import type { TrustedProxies } from './forwarded.ts';
import { baseOf } from './forwarded.ts';
import { answerOptions, answerPreflight, isPreflight } from './headers.ts';
import { answerHealth, servedRelease } from './health.ts';
import type { ResourceMetadata } from './metadata.ts';
import { answerMetadata, isMetadataPath, metadataUrl } from './metadata.ts';
import type { Origin } from './origin.ts';
import { Problem } from './problem.ts';
import type { PageRequest } from './query.ts';
import { parseQuery } from './query.ts';
import { extraOf, refuseExtras, refuseMalformed, refuseOtherMethods, targetOf } from './request.ts';
import { resolve } from './resolve.ts';
import type { Endpoint } from './route.ts';
import { endpointAt, isProtected } from './route.ts';

/** What the proxy works with. */
export interface Service {
  authenticate: Authenticate;
  catalogue: Catalogue;
  origin: Origin;
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
}

/** What is known of a request once it has been answered, for whoever counts and logs. */
export interface Account {
  /** Who asked, by the token's `sub`. */
  subject: string | undefined;
  /** The endpoint that answered, or the kind of path; undefined when it was none of ours. */
  route: string | undefined;
}

/**
 * Answers one request.
 * @param account is filled in on the way
 * @throws Problem for whatever the client did wrong
 * @throws OriginError, FormatError when the stored release is damaged
 */
export async function handle(
  service: Service,
  req: IncomingMessage,
  res: ServerResponse,
  account: Account,
): Promise<void> {
  refuseMalformed(req);
  const { path, query } = targetOf(req);
  const base = service.publicUrl ?? baseOf(req, service.trusted);
  if (!isProtected(path)) return answerOpenly(service, path, base, req, res, account);
  if (isPreflight(req)) return answerPreflight(res);

  const metadata = service.metadata && metadataUrl(base);
  account.subject = (await service.authenticate(req.headers.authorization, metadata)).subject;
  const extra = extraOf(req);
  const name = extra === undefined ? answerName(req, base) : undefined;
  if (name !== undefined && answerAgain(service, name, res, account)) return;
  const endpoint = routeTo(path);
  account.route = endpoint.path;
  if (req.method === 'OPTIONS') return answerOptions(res);
  refuseOtherMethods(req);
  refuseExtras(req);
  const request = parseQuery(query, endpoint.level);
  const release = await releaseFor(service.catalogue, request);
  const resolution = resolve(release.levels[endpoint.level], endpoint.format, request);
  return answer(service.origin, { endpoint, request, release, resolution, base, name }, req, res);
}

/** Answers the paths outside /api/. */
async function answerOpenly(
  service: Service,
  path: string,
  base: string,
  req: IncomingMessage,
  res: ServerResponse,
  account: Account,
): Promise<void> {
  refuseExtras(req);
  const asset = service.assets.get(path);
  if (asset !== undefined) {
    account.route = path;
    refuseOtherMethods(req);
    return answerAsset(typeof asset === 'function' ? asset(servedRelease(service.catalogue)) : asset, req, res);
  }
  if (service.metadata === undefined || !isMetadataPath(path, service.publicUrl))
    return answerHealth(service, path, req, res, account);
  account.route = 'metadata';
  refuseOtherMethods(req);
  return answerMetadata(service.metadata, base, req, res);
}

function routeTo(path: string): Endpoint {
  const endpoint = endpointAt(path);
  if (endpoint !== undefined) return endpoint;
  throw new Problem(
    'not-found',
    'There are /api/v1/geojsonl/<LEVEL> and /api/v1/fc/<LEVEL>, LEVEL one of lv0 lv1 lv2 lv3 lv4 lv5.',
  );
}

/** The release that a request's cursor names, or the one that is served. */
async function releaseFor(catalogue: Catalogue, { start }: PageRequest): Promise<LoadedRelease> {
  if (start === undefined || 'fid' in start) return servedRelease(catalogue);
  const release = await catalogue.find(start.cursor.release);
  if (release !== undefined) return release;
  throw new Problem(
    'release-gone',
    'The release that this cursor belongs to is no longer hosted. Start again without start-at.',
  );
}
