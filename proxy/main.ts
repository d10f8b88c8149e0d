#!/usr/bin/env node
// The proxy's command line. Only this file reads arguments and the environment, prints, and sets the exit code.
import cluster from 'node:cluster';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { coloured } from '../format/terminal.ts';
import { mintToken } from './auth/authenticate.ts';
import { DEV_AUDIENCE, DEV_ISSUER, devKey } from './auth/dev-key.ts';
import { greetingOf } from './config/dev-banner.ts';
import { secondsFrom } from './config/duration.ts';
import { flagsFrom, SERVE_FLAGS } from './config/options.ts';
import type { ServeOptions } from './config/settings.ts';
import { StartError } from './config/start-error.ts';
import type { LoadedRelease } from './origin/releases.ts';
import { serve } from './serve.ts';

/** Compiled, it is a program of a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'proxy' : 'boundaries-proxy';
const DAY_SECONDS = 86_400;

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
    (argv) => serve(argv, (url, release) => announce(url, release, argv), log),
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

/** Says where the service is. */
async function announce(url: string, release: LoadedRelease | undefined, options: ServeOptions): Promise<void> {
  if (options.dev && release !== undefined)
    console.log(greetingOf(url, await devToken(DAY_SECONDS, options.scope, 'developer'), release, options.explorer));
  else log(`serving ${release ? `release ${release.id}` : 'no release yet'} at ${url}`);
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
