// The tokens of a soak, whose issuer replaces its key now and then: first the new key is published, then tokens are
// signed with it, then the old key is withdrawn.
import { elementAt } from '../../format/element-at.ts';
import { type IssuerKey, issuerKey, startIssuer, tokenOf } from '../support/http/issuer.ts';

const ISSUER_NAME = 'https://soak.test';
const SUBJECTS = 8;
export const KEY_OPTIONS = ['--jwks-cache', '4s', '--jwks-cooldown', '1s'] as const;

export type RotatingTokens = Awaited<ReturnType<typeof startTokens>>;

/** Starts the issuer, and signs a token for each subject. */
export async function startTokens() {
  const issuer = await startIssuer(ISSUER_NAME);
  let key: IssuerKey = elementAt(issuer.published, 0);
  let valid: readonly string[] = [];
  const sign = async (): Promise<void> => {
    const signed = Array.from({ length: SUBJECTS }, (_, i) => tokenOf(issuer, key, { sub: `client-${i}` }));
    valid = await Promise.all(signed);
  };
  await sign();
  return {
    issuer,
    rotations: 0,
    valid: (client: number): string => `Bearer ${elementAt(valid, client % SUBJECTS)}`,
    expired: async (): Promise<string> => `Bearer ${await tokenOf(issuer, key, { exp: 1 })}`,
    forged: async (): Promise<string> => `Bearer ${await tokenOf(issuer, issuerKey(key.kid))}`,
    /** Publishes the next key beside the present one. */
    publishNext(): void {
      issuer.published = [key, issuerKey(`key-${++this.rotations}`)];
    },
    /** Signs with the newest key from now on. */
    takeNext(): Promise<void> {
      key = issuer.published.at(-1) ?? key;
      return sign();
    },
    /** Withdraws all keys but the one that signs. */
    withdrawOld(): void {
      issuer.published = [key];
    },
  };
}
