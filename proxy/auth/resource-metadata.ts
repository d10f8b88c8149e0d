// Protected resource metadata (RFC 9728): tells a client that has no token which issuers' tokens are taken here.

import type { Answer } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/cors.ts';

/** What the metadata says; there is none without an issuer that has an address. */
export interface ResourceMetadata {
  /** Issuers that are URLs: other names cannot be looked up. */
  issuers: readonly string[];
  /** The scope that tokens need; undefined where none is asked for. */
  scope: string | undefined;
}

const METADATA_PATH = '/.well-known/oauth-protected-resource';
const MAX_AGE_SECONDS = 3600;

/** The metadata for these issuers, undefined when none of them is a URL. */
export function metadataFor(issuers: readonly string[], scope: string | undefined): ResourceMetadata | undefined {
  const addresses = issuers.filter((issuer) => URL.canParse(issuer) && /^https?:/.test(issuer));
  return addresses.length > 0 ? { issuers: addresses, scope } : undefined;
}

/**
 * The address of the metadata of the service at `base`: its path, if it has one, stands behind the well-known one
 * (RFC 9728 section 3.1).
 */
export function metadataUrl(base: string): string {
  const slash = base.indexOf('/', base.indexOf('//') + 2);
  return slash === -1 ? base + METADATA_PATH : base.slice(0, slash) + METADATA_PATH + base.slice(slash);
}

/** Is this the path of the metadata? A proxy in front may have left the public path behind it. */
export function isMetadataPath(path: string, publicUrl: string | undefined): boolean {
  if (path === METADATA_PATH) return true;
  return publicUrl !== undefined && new URL(metadataUrl(publicUrl)).pathname === path;
}

/** The answer that is the metadata of the service at `base`. */
export function metadataToAnswer({ issuers, scope }: ResourceMetadata, base: string): Answer {
  const scopes = scope === undefined ? {} : { scopes_supported: [scope] };
  const json = JSON.stringify({
    resource: base,
    authorization_servers: issuers,
    ...scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Administrative boundaries',
  });
  const body = Buffer.from(`${json}\n`);
  return {
    status: 200,
    // Without a fixed address the body repeats the Host of the request, and no cache may mix those up.
    headers: [...COMMON_HEADERS, 'Cache-Control', `private, max-age=${MAX_AGE_SECONDS}`],
    content: { headers: ['Content-Type', 'application/json'], bytes: body.length, body },
  };
}
