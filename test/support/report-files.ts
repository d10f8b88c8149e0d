// What a run of many test files prints: a line for each file, or for each group of files in one process, when it ends,
// with its time; everything about what failed; and at the end what was skipped and why, the files that took most, and
// node's closing summary.
import { inspect } from 'node:util';

/** As much of node's test events as is printed. */
interface TestEvent {
  type: string;
  data: {
    name?: string;
    file?: string | undefined;
    nesting?: number;
    message?: string;
    skip?: string | boolean | undefined;
    todo?: string | boolean | undefined;
    details?: { duration_ms?: number; error?: unknown };
  };
}

/** What is known of a file. */
interface TestFile {
  failures: string[];
  /** What its process printed: shown where it failed. */
  printed: string;
  hasFailed: boolean;
  seconds: number;
  cpuSeconds: number;
}

/** Files that are listed at the end, by their CPU time, or by time where that is not known. */
const LISTED = 10;

/**
 * Prints the events of a run, or of several.
 * @param nameOf a file's name as it is printed
 * @param cpuSeconds the CPU time of all processes that have ended: what it grew by is that of a file that ends
 * @returns has everything passed?
 */
export async function reportFiles(
  events: AsyncIterable<unknown>,
  nameOf: (file: string) => string,
  cpuSeconds: () => number,
  write: (text: string) => void,
): Promise<boolean> {
  const files = new Map<string, TestFile>();
  const fileOf = (name: string): TestFile => {
    const known = files.get(name) ?? { failures: [], printed: '', hasFailed: false, seconds: 0, cpuSeconds: 0 };
    files.set(name, known);
    return known;
  };
  const skipped = new Map<string, number>();
  const summary = new Map<string, number>();
  let hasPassed = true;
  let cpuBefore = cpuSeconds();
  for await (const event of events) {
    const { type, data } = event as TestEvent;
    const { name = '', message = '', details = {}, skip, todo } = data;
    if (data.file === undefined) {
      // A line as `tests 12`: the sum of several runs.
      const [key = '', number] = message.split(' ');
      if (type === 'test:diagnostic') summary.set(key, (summary.get(key) ?? 0) + Number(number));
      continue;
    }
    const fileName = nameOf(data.file);
    const file = fileOf(fileName);
    // Node reports a file that it runs as a test whose name is its path.
    const isFile = data.nesting === 0 && /\.test\.m?js$/.test(name) && data.file.endsWith(name);
    if (type === 'test:pass' && skip !== undefined && skip !== false) count(skipped, reasonOf(skip));
    if (type === 'test:stdout' || type === 'test:stderr') file.printed += message;
    if (type === 'test:fail' && todo === undefined) {
      hasPassed = false;
      const what = isFile ? 'the file itself' : name;
      file.failures.push(`${what}\n${errorText(details.error)}`);
      write(`FAILED ${fileName}: ${what}\n`);
    }
    if (type === 'test:complete' && isFile) {
      const cpuNow = cpuSeconds();
      file.hasFailed = details.error !== undefined;
      file.seconds = (details.duration_ms ?? 0) / 1000;
      file.cpuSeconds = cpuNow - cpuBefore;
      cpuBefore = cpuNow;
      write(lineOf(fileName, file));
    }
  }
  for (const [name, { failures, hasFailed, printed }] of files) {
    if (failures.length > 0) write(`\nFailed in ${name}:\n`);
    for (const failure of failures) write(`\n${failure}\n`);
    if (printed !== '' && (hasFailed || failures.length > 0)) write(`\nIt printed (${name}):\n${printed}\n`);
  }
  if (skipped.size > 0) write('\nSkipped:\n');
  for (const [reason, tests] of skipped) write(`${String(tests).padStart(7)}  ${reason}\n`);
  const ended = [...files].filter(([, { seconds }]) => seconds > 0);
  const most = ended.sort(([, a], [, b]) => b.cpuSeconds - a.cpuSeconds || b.seconds - a.seconds).slice(0, LISTED);
  write(`\nThe ${most.length} that took most, of ${ended.length}:\n`);
  for (const [name, file] of most) write(lineOf(name, file));
  write('\n');
  for (const [key, number] of summary) write(`# ${key} ${number}\n`);
  return hasPassed;
}

/** A file with its time and, where that is known, its CPU time. */
function lineOf(name: string, { seconds, cpuSeconds }: TestFile): string {
  const cpu = Number.isNaN(cpuSeconds) ? '' : `  CPU ${cpuSeconds.toFixed(1).padStart(5)} s`;
  return `${seconds.toFixed(1).padStart(7)} s${cpu}  ${name}\n`;
}

function reasonOf(skip: string | boolean): string {
  return typeof skip === 'string' && skip !== '' ? skip : 'without a reason';
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The error that a test threw, which node wraps; of a file, how its process ended. */
function errorText(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const { exitCode, signal } = error as { exitCode?: number | null; signal?: string | null };
  const end = exitCode === undefined ? '' : `, its process ended with ${signal ?? exitCode}`;
  return inspect(cause, { depth: 5 }) + end;
}
