// Refusals of requests without a valid token, with their WWW-Authenticate challenge (RFC 6750 section 3, RFC 9728
// section 5.1).
import { Problem } from '../http/problem.ts';

const CHALLENGE = 'Bearer realm="boundaries"';

/** 401: the request has no token. */
export function tokenMissing(metadataUrl: string | undefined): Problem {
  return refusal('token-missing', 'Send a token in the header: Authorization: Bearer <token>.', '', metadataUrl);
}

/** 401: the token is not valid. The description is fixed: which check failed would only help an attacker. */
export function tokenInvalid(metadataUrl: string | undefined): Problem {
  const attributes = ', error="invalid_token", error_description="The token is not valid for this service"';
  const detail = 'The token is expired, damaged, or not meant for this service.';
  return refusal('token-invalid', detail, attributes, metadataUrl);
}

/** 403: the token is valid but lacks the required scope. */
export function scopeMissing(scope: string, metadataUrl: string | undefined): Problem {
  const attributes = `, error="insufficient_scope", scope="${scope}"`;
  return refusal('scope-missing', `The token lacks the required scope ${scope}.`, attributes, metadataUrl);
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
