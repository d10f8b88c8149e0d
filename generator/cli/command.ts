// What the commands share: their types, options that several of them have, and how they print a result and progress.
import { availableParallelism, constants } from 'node:os';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import { printableLines } from '../../format/command-line/messages.ts';
import { codeOf } from '../../format/error-code.ts';
import { type Report, reportTo, SILENT } from '../report/progress.ts';

/** The options of every command. */
export interface GlobalOptions {
  quiet: boolean | undefined;
  json: boolean | undefined;
}

/** A command of the generator. */
export interface Command<Options> {
  /** Its name, and its positional arguments in angle brackets. */
  command: string;
  describe: string;
  /** Declares its options and examples. */
  builder(args: Argv<GlobalOptions>): Argv<Options>;
  /** Parses the options, does the work and prints the result. */
  handler(argv: ArgumentsCamelCase<Options>): Promise<void>;
}

/** Returns the command; the types of its options are those that `builder` declares. */
export function defineCommand<Options>(command: Command<Options>): Command<Options> {
  return command;
}

/** An option with one value. */
export const TEXT = { type: 'string', requiresArg: true } as const;
export const NUMBER = { type: 'number', requiresArg: true } as const;

export const OUT = { ...TEXT, default: 'output', describe: 'output folder' } as const;

export const ACTIVATE = {
  type: 'boolean',
  default: true,
  describe: 'make the release current; --no-activate to publish it only',
} as const;

export const SIGN_KEY = { ...TEXT, describe: 'private Ed25519 key (PEM) to sign the release with' } as const;

export const SIGN_TIME = {
  ...TEXT,
  describe: 'time of signing, by which proxies know which release is newer; default: now, or later than any other',
} as const;

export const WORKERS = {
  ...NUMBER,
  default: availableParallelism(),
  defaultDescription: 'the number of processors',
  describe: 'number of child processes; 0 to run in this process',
} as const;

export const RELEASE = { type: 'string', demandOption: true, describe: 'release id' } as const;

/** Maximum value of WORKERS. */
export const WORKERS_MAX = 1024;

/** Prints the result of a command: `data` with --json, otherwise `text`, in which data is printable. */
export function printResult({ json }: GlobalOptions, data: unknown, text: string): void {
  // The reader has ended, e.g. head.
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error;
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

/** Exit codes of a program that a signal ended are this and the number of the signal, as in a shell. */
const SIGNAL_EXIT_CODE = 128;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends this process on SIGINT, SIGTERM or SIGHUP, as a program that the signal ended, without a message. The pool ends
 * the child processes, and the next build removes what this one has staged.
 */
export function exitOnSignal(): void {
  for (const signal of SIGNALS) process.on(signal, () => process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]));
}
