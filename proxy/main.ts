#!/usr/bin/env node
// The proxy's command line. Only this file reads arguments and the environment, prints, and sets the exit code.
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { constants } from 'node:os';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { coloured } from '../format/terminal.ts';
import { authenticator, mintToken } from './auth/authenticate.ts';
import { DEV_AUDIENCE, DEV_ISSUER, devKey } from './auth/dev-key.ts';
import { startWorkers } from './config/cluster.ts';
import { greetingOf } from './config/dev-banner.ts';
import { secondsFrom } from './config/duration.ts';
import { keysMissing } from './config/issuers.ts';
import { flagsFrom, SERVE_FLAGS } from './config/options.ts';
import type { ServeOptions, Settings } from './config/settings.ts';
import { settingsFrom } from './config/settings.ts';
import { listenFault, releaseFault, StartError } from './config/start-error.ts';
import { accessLog } from './operations/access-log.ts';
import { Catalogue } from './origin/releases.ts';
import { ResponseCache } from './pages/response-cache.ts';
import type { Observer } from './server.ts';
import { createProxy, stopServer } from './server.ts';
import { publicAssets } from './site/public-assets.ts';

/** Compiled, it is a program of a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'proxy' : 'boundaries-proxy';
const DAY_SECONDS = 86_400;
/** What a shell shows of a program that a signal ended. */
const SIGNAL_EXIT = 128;

await yargs(hideBin(process.argv))
  .scriptName(PROGRAM)
  .usage('Answers authenticated requests for published boundaries.\n\n$0 <command>')
  .command(
    'serve',
    'serve the current release of an output folder',
    (args) =>
      args
        .options(SERVE_FLAGS)
        .config(flagsFrom(process.env))
        .conflicts('dev', ['jwks', 'secret', 'issuer', 'audience'])
        .conflicts('jwks', 'secret')
        .example('$0 serve --dev', 'try it: tokens of this machine only')
        .example(
          '$0 serve --jwks keys.json --issuer https://login.example.org/ --audience boundaries',
          'tokens of your issuer',
        )
        .example(
          '$0 serve --origin https://static.example.org/boundaries --jwks ...',
          'files on a static host; --jwks, --issuer, --audience as above',
        ),
    (argv) => serve(argv),
  )
  .command(
    'token',
    'print a development token, and nothing else',
    (args) =>
      args
        .option('dev', {
          type: 'boolean',
          demandOption: true,
          describe: 'there are no other tokens: issuers make those',
        })
        .option('expires', { type: 'string', default: '24h', describe: 'how long it is good: 90s, 15m, 24h, 7d' })
        .option('scope', { type: 'string', describe: 'scopes that it has, separated by spaces' })
        .option('subject', { type: 'string', default: 'developer', describe: 'whom it is about: its sub' })
        .example('TOKEN=$($0 token --dev --expires 15m)', 'for curl'),
    async ({ expires, scope, subject }) => {
      console.log(await devToken(secondsFrom(expires, '--expires'), scope, subject));
    },
  )
  .demandCommand(1, 'name a command')
  .strict()
  .recommendCommands()
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error, parser) => {
    if (error instanceof StartError)
      console.error(
        `${coloured(process.stderr, 'red', error.message)}\n  where: ${error.where}\n  what to do: ${error.remedy}`,
      );
    else console.error(error ?? `${message}\n\n${parser.help()}`);
    process.exit(1);
  })
  .parseAsync();

/** `serve`, as given. */
interface Given extends ServeOptions {
  accessLog: boolean;
  logSubject: boolean;
  explorer: boolean;
}

async function serve(options: Given): Promise<void> {
  const settings = await settingsFrom(options, log);
  const catalogue = new Catalogue(settings.origin);
  await catalogue.refresh().catch((error: unknown) => {
    const fault = releaseFault(error, options.origin);
    // A host may be away for a while; nothing is ready until it is back.
    if (!settings.isRemote || !(fault instanceof StartError)) throw fault;
    log(fault.message);
  });
  const { host, port } = settings;
  if (settings.workers > 1 && cluster.isPrimary) {
    const workers = startWorkers(settings.workers, settings.stopMs, log);
    stopOnSignal(() => workers.stop(), workers.kill);
    const metrics = await listenForMetrics(settings);
    const shared = await workers.listening.catch(() => process.exit(1));
    await announce(urlOf(host, shared), options, catalogue);
    metrics?.unref();
    return;
  }
  const { server, endLog } = await proxyFor(settings, catalogue, options);
  const url = await listen(server, host, port);
  const stopWatching = catalogue.watch(log);
  if (cluster.isPrimary) (await listenForMetrics(settings))?.unref();
  stopOnSignal(async () => {
    stopWatching();
    await stopServer(server, settings.stopMs);
    await endLog();
  });
  if (cluster.isPrimary) await announce(url, options, catalogue);
}

/** The server, and what must be written before the process ends. */
async function proxyFor(
  settings: Settings,
  catalogue: Catalogue,
  options: Given,
): Promise<{ server: Server; endLog(): Promise<void> }> {
  const { origin, rules, publicUrl, trusted, metadata } = settings;
  const access = options.accessLog ? accessLog(options.logSubject) : undefined;
  const metrics = settings.metricsPort === undefined ? undefined : (await metering()).countRequests();
  const observer: Observer = {
    observe(req, res, answer) {
      access?.observe(req, res, answer);
      metrics?.observe(req, res, answer);
    },
    unparsed: () => metrics?.unparsed(),
  };
  const service = {
    authenticate: authenticator(rules),
    catalogue,
    origin,
    responses: new ResponseCache(),
    keysMissing: () => keysMissing(rules),
    publicUrl,
    trusted,
    metadata,
    assets: publicAssets(publicUrl, options.explorer),
    log,
  };
  return { server: createProxy(service, observer), endLog: async () => access?.end() };
}

/** What counts requests; loaded only where that is wanted. */
function metering() {
  return import('./operations/metrics.ts');
}

/** The server for Prometheus, listening where the other one does; undefined when none is wanted. */
async function listenForMetrics({ host, metricsPort }: Settings): Promise<Server | undefined> {
  if (metricsPort === undefined) return undefined;
  const server = (await metering()).createMetricsServer();
  log(`metrics at ${await listen(server, host, metricsPort)}/metrics`);
  return server;
}

/** Says where the service is. */
async function announce(url: string, options: Given, { current }: Catalogue): Promise<void> {
  if (options.dev && current !== undefined)
    console.log(greetingOf(url, await devToken(DAY_SECONDS, options.scope, 'developer'), current, options.explorer));
  else log(`serving ${current ? `release ${current.id}` : 'no release yet'} at ${url}`);
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

/** A token signed with the development key. */
async function devToken(lifetimeSeconds: number, scope: string | undefined, subject: string): Promise<string> {
  const claims = { issuer: DEV_ISSUER, audience: DEV_AUDIENCE, subject, scope, lifetimeSeconds };
  return mintToken(await devKey(), claims, new Date());
}

function log(line: string): void {
  const who = cluster.isWorker ? `worker ${process.pid}: ` : '';
  console.error(`${new Date().toISOString()} ${who}${line}`);
}
