// Tokens that were verified a moment ago, so that the next request with one costs a look-up instead of a signature.
import { hash } from 'node:crypto';

/** How many tokens are remembered; the oldest is forgotten first. Only good tokens take a place. */
const REMEMBERED_MAX = 10_000;

/** What is remembered of each token, until a time of its own. Tokens themselves are not kept, only their SHA-256. */
export class TokenMemory<Verified> {
  readonly #known = new Map<string, { verified: Verified; untilMs: number }>();
  readonly #max: number;

  constructor(max: number = REMEMBERED_MAX) {
    this.#max = max;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** What is known of a token at this time. */
  find(token: string, nowMs: number): Verified | undefined {
    const name = nameOf(token);
    const known = this.#known.get(name);
    if (known === undefined) return undefined;
    if (nowMs < known.untilMs) return known.verified;
    this.#known.delete(name);
    return undefined;
  }

  /** Remembers a token until `untilMs`. */
  keep(token: string, verified: Verified, untilMs: number): void {
    const name = nameOf(token);
    this.#known.delete(name);
    this.#known.set(name, { verified, untilMs });
    if (this.#known.size <= this.#max) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** Forgets a token. */
  drop(token: string): void {
    this.#known.delete(nameOf(token));
  }
}

function nameOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
