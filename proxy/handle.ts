// What happens to a request, from its first byte to its answer, as a table of contents.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer } from './answer.ts';
import type { Authenticate } from './auth.ts';
import type { Catalogue, LoadedRelease } from './catalogue.ts';
import { answerOptions, answerPreflight, isPreflight } from './headers.ts';
import { answerHealth, servedRelease } from './health.ts';
import type { Origin } from './origin.ts';
import { Problem } from './problem.ts';
import type { PageRequest } from './query.ts';
import { parseQuery } from './query.ts';
import { refuseMalformed, refuseOtherMethods, targetOf } from './request.ts';
import { resolve } from './resolve.ts';
import type { Endpoint } from './route.ts';
import { endpointAt, isProtected } from './route.ts';

/** What the proxy works with. */
export interface Service {
  authenticate: Authenticate;
  catalogue: Catalogue;
  origin: Origin;
  /** What stands before the path in Link headers; undefined takes `http://` and the Host of the request. */
  publicUrl: string | undefined;
}

/**
 * Answers one request.
 * @throws Problem for whatever the client did wrong
 * @throws OriginError, FormatError when the stored release is damaged
 */
export async function handle(service: Service, req: IncomingMessage, res: ServerResponse): Promise<void> {
  refuseMalformed(req);
  const { path, query } = targetOf(req);
  if (!isProtected(path)) return answerHealth(service.catalogue, path, req, res);
  if (isPreflight(req)) return answerPreflight(res);

  await service.authenticate(req.headers.authorization);
  const endpoint = routeTo(path);
  if (req.method === 'OPTIONS') return answerOptions(res);
  refuseOtherMethods(req);
  const request = parseQuery(query, endpoint.level);
  const release = await releaseFor(service.catalogue, request);
  const level = release.levels[endpoint.level];
  const resolution = resolve(level, endpoint.format, request);
  const base = service.publicUrl ?? `http://${req.headers.host}`;
  return answer(service.origin, { endpoint, request, level, resolution, base }, req, res);
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
