// What a run of many test files prints: a line for each file when it ends, with its time; everything about what failed;
// and at the end what was skipped and why, the files that took most, and how many tests there were.
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import pLimit from 'p-limit';
import { END, type EndedFile, LOAD } from './run-together.ts';

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
    details?: { duration_ms?: number; error?: unknown; type?: string };
  };
}

export interface RunReport {
  hasPassed: boolean;
  ended: EndedFile[];
  /** Tests that were skipped, by reason. */
  skipped: ReadonlyMap<string, number>;
}

/** Files that are listed at the end, by their CPU time, or by time where that is not known. */
const LISTED = 10;
const DIAGNOSTIC = /^\{"name":/;

/** After so long without a line, one says how far the run is. */
const QUIET_MS = 10_000;

/** What a run says first. @param isWhole are all files of `npm test` run? */
export function beginningOf(files: number, isWhole: boolean): string {
  const minutes = isWhole ? 'some three minutes; ' : '';
  return `# ${minutes}${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}\n`;
}

/**
 * Runs each process by itself, so many at a time: of one run of them all, node keeps back what a process reports until
 * those before it have ended.
 * @returns what they report, as it comes
 */
export function eventsOf<T>(
  processes: readonly T[],
  concurrency: number,
  run: (process: T) => AsyncIterable<unknown>,
): AsyncIterable<unknown> {
  const events = new PassThrough({ objectMode: true });
  const runs = pLimit(concurrency).map(processes, async (process) => {
    for await (const event of run(process)) events.write(event);
  });
  runs.then(
    () => events.end(),
    (error) => events.destroy(error),
  );
  return events;
}

/** The events of one process, each with the test file that it ran: node names the module that declares a test. */
export async function* ofTestFiles(events: AsyncIterable<unknown>): AsyncGenerator<TestEvent> {
  let file: string | undefined;
  for await (const event of events) {
    const { type, data } = event as TestEvent;
    if (type === 'test:dequeue' && data.name?.startsWith(LOAD)) file = data.name.slice(LOAD.length);
    yield file === undefined || data.file === undefined ? { type, data } : { type, data: { ...data, file } };
  }
}

/**
 * Prints the events of a run.
 * @param total how many files there are
 * @param onEnd is called when a file has ended
 */
export async function reportFiles(
  events: AsyncIterable<unknown>,
  total: number,
  onEnd: () => unknown,
  write: (text: string) => void,
): Promise<RunReport> {
  const failures = new Map<string, string[]>();
  const printed = new Map<string, string>();
  const skipped = new Map<string, number>();
  const counts = new Map(['tests', 'passed', 'failed', 'skipped'].map((name) => [name, 0]));
  const ended: EndedFile[] = [];
  const failedEntries = new Set<string>();
  const begun = Date.now();
  const far = (): void => {
    write(`# ${ended.length} of ${total} files after ${Math.round((Date.now() - begun) / 1000)} s\n`);
  };
  let quiet = setInterval(far, QUIET_MS);
  for await (const event of events) {
    const { type, data } = event as TestEvent;
    const { name = '', message = '', details = {}, skip = false, todo } = data;
    const { file } = data;
    if (file === undefined) continue;
    if (type === 'test:stdout' || type === 'test:stderr') printed.set(file, (printed.get(file) ?? '') + message);
    if (type === 'test:diagnostic' && DIAGNOSTIC.test(message)) {
      const one: EndedFile = JSON.parse(message);
      ended.push(one);
      write(`${`${ended.length} of ${total}`.padStart(10)}${lineOf(one)}`);
      clearInterval(quiet);
      quiet = setInterval(far, QUIET_MS);
      onEnd();
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // Node reports a process as a test whose name is the path of the file that it runs.
    const isEntry = data.nesting === 0 && /\.test\.mjs$/.test(name);
    const hasFailed = type === 'test:fail' && todo === undefined;
    if (!isEntry && name !== END && !name.startsWith(LOAD) && details.type !== 'suite') {
      count(counts, 'tests');
      count(counts, skip !== false ? 'skipped' : hasFailed ? 'failed' : 'passed');
      if (skip !== false) count(skipped, typeof skip === 'string' && skip !== '' ? skip : 'without a reason');
    }
    if (!hasFailed) continue;
    if (isEntry) failedEntries.add(file);
    const what = isEntry ? 'its process' : name;
    failures.set(file, [...(failures.get(file) ?? []), `${what}\n${errorText(details.error)}`]);
    write(`FAILED ${file}: ${what}\n`);
  }
  clearInterval(quiet);
  for (const [file, texts] of failures) write(`\nFailed in ${file}:\n\n${texts.join('\n\n')}\n`);
  for (const file of failedEntries) if (printed.has(file)) write(`\nIt printed (${file}):\n${printed.get(file)}\n`);
  if (skipped.size > 0) write('\nSkipped:\n');
  for (const [reason, tests] of skipped) write(`${String(tests).padStart(7)}  ${reason}\n`);
  const most = ended.toSorted((a, b) => b.cpu - a.cpu || b.seconds - a.seconds).slice(0, LISTED);
  write(`\nThe ${most.length} that took most, of ${ended.length}:\n`);
  for (const one of most) write(lineOf(one));
  write(`\n# ${[...counts].map(([name, number]) => `${number} ${name}`).join(', ')}\n`);
  return { hasPassed: failures.size === 0, ended, skipped };
}

/** A file with its time and, where that is known, its CPU time. */
function lineOf({ name, seconds, cpu }: EndedFile): string {
  const onProcessors = Number.isNaN(cpu) ? '' : `  CPU ${cpu.toFixed(1).padStart(5)} s`;
  return `${seconds.toFixed(1).padStart(7)} s${onProcessors}  ${name}\n`;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The error that a test threw, which node wraps; of an entry, how its process ended. */
function errorText(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const { exitCode, signal } = error as { exitCode?: number | null; signal?: string | null };
  const end = exitCode === undefined ? '' : `, its process ended with ${signal ?? exitCode}`;
  return inspect(cause, { depth: 5 }) + end;
}
