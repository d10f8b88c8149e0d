// Verified tokens by their SHA-256, which takes less memory than tokens of several kilobytes: a repeated token costs a
// look-up instead of a signature check.
// Not lru-cache: entries expire by the clock that `exp` claims are compared with, which lru-cache does not use.
import { hash } from 'node:crypto';

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
    const key = keyOf(token);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (nowMs < entry.expiresMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Stores a value until `expiresMs`. */
  set(token: string, value: Value, expiresMs: number): void {
    const key = keyOf(token);
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresMs });
    if (this.#entries.size <= this.#max) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Removes a token. */
  delete(token: string): void {
    this.#entries.delete(keyOf(token));
  }
}

function keyOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
