// The command line of the proxy: the only file that reads the environment and prints. main.ts runs it.
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import yargs, { type Argv } from 'yargs';
import type { KnownError } from '../format/command-line/run-program.ts';
import { codeOf } from '../format/error-code.ts';
import { FormatError } from '../format/parse.ts';
import { forbidsRedistribution } from '../format/redistribution.ts';
import { EXPIRY_MAX_SECONDS } from './auth/authenticate.ts';
import { devToken } from './auth/dev-key.ts';
import { signToken } from './auth/sign-token.ts';
import { devBanner } from './config/dev-banner.ts';
import { createKeyFiles, readSigningKey } from './config/key-files.ts';
import { durationToSeconds } from './config/option-values.ts';
import type { ServeOptions } from './config/options.ts';
import { optionsFromEnvironment, SERVE_OPTIONS } from './config/options.ts';
import { OptionError, StartError } from './config/start-error.ts';
import type { LoadedRelease } from './data/loaded-release.ts';
import { type MatchStreams, match } from './match/match.ts';
import { sourceAt, sourceInFolder } from './match/open-source.ts';
import { MATCH_OPTIONS, type MatchOptions, optionsToMatchSettings } from './match/options.ts';
import { openAddress, openFolder } from './points/open-release.ts';
import { optionsToPointsSettings, POINTS_OPTIONS, type PointsOptions } from './points/options.ts';
import { points } from './points/points.ts';
import { EXCHANGED, summaryLines } from './points/report.ts';
import { serve } from './serve.ts';
import { Cache, cacheFolder } from './tables/cache.ts';

/** The name of the program: compiled, it is installed by a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'proxy' : 'boundaries-proxy';
const DAY_SECONDS = 86_400;
const PROGRESS_EVERY_MS = 200;

/** Its commands, for arguments to be parsed with. */
export function program(): Argv {
  return yargs()
    .scriptName(PROGRAM)
    .usage('Serves published boundaries over HTTP. Clients need a bearer token, except with --public.\n\n$0 <command>')
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
          .example('$0 serve --public', 'accept everybody, without tokens')
          .example(
            '$0 serve --origin https://static.example.org/boundaries --jwks ...',
            'read files from a static host; other options as above',
          ),
      (argv) => serve(argv, (url, release) => announce(url, release, argv), log),
    )
    .command(
      'keys',
      'make a key pair to sign tokens with, if you have no identity provider',
      (args) =>
        args
          .option('out', {
            type: 'string',
            requiresArg: true,
            demandOption: true,
            describe: 'folder for private.pem and keys.json; existing files are never replaced',
          })
          .option('add', {
            type: 'string',
            requiresArg: true,
            describe:
              'keys.json of the service: adds the new public key to it, so that tokens of both keys are accepted',
          })
          .example('$0 keys --out keys', 'then: serve --jwks keys/keys.json, and token --key keys/private.pem')
          .example('$0 keys --out keys-2 --add keys/keys.json', 'another pair, while the service runs'),
      async ({ out, add }) => {
        const { privateFile, publicFile } = await createKeyFiles(out, add);
        const use = add === undefined ? 'for --jwks' : `the new key alone: copy it to ${add} to refuse older tokens`;
        console.log(
          `${privateFile}: the private key, to sign tokens with; keep it away from the service\n${publicFile}: ${use}`,
        );
      },
    )
    .command(
      'token',
      'print a token',
      (args) =>
        args
          .option('key', { type: 'string', requiresArg: true, describe: 'private key that `keys` made, to sign with' })
          .option('issuer', { type: 'string', requiresArg: true, describe: 'issuer (iss), as in serve; with --key' })
          .option('audience', {
            type: 'string',
            requiresArg: true,
            describe: 'audience (aud), as in serve; with --key',
          })
          .option('subject', {
            type: 'string',
            requiresArg: true,
            describe: 'who the token is for (sub); each subject has limits of its own (with --dev: developer)',
          })
          .option('expires', {
            type: 'string',
            requiresArg: true,
            default: '24h',
            describe: 'lifetime: 90s, 15m, 24h, 7d',
          })
          .option('scope', { type: 'string', requiresArg: true, describe: 'scopes, separated by spaces' })
          .option('dev', {
            type: 'boolean',
            describe: 'sign with the development key of this machine, for serve --dev',
          })
          .example('TOKEN=$($0 token --dev --expires 15m)', 'store a development token for curl')
          .example(
            '$0 token --key keys/private.pem --issuer my-service --audience boundaries --subject partner-a --expires 90d',
            'a token for a client',
          ),
      async (options) => console.log(await tokenFor(options)),
    )
    .command(
      'points [table]',
      'add the units at its point to each row of a CSV table',
      (args) =>
        args
          .positional('table', { type: 'string', describe: 'the table; standard input if it is left out' })
          .options(POINTS_OPTIONS)
          .epilogue(
            'The command appends the columns gid_0, name_0, gid_1 and so on, and leaves all others as they are. Rows without a point get empty values. At the end it lists these rows, and the rows that are in no unit of the deepest level. It keeps the files of a service in your folder for caches (XDG_CACHE_HOME).',
          )
          .example('$0 points places.csv > places-with-units.csv', 'from the release in output')
          .example('TOKEN=... $0 points --url https://boundaries.example.org places.csv > ...', 'from a service'),
      async ({ table, strict, ...options }) => {
        if (!(await appendUnits(table, options)) && strict) process.exitCode = 1;
      },
    )
    .command(
      'match [table]',
      'add the codes of the units that it names to each row of a CSV table',
      (args) =>
        args
          .positional('table', { type: 'string', describe: 'the table; standard input if it is left out' })
          .options(MATCH_OPTIONS)
          .epilogue(
            'The command appends the columns gid_0, name_0, gid_1 and so on of the unit and of those that it is in, and leaves all others as they are. The column match says how the unit was found: code, exact, folded, type word, one edit, two edits, former, successor; or that none was: ambiguous, none, empty. match_at names the first column that gave no unit, and candidates has at most five GIDs. The command reads files of names. Nothing of the table leaves your machine.',
          )
          .example('$0 match clinics.csv > clinics-with-codes.csv', 'columns such as country, admin1, admin2')
          .example(
            '$0 match --column lv0=Country --column lv2=District clinics.csv > ...',
            'columns with other headers',
          ),
      async ({ table, strict, ...options }) => {
        if (!(await appendCodes(table, options)) && strict) process.exitCode = 1;
      },
    );
}

/** An error whose cause is known. */
export function explain(error: unknown): KnownError | undefined {
  if (!(error instanceof StartError)) return undefined;
  const { message, where, remedy } = error;
  return { message: `${where}: ${message}`, remedy, isUsage: error instanceof OptionError };
}

/** The options of `token`. */
interface TokenOptions {
  dev?: boolean | undefined;
  key?: string | undefined;
  issuer?: string | undefined;
  audience?: string | undefined;
  subject?: string | undefined;
  scope?: string | undefined;
  expires: string;
}

/** @throws StartError */
async function tokenFor({ dev, key, issuer, audience, subject, scope, expires }: TokenOptions): Promise<string> {
  const lifetimeSeconds = durationToSeconds(expires, '--expires');
  if (Date.now() / 1000 + lifetimeSeconds > EXPIRY_MAX_SECONDS)
    throw new OptionError('after the year 9999', `--expires ${expires}`, 'use a shorter lifetime, such as 90d');
  const given = Object.entries({ key, issuer, audience }).filter(([, value]) => value !== undefined);
  if (dev) {
    if (given.length === 0) return devToken(subject ?? 'developer', scope, lifetimeSeconds);
    const names = given.map(([name]) => `--${name}`).join(', ');
    throw new OptionError('development tokens exclude another key', `--dev with ${names}`, 'omit --dev, or the others');
  }
  if (key === undefined || issuer === undefined || audience === undefined || subject === undefined)
    throw new OptionError(
      'nothing to sign with, or for',
      'token',
      'give --key, --issuer, --audience and --subject; or --dev for a development token',
    );
  const tokenId = randomUUID();
  const token = await signToken(await readSigningKey(key), {
    issuer,
    audience,
    subject,
    scope,
    lifetimeSeconds,
    tokenId,
  });
  // Beside the token, which alone is printed.
  console.error(`jti ${tokenId}: with it --deny withdraws this token alone`);
  return token;
}

/**
 * Looks the points of a table up, and prints it.
 * @returns have all rows a point?
 * @throws StartError
 */
function appendUnits(table: string | undefined, options: PointsOptions): Promise<boolean> {
  const { source, levels, columns, codes, keepFormulas, parents } = optionsToPointsSettings(options, process.env);
  const openRelease = () =>
    typeof source === 'string'
      ? openFolder(source, levels, codes)
      : openAddress(source, levels, new Cache(cacheFolder(process.env)), codes);
  return join('points', table, async (streams) => {
    const exchanged = (): void => streams.decided(EXCHANGED);
    const summary = await points(openRelease, { ...columns, codes, keepFormulas, parents }, { ...streams, exchanged });
    return { isComplete: summary.without.size === 0, lines: (ms) => summaryLines(summary, ms) };
  });
}

/**
 * Finds the units that a table names, and prints it.
 * @returns has each row one?
 * @throws StartError
 */
function appendCodes(table: string | undefined, options: MatchOptions): Promise<boolean> {
  const { source, ...settings } = optionsToMatchSettings(options, process.env);
  const openSource = () =>
    typeof source === 'string' ? sourceInFolder(source) : sourceAt(source, new Cache(cacheFolder(process.env)));
  return join('match', table, async (streams) => {
    const summary = await match(openSource, settings, streams);
    return { isComplete: summary.isComplete, lines: (ms) => summary.lines(ms) };
  });
}

/** What was done to a table. */
interface Joined {
  isComplete: boolean;
  /** What is said at the end. @param ms milliseconds that it took */
  lines(ms: number): string[];
}

/**
 * Reads a table, prints it with what is appended, and on standard error what is said of it.
 * @param work appends
 * @returns has each row what it should?
 * @throws StartError
 */
async function join(
  command: string,
  table: string | undefined,
  work: (streams: MatchStreams) => Promise<Joined>,
): Promise<boolean> {
  const { stdout, stderr } = process;
  // Each write has the error, too.
  stdout.on('error', () => {});
  const begun = performance.now();
  let shownAt = begun;
  const progress = (rows: number): void => {
    if (!stderr.isTTY || performance.now() - shownAt < PROGRESS_EVERY_MS) return;
    shownAt = performance.now();
    const rate = Math.round((1000 * rows) / (shownAt - begun));
    stderr.write(`\r\x1b[K${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second`);
  };
  try {
    const decided = (line: string): void => void stderr.write(`${line}\n`);
    const streams = { input: await openTable(command, table), output: stdout, progress, decided };
    const { isComplete, lines } = await work(streams);
    const said = lines(performance.now() - begun);
    stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}${said.map((line) => `${line}\n`).join('')}`);
    return isComplete;
  } catch (error) {
    // The reader has ended, e.g. head.
    if (codeOf(error) === 'EPIPE') process.exit(1);
    if (stderr.isTTY && shownAt !== begun) stderr.write('\r\x1b[K');
    if (!(error instanceof FormatError)) throw error;
    const remedy = 'copy or build the release again, or tell who runs the service';
    throw new StartError(error.message, 'the release is damaged', remedy);
  }
}

/** @throws StartError if there is no table */
async function openTable(command: string, table: string | undefined): Promise<AsyncIterable<Buffer>> {
  if (table !== undefined) {
    const refuse = (problem: string): never => {
      throw new OptionError(problem, table, 'name a file that can be read');
    };
    const file = await open(table).catch((error: unknown) => {
      const code = codeOf(error);
      return refuse(code === 'ENOENT' ? 'not found' : `cannot be read (${code})`);
    });
    if ((await file.stat()).isDirectory()) {
      await file.close();
      refuse('is a folder');
    }
    return file.createReadStream();
  }
  if (process.stdin.isTTY)
    throw new OptionError('no table', command, 'name a CSV file, or write one to standard input');
  return process.stdin;
}

/** Prints where the service listens, and with --dev how to try it. */
async function announce(url: string, release: LoadedRelease | undefined, options: ServeOptions): Promise<void> {
  const { dev, scope, explorer = true } = options;
  const to = options.public ? ' to everybody, without tokens,' : '';
  if (dev && release !== undefined)
    console.log(await devBanner(url, await devToken('developer', scope, DAY_SECONDS), release, explorer));
  else log(`serving ${release ? `release ${release.id}` : 'no release yet'}${to} at ${url}`);
  const forbidden = options.public && release !== undefined ? forbidsRedistribution(release) : undefined;
  if (forbidden !== undefined)
    log(`the licence of the data forbids redistribution (${forbidden}): serve it with tokens, not with --public`);
}

function log(line: string): void {
  const worker = cluster.isWorker ? `worker ${process.pid}: ` : '';
  console.error(`${new Date().toISOString()} ${worker}${line}`);
}
