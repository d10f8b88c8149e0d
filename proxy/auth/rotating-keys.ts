// The keys of one issuer over time: read again as they age, kept through an outage, never asked for too often.
// Where the text of a key set comes from, and the clock, are injected.
import type { KeySet, KeySource } from './authenticate.ts';

/** How long keys are good and how often they may be asked for, in milliseconds. */
export interface KeyPolicy {
  /** A key that the issuer has removed is refused after this long. */
  cacheMs: number;
  /** Without an answer from the issuer, the keys of the last one are used for this long. */
  staleMs: number;
  /** From one attempt to the next passes at least this long, whatever came of it. */
  cooldownMs: number;
}

/** Where a key set comes from. */
export interface KeyPlace {
  /** Its name, for the log. */
  where: string;
  /** Reads the text of the set. */
  read: () => Promise<string>;
  /** @throws unless the text holds a set with a usable key */
  parse: (text: string) => KeySet;
}

/** The keys of an issuer cannot be fetched, and there are none from before that may still be used. */
export class KeysUnavailableError extends Error {
  /** When to try again, in seconds from now. */
  readonly retrySeconds: number;

  constructor(retrySeconds: number) {
    super('The keys that verify tokens cannot be fetched at the moment.');
    this.name = 'KeysUnavailableError';
    this.retrySeconds = retrySeconds;
  }
}

/** Why no token can be verified: undefined as soon as the keys of any issuer are known. */
export async function whyNoKeys(sources: Iterable<KeySource>): Promise<string | undefined> {
  let reason: string | undefined;
  for (const source of sources)
    try {
      await source.current();
      return undefined;
    } catch (error) {
      if (!(error instanceof KeysUnavailableError)) throw error;
      reason = error.message;
    }
  return reason;
}

/** Keys that never change. */
export function fixedKeys(keys: KeySet): KeySource {
  return { current: () => keys, after: async () => keys };
}

/** Keys that follow what an issuer publishes. */
export class RotatingKeys implements KeySource {
  readonly #place: KeyPlace;
  readonly #policy: KeyPolicy;
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  #keys: KeySet | undefined;
  #text = '';
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #complaint = '';

  /**
   * @param log gets a line when reading begins to fail, and when it succeeds again
   * @param now milliseconds on a clock that never goes back
   */
  constructor(place: KeyPlace, policy: KeyPolicy, log: (line: string) => void, now = () => performance.now()) {
    this.#place = place;
    this.#policy = policy;
    this.#log = log;
    this.#now = now;
  }

  /** Why the last attempt failed; empty when it did not. */
  get complaint(): string {
    return this.#complaint;
  }

  current(): KeySet | Promise<KeySet> {
    const now = this.#now();
    const { cacheMs } = this.#policy;
    const keys = this.#keys;
    if (keys !== undefined && now - this.#readAt < cacheMs / 2) return keys;
    const attempt = this.#attempt(now);
    // Keys of middle age are read anew behind the request's back, and so are old ones while the issuer is known to be
    // away; only a request without any keys, or with old ones that nobody has tried to renew, must wait.
    const isKnownAway = now - this.#failedAt < cacheMs;
    const isGood = keys !== undefined && (now - this.#readAt < cacheMs || (isKnownAway && this.#isUsable(now)));
    return isGood ? keys : this.#afterAttempt(attempt);
  }

  async after(known: KeySet): Promise<KeySet> {
    const now = this.#now();
    if (this.#keys === known) await this.#attempt(now);
    // Whether the issuer has such a key by now could not be found out: that is no fault of the token.
    if (this.#keys === known && this.#failedAt > this.#readAt) throw this.#unavailable(now);
    return this.#usable(now);
  }

  async #afterAttempt(attempt: Promise<void> | undefined): Promise<KeySet> {
    await attempt;
    return this.#usable(this.#now());
  }

  #isUsable(now: number): boolean {
    const { cacheMs, staleMs } = this.#policy;
    return now - this.#readAt < Math.max(cacheMs, staleMs);
  }

  #usable(now: number): KeySet {
    if (this.#keys !== undefined && this.#isUsable(now)) return this.#keys;
    throw this.#unavailable(now);
  }

  #unavailable(now: number): KeysUnavailableError {
    const waitMs = Math.max(0, this.#triedAt + this.#policy.cooldownMs - now);
    return new KeysUnavailableError(Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** The attempt under way, or a new one; undefined while it is too early for one. Never rejects. */
  #attempt(now: number): Promise<void> | undefined {
    if (this.#reading !== undefined) return this.#reading;
    if (now - this.#triedAt < this.#policy.cooldownMs) return undefined;
    this.#triedAt = now;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { where, read, parse } = this.#place;
    try {
      const text = await read();
      // The same text keeps the same set, and with it what was verified by it.
      const keys = this.#keys !== undefined && text === this.#text ? this.#keys : parse(text);
      this.#keys = keys;
      this.#text = text;
      this.#readAt = this.#now();
      if (this.#complaint !== '') this.#log(`keys of ${where}: read again`);
      this.#complaint = '';
    } catch (error) {
      this.#failedAt = this.#now();
      const complaint = error instanceof Error ? error.message : String(error);
      if (complaint !== this.#complaint)
        this.#log(`keys of ${where}: ${complaint}; ${this.#keys ? 'the ones known are kept' : 'none are known'}`);
      this.#complaint = complaint;
    }
  }
}
