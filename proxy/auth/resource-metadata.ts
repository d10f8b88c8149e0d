// Protected resource metadata (RFC 9728): a client without a token learns here which issuers are accepted.
import type { Answer } from '../bodies/answer.ts';
import { answerWith } from '../bodies/answer.ts';

/** The content of the metadata. */
export interface ResourceMetadata {
  /** Issuers that are URLs: a client can look these up. */
  issuers: readonly string[];
  /** The required scope; undefined if none is required. */
  scope: string | undefined;
}

const METADATA_PATH = '/.well-known/oauth-protected-resource';
const MAX_AGE_SECONDS = 3600;

/** The metadata for these issuers; undefined if none of them is a URL. */
export function issuersToMetadata(issuers: readonly string[], scope: string | undefined): ResourceMetadata | undefined {
  const urls = issuers.filter((issuer) => URL.canParse(issuer) && /^https?:/.test(issuer));
  return urls.length > 0 ? { issuers: urls, scope } : undefined;
}

/**
 * The URL of the metadata of the service at `base`. A path of `base` comes after the well-known path (RFC 9728 section
 * 3.1).
 */
export function metadataUrl(base: string): string {
  const slash = base.indexOf('/', base.indexOf('//') + 2);
  return slash === -1 ? base + METADATA_PATH : base.slice(0, slash) + METADATA_PATH + base.slice(slash);
}

/** The paths of the metadata: a reverse proxy may pass it on with or without the path of the public URL. */
export function metadataPaths(publicUrl: string | undefined): readonly string[] {
  return publicUrl === undefined ? [METADATA_PATH] : [METADATA_PATH, new URL(metadataUrl(publicUrl)).pathname];
}

/** The answer with the metadata of the service at `base`. */
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
  // Without a public URL the body repeats the Host of the request, so shared caches must not store it.
  return answerWith(
    200,
    ['Cache-Control', `private, max-age=${MAX_AGE_SECONDS}`],
    ['Content-Type', 'application/json'],
    body,
  );
}
