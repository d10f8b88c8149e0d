// The two paths outside /api/, for whoever watches the process: without a token, and they tell nothing of the data.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Catalogue, LoadedRelease } from './catalogue.ts';
import type { Account, Service } from './handle.ts';
import { COMMON_HEADERS } from './headers.ts';
import { Problem } from './problem.ts';
import { refuseOtherMethods } from './request.ts';

const RETRY_SECONDS = 5;

/**
 * Answers /healthz (the process is up) and /readyz (it has a release to serve, and keys to check tokens with).
 * @throws Problem not-found, method-not-allowed, not-ready
 */
export async function answerHealth(
  { catalogue, keysMissing }: Pick<Service, 'catalogue' | 'keysMissing'>,
  path: string,
  req: IncomingMessage,
  res: ServerResponse,
  account: Account,
): Promise<void> {
  if (path !== '/healthz' && path !== '/readyz')
    throw new Problem('not-found', 'There are /healthz, /readyz, /openapi.json and the paths under /api/v1/.');
  account.route = path;
  refuseOtherMethods(req);
  if (path === '/readyz') {
    servedRelease(catalogue);
    const missing = await keysMissing();
    if (missing !== undefined) throw notReady(missing);
  }
  const body = 'ok\n';
  res.writeHead(200, {
    ...COMMON_HEADERS,
    'Content-Type': 'text/plain',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/**
 * The release that is served.
 * @throws Problem not-ready while there is none
 */
export function servedRelease(catalogue: Catalogue): LoadedRelease {
  if (catalogue.current !== undefined) return catalogue.current;
  throw notReady('No release has been loaded yet.');
}

function notReady(detail: string): Problem {
  return new Problem('not-ready', detail, { 'Retry-After': String(RETRY_SECONDS) });
}
