// Admission of a request by the limits of its client: 429 beyond them, and the RateLimit fields of its answer
// (draft-ietf-httpapi-ratelimit-headers-10).
import type { HeaderList } from '../answers/answer.ts';
import { Problem } from '../http/problem.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Admission, ClientCounter, LimitRules } from './client-limits.ts';

/** The limits of all clients. */
export interface ClientLimits {
  rules: LimitRules;
  counter: ClientCounter;
}

/**
 * Admits a request of a client within its limits; it counts as in progress until the response has ended.
 * @param request receives the fields of its answer, and what to call at its end
 * @throws Problem too-many-requests
 */
export async function admitClient(
  { rules, counter }: ClientLimits,
  client: string,
  request: HttpRequest,
): Promise<void> {
  const admission = await counter.enter(client);
  request.limitFields = limitFields(rules, admission);
  if (admission.exceeded !== undefined) throw refusal(rules, admission);
  request.onClose = () => counter.leave(client);
}

/** RateLimit-Policy states each limit, RateLimit the state of the rate; RFC 9651 lists of items with parameters. */
function limitFields({ rate, concurrency }: LimitRules, { remaining, resetSeconds }: Admission): HeaderList {
  const policies = [
    ...(rate ? [`"rate";q=${rate.requests};w=${rate.windowSeconds}`] : []),
    ...(concurrency ? [`"concurrency";q=${concurrency};qu="concurrent-requests"`] : []),
  ];
  const state = remaining === undefined ? [] : ['RateLimit', `"rate";r=${remaining};t=${resetSeconds}`];
  return ['RateLimit-Policy', policies.join(', '), ...state];
}

function refusal({ rate, concurrency }: LimitRules, { exceeded, resetSeconds }: Admission): Problem {
  const limit =
    exceeded === 'rate'
      ? `requests: ${rate?.requests} in ${rate?.windowSeconds} s`
      : `requests in progress: ${concurrency}`;
  const headers = { 'Retry-After': String(resetSeconds) };
  return new Problem('too-many-requests', `A client has a limit of ${limit}. Try again in ${resetSeconds} s.`, headers);
}
