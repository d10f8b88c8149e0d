// The two paths outside /api/, for whoever watches the process: without a token, and they tell nothing of the data.

import { COMMON_HEADERS } from '../http/cors.ts';
import { Problem } from '../http/problem.ts';
import type { Answer } from '../http/response.ts';
import type { Catalogue, LoadedRelease } from '../origin/releases.ts';

const RETRY_SECONDS = 5;

/** The paths. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz'];

const OK = Buffer.from('ok\n');
const OK_ANSWER: Answer = {
  status: 200,
  headers: [...COMMON_HEADERS, 'Cache-Control', 'no-store'],
  content: { headers: ['Content-Type', 'text/plain'], bytes: OK.length, body: OK },
};

/**
 * Answers /healthz (the process is up) and /readyz (it has a release to serve, and keys to check tokens with).
 * @param keysMissing why tokens cannot be checked yet; undefined when they can
 * @throws Problem not-ready
 */
export async function answerHealth(
  path: string,
  catalogue: Catalogue,
  keysMissing: () => Promise<string | undefined>,
): Promise<Answer> {
  if (path === '/readyz') {
    servedRelease(catalogue);
    const missing = await keysMissing();
    if (missing !== undefined) throw notReady(missing);
  }
  return OK_ANSWER;
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
