// Health checks for load balancers and orchestrators: /healthz and /readyz need no token and reveal nothing of the
// data.
import type { Answer } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/cors.ts';
import { notReady, servedRelease } from '../pages/pick-release.ts';
import type { Releases } from '../releases/releases.ts';

/** The state of the server, shared by its parts. */
export interface Lifecycle {
  /** True from the signal to stop on: /readyz is 503, and responses close their connections. */
  isStopping: boolean;
}

/** The paths. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz'];

const OK = Buffer.from('ok\n');
const OK_ANSWER: Answer = {
  status: 200,
  headers: [...COMMON_HEADERS, 'Cache-Control', 'no-store'],
  content: { headers: ['Content-Type', 'text/plain'], bytes: OK.length, body: OK },
};

/**
 * The answer to /healthz (the process runs) or /readyz (a release is loaded and keys to verify tokens are available).
 * @param keysUnavailableReason undefined if keys are available
 * @throws Problem not-ready
 */
export async function answerHealth(
  path: string,
  releases: Releases,
  { isStopping }: Lifecycle,
  keysUnavailableReason: () => Promise<string | undefined>,
): Promise<Answer> {
  if (path === '/readyz') {
    if (isStopping) throw notReady('The service is stopping.');
    servedRelease(releases);
    const reason = await keysUnavailableReason();
    if (reason !== undefined) throw notReady(reason);
  }
  return OK_ANSWER;
}
