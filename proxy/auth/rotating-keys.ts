// The keys of one issuer over time: refreshed as they age, kept during an outage, with a minimum time between requests.
// The location of the key set and the clock are injected. Not the remote set of jose: its ages go by the time of day,
// so that a clock which is set back would keep a revoked key, and it does not tell whether a refresh changed the keys.
import { Problem } from '../http/problem.ts';
import { STUCK_MS } from '../http/time.ts';
import type { KeySource } from './authenticate.ts';
import { clockThroughFreezes } from './clock.ts';
import { jwksToKeySet, type KeySet } from './key-set.ts';

/** When keys are refreshed and how long they work, in milliseconds. */
export interface KeyPolicy {
  /** Maximum age: a key that the issuer has revoked is refused after this. */
  cacheMs: number;
  /** How long cached keys still work while the issuer is unreachable or slow. */
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
}

/** How long a request waits for an issuer while old keys still work, in milliseconds. */
const SLOW_MS = 500;

/** Why no token can be verified; undefined as soon as the keys of one issuer are available. */
export async function keysUnavailableReason(sources: Iterable<KeySource>): Promise<string | undefined> {
  const all = [...sources];
  if (all.some((source) => source.known() !== undefined)) return undefined;
  try {
    await Promise.any(all.map((source) => source.load()));
    return undefined;
  } catch (error) {
    const failures: unknown[] = error instanceof AggregateError ? error.errors : [error];
    const other = failures.find((failure) => !(failure instanceof Problem));
    if (other !== undefined) throw other;
    return failures.filter((failure) => failure instanceof Problem).at(-1)?.message;
  }
}

/** A source of keys that never change. */
export function fixedKeys(keys: KeySet): KeySource {
  return { known: () => keys, load: async () => keys };
}

/** A source that follows the key set which an issuer publishes. */
export class RotatingKeys implements KeySource {
  readonly #location: KeySetLocation;
  readonly #policy: KeyPolicy;
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  #keys: KeySet | undefined;
  /** The text that `#keys` were parsed from. */
  #text = '';
  readonly #startedAt: number;
  /** The attempt in progress. */
  #attempt: Promise<void> | undefined;
  /** When the set was last read, and when the last attempts began and failed. */
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Why the last attempt failed; empty if it succeeded. */
  lastError = '';

  /**
   * @param log receives a line when the key set becomes unavailable, and when it is available again
   * @param now milliseconds of a monotonic clock
   */
  constructor(location: KeySetLocation, policy: KeyPolicy, log: (line: string) => void, now = clockThroughFreezes()) {
    this.#location = location;
    this.#policy = policy;
    this.#log = log;
    this.#now = now;
    this.#startedAt = now();
  }

  known(): KeySet | undefined {
    const { cacheMs } = this.#policy;
    const age = this.#age();
    if (age < cacheMs / 2) return this.#keys;
    // Keys past half of their maximum age are refreshed in the background, as are older ones while the issuer is known
    // to be unreachable. A request waits only if there are no keys, or, shortly, old ones without a recent failed
    // attempt.
    void this.#refresh();
    const isOutage = this.#now() - this.#failedAt < cacheMs;
    return age < cacheMs || isOutage ? this.#usable() : undefined;
  }

  /** Since the start where they were not read yet. To ask counts as a use of them: unused keys are not read again. */
  readonly ageMs = (): number => {
    this.known();
    return Math.min(this.#age(), this.#now() - this.#startedAt);
  };

  async load(other?: KeySet): Promise<KeySet> {
    const known = this.known();
    if (known !== undefined && known !== other) return known;
    await (other === undefined && this.#usable() !== undefined ? this.#refreshBriefly() : this.#refresh());
    // Old keys may have become too old meanwhile.
    if (this.#usable() === undefined) await this.#attempt;
    const keys = this.#usable();
    // If the last attempt failed, the issuer may have published the key meanwhile: the token is not known to be
    // invalid.
    if (keys !== undefined && !(keys === other && this.#failedAt > this.#readAt)) return keys;
    const waitMs = this.#triedAt + this.#policy.cooldownMs - this.#now();
    throw new Problem('keys-unavailable', 'The keys that verify tokens are currently unavailable.', {
      'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
    });
  }

  #age(): number {
    return this.#now() - this.#readAt;
  }

  /** The keys, unless they are too old even for an outage. */
  #usable(): KeySet | undefined {
    const { cacheMs, staleMs } = this.#policy;
    return this.#age() < Math.max(cacheMs, staleMs) ? this.#keys : undefined;
  }

  /** The attempt in progress, or a new one; undefined during the cooldown. Never rejects. */
  #refresh(): Promise<void> | undefined {
    const sinceMs = this.#now() - this.#triedAt;
    const isRunning = this.#attempt !== undefined && sinceMs < STUCK_MS;
    if (!isRunning && sinceMs >= this.#policy.cooldownMs) {
      this.#triedAt = this.#now();
      const attempt = this.#read(this.#triedAt).finally(() => {
        if (this.#attempt === attempt) this.#attempt = undefined;
      });
      this.#attempt = attempt;
    }
    return this.#attempt;
  }

  /** The same, but an issuer that is slow counts as unreachable meanwhile. */
  async #refreshBriefly(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isSlow = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#failedAt = this.#now();
        resolve();
      }, SLOW_MS);
    });
    await Promise.race([this.#refresh(), isSlow]);
    clearTimeout(timer);
  }

  async #read(begunAt: number): Promise<void> {
    const { name, read } = this.#location;
    try {
      const text = await read();
      // A later attempt, beside one that seemed to hang, knows better.
      if (begunAt < this.#readAt) return;
      // An unchanged text keeps the same set object, so verified tokens stay cached.
      if (text !== this.#text) this.#keys = jwksToKeySet(text);
      this.#text = text;
      this.#readAt = this.#now();
      if (this.lastError !== '') this.#log(`key set ${name}: available again`);
      this.lastError = '';
    } catch (error) {
      this.#failedAt = this.#now();
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.lastError)
        this.#log(`key set ${name}: ${message}; ${this.#keys ? 'using the cached keys' : 'no keys are cached'}`);
      this.lastError = message;
    }
  }
}
