// Runs the tests: `npm test` those of *.test.ts, `npm run test:long` the long matrices of *.long.test.ts. Prints a line for
// each file, what failed, the slowest files, node's closing summary, and the time of the whole run.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compiledProject } from './support/processes/compile.ts';
import { cpuSecondsOf } from './support/processes/cpu-time.ts';
import { reportFiles } from './support/report-files.ts';

/** Test files at a time: two more than cores, as many wait for something. */
const CONCURRENCY = Math.max(2, availableParallelism() + 2);
/** For a file, in milliseconds: it is there for what hangs, not for a machine that is busy. */
const TIMEOUT_MS = 600_000;

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

// Those that the test files are run with, too: without tsx, and with the lines of the sources in errors.
process.execArgv = ['--enable-source-maps'];
const hasPassed = await reportFiles(run({ files, concurrency: CONCURRENCY, timeout: TIMEOUT_MS }), nameOf, (text) =>
  process.stdout.write(text),
);
// Seconds depend on what else the machine does; the time on processors is what runs are compared by.
const { own, children } =
  process.platform === 'linux' ? cpuSecondsOf('self') : { own: Number.NaN, children: Number.NaN };
const [seconds, cpu] = [performance.now() / 1000, own + children].map((time) => time.toFixed(0));
console.log(`# ${seconds} s, ${cpu} s of CPU time, user and system, of this process and all that it has started`);
if (!hasPassed) process.exitCode = 1;
