// The server for checked settings: opens the releases and connects the parts that `handle` needs. Used by `serve` and
// by `createServer`.
import type { Server } from 'node:http';
import { authenticator } from './auth/authenticate.ts';
import { keysUnavailableReason } from './auth/rotating-keys.ts';
import type { Settings } from './config/settings.ts';
import { releaseErrorToStartError, StartError } from './config/start-error.ts';
import { Releases } from './origin/releases.ts';
import { ResponseCache } from './pages/response-cache.ts';
import type { Observer } from './server.ts';
import { createHttpServer } from './server.ts';
import { publicAssets } from './site/public-assets.ts';

/**
 * The releases of the origin, with the current one loaded.
 * @throws StartError if a folder has no release that can be served; a static host may become reachable later
 */
export async function openReleases(settings: Settings, log: (line: string) => void): Promise<Releases> {
  const releases = new Releases(settings.origin);
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
): Server {
  const { origin, tokenRules, publicUrl, trustedProxies, resourceMetadata, hasExplorer } = settings;
  const context = {
    authenticate: authenticator(tokenRules),
    releases,
    origin,
    responses: new ResponseCache(),
    keysUnavailableReason: () => keysUnavailableReason(tokenRules.issuers.values()),
    publicUrl,
    trustedProxies,
    resourceMetadata,
    assets: publicAssets(publicUrl, hasExplorer),
    log,
  };
  return createHttpServer(context, observer);
}
