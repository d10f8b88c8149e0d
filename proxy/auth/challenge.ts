// What is said to whoever comes without a good token (RFC 6750 section 3, RFC 9728 section 5.1).
import { Problem } from '../http/problem.ts';

const CHALLENGE = 'Bearer realm="boundaries"';

/** The request has no token. */
export function tokenMissing(metadataUrl: string | undefined): Problem {
  return refusal('token-missing', 'Send a token in the header: Authorization: Bearer <token>.', '', metadataUrl);
}

/** The description is fixed: telling which check failed helps only whoever forges tokens. */
export function tokenInvalid(metadataUrl: string | undefined): Problem {
  const attributes = ', error="invalid_token", error_description="The token is not valid here"';
  const detail = 'The token is expired, damaged, or not meant for this service.';
  return refusal('token-invalid', detail, attributes, metadataUrl);
}

/** The token is good, but does not allow this. */
export function scopeMissing(scope: string, metadataUrl: string | undefined): Problem {
  const attributes = `, error="insufficient_scope", scope="${scope}"`;
  return refusal('scope-missing', `The token must have the scope ${scope}.`, attributes, metadataUrl);
}

function refusal(
  code: 'token-missing' | 'token-invalid' | 'scope-missing',
  detail: string,
  attributes: string,
  metadataUrl: string | undefined,
): Problem {
  const metadata = metadataUrl === undefined ? '' : `, resource_metadata="${metadataUrl}"`;
  return new Problem(code, detail, { 'WWW-Authenticate': `${CHALLENGE}${attributes}${metadata}` });
}
