// The keys of one issuer over time: refreshed as they age, kept during an outage, with a minimum time between requests.
// The location of the key set and the clock are injected.
import type { KeySource } from './authenticate.ts';
import type { KeySet } from './key-set.ts';

/** When keys are refreshed and how long they work, in milliseconds. */
export interface KeyPolicy {
  /** Maximum age: a key that the issuer has revoked is refused after this. */
  cacheMs: number;
  /** How long cached keys still work while the issuer is unreachable. */
  staleMs: number;
  /** Minimum time between two attempts to read the key set, successful or not. */
  cooldownMs: number;
}

/** Where a key set is read from. */
export interface KeySetLocation {
  /** File or URL, for the log. */
  name: string;
  /** Reads the text of the set. */
  read: () => Promise<string>;
  /** @throws unless the text is a key set with a usable key */
  parse: (text: string) => KeySet;
}

/** The keys of an issuer cannot be read, and there are no cached keys that still work. */
export class KeysUnavailableError extends Error {
  /** When to retry, in seconds from now. */
  readonly retrySeconds: number;

  constructor(retrySeconds: number) {
    super('The keys that verify tokens are currently unavailable.');
    this.name = 'KeysUnavailableError';
    this.retrySeconds = retrySeconds;
  }
}

/** Why no token can be verified; undefined if the keys of at least one issuer are available. */
export async function keysUnavailableReason(sources: Iterable<KeySource>): Promise<string | undefined> {
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

/** A source of keys that never change. */
export function fixedKeys(keys: KeySet): KeySource {
  return { known: () => keys, current: async () => keys, newerThan: async () => keys };
}

/** A source that follows the key set which an issuer publishes. */
export class RotatingKeys implements KeySource {
  readonly #location: KeySetLocation;
  readonly #policy: KeyPolicy;
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  #keys: KeySet | undefined;
  #text = '';
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #lastError = '';

  /**
   * @param log receives a line when the key set becomes unavailable, and when it is available again
   * @param now milliseconds of a monotonic clock
   */
  constructor(location: KeySetLocation, policy: KeyPolicy, log: (line: string) => void, now = () => performance.now()) {
    this.#location = location;
    this.#policy = policy;
    this.#log = log;
    this.#now = now;
  }

  /** Why the last attempt failed; empty if it succeeded. */
  get lastError(): string {
    return this.#lastError;
  }

  known(): KeySet | undefined {
    const now = this.#now();
    const { cacheMs } = this.#policy;
    const keys = this.#keys;
    if (keys === undefined || now - this.#readAt < cacheMs / 2) return keys;
    // Keys past half of their maximum age are refreshed in the background, as are older ones while the issuer is known
    // to be unreachable. A request waits only if there are no keys, or old ones without a recent failed attempt.
    void this.#attempt(now);
    const isOutage = now - this.#failedAt < cacheMs;
    return now - this.#readAt < cacheMs || (isOutage && this.#isUsable(now)) ? keys : undefined;
  }

  async current(): Promise<KeySet> {
    const known = this.known();
    if (known !== undefined) return known;
    await this.#attempt(this.#now());
    return this.#usable(this.#now());
  }

  async newerThan(known: KeySet): Promise<KeySet> {
    const now = this.#now();
    if (this.#keys === known) await this.#attempt(now);
    // If the last attempt failed, the issuer may have published the key meanwhile: the token is not known to be
    // invalid.
    if (this.#keys === known && this.#failedAt > this.#readAt) throw this.#unavailable(now);
    return this.#usable(now);
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

  /** The attempt in progress, or a new one; undefined during the cooldown. Never rejects. */
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
    const { name, read, parse } = this.#location;
    try {
      const text = await read();
      // An unchanged text keeps the same set object, so verified tokens stay cached.
      const keys = this.#keys !== undefined && text === this.#text ? this.#keys : parse(text);
      this.#keys = keys;
      this.#text = text;
      this.#readAt = this.#now();
      if (this.#lastError !== '') this.#log(`key set ${name}: available again`);
      this.#lastError = '';
    } catch (error) {
      this.#failedAt = this.#now();
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#lastError)
        this.#log(`key set ${name}: ${message}; ${this.#keys ? 'using the cached keys' : 'no keys are cached'}`);
      this.#lastError = message;
    }
  }
}
