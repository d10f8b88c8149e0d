// Limits per client: requests per time and requests at a time, by the subject of the token. The only file that imports
// rate-limiter-flexible.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

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

/** The state of a client's limits after one more request. */
export interface Admission {
  /** The limit that refuses the request; undefined if it is admitted. */
  exceeded: keyof LimitRules | undefined;
  /** Further requests in this window; undefined without a rate limit. */
  remaining: number | undefined;
  /** Seconds until the window ends, or until a refused request may be tried again. */
  resetSeconds: number;
}

/** Counts the requests of clients. */
export interface ClientCounter {
  /** A client begins a request. */
  enter(client: string): Admission | Promise<Admission>;
  /** An admitted request has ended. */
  leave(client: string): void;
}

const CONCURRENCY_RETRY_SECONDS = 1;
const MS_PER_SECOND = 1000;

/** Counts in the memory of this process. */
export class MemoryCounter implements ClientCounter {
  readonly #concurrency: number | undefined;
  readonly #rate: RateLimiterMemory | undefined;
  /** Requests in progress of each client that has any. */
  readonly #running = new Map<string, number>();

  constructor({ rate, concurrency }: LimitRules) {
    this.#concurrency = concurrency;
    this.#rate = rate && new RateLimiterMemory({ points: rate.requests, duration: rate.windowSeconds });
  }

  async enter(client: string): Promise<Admission> {
    const running = this.#running.get(client) ?? 0;
    if (this.#concurrency !== undefined && running >= this.#concurrency)
      return { exceeded: 'concurrency', remaining: undefined, resetSeconds: CONCURRENCY_RETRY_SECONDS };
    // Counted before the next `await`: requests that arrive together must not all see the same number.
    this.#running.set(client, running + 1);
    const state = await this.#consume(client);
    if (state?.exceeded !== undefined) this.leave(client);
    return state ?? { exceeded: undefined, remaining: undefined, resetSeconds: 0 };
  }

  leave(client: string): void {
    const running = this.#running.get(client) ?? 0;
    if (running > 1) this.#running.set(client, running - 1);
    else this.#running.delete(client);
  }

  async #consume(client: string): Promise<Admission | undefined> {
    try {
      const state = await this.#rate?.consume(client);
      return state && { exceeded: undefined, ...windowOf(state) };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { exceeded: 'rate', ...windowOf(refusal) };
    }
  }
}

function windowOf({ remainingPoints, msBeforeNext }: RateLimiterRes): { remaining: number; resetSeconds: number } {
  return { remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / MS_PER_SECOND)) };
}
