// The server for checked settings: opens the releases and connects the parts that `handle` needs. Used by `serve` and
// by `createServer`.
import { authenticator } from './auth/authenticate.ts';
import { keysUnavailableReason } from './auth/rotating-keys.ts';
import { loadTurns } from './config/load-turns.ts';
import type { Settings } from './config/settings.ts';
import { StartError } from './config/start-error.ts';
import { releaseErrorToStartError } from './config/start-remedies.ts';
import { HttpLinkWarning } from './http/base-url.ts';
import { type ClientCounter, MemoryCounter } from './limits/client-limits.ts';
import { WorkQueue } from './limits/work-queue.ts';
import { FilterMatches } from './pages/filter-matches.ts';
import { ResponseCache } from './pages/response-cache.ts';
import { Releases } from './releases/releases.ts';
import type { HttpServer, Observer } from './server.ts';
import { createHttpServer } from './server.ts';
import { publicAssets } from './site/public-assets.ts';

/**
 * The releases of the origin, with the current one loaded.
 * @throws StartError if a folder has no release that can be served; a static host may become reachable later
 */
export async function openReleases(settings: Settings, log: (line: string) => void): Promise<Releases> {
  const releases = new Releases(settings.origin, { takeTurn: loadTurns() });
  await releases.refresh().catch((error: unknown) => {
    const startError = releaseErrorToStartError(error, settings.originName);
    if (!settings.isRemote || !(startError instanceof StartError)) throw startError;
    log(startError.message);
  });
  return releases;
}

/** The server for these settings; it does not listen yet. */
export function assembleServer(
  settings: Settings,
  releases: Releases,
  observer: Observer,
  log: (line: string) => void,
  counter?: ClientCounter,
): HttpServer {
  const { origin, tokenRules, publicUrl, trustedProxies, resourceMetadata, limits, hasExplorer, accelRedirect } =
    settings;
  const context = {
    authenticate: authenticator(tokenRules),
    releases,
    origin,
    matches: new FilterMatches(),
    responses: new ResponseCache(),
    work: new WorkQueue(),
    limits: limits && { rules: limits, counter: counter ?? new MemoryCounter(limits) },
    lifecycle: { isStopping: false },
    keysUnavailableReason: () => keysUnavailableReason(tokenRules.issuers.values()),
    publicUrl,
    trustedProxies,
    linkWarning: new HttpLinkWarning(publicUrl !== undefined || trustedProxies !== undefined, log),
    resourceMetadata,
    assets: publicAssets(publicUrl, hasExplorer),
    log,
  };
  return createHttpServer(context, observer, undefined, accelRedirect);
}
