#!/usr/bin/env node
// The command line of the proxy: the only file that reads arguments and the environment, and prints.
import cluster from 'node:cluster';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { runProgram } from '../format/command-line/run-program.ts';
import { devToken } from './auth/dev-key.ts';
import { devBanner } from './config/dev-banner.ts';
import { durationToSeconds } from './config/option-values.ts';
import type { ServeOptions } from './config/options.ts';
import { optionsFromEnvironment, SERVE_OPTIONS } from './config/options.ts';
import { OptionError, StartError } from './config/start-error.ts';
import type { LoadedRelease } from './data/load-release.ts';
import { serve } from './serve.ts';

/** The name of the program: compiled, it is installed by a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'proxy' : 'boundaries-proxy';
const DAY_SECONDS = 86_400;

const program = yargs()
  .scriptName(PROGRAM)
  .usage('HTTP server for published boundaries; clients need a bearer token.\n\n$0 <command>')
  .command(
    'serve',
    'serve the current release of an output folder',
    (args) =>
      args
        .options(SERVE_OPTIONS)
        .config(optionsFromEnvironment(process.env))
        .epilogue(
          'Every option can also be set in the environment: BOUNDARIES_PORT=8080 for --port. Separate several values with line feeds.',
        )
        .example('$0 serve --dev', 'try it with development tokens')
        .example(
          '$0 serve --jwks keys.json --issuer https://login.example.org/ --audience boundaries',
          'accept tokens of your issuer',
        )
        .example(
          '$0 serve --origin https://static.example.org/boundaries --jwks ...',
          'read files from a static host; other options as above',
        ),
    (argv) => serve(argv, (url, release) => announce(url, release, argv), log),
  )
  .command(
    'token',
    'print a development token',
    (args) =>
      args
        .option('dev', {
          type: 'boolean',
          demandOption: true,
          describe: 'sign with the development key; other tokens come from your issuer',
        })
        .option('expires', {
          type: 'string',
          requiresArg: true,
          default: '24h',
          describe: 'lifetime: 90s, 15m, 24h, 7d',
        })
        .option('scope', { type: 'string', requiresArg: true, describe: 'scopes, separated by spaces' })
        .option('subject', { type: 'string', requiresArg: true, default: 'developer', describe: 'subject (sub)' })
        .example('TOKEN=$($0 token --dev --expires 15m)', 'store a token for curl'),
    async ({ expires, scope, subject }) => {
      console.log(await devToken(subject, scope, durationToSeconds(expires, '--expires')));
    },
  );

await runProgram(program, hideBin(process.argv), (error) => {
  if (!(error instanceof StartError)) return undefined;
  const { message, where, remedy } = error;
  return { message: `${where}: ${message}`, remedy, isUsage: error instanceof OptionError };
});

/** Prints where the service listens, and with --dev how to try it. */
async function announce(url: string, release: LoadedRelease | undefined, options: ServeOptions): Promise<void> {
  const { dev, scope, explorer = true } = options;
  if (dev && release !== undefined)
    console.log(await devBanner(url, await devToken('developer', scope, DAY_SECONDS), release, explorer));
  else log(`serving ${release ? `release ${release.id}` : 'no release yet'} at ${url}`);
}

function log(line: string): void {
  const worker = cluster.isWorker ? `worker ${process.pid}: ` : '';
  console.error(`${new Date().toISOString()} ${worker}${line}`);
}
