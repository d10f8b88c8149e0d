// The proxy's command line. Only this file reads arguments and the environment, prints, and sets the exit code.
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { CURRENT_PATH } from '../format/layout.ts';
import { FormatError } from '../format/parse.ts';
import { authenticator, mintToken } from './auth.ts';
import { Catalogue } from './catalogue.ts';
import { DEV_AUDIENCE, DEV_ISSUER, devKey } from './dev.ts';
import { StartError } from './failure.ts';
import { greetingOf } from './greeting.ts';
import type { ServeOptions } from './options.ts';
import { secondsFrom, settingsFrom } from './options.ts';
import { directoryOrigin, OriginError } from './origin.ts';
import { createProxy, stopServer } from './server.ts';

const DAY_SECONDS = 86_400;

await yargs(hideBin(process.argv))
  .scriptName('proxy')
  .usage('Answers authenticated requests for published boundaries.\n\n$0 <command>')
  .parserConfiguration({ 'duplicate-arguments-array': false })
  .command(
    'serve',
    'serve the current release of an output folder',
    (args) =>
      args
        .env('BOUNDARIES')
        .option('origin', { type: 'string', default: 'output', describe: 'output folder of the generator' })
        .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to listen on' })
        .option('port', { type: 'number', default: 8080, describe: 'port to listen on; 0 takes any free one' })
        .option('public-url', { type: 'string', describe: 'how clients reach this service; stands in Link headers' })
        .option('jwks', { type: 'string', describe: 'file with the public keys of the issuer, a JSON Web Key Set' })
        .option('secret', { type: 'string', describe: 'secret shared with the issuer, instead of --jwks (HS256)' })
        .option('issuer', { type: 'string', describe: 'who must have issued a token: its iss' })
        .option('audience', { type: 'string', describe: 'whom a token must be for: its aud' })
        .option('scope', { type: 'string', describe: 'scope that a token must have' })
        .option('dev', { type: 'boolean', describe: 'make a key of our own instead; for this machine only' })
        .conflicts('dev', ['jwks', 'secret', 'issuer', 'audience'])
        .conflicts('jwks', 'secret'),
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
        .option('subject', { type: 'string', default: 'developer', describe: 'whom it is about: its sub' }),
    async ({ expires, scope, subject }) => {
      console.log(await devToken(secondsFrom(expires), scope, subject));
    },
  )
  .demandCommand(1, 'name a command')
  .strict()
  .recommendCommands()
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error, parser) => {
    if (error instanceof StartError)
      console.error(`${error.message}\n  where: ${error.where}\n  what to do: ${error.remedy}`);
    else console.error(error ?? `${message}\n\n${parser.help()}`);
    process.exit(1);
  })
  .parseAsync();

async function serve(options: ServeOptions): Promise<void> {
  const { host, publicUrl, port, rules } = await settingsFrom(options);
  const origin = directoryOrigin(options.origin);
  const catalogue = new Catalogue(origin);
  await catalogue.refresh().catch((error: unknown) => {
    throw releaseFault(error, options.origin);
  });
  const server = createProxy({ authenticate: authenticator(rules), catalogue, origin, publicUrl }, log);
  const url = await listen(server, host, port);
  const stopWatching = catalogue.watch(log);
  const stop = (): void => {
    stopWatching();
    void stopServer(server);
  };
  // A second signal finds no listener and ends the process at once.
  process.once('SIGINT', stop).once('SIGTERM', stop);
  if (options.dev && catalogue.current !== undefined)
    console.log(greetingOf(url, await devToken(DAY_SECONDS, options.scope, 'developer'), catalogue.current));
  else log(`serving release ${catalogue.current?.id} at ${url}`);
}

/** Starts listening; the address as a URL without a slash at the end. */
async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${typeof address === 'object' ? (address?.port ?? port) : port}`;
}

/** A token signed with the development key. */
async function devToken(lifetimeSeconds: number, scope: string | undefined, subject: string): Promise<string> {
  const claims = { issuer: DEV_ISSUER, audience: DEV_AUDIENCE, subject, scope, lifetimeSeconds };
  return mintToken(await devKey(), claims, new Date());
}

function log(line: string): void {
  console.error(`${new Date().toISOString()} ${line}`);
}

function listenFault(error: Error, host: string, port: number): unknown {
  const code = 'code' in error ? error.code : undefined;
  const where = `${host} port ${port}`;
  if (code === 'EADDRINUSE')
    return new StartError('The port is taken', where, `end the program that listens there, or take --port ${port + 1}`);
  if (code === 'EACCES')
    return new StartError('Listening there is not permitted', where, 'take a port above 1023, e.g. --port 8080');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError('This machine has no such address', where, 'take --host 127.0.0.1, or 0.0.0.0 for all');
  return error;
}

function releaseFault(error: unknown, folder: string): unknown {
  const where = resolve(folder);
  if (error instanceof OriginError && error.reason === 'missing' && error.path === CURRENT_PATH)
    return new StartError(
      'There is no release to serve',
      where,
      'build one: npx tsx generator/main.ts build --source FILE --release ID, or --sample for a sample; or name another folder with --origin',
    );
  if (error instanceof OriginError || error instanceof FormatError)
    return new StartError(
      `The release cannot be served: ${error.message}`,
      where,
      'build it again under another id: npx tsx generator/main.ts build --source FILE --release ID',
    );
  return error;
}
