// The public API for platforms with the Fetch standard's handler, exported as administrative-boundaries-service/fetch
// and documented in README.md: the adapter between `handle` and the Fetch standard, as server.ts is for node:http.
import { Authenticator } from '../auth/authenticate.ts';
import { ClientAddresses } from '../auth/client-addresses.ts';
import { issuersToMetadata, metadataUrl } from '../auth/resource-metadata.ts';
import { responseCaches } from '../cache/response-cache.ts';
import { optionsToTokenRules, refuseTokenOptions, type TokenOptions } from '../config/issuers.ts';
import { durationToSeconds, parseOriginUrl, parsePublicUrl } from '../config/option-values.ts';
import type { ServeOptions } from '../config/options.ts';
import { OptionError } from '../config/start-error.ts';
import { requireKey, trustedOrigin } from '../config/trusted-keys.ts';
import { Releases } from '../data/hosted-releases.ts';
import { loadOnDemand } from '../data/load-on-demand.ts';
import { loggedRefresh } from '../data/watch-releases.ts';
import { apiRows } from '../features/all-paths.ts';
import { publishedIn } from '../features/changes/changes.ts';
import { type HandlerContext, handle } from '../handler/handler.ts';
import { baseUrlBy } from '../http/base-url.ts';
import { NO_TURNS } from '../http/guards.ts';
import { clockThroughFreezes } from '../keys/clock.ts';
import { fetchKeySet } from '../keys/key-set.ts';
import { keysUnavailableReason } from '../keys/rotating-keys.ts';
import { errorLog } from '../operations/error-log.ts';
import { fetchHostOrigin } from '../origin/fetch-host.ts';
import { type Origin, QueuedReads } from '../origin/origin.ts';
import { publicRows } from '../public-rows.ts';
import { describingAssets } from '../site/openapi-asset.ts';
import { answerToResponse, toHttpRequest } from './messages.ts';

export { StartError } from '../config/start-error.ts';
export type { ByteRange, Origin, Recipient } from '../origin/origin.ts';
export { OriginError } from '../origin/origin.ts';
export type { R2Bucket, R2Object } from '../origin/r2.ts';
export { r2Origin } from '../origin/r2.ts';

/** The options of `serve` that concern a handler, with the same defaults, and what only a handler has. */
export interface FetchOptions
  extends Omit<TokenOptions, 'deny' | 'dev'>,
    Pick<ServeOptions, 'originHeader' | 'public' | 'publicUrl' | 'title'> {
  /** URL of a copy of the output folder on a static host, or an origin, such as that of a bucket. */
  origin: string | Origin;
  /**
   * How long a release is served without a look at current.json: a duration, by default `1s`. The request after that is
   * still answered from it, those after the look from a newer one; with `0s` every request looks first.
   */
  currentCache?: string | undefined;
  /** Public Ed25519 keys (PEM, the text itself): only releases that are signed with one of them are served. */
  trustedKeys?: readonly string[] | undefined;
  /** With `trustedKeys`: is a release served that is older than the one before it? */
  allowRollback?: boolean | undefined;
  /**
   * Memory for the tables of levels, in MiB: by default 64, as a Worker has 128 for everything. Searches and what is at a
   * point are answered where their tables take at most three quarters of it.
   */
  tableMemory?: number | undefined;
  /** Receives a line for each error of the origin or of an issuer, and for each new release; never a token. */
  log?: ((line: string) => void) | undefined;
}

/** What the platform gives with a request. */
export interface FetchContext {
  /**
   * Lets work end after the response; on platforms that stop then, keys and releases may otherwise not be refreshed.
   */
  waitUntil?(work: Promise<unknown>): void;
}

/** Answers requests. */
export interface FetchHandler {
  /** The response to a request. Never rejects: errors become responses. */
  fetch(request: Request, context?: FetchContext): Promise<Response>;
}

const CURRENT_CACHE = '1s';
const TABLE_MEMORY_MIB = 64;
const BYTES_PER_MIB = 1024 * 1024;
/** A Worker has 128 MB for everything. */
const CACHED_RESPONSES_MAX_BYTES = { gzip: 6 * 1024 * 1024, identity: 2 * 1024 * 1024 };

/**
 * Creates a handler. Nothing is requested until the first request: the releases, levels and keys that it needs.
 * @throws StartError if an option is not valid
 * @example
 * const handler = await createFetchHandler({ origin: 'https://static.example.org/boundaries', jwks, issuer, audience
 * }); export default { fetch: (request, env, context) => handler.fetch(request, context) };
 */
export async function createFetchHandler(options: FetchOptions): Promise<FetchHandler> {
  const { log = () => {}, currentCache = CURRENT_CACHE, title } = options;
  const cacheMs = 1000 * durationToSeconds(currentCache, '--current-cache', 0);
  const publicUrl = parsePublicUrl(options.publicUrl);
  const { trustedKeys = [], allowRollback, tableMemory = TABLE_MEMORY_MIB } = options;
  if (!(tableMemory > 0 && Number.isFinite(tableMemory)))
    throw new OptionError(`${tableMemory} is no size`, 'tableMemory', 'give MiB, such as 64');
  const keys = trustedKeys.map((pem, i) => requireKey(pem, String(i + 1)));
  const { origin, newest } = trustedOrigin(openOrigin(options), keys, allowRollback);
  const background = new Background();
  if (options.public) refuseTokenOptions(options);
  const fetchKeys = (url: URL): Promise<string> => background.add(fetchKeySet(url));
  const jwks = options.jwks?.map((keys) => (typeof keys === 'function' ? () => background.add(keys()) : keys));
  const rules = options.public ? undefined : await optionsToTokenRules({ ...options, jwks }, log, fetchKeys);
  const audience = rules === undefined ? 'public' : 'private';
  const releases = new Releases(origin, {
    load: loadOnDemand(tableMemory * BYTES_PER_MIB),
    check: publishedIn,
    refusal: newest?.refusal,
  });
  // The URL of the request has the scheme that the client used.
  const baseUrl = baseUrlBy(publicUrl, undefined, () => {});
  const resourceMetadata = rules && issuersToMetadata([...rules.issuers.keys()], rules.scope);
  // Addresses are the platform's: all clients of a public service are one here.
  const addresses = new ClientAddresses(undefined);
  const context: HandlerContext = {
    principals: rules === undefined ? addresses : new Authenticator(rules),
    addressOf: (sender) => addresses.known(sender),
    audience,
    metadataUrl: resourceMetadata && metadataUrl,
    admit: undefined,
    responses: responseCaches(CACHED_RESPONSES_MAX_BYTES),
    releases,
    title,
    // The platform limits how much is done at a time; work of one request must not run as part of another.
    turns: NO_TURNS,
    reads: new QueuedReads(origin),
    rows: apiRows(),
    publicRows: publicRows({
      releases,
      lifecycle: { isStopping: false },
      keysUnavailableReason: async () => rules && keysUnavailableReason(rules.issuers.values()),
      audience,
      assets: new Map(describingAssets({ publicUrl, title, audience })),
      resourceMetadata,
      baseUrl,
      publicUrl,
    }),
    baseUrl,
    // A timer may end with its request: what comes after a line is said with the next one.
    log: errorLog(log, { now: clockThroughFreezes(), after: () => () => {} }),
  };
  const look = currentLook(releases, cacheMs, log, background);
  const respond = async (request: Request): Promise<Response> => {
    const httpRequest = toHttpRequest(request);
    await look();
    return answerToResponse(context, await handle(context, httpRequest), httpRequest);
  };
  return {
    fetch(request, platform) {
      const response = respond(request);
      // Other requests may wait for what this one reads: it must end even if its client disconnects.
      platform?.waitUntil?.(response.then(() => background.ended()));
      return response;
    },
  };
}

/**
 * Looks at current.json if the last look is older than `cacheMs`. A request waits for the look if there is no release
 * yet, or if `cacheMs` is 0; otherwise the release in memory answers it.
 */
function currentLook(
  releases: Releases,
  cacheMs: number,
  log: (line: string) => void,
  background: Background,
): () => Promise<void> {
  const refresh = loggedRefresh(releases, log);
  const now = clockThroughFreezes();
  let begunAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  return async () => {
    if (now() - begunAt >= cacheMs) {
      begunAt = now();
      last = background.add(refresh());
    }
    if (cacheMs === 0 || releases.current === undefined) await last;
  };
}

function openOrigin({ origin, originHeader }: FetchOptions): Origin {
  if (typeof origin !== 'string') return origin;
  const { url, headers } = parseOriginUrl(origin, originHeader);
  return fetchHostOrigin(url, headers);
}

/**
 * Work that no request waits for, such as refreshing keys or a look at current.json: a platform that stops after the
 * response lets it end.
 */
class Background {
  readonly #running = new Set<Promise<unknown>>();

  /** Adds work; the same promise. */
  add<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    const remove = (): void => {
      this.#running.delete(work);
    };
    work.then(remove, remove);
    return work;
  }

  /** Resolves when all work has ended. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
