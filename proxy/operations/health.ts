// Health checks for load balancers and orchestrators: /healthz and /readyz need no token and reveal nothing of the
// data.
import type { Answer } from '../answers/answer.ts';
import { answerWith } from '../answers/answer.ts';
import { notReady } from '../http/problem.ts';
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
 * The answer to /healthz (the process runs) or /readyz (a release is loaded and keys to verify tokens are available);
 * undefined if that depends on keys.
 * @throws Problem not-ready
 */
export function answerHealth(path: string, releases: Releases, { isStopping }: Lifecycle): Answer | undefined {
  if (path === '/healthz') return OK_ANSWER;
  if (isStopping) throw notReady('The service is stopping.');
  releases.requireCurrent();
  return undefined;
}

/** The answer to /readyz of a service with a release. @param keysUnavailableReason undefined if keys are available */
export function healthAnswer(keysUnavailableReason: string | undefined): Answer {
  if (keysUnavailableReason !== undefined) throw notReady(keysUnavailableReason);
  return OK_ANSWER;
}
