// What a token that was refused says of itself, for the access log: nobody has verified it, and it may be anything.
import { decodeJwt, decodeProtectedHeader } from 'jose';

/** The names of a token and of its key. */
export interface TokenNames {
  kid?: string | undefined;
  /** Its `jti`. */
  tokenId?: string | undefined;
}

/** Characters of a name that are logged. Real ones are shorter: a UUID, or a thumbprint of 43. */
const NAME_MAX_CHARS = 100;

/** The names in the value of an Authorization header; none if it is no token. */
export function claimedNames(authorization: string | undefined): TokenNames {
  const token = authorization?.slice(authorization.indexOf(' ') + 1).trim() ?? '';
  try {
    return { kid: nameIn(decodeProtectedHeader(token).kid), tokenId: nameIn(decodeJwt(token).jti) };
  } catch {
    return {};
  }
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, NAME_MAX_CHARS) : undefined;
}
