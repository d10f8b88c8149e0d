// Limits of each client: requests per time and requests at a time, by the principal of its token. Beyond them 429;
// answers have the RateLimit fields (draft-ietf-httpapi-ratelimit-headers-10), but those that shared caches keep.
import { LRUCache } from 'lru-cache';
import type { Admit } from '../http/guards.ts';
import { Problem } from '../http/problem.ts';

/** The configured limits; undefined does not limit. */
export interface LimitRules {
  rate: RateRule | undefined;
  /** Requests in progress at a time. */
  concurrency: number | undefined;
}

/** A number of requests in each window of time. */
export interface RateRule {
  requests: number;
  windowSeconds: number;
}

/** Clients with a window; beyond that those that have sent no request for longest begin a new one. */
const WINDOWS_MAX = 100_000;
const CONCURRENCY_RETRY_SECONDS = 1;
const MS_PER_SECOND = 1000;

/**
 * What admits a request of a client within its limits; it counts as in progress until the response has ended. What each
 * client has done is in the memory of this process.
 * @returns a function that gives the request the fields of its answer, and what to call at its end; it throws Problem
 * too-many-requests
 */
export function admittingWithin({ rate, concurrency }: LimitRules): Admit {
  const policies = [
    ...(rate ? [`"rate";q=${rate.requests};w=${rate.windowSeconds}`] : []),
    ...(concurrency ? [`"concurrency";q=${concurrency};qu="concurrent-requests"`] : []),
  ];
  /** States each limit: an RFC 9651 list of items with parameters. */
  const policy = ['RateLimit-Policy', policies.join(', ')];
  /** Of each client that has one: requests admitted in its window. It ends on a clock that nobody sets. */
  const windows = new LRUCache<string, { admitted: number }>({
    max: WINDOWS_MAX,
    ttl: (rate?.windowSeconds ?? 0) * MS_PER_SECOND,
  });
  /** Requests in progress of each client that has any. */
  const running = new Map<string, number>();
  return ({ id: principal }, request) => {
    request.limitFields = policy;
    if (concurrency !== undefined && (running.get(principal) ?? 0) >= concurrency)
      throw tooManyRequests(`requests in progress: ${concurrency}`, CONCURRENCY_RETRY_SECONDS);
    if (rate !== undefined) {
      const window = windows.get(principal) ?? { admitted: 0 };
      const isExceeded = window.admitted >= rate.requests;
      if (!isExceeded && window.admitted++ === 0) windows.set(principal, window);
      const resetSeconds = Math.max(1, Math.ceil(windows.getRemainingTTL(principal) / MS_PER_SECOND));
      request.limitFields = [...policy, 'RateLimit', `"rate";r=${rate.requests - window.admitted};t=${resetSeconds}`];
      if (isExceeded) throw tooManyRequests(`requests: ${rate.requests} in ${rate.windowSeconds} s`, resetSeconds);
    }
    running.set(principal, (running.get(principal) ?? 0) + 1);
    request.onClose = () => {
      const others = (running.get(principal) ?? 0) - 1;
      if (others > 0) running.set(principal, others);
      else running.delete(principal);
    };
  };
}

function tooManyRequests(limit: string, retrySeconds: number): Problem {
  return new Problem('too-many-requests', `A client has a limit of ${limit}. Try again in ${retrySeconds} s.`, {
    'Retry-After': String(retrySeconds),
  });
}
