// The service as a Cloudflare Worker: the releases are in a bucket of R2 or on any static host. See README.md.
import { env } from 'cloudflare:workers';
import type { FetchContext } from 'administrative-boundaries-service/fetch';
import { createFetchHandler, r2Origin } from 'administrative-boundaries-service/fetch';

/** Whose tokens are valid; with PUBLIC everybody is served, without tokens. */
const tokens =
  env.PUBLIC === undefined
    ? { jwks: [env.JWKS ?? env.JWKS_URL], issuer: [env.ISSUER], audience: env.AUDIENCE, scope: env.SCOPE }
    : { public: true };

const handler = await createFetchHandler({
  origin: env.ORIGIN_URL ?? r2Origin(env.BUCKET),
  ...tokens,
  publicUrl: env.PUBLIC_URL,
  trustedKeys: env.TRUSTED_KEY === undefined ? [] : [env.TRUSTED_KEY],
  currentCache: env.CURRENT_CACHE,
  log: console.error,
});

// biome-ignore lint/style/noDefaultExport: the entry point of a Worker is its default export.
export default {
  fetch: (request: Request, _env: unknown, context: FetchContext): Promise<Response> => handler.fetch(request, context),
};
