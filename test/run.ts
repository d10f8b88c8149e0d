// Runs the tests: `npm test` those of *.test.ts, `npm run test:ci` what a landing adds (*.ci.ts), `npm run
// test:long` what is for a week or a release (*.long.ts); with arguments those whose paths have one in them. Prints
// a line for each file, what failed, what was skipped and why, what took most, and the time of the whole run. What a
// landing must pass is stricter (`--landing`): its commit draws the slices, and the budget must hold.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { BrowserServer } from 'playwright-core';
import { beyondBudget, budgetOf, readBudget, writeBudget } from './support/budget.ts';
import { controlSeconds, cpuSeconds } from './support/cpu-time.ts';
import { BROWSERS, startBrowser } from './support/processes/browser-server.ts';
import { compiledProject } from './support/processes/compile.ts';
import { beginningOf, eventsOf, ofTestFiles, type RunReport, reportFiles } from './support/report-files.ts';
import type { ListedFile } from './support/run-together.ts';
import { SLICE, SLICES, sliceFrom } from './support/slice.ts';

/** Processes with tests at a time: two more than cores, as many wait for something. */
const CONCURRENCY = Math.max(2, availableParallelism() + 2);

/** Files that time an answer: nothing runs beside them. */
const ALONE = /^test\/proxy\/guards\/crowds\.long\.ts$/;

/**
 * Files with a process of their own: they change what others see (the environment, the clock, the functions of node:fs)
 * or measure the process (memory, descriptors).
 */
const OWN_PROCESS = [
  'test/generator/cli/ended-commands',
  'test/proxy/features/children/level-rows',
  'test/proxy/features/names/level-names',
  'test/proxy/http/fuzz',
  'test/proxy/node/slow-clients',
  'test/proxy/origin/s3',
  'test/proxy/fetch/lambda',
  'test/generator/release/crash',
  'test/generator/release/failing-writes',
  'test/generator/release/upload',
  'test/repository/setup',
  'test/simulation/',
  'test/soak/',
];

/** Files that run in one process of their own: a browser has one clipboard, and one page that has the focus. */
const PAGES = 'test/explorer/page/';

/** The control runs again whenever so many files have ended. */
const CONTROL_EVERY = 16;

/** A file may take so many times what the budget says, and at least so many milliseconds, before it is ended. */
const LIMIT_TIMES = 10;
const LIMIT_MIN_MS = 300_000;
/** For a file that has no budget: of one slice, or with all slices. A process has twice as long. */
const [LIMIT_MS, LIMIT_OF_ALL_MS] = [1_500_000, 6_000_000];

/** Where Linux has files in memory: a disk waits for each of the thousands of small files that tests write. */
const MEMORY_FOLDER = '/dev/shm';
/** With so many free bytes, tests have their temporary files there. */
const MEMORY_MIN = 8 * 2 ** 30;

const { values, positionals } = parseArgs({
  options: {
    ci: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    landing: { type: 'boolean', default: false },
    'write-budget': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const tier = values.long ? '.long' : values.ci ? '.ci' : '.test';
process.env[SLICE] ??= values.landing ? sliceOfCommit() : '0';
const slice = sliceFrom(process.env[SLICE]);
const unknownLimitMs = slice === undefined ? LIMIT_OF_ALL_MS : LIMIT_MS;
const names = readdirSync('test', { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((name) => tierOf(name) === tier && isAskedFor(name));
process.stdout.write(beginningOf(names.length, tier === '.test' && positionals.length === 0));
if (slice !== undefined)
  console.log(
    `# of each long list of cases an eighth is tried; SLICE=${slice} before the command tries this one again, SLICE=all all`,
  );

const project = compiledProject();
const controlProgram = join(project, 'test/support/control.js');
const control = controlSeconds(controlProgram);
const controls = [control];
let endedFiles = 0;
const budget = readBudget();
const files = names.map(listed).sort((a, b) => budgetOfFile(b) - budgetOfFile(a));
// Of a part those that take least come first, and new ones: what somebody has just broken is found sooner.
if (positionals.length > 0) files.reverse();

/** Of a test file `.test`, `.ci` or `.long`; undefined of another file. */
function tierOf(name: string): string | undefined {
  const [, found] = /(\.ci|\.long|\.test)\.ts$/.exec(name) ?? [];
  return found;
}

/** Has its path an argument in it, where there are any? */
function isAskedFor(path: string): boolean {
  return positionals.length === 0 || positionals.some((part) => path.includes(part));
}

function budgetOfFile({ name }: ListedFile): number {
  return budget.files[name] ?? (positionals.length > 0 ? 0 : LIMIT_MS);
}

function listed(name: string): ListedFile {
  const ofBudget = budget.files[name];
  // What the budget says is of one slice.
  const limitMs =
    ofBudget === undefined || slice === undefined || Number.isNaN(control)
      ? unknownLimitMs
      : Math.max(LIMIT_MIN_MS, LIMIT_TIMES * 1000 * ofBudget * control);
  return { file: join(project, name.replace(/\.ts$/, '.js')), name, limitMs };
}

/** The commit draws the slice; without git it is the first one. */
function sliceOfCommit(): string {
  try {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return String(Number.parseInt(head.slice(0, 8), 16) % SLICES);
  } catch {
    return '0';
  }
}

if (tier !== '.long' && process.env['TMPDIR'] === undefined && hasMemoryFolder()) {
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'boundaries-tests-'));
  process.env['TMPDIR'] = folder;
  // As that of the system: PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
}

const closeBrowsers = await offerBrowsers();
// Those that the test files are run with, too: without tsx, and with the lines of the sources in errors.
process.execArgv = ['--enable-source-maps'];
const report = await reportFiles(
  runAll(),
  files.length,
  () => ++endedFiles % CONTROL_EVERY === 0 && controls.push(controlSeconds(controlProgram)),
  (text) => process.stdout.write(text),
);
await closeBrowsers();
const cpu = cpuSeconds();
const isFine = [report.hasPassed, hasEnded(report), hasReasons(report), isWithinBudget(report)];
console.log(`# ${(performance.now() / 1000).toFixed(0)} s, CPU time ${Number.isNaN(cpu) ? '?' : cpu.toFixed(0)} s`);
if (isFine.includes(false)) process.exitCode = 1;

/** Runs the files side by side, then those that must be alone. */
async function* runAll(): AsyncGenerator<unknown, void, undefined> {
  const isAlone = ({ name }: ListedFile): boolean => ALONE.test(name);
  const isOwn = ({ name }: ListedFile): boolean => OWN_PROCESS.some((start) => name.startsWith(start));
  const many = files.filter((file) => !isAlone(file));
  const pages = many.filter(({ name }) => name.startsWith(PAGES));
  const shared = many.filter((file) => !isOwn(file) && !pages.includes(file));
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-run-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const entries = many.filter(isOwn).map((file, i) => entryOf(folder, `own-${i}`, [file]));
  if (pages.length > 0) entries.push(entryOf(folder, 'pages', pages));
  for (let i = 0; i < Math.min(CONCURRENCY, shared.length); i++) entries.push(entryOf(folder, 'shared', shared, i));
  const runEntry = (entry: string) => ofTestFiles(run({ files: [entry], timeout: 2 * unknownLimitMs }));
  yield* eventsOf(entries, CONCURRENCY, runEntry);
  const alone = files.filter(isAlone).map((file, i) => entryOf(folder, `alone-${i}`, [file]));
  yield* eventsOf(alone, 1, runEntry);
}

/** A file for the runner: a process that takes test files from a list, which several may have. */
function entryOf(folder: string, list: string, members: readonly ListedFile[], process = 0): string {
  const claims = join(folder, list);
  mkdirSync(claims, { recursive: true });
  const module = pathToFileURL(join(project, 'test/support/run-together.js')).href;
  const call = `await runTogether(${JSON.stringify(members)}, ${JSON.stringify(claims)});\n`;
  const entry = join(folder, `${list}-${process}.test.mjs`);
  writeFileSync(entry, `import { runTogether } from '${module}';\n${call}`);
  return entry;
}

/** Says to the processes of the run where its browsers are, and starts each when the first one asks. */
async function offerBrowsers(): Promise<() => Promise<void>> {
  const browsers = new Map<string, Promise<BrowserServer>>();
  const server = createServer((req, res) => {
    const kind = (req.url ?? '/').slice(1);
    const browser = browsers.get(kind) ?? startBrowser(kind);
    browsers.set(kind, browser);
    browser.then(
      (started) => res.end(started.wsEndpoint()),
      (error) => res.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  process.env[BROWSERS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async () => {
    server.close();
    server.closeAllConnections();
    for (const browser of browsers.values()) await (await browser).close();
  };
}

/** A process that ends early takes its file with it. */
function hasEnded({ ended }: RunReport): boolean {
  const names = new Set(ended.map(({ name }) => name));
  const missing = files.filter(({ name }) => !names.has(name));
  for (const { name } of missing) console.log(`FAILED ${name} has not ended`);
  return missing.length === 0;
}

/** Where NO_SKIPS names a file with reasons, a test that is skipped for another one fails: its guarantee is lost. */
function hasReasons({ skipped }: RunReport): boolean {
  const list = process.env['NO_SKIPS'];
  if (list === undefined) return true;
  const known = readFileSync(list, 'utf8').split('\n');
  const unknown = [...skipped.keys()].filter((reason) => !known.includes(reason));
  for (const reason of unknown) console.log(`FAILED skipped for a reason that ${list} does not have: ${reason}`);
  return unknown.length === 0;
}

/**
 * Only of a whole `npm test`, where CPU times are known. Runs of one hour differ by more than most changes: all are told,
 * and what is to land fails.
 */
function isWithinBudget({ ended }: RunReport): boolean {
  if (tier !== '.test' || positionals.length > 0 || slice === undefined || Number.isNaN(cpu)) return true;
  const median = controls.sort((a, b) => a - b)[controls.length >> 1] ?? control;
  const taken = budgetOf(ended, cpu, median);
  if (values['write-budget']) writeBudget(taken);
  const { lines, isBeyond } = beyondBudget(taken, values['write-budget'] ? taken : budget);
  for (const line of lines) console.log(line);
  return !isBeyond || !values.landing;
}

/** Is there a folder in memory with enough room, in which programs can be run? */
function hasMemoryFolder(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY_FOLDER)) return false;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY_FOLDER);
  return Math.min(bavail * bsize, freemem()) >= MEMORY_MIN && mount !== undefined && !mount.includes('noexec');
}
