// The public API, exported as administrative-boundaries-service/proxy and documented in README.md.
import type { Server } from 'node:http';
import { assembleServer, loadCurrent, releasesOf } from './assemble-server.ts';
import type { ServeOptions } from './config/options.ts';
import { optionsToSettings } from './config/settings.ts';
import { watchReleases } from './data/watch-releases.ts';

export { openOrigin } from './config/settings.ts';
export { StartError } from './config/start-error.ts';
export type { Origin } from './origin/origin.ts';

/**
 * The options of `serve` that concern the server itself, with the same defaults. Required are `issuer`, `audience` and
 * either `jwks` or `secret`; or `dev`. `host` is the address that the server will listen on: `dev` is refused for any
 * other than a loopback address.
 */
export interface ServerOptions
  extends Omit<
    ServeOptions,
    'port' | 'workers' | 'metricsHost' | 'metricsPort' | 'accessLog' | 'logProbes' | 'logSubject'
  > {
  /** Receives a line for each error of the origin or of an issuer, and for each new release; never a token. */
  log?: (line: string) => void;
}

/** A server that does not listen yet. */
export interface BoundariesServer {
  /** Call its `listen`. */
  server: Server;
  /** Stops accepting connections, lets responses in progress end, and resolves. */
  stop(): Promise<void>;
}

/**
 * Creates a server for an output folder or a static host. It follows new releases until `stop` is called.
 * @throws StartError if an option is not valid or there is no release to serve; see its `where` and `remedy`
 * @example
 * const { server, stop } = await createServer({ origin: 'output', dev: true });
 * server.listen(8080, '127.0.0.1');
 */
export async function createServer(options: ServerOptions = {}): Promise<BoundariesServer> {
  const { log = () => {} } = options;
  const settings = await optionsToSettings(options, log);
  const releases = releasesOf(settings, log);
  await loadCurrent(releases, settings, log);
  const { server, stop } = assembleServer(settings, releases, log);
  const stopWatching = watchReleases(releases, log);
  return {
    server,
    stop() {
      stopWatching();
      return stop({ drainMs: settings.drainMs, timeoutMs: settings.stopTimeoutMs });
    },
  };
}
