// Runs a program: what the main.ts of generator and of proxy share. yargs finds the errors in a command line and words
// them; each becomes one message with a remedy and an exit code. yargs lets empty, repeated and wrong values pass: they
// are refused here. The folder lies in format/ because that is the only one which both programs may import.
import { inspect, styleText } from 'node:util';
import type { Argv } from 'yargs';
import {
  type DeclaredOptions,
  declaredOptions,
  packageVersion,
  printable,
  printableLines,
  UsageError,
} from './messages.ts';
import { usageErrorOf } from './yargs-messages.ts';

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
  args: readonly string[],
  explain: (error: unknown) => KnownError | undefined,
): Promise<void> {
  try {
    await runCommand(program, args);
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
 * @param args the arguments of the process
 * @throws UsageError, or an error of the command
 */
async function runCommand(program: Argv, args: readonly string[]): Promise<void> {
  await program
    .alias('h', 'help')
    .version(packageVersion())
    .alias('V', 'version')
    // All messages are in English.
    .locale('en')
    .demandCommand(1, 'missing command')
    .strict()
    .recommendCommands()
    .check((argv) => checkValues(argv, declaredOptions(program), args), true)
    .wrap(Math.min(HELP_CHARS_MAX, process.stdout.columns ?? HELP_CHARS_DEFAULT))
    .fail((message, error: Error | undefined) => {
      if (error !== undefined && error.name !== 'YError') throw error;
      throw usageErrorOf(message.replaceAll(/\s*\n\s*/g, ' '), args, Object.keys(declaredOptions(program).key));
    })
    .parseAsync(args);
}

/** What is wrong and where, then what to do; in colour on a terminal, unless NO_COLOR is set (https://no-color.org). */
function printError({ message, lines = [message], remedy }: KnownError): void {
  const text = lines.map(printable).join('\n  ');
  console.error(`${styleText('red', text, { stream: process.stderr })}\n  what to do: ${printable(remedy)}`);
}

/** Checks what yargs lets pass: an empty value, a repeated option, `--flag=value`, and text where a number belongs. */
function checkValues(
  argv: Readonly<Record<string, unknown>>,
  { key, array, boolean, number }: DeclaredOptions,
  args: readonly string[],
): true {
  // yargs reads an empty number as 0.
  const empty = args.indexOf('');
  if (empty > 0) throw new UsageError(`${args[empty - 1]}: missing value`, 'write a value');
  for (const name of Object.keys(key)) {
    const values = [argv[name]].flat();
    if (values.length > 1 && !array.includes(name))
      throw new UsageError(`--${name}: given ${values.length} times`, 'give it once');
    if (values.includes('') || args.includes(`--${name}=`))
      throw new UsageError(`--${name}: missing value`, `write --${name} VALUE`);
    if (number.includes(name) && values.some(Number.isNaN))
      throw new UsageError(`--${name}: not a number`, `write --${name} NUMBER`);
  }
  for (const arg of args) {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(arg) ?? [];
    if (boolean.includes(name) && !/^(true|false)$/.test(value))
      throw new UsageError(`${arg}: takes no value`, `write --${name} or --no-${name}`);
  }
  return true;
}
