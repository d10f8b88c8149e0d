// The two paths outside /api/, for whoever watches the process: without a token, and they tell nothing of the data.

import type { Answer } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/cors.ts';
import type { Catalogue } from '../origin/releases.ts';
import { notReady, servedRelease } from '../pages/pick-release.ts';

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
