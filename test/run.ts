// Runs the tests: `npm test` those of *.test.ts, `npm run test:long` the long matrices of *.long.test.ts. Prints a line
// for each file, what failed, the slowest files, node's closing summary, and the time of the whole run.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compiledProject } from './support/processes/compile.ts';
import { reportFiles } from './support/report-files.ts';

/** Test files at a time: two more than cores, as many wait for something. */
const CONCURRENCY = Math.max(2, availableParallelism() + 2);
/** For a file, in milliseconds: it is there for what hangs, not for a machine that is busy. */
const TIMEOUT_MS = 1_500_000;

/** Files that time an answer: nothing runs beside them. */
const ALONE = /^http\/crowds\.long\.test\.js$/;

/** Where Linux has files in memory: a disk waits for each of the thousands of small files that tests write. */
const MEMORY_FOLDER = '/dev/shm';
/** With so many free bytes, tests have their temporary files there. */
const MEMORY_MIN = 8 * 2 ** 30;

/** The unit of times in /proc, which Linux fixes for programs. */
const TICKS_A_SECOND = 100;

const { values } = parseArgs({ options: { long: { type: 'boolean', default: false } } });

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const project = compiledProject();
const files = readdirSync(join(project, 'test'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.js'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => file.endsWith('.long.test.js') === values.long)
  .sort();

/** A test's source: node names the compiled file, or with Node 22 and later the source that its map names. */
function nameOf(file: string): string {
  return relative(file.startsWith(project) ? project : '', file).replace(/\.js$/, '.ts');
}

if (!values.long && process.env['TMPDIR'] === undefined && hasMemoryFolder()) {
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'boundaries-tests-'));
  process.env['TMPDIR'] = folder;
  // As that of the system: PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
}

// Those that the test files are run with, too: without tsx, and with the lines of the sources in errors.
process.execArgv = ['--enable-source-maps'];
const hasPassed = await reportFiles(runAll(), nameOf, (text) => process.stdout.write(text));
console.log(`# ${(performance.now() / 1000).toFixed(0)} s, CPU time ${cpuSeconds()} s`);
if (!hasPassed) process.exitCode = 1;

/** Runs the files side by side, then those that must be alone. */
async function* runAll(): AsyncGenerator<unknown, void, undefined> {
  const isAlone = (file: string): boolean => ALONE.test(relative(join(project, 'test'), file));
  const many = files.filter((file) => !isAlone(file));
  yield* run({ files: many, concurrency: CONCURRENCY, timeout: TIMEOUT_MS });
  const alone = files.filter(isAlone);
  if (alone.length > 0) yield* run({ files: alone, concurrency: 1, timeout: TIMEOUT_MS });
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
 * Seconds on a processor, user and system, of this process and of all that it has started and that have ended: seconds
 * alone depend on what else the machine does.
 */
function cpuSeconds(): string {
  if (process.platform !== 'linux') return '?';
  const text = readFileSync('/proc/self/stat', 'utf8');
  // utime, stime, cutime and cstime are fields 14 to 17; the name before them, in brackets, may contain spaces.
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return ((user + system + childUser + childSystem) / TICKS_A_SECOND).toFixed(0);
}
