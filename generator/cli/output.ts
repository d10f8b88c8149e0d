// What a command prints: its result on standard output, its progress on standard error.
import { printableLines } from '../../format/command-line/messages.ts';
import { type Report, reportTo, SILENT } from '../report/progress.ts';
import type { GlobalOptions } from './command.ts';

/** Prints the result of a command: `data` with --json, otherwise `text`, in which data is printable. */
export function printResult({ json }: GlobalOptions, data: unknown, text: string): void {
  // The reader has ended, e.g. head.
  process.stdout.on('error', (error) => {
    if (!('code' in error && error.code === 'EPIPE')) throw error;
    process.exit();
  });
  console.log(json ? printableLines(JSON.stringify(data, null, 2)) : text);
}

/** The progress of a command; silent with --quiet. */
export function reportOf({ quiet }: GlobalOptions): Report {
  return quiet ? SILENT : reportTo(process.stderr);
}

/** The progress of one kind of work whose total is known from the start. */
export function progressOf(options: GlobalOptions, what: string) {
  const report = reportOf(options);
  let reported = 0;
  const onProgress = (done: number, total: number): void => {
    if (reported === 0) report.expect(what, total);
    report.advance(what, done - reported);
    reported = done;
    if (done === total) report.end();
  };
  return { onProgress };
}
