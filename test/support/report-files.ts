// What a run of many test files prints: a line for each file when it ends, with its time; everything about what failed;
// and at the end what was skipped and why, the slowest files, and node's closing summary.
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
  /** What it printed: shown where it failed. */
  printed: string;
  seconds: number;
}

const SLOWEST = 10;

/**
 * Prints the events of a run, or of several.
 * @param nameOf a file's name as it is printed
 * @returns has everything passed?
 */
export async function reportFiles(
  events: AsyncIterable<unknown>,
  nameOf: (file: string) => string,
  write: (text: string) => void,
): Promise<boolean> {
  const files = new Map<string, TestFile>();
  const fileOf = (name: string): TestFile => {
    const known = files.get(name) ?? { failures: [], printed: '', seconds: 0 };
    files.set(name, known);
    return known;
  };
  const skipped = new Map<string, number>();
  const summary = new Map<string, number>();
  let hasPassed = true;
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
    // Node reports a file as a test whose name is its path.
    const isFile = data.nesting === 0 && name.endsWith('.test.js') && data.file.endsWith(name);
    if (type === 'test:pass' && skip !== undefined && skip !== false) count(skipped, reasonOf(skip));
    if (type === 'test:stdout' || type === 'test:stderr') file.printed += message;
    if (type === 'test:fail' && todo === undefined) {
      hasPassed = false;
      const what = isFile ? 'the file itself' : name;
      file.failures.push(`${what}\n${errorText(details.error)}`);
      write(`FAILED ${fileName}: ${what}\n`);
    }
    if (type === 'test:complete' && isFile) {
      file.seconds = (details.duration_ms ?? 0) / 1000;
      write(`${file.seconds.toFixed(1).padStart(7)} s  ${fileName}\n`);
    }
  }
  const failed = [...files].filter(([, { failures }]) => failures.length > 0);
  for (const [name, { failures, printed }] of failed) {
    write(`\nFailed in ${name}:\n`);
    for (const failure of failures) write(`\n${failure}\n`);
    if (printed !== '') write(`\nIt printed:\n${printed}\n`);
  }
  if (skipped.size > 0) write('\nSkipped:\n');
  for (const [reason, tests] of skipped) write(`${String(tests).padStart(7)}  ${reason}\n`);
  const slowest = [...files].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, SLOWEST);
  write(`\nThe slowest ${slowest.length} of ${files.size} files:\n`);
  for (const [name, { seconds }] of slowest) write(`${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
  write('\n');
  for (const [key, number] of summary) write(`# ${key} ${number}\n`);
  return hasPassed;
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
