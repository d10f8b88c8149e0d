// Tokens that were verified a moment ago, so that the next request with one costs a look-up instead of a signature.

/** How many tokens are remembered; the oldest is forgotten first. Only good tokens take a place. */
const REMEMBERED_MAX = 10_000;

/** What is remembered of each token, until a time of its own. */
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
    const known = this.#known.get(token);
    if (known === undefined) return undefined;
    if (nowMs < known.untilMs) return known.verified;
    this.#known.delete(token);
    return undefined;
  }

  /** Remembers a token until `untilMs`. */
  keep(token: string, verified: Verified, untilMs: number): void {
    this.#known.delete(token);
    this.#known.set(token, { verified, untilMs });
    if (this.#known.size <= this.#max) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** Forgets a token. */
  drop(token: string): void {
    this.#known.delete(token);
  }
}
