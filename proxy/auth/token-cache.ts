// Verified tokens by their text: a repeated token costs a look-up instead of a signature check.
// Not lru-cache: entries expire by the clock that `exp` claims are compared with, which lru-cache does not use.

/** Number of tokens; the oldest entry is removed first. Only valid tokens are added. */
const TOKENS_MAX = 10_000;

/** Values of verified tokens, each with its own expiry. */
export class TokenCache<Value> {
  readonly #entries = new Map<string, { value: Value; expiresMs: number }>();
  readonly #max: number;

  constructor(max: number = TOKENS_MAX) {
    this.#max = max;
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * The value of a token that has not expired.
   * @param nowMs milliseconds since 1970, as `expiresMs`
   */
  get(token: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(token);
    if (entry === undefined) return undefined;
    if (nowMs < entry.expiresMs) return entry.value;
    this.#entries.delete(token);
    return undefined;
  }

  /** Stores a value until `expiresMs`. */
  set(token: string, value: Value, expiresMs: number): void {
    this.#entries.delete(token);
    this.#entries.set(token, { value, expiresMs });
    if (this.#entries.size <= this.#max) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Removes a token. */
  delete(token: string): void {
    this.#entries.delete(token);
  }
}
