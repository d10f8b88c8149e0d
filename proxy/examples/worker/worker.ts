// The service as a Cloudflare Worker: the releases are in a bucket of R2 or on any static host. See README.md.
import { env } from 'cloudflare:workers';
import type { FetchContext } from 'administrative-boundaries-service/fetch';
import { createFetchHandler, r2Origin } from 'administrative-boundaries-service/fetch';

const { JWKS, JWKS_FILE, JWKS_URL, ISSUER, AUDIENCE, SCOPE } = env;
const PUBLIC = String(env.PUBLIC ?? 'false');
if (PUBLIC !== 'true' && PUBLIC !== 'false')
  throw new Error(`PUBLIC is ${JSON.stringify(PUBLIC)}, neither true nor false`);
/** Is everybody served, without tokens? */
const isPublic = PUBLIC === 'true';

const forTokens = Object.entries({ JWKS, JWKS_FILE, JWKS_URL, ISSUER, AUDIENCE, SCOPE })
  .filter(([, value]) => value !== undefined)
  .map(([name]) => name);
if (isPublic && forTokens.length > 0)
  throw new Error(`PUBLIC and ${forTokens.join(', ')}: leave out PUBLIC or the others`);

/** The keys: a JSON Web Key Set as text or object, a file of the bucket, or the URL of the issuer's. */
const keys = JWKS ?? (JWKS_FILE === undefined ? JWKS_URL : fileOf(JWKS_FILE));

/** Whose tokens are valid. */
const tokens = isPublic ? { public: true } : { jwks: [keys], issuer: [ISSUER], audience: AUDIENCE, scope: SCOPE };

const handler = await createFetchHandler({
  origin: env.ORIGIN_URL ?? r2Origin(env.BUCKET),
  ...tokens,
  publicUrl: env.PUBLIC_URL,
  trustedKeys: env.TRUSTED_KEY === undefined ? [] : [env.TRUSTED_KEY],
  currentCache: env.CURRENT_CACHE,
  log: console.error,
});

/** What reads the text of a file of the bucket, when a token needs it. */
function fileOf(key: string): () => Promise<string> {
  return async () => {
    const object = await env.BUCKET.get(key);
    if (object === null) throw new Error(`${key} is not in the bucket`);
    return new TextDecoder().decode(await object.arrayBuffer());
  };
}

/** Of a longer answer the copy for the cache would be in memory, if its client is slow. */
const CACHED_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Answers by way of Cloudflare's cache, before which Workers run; for how long, Cache-Control says. The cache gets what
 * is not compressed: it would compress gzip once more. Clients get gzip from Cloudflare.
 */
async function cached(request: Request, context: FetchContext): Promise<Response> {
  const { method, headers } = request;
  // The cache knows no If-Match.
  if (method !== 'GET' || headers.has('range') || headers.has('if-match')) return handler.fetch(request, context);
  // A fault of the cache is none of the service.
  const known = await caches.default.match(request).catch(() => undefined);
  if (known !== undefined) return known;
  const plain = new Request(request);
  plain.headers.set('accept-encoding', 'identity');
  const response = await handler.fetch(plain, context);
  const bytes = Number(response.headers.get('content-length') ?? Number.NaN);
  if (response.status === 200 && bytes <= CACHED_MAX_BYTES)
    context.waitUntil?.(caches.default.put(request.url, response.clone()).catch(() => {}));
  return response;
}

// biome-ignore lint/style/noDefaultExport: the entry point of a Worker is its default export.
export default {
  fetch: (request: Request, _env: unknown, context: FetchContext): Promise<Response> =>
    isPublic ? cached(request, context) : handler.fetch(request, context),
};
