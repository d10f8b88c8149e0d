// `serve`: a server for the settings, in one process or several, that listens, follows releases and stops on a signal.
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { constants } from 'node:os';
import { startWorkers } from './config/cluster.ts';
import type { ServeOptions, Settings } from './config/settings.ts';
import { settingsFrom } from './config/settings.ts';
import { listenFault } from './config/start-error.ts';
import { openCatalogue, serverFrom } from './create-server.ts';
import { accessLog } from './operations/access-log.ts';
import type { Catalogue, LoadedRelease } from './origin/releases.ts';
import { stopServer } from './server.ts';

/** What a shell shows of a program that a signal ended. */
const SIGNAL_EXIT = 128;

/** The options of the command line beyond those of any server. */
export interface CommandOptions extends ServeOptions {
  accessLog: boolean;
  logSubject: boolean;
}

/**
 * Serves until a signal ends the process.
 * @param announce prints the address, and what is served there
 * @param log prints a line about a fault, or a release that is served
 * @throws StartError
 */
export async function serve(
  options: CommandOptions,
  announce: (url: string, release: LoadedRelease | undefined) => Promise<void>,
  log: (line: string) => void,
): Promise<void> {
  const settings = await settingsFrom(options, log);
  const catalogue = await openCatalogue(settings, log);
  const { host, port } = settings;
  if (settings.workers > 1 && cluster.isPrimary) {
    const workers = startWorkers(settings.workers, settings.stopMs, log);
    stopOnSignal(() => workers.stop(), workers.kill);
    const metrics = await listenForMetrics(settings, log);
    const shared = await workers.listening.catch(() => process.exit(1));
    await announce(urlOf(host, shared), catalogue.current);
    metrics?.unref();
    return;
  }
  const { server, endLog } = await observedServer(settings, catalogue, options, log);
  const url = await listen(server, host, port);
  const stopWatching = catalogue.watch(log);
  if (cluster.isPrimary) (await listenForMetrics(settings, log))?.unref();
  stopOnSignal(async () => {
    stopWatching();
    await stopServer(server, settings.stopMs);
    await endLog();
  });
  if (cluster.isPrimary) await announce(url, catalogue.current);
}

/** The server with its access log and metrics, and what must be written before the process ends. */
async function observedServer(
  settings: Settings,
  catalogue: Catalogue,
  options: CommandOptions,
  log: (line: string) => void,
): Promise<{ server: Server; endLog(): Promise<void> }> {
  const access = options.accessLog ? accessLog(options.logSubject) : undefined;
  const metrics = settings.metricsPort === undefined ? undefined : (await metering()).countRequests();
  const observer = {
    observe(...request: Parameters<NonNullable<typeof access>['observe']>) {
      access?.observe(...request);
      metrics?.observe(...request);
    },
    unparsed: () => metrics?.unparsed(),
  };
  return { server: serverFrom(settings, catalogue, observer, log), endLog: async () => access?.end() };
}

/** What counts requests; loaded only where that is wanted. */
function metering() {
  return import('./operations/metrics.ts');
}

/** The server for Prometheus, listening where the other one does; undefined when none is wanted. */
async function listenForMetrics(
  { host, metricsPort }: Settings,
  log: (line: string) => void,
): Promise<Server | undefined> {
  if (metricsPort === undefined) return undefined;
  const server = (await metering()).createMetricsServer();
  log(`metrics at ${await listen(server, host, metricsPort)}/metrics`);
  return server;
}

/**
 * Ends the process when it is told to: the first signal lets `stop` finish, a second one ends it at once. A worker
 * leaves that to its primary, since some senders tell every process of a group and would be a second signal.
 */
function stopOnSignal(stop: () => Promise<void>, kill: () => void = () => {}): void {
  let isStopping = false;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (cluster.isWorker && (isStopping || signal === 'SIGINT')) return;
    if (isStopping) {
      kill();
      process.exit(SIGNAL_EXIT + constants.signals[signal]);
    }
    isStopping = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/** Starts listening; the address as a URL without a slash at the end. */
async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return urlOf(host, typeof address === 'object' ? (address?.port ?? port) : port);
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
