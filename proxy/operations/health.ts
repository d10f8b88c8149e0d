// Health checks for load balancers and orchestrators: /healthz and /readyz need no token and reveal nothing of the
// data.

import type { Answer } from '../bodies/answer.ts';
import { answerWith } from '../bodies/answer.ts';
import type { Audience } from '../bodies/headers.ts';
import type { Releases } from '../data/hosted-releases.ts';
import { notReady } from '../http/problem.ts';

/** The state of the server, shared by its parts. */
export interface Lifecycle {
  /** True from the signal to stop on: /readyz is 503, and responses close their connections. */
  isStopping: boolean;
}

/** Where health checks are. */
export const PROBE_PATHS = { alive: '/healthz', ready: '/readyz' } as const;

/** Is this the route of a health check? */
export function isProbe(route: string | undefined): boolean {
  return route === PROBE_PATHS.alive || route === PROBE_PATHS.ready;
}

const OK_ANSWER: Answer = textAnswer('ok\n');
/** Says that nobody needs a token. */
const OK_PUBLIC_ANSWER: Answer = textAnswer('ok, public\n');

function textAnswer(text: string): Answer {
  return answerWith(200, ['Cache-Control', 'no-store'], ['Content-Type', 'text/plain'], Buffer.from(text));
}

/** What a service needs to be ready. */
export interface Readiness {
  releases: Releases;
  lifecycle: Lifecycle;
  audience: Audience;
  /** Why tokens cannot be verified; undefined if they can. Reads key sets that are not known yet. */
  keysUnavailableReason: () => Promise<string | undefined>;
}

/** The answer to /healthz: the process runs. */
export function answerAlive(): Answer {
  return OK_ANSWER;
}

/** The answer to /readyz: a release is loaded, and keys to verify tokens are available. @throws Problem not-ready */
export async function answerReady(readiness: Readiness): Promise<Answer> {
  const { releases, lifecycle, audience, keysUnavailableReason } = readiness;
  if (lifecycle.isStopping) throw notReady('The service is stopping.');
  releases.requireCurrent();
  const reason = await keysUnavailableReason();
  if (reason !== undefined) throw notReady(reason);
  return audience === 'public' ? OK_PUBLIC_ANSWER : OK_ANSWER;
}
