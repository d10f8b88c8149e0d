// A server for one output folder or static host, put together from its settings: for `serve`, and for programs that
// import this package.
import type { Server } from 'node:http';
import { authenticator } from './auth/authenticate.ts';
import { whyNoKeys } from './auth/rotating-keys.ts';
import type { ServeOptions, Settings } from './config/settings.ts';
import { SERVE_DEFAULTS, settingsFrom } from './config/settings.ts';
import { releaseFault, StartError } from './config/start-error.ts';
import { Catalogue } from './origin/releases.ts';
import { ResponseCache } from './pages/response-cache.ts';
import type { Observer } from './server.ts';
import { createProxy, stopServer } from './server.ts';
import { publicAssets } from './site/public-assets.ts';

/**
 * What a server is made of: the options of `serve` by the same names in camelCase, all optional. Which tokens are valid
 * must be given: `jwks` or `secret`, `issuer` and `audience`; or `dev`.
 */
export interface ServerOptions extends Partial<Omit<ServeOptions, 'host' | 'port' | 'workers' | 'metricsPort'>> {
  /** The address that the server will listen on: `dev` is refused for any that other machines can reach. 127.0.0.1 by default. */
  host?: string;
  /** Takes a line about each fault of the origin or of an issuer, and each release that is served; never a token. */
  log?: (line: string) => void;
}

/** A server that is ready to listen. */
export interface BoundariesServer {
  /** Call its `listen`. */
  server: Server;
  /** Stops accepting connections, lets responses under way end, and resolves. */
  stop(): Promise<void>;
}

/**
 * Makes a server for an output folder or a static host. New releases are picked up while it runs.
 * @throws StartError when an option is not usable or there is no release to serve; `where` and `remedy` say more
 */
export async function createServer(options: ServerOptions = {}): Promise<BoundariesServer> {
  const { log = () => {}, ...given } = options;
  const settings = await settingsFrom({ ...SERVE_DEFAULTS, ...given }, log);
  const catalogue = await openCatalogue(settings, log);
  const server = serverFrom(settings, catalogue, {}, log);
  const stopWatching = catalogue.watch(log);
  return {
    server,
    stop() {
      stopWatching();
      return stopServer(server, settings.stopMs);
    },
  };
}

/**
 * The releases of the origin, the current one loaded.
 * @throws StartError when a folder has none that can be served; a static host may be away for a while
 */
export async function openCatalogue(settings: Settings, log: (line: string) => void): Promise<Catalogue> {
  const catalogue = new Catalogue(settings.origin);
  await catalogue.refresh().catch((error: unknown) => {
    const fault = releaseFault(error, settings.originName);
    if (!settings.isRemote || !(fault instanceof StartError)) throw fault;
    log(fault.message);
  });
  return catalogue;
}

/** The server for these settings; it does not listen yet. */
export function serverFrom(
  settings: Settings,
  catalogue: Catalogue,
  observer: Observer,
  log: (line: string) => void,
): Server {
  const { origin, rules, publicUrl, trusted, metadata, explorer } = settings;
  const service = {
    authenticate: authenticator(rules),
    catalogue,
    origin,
    responses: new ResponseCache(),
    keysMissing: () => whyNoKeys(rules.issuers.values()),
    publicUrl,
    trusted,
    metadata,
    assets: publicAssets(publicUrl, explorer),
    log,
  };
  return createProxy(service, observer);
}
