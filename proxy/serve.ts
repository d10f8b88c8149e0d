// The `serve` command: listens with one process or several, follows new releases, and stops on a signal.
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { assembleServer, loadCurrent, releasesOf } from './assemble-server.ts';
import { ClientAddresses } from './auth/client-addresses.ts';
import { listensFirst, shareNewest, startWorkers, tellReady } from './config/cluster.ts';
import { SERVE_OPTIONS, type ServeOptions } from './config/options.ts';
import { optionsToSettings, type Settings } from './config/settings.ts';
import { listenErrorToStartError } from './config/start-remedies.ts';
import type { Releases } from './data/hosted-releases.ts';
import { loadOnDemand } from './data/load-on-demand.ts';
import type { LoadedRelease } from './data/loaded-release.ts';
import { watchReleases } from './data/watch-releases.ts';
import type { HttpServer } from './node/server.ts';
import { openAccessLog } from './operations/access-log.ts';
import { isProbe } from './operations/health.ts';
import { watchRequests } from './operations/watch-requests.ts';

/** Exit codes of a program that a signal ended are this and the number of the signal, as in a shell. */
const SIGNAL_EXIT_CODE = 128;
/** Time for responses that were cut, and for the reader of the access log. */
const END_LOG_TIMEOUT_MS = 1000;

/** Prints the URL, and the release that is served; undefined if none can be loaded yet. */
type Announce = (url: string, release: LoadedRelease | undefined) => Promise<void>;

/**
 * Serves until a signal ends the process. It listens first: while a release is loaded, health checks are answered, and
 * clients are told to try again.
 * @param announce is called when the release is loaded
 * @param log prints a line about an error, or about a new release
 * @throws StartError
 */
export async function serve(options: ServeOptions, announce: Announce, log: (line: string) => void): Promise<void> {
  if (!process.stdin.isTTY) ignoreHangUp(log);
  const settings = await optionsToSettings(options, log);
  if (settings.workers > 1 && cluster.isPrimary) return serveWithWorkers(settings, announce, log);
  if (cluster.isWorker && settings.newest !== undefined) shareNewest(settings.newest);
  const { host, port, drainMs, stopTimeoutMs } = settings;
  const releases = releasesOf(settings, log);
  const { server, stop, looked, endLog } = await observedServer(settings, releases, options, log);
  const load = async (): Promise<void> => {
    await loadCurrent(releases, settings, log);
    if (releases.current !== undefined) looked?.();
  };
  if (!listensFirst()) await load();
  const url = await listen(server, host, port);
  if (cluster.isPrimary) (await listenForMetrics(settings, log))?.unref();
  let stopWatching = (): void => {};
  stopOnSignal(async () => {
    stopWatching();
    await stop({ drainMs, timeoutMs: stopTimeoutMs });
    await endLog();
  });
  if (listensFirst())
    await load().catch((error: unknown) => {
      server.close();
      throw error;
    });
  stopWatching = watchReleases(releases, log, looked);
  if (cluster.isPrimary) await announce(url, releases.current);
  else tellReady();
}

/** The primary process of workers, which itself only names the release, and an example of it. */
async function serveWithWorkers(settings: Settings, announce: Announce, log: (line: string) => void): Promise<void> {
  const { host, workers: count, drainMs, stopTimeoutMs, newest, isRemote } = settings;
  const releases = releasesOf(settings, () => {}, loadOnDemand());
  const loading = loadCurrent(releases, settings, log);
  // A folder without a release is refused once, not by each worker; nobody waits for a host.
  if (!isRemote) await loading;
  const metrics = settings.metricsPort === undefined ? undefined : await import('./operations/metrics.ts');
  const workers = startWorkers(count, drainMs + stopTimeoutMs, newest, log, metrics?.countRestarts());
  stopOnSignal(() => workers.stop(), workers.kill);
  const metricsServer = await listenForMetrics(settings, log);
  const port = await workers.ready.catch(() => process.exit(1));
  await loading;
  await announce(listenUrl(host, port), releases.current);
  metricsServer?.unref();
}

/** The server with its access log and metrics. */
interface LoggedServer extends HttpServer {
  /** Is called after each look at current.json; undefined without metrics. */
  looked: ((error?: unknown) => void) | undefined;
  /** Writes the remaining lines before the process exits. */
  endLog(): Promise<unknown>;
}

async function observedServer(
  settings: Settings,
  releases: Releases,
  {
    accessLog: hasLog = SERVE_OPTIONS['access-log'].default,
    logProbes = SERVE_OPTIONS['log-probes'].default,
    logSubject = false,
  }: ServeOptions,
  log: (line: string) => void,
): Promise<LoggedServer> {
  const metrics = settings.metricsPort === undefined ? undefined : await startMetrics();
  const accessLog = hasLog ? openAccessLog(logSubject, () => metrics?.droppedLine()) : undefined;
  const addresses = new ClientAddresses(settings.trustedProxies);
  const { observe, running, ended } = watchRequests(
    (sender) => addresses.known(sender).id,
    (request) => {
      if (!logProbes && isProbe(request.route)) return;
      accessLog?.log(request);
      metrics?.count(request);
    },
  );
  const observer = {
    observe,
    unparsed: () => metrics?.unparsed(),
    failed: (error: unknown) => metrics?.failed(error),
  };
  // Port 0 is known only when it listens.
  const server = assembleServer(settings, releases, log, {
    observer,
    listenUrl: settings.port === 0 ? undefined : listenUrl(settings.host, settings.port),
  });
  const { tokenRules } = settings;
  metrics?.gauge('requests_running', running);
  metrics?.gauge('public', () => Number(tokenRules === undefined));
  metrics?.gauge('held_bytes', server.heldBytes);
  metrics?.gauge('turns_waiting', server.turnsWaiting);
  metrics?.keys(tokenRules?.issuers ?? new Map());
  const endLog = async (): Promise<void> => {
    // Responses that were just cut still write their line.
    await ended();
    await accessLog?.written();
  };
  return {
    ...server,
    looked: metrics?.releases(releases),
    endLog: () => Promise.race([endLog(), wait(END_LOG_TIMEOUT_MS)]),
  };
}

/** What collects metrics in this process, which replaces no worker unless it is the primary one of several. */
async function startMetrics() {
  const { collectRequestMetrics, countRestarts } = await import('./operations/metrics.ts');
  if (cluster.isPrimary) countRestarts();
  return collectRequestMetrics();
}

/** The server for Prometheus; undefined without --metrics-port. */
async function listenForMetrics(
  { metricsHost, metricsPort }: Settings,
  log: (line: string) => void,
): Promise<Server | undefined> {
  if (metricsPort === undefined) return undefined;
  const { createMetricsServer } = await import('./operations/metrics.ts');
  const server = createMetricsServer();
  log(`metrics at ${await listen(server, metricsHost, metricsPort)}/metrics`);
  return server;
}

/** Without a terminal nothing hangs up: scripts send SIGHUP to have configuration or a log read anew. */
function ignoreHangUp(log: (line: string) => void): void {
  process.on('SIGHUP', () => {
    if (cluster.isPrimary)
      log('SIGHUP is ignored: key sets and releases are read again when they change; SIGTERM stops the service');
  });
}

/**
 * Stops the process on SIGINT, SIGTERM, or SIGHUP of a terminal that is closed: after the first signal `stop` runs to its
 * end, a second one exits at once. A worker stops on the first SIGTERM only: its primary process handles the rest, and
 * Ctrl-C signals the whole group.
 */
function stopOnSignal(stop: () => Promise<void>, kill: () => void = () => {}): void {
  let isStopping = false;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    if (cluster.isWorker && (isStopping || signal !== 'SIGTERM')) return;
    if (isStopping) {
      kill();
      process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]);
    }
    isStopping = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  if (process.stdin.isTTY) process.on('SIGHUP', onSignal);
}

/** Starts to listen; returns the URL without a slash at the end. */
async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenErrorToStartError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return listenUrl(host, address.port);
}

function listenUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
