// Runs a program: the settings of yargs that both programs share, and how an error ends the process. Used by the
// main.ts of generator and proxy.
import { createRequire } from 'node:module';
import { inspect, styleText } from 'node:util';
import type { Argv } from 'yargs';
import { objectFrom, textIn } from '../parse.ts';
import { checkArguments } from './check-arguments.ts';
import { printable, printableLines } from './printable.ts';
import { UsageError, usageErrorFrom } from './usage-error.ts';

/** Exit code after an error in the command line, as of most Unix programs. */
const USAGE_EXIT_CODE = 2;
/** Exit code after any other error. */
const FAILURE_EXIT_CODE = 1;
const HELP_CHARS_MAX = 120;
const HELP_CHARS_DEFAULT = 100;

/** An error whose cause is known: it is printed without a stack. */
export interface KnownError {
  /** What is wrong, and where. */
  message: string;
  /** The lines of the message, if it has several. */
  lines?: readonly string[];
  /** What to do. */
  remedy: string;
  /** Is the command line wrong? */
  isUsage?: boolean;
}

/**
 * Runs a command. An error is printed and ends the process: with exit code 2 if the command line is wrong, otherwise
 * with 1. An error of unknown cause is printed with its stack.
 * @param explain returns an error whose cause is known, with what to do, or undefined
 */
export async function runProgram(
  program: Argv,
  commands: readonly string[],
  args: readonly string[],
  explain: (error: unknown) => KnownError | undefined,
): Promise<void> {
  try {
    await runCommand(program, commands, args);
  } catch (error) {
    const known = error instanceof UsageError ? error : explain(error);
    if (known === undefined) console.error(printableLines(inspect(error)));
    else printError(known);
    process.exit(known?.isUsage ? USAGE_EXIT_CODE : FAILURE_EXIT_CODE);
  }
}

/**
 * Parses the arguments and runs the command.
 * @param program the program with its options and commands
 * @param commands as yargs gets them: name and positional arguments
 * @param args the arguments of the process
 * @throws UsageError, or an error of the command
 */
export async function runCommand(program: Argv, commands: readonly string[], args: readonly string[]): Promise<void> {
  await program
    .alias('h', 'help')
    .version(packageVersion())
    .alias('V', 'version')
    // Messages of yargs are matched in English.
    .locale('en')
    // The types of yargs leave the second argument out.
    .middleware((argv, instance?: unknown) => checkArguments(argv, instance, commands, args), true)
    .demandCommand(1)
    .strict()
    .wrap(Math.min(HELP_CHARS_MAX, process.stdout.columns ?? HELP_CHARS_DEFAULT))
    .fail((message, error: Error | undefined) => {
      throw error === undefined || error.name === 'YError' ? usageErrorFrom(message, commands, args) : error;
    })
    .parseAsync(args);
}

/** What is wrong and where, then what to do; in colour on a terminal, unless NO_COLOR is set (https://no-color.org). */
function printError({ message, lines = [message], remedy }: KnownError): void {
  const text = lines.map(printable).join('\n  ');
  console.error(`${styleText('red', text, { stream: process.stderr })}\n  what to do: ${printable(remedy)}`);
}

/** The version of this package. yargs would print that of the project in which it is installed. */
function packageVersion(): string {
  const file = 'administrative-boundaries-service/package.json';
  // A package may import itself by its name (Node.js, "Self-referencing a package").
  return textIn(objectFrom(createRequire(import.meta.url)(file), file), 'version', file);
}
