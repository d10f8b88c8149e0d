// The variables and the bucket of wrangler.toml, as worker.ts reads them.
declare module 'cloudflare:workers' {
  import type { R2Bucket } from 'administrative-boundaries-service/fetch';

  export const env: {
    BUCKET: R2Bucket;
    /** Instead of BUCKET. */
    ORIGIN_URL?: string;
    /** Where the issuer has its keys. */
    JWKS_URL: string;
    /** The keys themselves, a JSON Web Key Set as text or as an object, instead of JWKS_URL. */
    JWKS?: string | { keys: readonly object[] };
    /** The file of the bucket that has them. */
    JWKS_FILE?: string;
    /** `true`: everybody is served; it goes with no variable of tokens. `false`, as without it: those with a token. */
    PUBLIC?: string | boolean;
    ISSUER: string;
    AUDIENCE: string;
    SCOPE?: string;
    PUBLIC_URL?: string;
    /** A public Ed25519 key in PEM. */
    TRUSTED_KEY?: string;
    CURRENT_CACHE?: string;
  };
}

/** Cloudflare's cache. */
declare const caches: {
  default: {
    match(request: Request): Promise<Response | undefined>;
    put(url: string, response: Response): Promise<void>;
  };
};
