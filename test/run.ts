// Runs the tests: `npm test` those of *.test.ts, `npm run test:long` the long matrices of *.long.test.ts; with
// arguments those whose paths begin with one. Prints a line for each file or group of files, what failed, what took
// most, node's closing summary, and the time of the whole run.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compiledProject } from './support/processes/compile.ts';
import { reportFiles } from './support/report-files.ts';

/** Test files at a time: two more than cores, as many wait for something. */
const CONCURRENCY = Math.max(2, availableParallelism() + 2);
/** For a file, in milliseconds: it is there for what hangs, not for a machine that is busy. */
const TIMEOUT_MS = 1_500_000;

/** Files that time an answer: nothing runs beside them. */
const ALONE = /^http\/crowds\.long\.test\.js$/;

/**
 * Folders whose files run in one process each: it starts, loads the programs and compiles them once. No file in them
 * changes what another one sees, such as the environment, the clock or the functions of node:fs.
 */
const TOGETHER: readonly string[] = ['auth', 'format', 'origin'];

/** Where Linux has files in memory: a disk waits for each of the thousands of small files that tests write. */
const MEMORY_FOLDER = '/dev/shm';
/** With so many free bytes, tests have their temporary files there. */
const MEMORY_MIN = 8 * 2 ** 30;

/** The unit of times in /proc, which Linux fixes for programs. */
const TICKS_A_SECOND = 100;

const { values, positionals } = parseArgs({
  options: { long: { type: 'boolean', default: false } },
  allowPositionals: true,
});

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const project = compiledProject();
const files = readdirSync(join(project, 'test'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.js'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => file.endsWith('.long.test.js') === values.long && isAskedFor(relative(project, file)))
  .sort();

/** Does its path begin with an argument, where there are any? */
function isAskedFor(path: string): boolean {
  return positionals.length === 0 || positionals.some((start) => path.startsWith(start));
}

/** A test's source: node names the compiled file, or with Node 22 and later the source that its map names. */
function nameOf(file: string): string {
  return groups.get(file) ?? relative(file.startsWith(project) ? project : '', file).replace(/\.js$/, '.ts');
}

if (!values.long && process.env['TMPDIR'] === undefined && hasMemoryFolder()) {
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'boundaries-tests-'));
  process.env['TMPDIR'] = folder;
  // As that of the system: PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
}

const groups = new Map<string, string>();
const entries = groupFiles();

// Those that the test files are run with, too: without tsx, and with the lines of the sources in errors.
process.execArgv = ['--enable-source-maps'];
const hasPassed = await reportFiles(runAll(), nameOf, endedSeconds, (text) => process.stdout.write(text));
const { user, system } = process.cpuUsage();
const cpu = endedSeconds() + (user + system) / 1e6;
console.log(`# ${(performance.now() / 1000).toFixed(0)} s, CPU time ${Number.isNaN(cpu) ? '?' : cpu.toFixed(0)} s`);
if (!hasPassed) process.exitCode = 1;

/** Runs the files side by side, then those that must be alone. */
async function* runAll(): AsyncGenerator<unknown, void, undefined> {
  const isAlone = (file: string): boolean => ALONE.test(relative(join(project, 'test'), file));
  const many = entries.filter((file) => !isAlone(file));
  yield* run({ files: many, concurrency: CONCURRENCY, timeout: TIMEOUT_MS });
  const alone = entries.filter(isAlone);
  if (alone.length > 0) yield* run({ files: alone, concurrency: 1, timeout: TIMEOUT_MS });
}

/** The files, with one that imports them in the place of those that run together. */
function groupFiles(): string[] {
  const folderOf = (file: string): string => relative(join(project, 'test'), dirname(file));
  const made = TOGETHER.map((folder): [string, string[]] => [
    folder,
    files.filter((file) => folderOf(file) === folder),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-groups-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const module = pathToFileURL(join(project, 'test/support/run-together.js')).href;
  for (const [name, members] of made.filter(([, members]) => members.length > 1)) {
    const entry = join(folder, `${name}.test.mjs`);
    writeFileSync(entry, `import { runTogether } from '${module}';\nawait runTogether(${JSON.stringify(members)});\n`);
    groups.set(entry, `test/${name}/ (${members.length} files)`);
  }
  const isGrouped = (file: string): boolean => groups.has(join(folder, `${folderOf(file)}.test.mjs`));
  return [...groups.keys(), ...files.filter((file) => !isGrouped(file))];
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

/**
 * Seconds on a processor, user and system, of all that this process has started and that has ended; NaN where that is
 * not known. Seconds alone depend on what else the machine does.
 */
function endedSeconds(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // cutime and cstime are fields 16 and 17; the name before them, in brackets, may contain spaces.
  const [user = 0, system = 0] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (user + system) / TICKS_A_SECOND;
}
