// What decides on tokens over time, such as the keys of one issuer: refreshed as it ages, kept during an outage, with a
// minimum time between requests. The location and the clock are injected. Not the remote set of jose: its ages go by the
// time of day, so that a clock which is set back would keep a revoked key, and it does not tell whether a refresh changed
// the keys.
import type { KeySet, KeySource } from '../auth/authenticate.ts';
import { Problem } from '../http/problem.ts';
import { STUCK_MS } from '../http/time.ts';
import { clockThroughFreezes } from './clock.ts';
import { jwksToKeySet } from './key-set.ts';

/** When keys are refreshed and how long they work, in milliseconds. */
export interface KeyPolicy {
  /** Maximum age: a key that the issuer has revoked is refused after this. */
  cacheMs: number;
  /** How long cached keys still work while the issuer is unreachable or slow. */
  staleMs: number;
  /** Minimum time between two attempts to read the key set, successful or not. */
  cooldownMs: number;
}

/** A file is read again after a second; while it cannot be used, what was read before stays in use. */
export const FILE_POLICY: KeyPolicy = { cacheMs: 1_000, staleMs: Number.POSITIVE_INFINITY, cooldownMs: 250 };

/** Where a text is read from. */
export interface TextLocation {
  /** File or URL, for the log. */
  name: string;
  /** Reads the text. */
  read: () => Promise<string>;
}

/** What is made of the text, and how the log speaks of it. */
interface Meaning<Value> {
  parse(text: string): Value;
  /** What it is, before the name of the location. */
  what: string;
  /** What becomes of requests when it cannot be read: what was read before is used, or there is nothing. */
  kept: string;
  none: string;
  /** What is in it. */
  summary(value: Value): string;
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

/** A source that follows what is published at a location. */
export class Rotating<Value> {
  readonly #location: TextLocation;
  readonly #meaning: Meaning<Value>;
  readonly #policy: KeyPolicy;
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  #value: Value | undefined;
  /** The text that `#value` was parsed from. */
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
   * @param log receives a line when it becomes unavailable, when it is available again, and when it has changed
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    location: TextLocation,
    meaning: Meaning<Value>,
    policy: KeyPolicy,
    log: (line: string) => void,
    now = clockThroughFreezes(),
  ) {
    this.#location = location;
    this.#meaning = meaning;
    this.#policy = policy;
    this.#log = log;
    this.#now = now;
    this.#startedAt = now();
  }

  known(): Value | undefined {
    const { cacheMs } = this.#policy;
    const age = this.#age();
    if (age < cacheMs / 2) return this.#value;
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

  async load(other?: Value): Promise<Value> {
    const known = this.known();
    if (known !== undefined && known !== other) return known;
    await (other === undefined && this.#usable() !== undefined ? this.#refreshBriefly() : this.#refresh());
    // Old keys may have become too old meanwhile.
    if (this.#usable() === undefined) await this.#attempt;
    const value = this.#usable();
    // If the last attempt failed, the issuer may have published the key meanwhile: the token is not known to be
    // invalid.
    if (value !== undefined && !(value === other && this.#failedAt > this.#readAt)) return value;
    const waitMs = this.#triedAt + this.#policy.cooldownMs - this.#now();
    throw new Problem('keys-unavailable', 'The keys that verify tokens are currently unavailable.', {
      'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
    });
  }

  #age(): number {
    return this.#now() - this.#readAt;
  }

  /** The keys, unless they are too old even for an outage. */
  #usable(): Value | undefined {
    const { cacheMs, staleMs } = this.#policy;
    return this.#age() < Math.max(cacheMs, staleMs) ? this.#value : undefined;
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
    const { parse, what, kept, none, summary } = this.#meaning;
    try {
      const text = await read();
      // A later attempt, beside one that seemed to hang, knows better.
      if (begunAt < this.#readAt) return;
      // An unchanged text keeps the same object, so verified tokens stay cached.
      if (text !== this.#text || this.#value === undefined) {
        const value = parse(text);
        if (this.#value !== undefined) this.#log(`${what} ${name} has changed: ${summary(value)}`);
        this.#value = value;
      }
      this.#text = text;
      this.#readAt = this.#now();
      if (this.lastError !== '') this.#log(`${what} ${name}: available again`);
      this.lastError = '';
    } catch (error) {
      this.#failedAt = this.#now();
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.lastError)
        this.#log(`${what} ${name}: ${message}; ${this.#value === undefined ? none : kept}`);
      this.lastError = message;
    }
  }
}

/** Names of keys that a line of the log has, and characters of each. */
const NAMES_MAX = 10;
const NAME_MAX_CHARS = 100;

const KEYS: Meaning<KeySet> = {
  parse: jwksToKeySet,
  what: 'key set',
  kept: 'using the cached keys',
  none: 'no keys are cached',
  summary({ size, kids }) {
    const names = kids.slice(0, NAMES_MAX).map((kid) => JSON.stringify(kid.slice(0, NAME_MAX_CHARS)));
    const more = kids.length > NAMES_MAX ? ' and others' : '';
    return `${size === 1 ? '1 key' : `${size} keys`}${names.length > 0 ? `, kid ${names.join(', ')}${more}` : ''}`;
  },
};

/** A source that follows the key set which an issuer publishes. */
export class RotatingKeys extends Rotating<KeySet> implements KeySource {
  constructor(location: TextLocation, policy: KeyPolicy, log: (line: string) => void, now?: () => number) {
    super(location, KEYS, policy, log, now);
  }
}
