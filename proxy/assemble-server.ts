// The server for checked settings: opens the releases and connects the parts that `handle` needs.

import { Authenticator } from './auth/authenticate.ts';
import { ClientAddresses } from './auth/client-addresses.ts';
import { DEV_ISSUER } from './auth/dev-key.ts';
import { metadataUrl } from './auth/resource-metadata.ts';
import type { Audience } from './bodies/headers.ts';
import { responseCaches } from './cache/response-cache.ts';
import type { Settings } from './config/settings.ts';
import { StartError } from './config/start-error.ts';
import { releaseErrorToStartError } from './config/start-remedies.ts';
import { Releases } from './data/hosted-releases.ts';
import { type LoadRelease, loadRelease } from './data/loaded-release.ts';
import { apiRows } from './features/all-paths.ts';
import { publishedIn } from './features/changes/changes.ts';
import { admittingWithin } from './guards/admit-client.ts';
import { HeldBytes, type HeldLimits } from './guards/slow-clients.ts';
import { HOST_READS, type WorkLimits, WorkQueue } from './guards/work-queue.ts';
import { baseUrlBy } from './http/base-url.ts';
import type { Held, Turns } from './http/guards.ts';
import type { Sender } from './http/request.ts';
import { MACHINE_TIME, type Time } from './http/time.ts';
import { keysUnavailableReason } from './keys/rotating-keys.ts';
import { createHttpServer, type HttpServer, type Observer, type ServerLimits } from './node/server.ts';
import { errorLog } from './operations/error-log.ts';
import { QueuedReads } from './origin/origin.ts';
import { publicRows } from './public-rows.ts';
import type { Assets } from './site/asset.ts';
import { publicAssets } from './site/explorer-files.ts';
import { BodyBuffers } from './work/body-buffers.ts';

/**
 * The releases of the origin, none of which is loaded yet.
 * @param log receives a line before a release is loaded: the current one, or an older one that a cursor names
 * @param load how; by default with all levels
 */
export function releasesOf(
  { origin, newest }: Pick<Settings, 'origin' | 'newest'>,
  log: (line: string) => void,
  load: LoadRelease = loadRelease,
): Releases {
  let last = '';
  const loadLogged: LoadRelease = (opened, description, now) => {
    const id = description.release.release;
    // One that cannot be loaded is tried again and again.
    if (id !== last) log(`loading release ${id}`);
    last = id;
    return load(opened, description, now);
  };
  return new Releases(origin, { load: loadLogged, check: publishedIn, refusal: newest?.refusal });
}

/**
 * Loads the current release.
 * @throws StartError if a folder has no release that can be served; a static host may become reachable later
 */
export async function loadCurrent(releases: Releases, settings: Settings, log: (line: string) => void): Promise<void> {
  const { newest } = settings;
  // What another process serves may have been removed since: then current.json of the origin decides.
  if (newest?.isTold) await releases.refresh().catch(() => {});
  await releases.refresh().catch((error: unknown) => {
    // It serves what the other process does; the watch of current.json logs the error.
    if (releases.current !== undefined) return;
    const startError = releaseErrorToStartError(error, settings.originName, settings.mustBeSigned);
    if (!settings.isRemote || !(startError instanceof StartError)) throw startError;
    // A name of a bucket that is not its name looks like one without a release. What follows ? may be a secret.
    log(`${settings.originName.replace(/\?.*/s, '')}: ${startError.message}`);
  });
}

/** What a server may be given besides its settings. */
export interface ServerParts {
  /** The access log and metrics. */
  observer?: Observer;
  /** Timeouts for clients. */
  timeouts?: ServerLimits | undefined;
  work?: WorkLimits | undefined;
  held?: HeldLimits | undefined;
  /** What guards the service in place of the project's own. */
  guards?: { turns: Turns; held: Held } | undefined;
  /** By which the limits of clients are measured; that of the machine where left out. */
  time?: Time | undefined;
  /** Where it will listen, for the examples of /docs. */
  listenUrl?: string | undefined;
  /** The public files in place of the project's own. */
  assets?: Assets | undefined;
}

/** What `assembleServer` needs of the settings. */
export type ServerSettings = Pick<
  Settings,
  'origin' | 'tokenRules' | 'publicUrl' | 'title' | 'trustedProxies' | 'resourceMetadata' | 'limits' | 'hasExplorer'
> &
  Partial<Pick<Settings, 'forwardedHost' | 'signInHelp' | 'embedOrigins'>>;

/** The server, and what waits in it. */
export interface ObservedServer extends HttpServer {
  /** Requests and tasks that wait for their turn. */
  turnsWaiting(): number;
}

/** The server for these settings; it does not listen yet. */
export function assembleServer(
  settings: ServerSettings,
  releases: Releases,
  log: (line: string) => void,
  { observer = {}, timeouts, work, held, guards, time = MACHINE_TIME, listenUrl, assets }: ServerParts = {},
): ObservedServer {
  const { origin, tokenRules, publicUrl, title, trustedProxies, resourceMetadata, limits, hasExplorer } = settings;
  const { signInHelp, embedOrigins } = settings;
  // A cache in front of a public service may pass on what a client says, and keep the links for everybody.
  const isForwarded = tokenRules !== undefined || settings.forwardedHost === true;
  const audience: Audience = tokenRules === undefined ? 'public' : 'private';
  const issuers = [...(tokenRules?.issuers.keys() ?? [])].filter((issuer) => issuer !== DEV_ISSUER);
  const queue = new WorkQueue(work);
  const turns = guards?.turns ?? queue;
  const hostReads = origin.readNow === undefined ? new WorkQueue(HOST_READS) : undefined;
  const reads = new QueuedReads(origin, turns, new BodyBuffers(), hostReads);
  const logError = errorLog(log, time);
  const baseUrl = baseUrlBy(publicUrl, isForwarded ? trustedProxies : undefined, log);
  const lifecycle = { isStopping: false };
  const addresses = new ClientAddresses(trustedProxies);
  const context = {
    principals: tokenRules === undefined ? addresses : new Authenticator(tokenRules),
    addressOf: (sender: Sender) => addresses.known(sender),
    audience,
    metadataUrl: resourceMetadata && metadataUrl,
    admit: limits && admittingWithin(limits),
    responses: responseCaches(),
    releases,
    title,
    hasExplorer,
    turns,
    reads,
    rows: apiRows(),
    publicRows: publicRows({
      releases,
      lifecycle,
      keysUnavailableReason: async () => tokenRules && keysUnavailableReason(tokenRules.issuers.values()),
      audience,
      assets:
        assets ??
        publicAssets({ publicUrl, title, audience, issuers, signInHelp, listenUrl, embedOrigins }, hasExplorer),
      resourceMetadata,
      baseUrl,
      publicUrl,
    }),
    baseUrl,
    held: guards?.held ?? new HeldBytes(held, time),
    lifecycle,
    trustedProxies,
    log: (error: unknown) => {
      observer.failed?.(error);
      logError(error);
    },
  };
  const server = createHttpServer(context, observer, timeouts, time);
  return { ...server, turnsWaiting: () => queue.waiting };
}
