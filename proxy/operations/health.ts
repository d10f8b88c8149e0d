// Health checks for load balancers and orchestrators: /healthz and /readyz need no token and reveal nothing of the
// data.
import type { Answer } from '../answers/answer.ts';
import { answerWith } from '../answers/answer.ts';
import { notReady, servedRelease } from '../pages/resolve.ts';
import type { Releases } from '../releases/releases.ts';

/** The state of the server, shared by its parts. */
export interface Lifecycle {
  /** True from the signal to stop on: /readyz is 503, and responses close their connections. */
  isStopping: boolean;
}

/** The paths. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz'];

const OK_ANSWER: Answer = answerWith(
  200,
  ['Cache-Control', 'no-store'],
  ['Content-Type', 'text/plain'],
  Buffer.from('ok\n'),
);

/**
 * The answer to /healthz (the process runs) or /readyz (a release is loaded and keys to verify tokens are available).
 * @param keysUnavailableReason undefined if keys are available
 * @throws Problem not-ready
 */
export function answerHealth(
  path: string,
  releases: Releases,
  { isStopping }: Lifecycle,
  keysUnavailableReason: () => Promise<string | undefined>,
): Answer | Promise<Answer> {
  if (path === '/healthz') return OK_ANSWER;
  if (isStopping) throw notReady('The service is stopping.');
  servedRelease(releases);
  return keysUnavailableReason().then((reason) => {
    if (reason !== undefined) throw notReady(reason);
    return OK_ANSWER;
  });
}
