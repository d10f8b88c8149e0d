// The tokens of a soak, whose issuer replaces its key now and then: first the new key is published, then tokens are
// signed with it, then the old key is withdrawn.
import { elementAt } from '../../format/element-at.ts';
import type { IssuerKey, RunningIssuer } from '../support/http/issuer.ts';
import { issuerKey, startIssuer, tokenOf } from '../support/http/issuer.ts';

const ISSUER_NAME = 'https://soak.test';
const SUBJECTS = 8;
export const KEY_OPTIONS = ['--jwks-cache', '4s', '--jwks-cooldown', '1s'] as const;

/** The tokens. */
export class RotatingTokens {
  readonly issuer: RunningIssuer;
  #key: IssuerKey;
  #valid: readonly string[] = [];
  rotations = 0;

  private constructor(issuer: RunningIssuer, key: IssuerKey) {
    this.issuer = issuer;
    this.#key = key;
  }

  static async start(): Promise<RotatingTokens> {
    const issuer = await startIssuer(ISSUER_NAME);
    const tokens = new RotatingTokens(issuer, elementAt(issuer.published, 0));
    await tokens.#sign();
    return tokens;
  }

  /** The Authorization header of one of several clients. */
  valid(client: number): string {
    return `Bearer ${elementAt(this.#valid, client % SUBJECTS)}`;
  }

  async expired(): Promise<string> {
    return `Bearer ${await tokenOf(this.issuer, this.#key, { exp: 1 })}`;
  }

  async forged(): Promise<string> {
    return `Bearer ${await tokenOf(this.issuer, issuerKey(this.#key.kid))}`;
  }

  /** Publishes the next key beside the present one. */
  publishNext(): void {
    this.issuer.published = [this.#key, issuerKey(`key-${++this.rotations}`)];
  }

  /** Signs with the newest key from now on. */
  async takeNext(): Promise<void> {
    this.#key = this.issuer.published.at(-1) ?? this.#key;
    await this.#sign();
  }

  /** Withdraws all keys but the one that signs. */
  withdrawOld(): void {
    this.issuer.published = [this.#key];
  }

  async #sign(): Promise<void> {
    const clients = Array.from({ length: SUBJECTS }, (_, i) => tokenOf(this.issuer, this.#key, { sub: `client-${i}` }));
    this.#valid = await Promise.all(clients);
  }
}
