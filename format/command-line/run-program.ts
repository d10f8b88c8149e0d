// Runs a program: what the main.ts of generator and of proxy share, and yargs does not do. yargs finds the errors in a
// command line (`strict`, `demandCommand`, `requiresArg`, `choices`); here each becomes one message with a remedy and an
// exit code. yargs suggests a command for a mistyped one, but no option, and lets wrong values and repeats pass. The
// folder lies in format/ because that is the only one which both programs may import.
import { inspect, styleText } from 'node:util';
import type { Argv } from 'yargs';
import { packageVersion, printable, printableLines, UsageError } from './messages.ts';

/** Exit code after an error in the command line, as of most Unix programs. */
const USAGE_EXIT_CODE = 2;
/** Exit code after any other error. */
const FAILURE_EXIT_CODE = 1;
const HELP_CHARS_MAX = 120;
const HELP_CHARS_DEFAULT = 100;
/** Insertions, deletions and replacements that a mistyped name may differ by. */
const EDITS_MAX = 2;
/** The remedy of an error that has no better one. */
const SEE_HELP = 'add --help to see commands and options';

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
 * @param commands as yargs gets them: name and positional arguments, e.g. `activate <release>`
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
    .demandCommand(1)
    .strict()
    .check((argv) => checkValues(argv, declaredOptions(program), args), true)
    .wrap(Math.min(HELP_CHARS_MAX, process.stdout.columns ?? HELP_CHARS_DEFAULT))
    .fail((message, error: Error | undefined) => {
      if (error !== undefined && error.name !== 'YError') throw error;
      throw usageErrorFrom(message, declaredOptions(program), commands, args);
    })
    .parseAsync(args);
}

/** What is wrong and where, then what to do; in colour on a terminal, unless NO_COLOR is set (https://no-color.org). */
function printError({ message, lines = [message], remedy }: KnownError): void {
  const text = lines.map(printable).join('\n  ');
  console.error(`${styleText('red', text, { stream: process.stderr })}\n  what to do: ${printable(remedy)}`);
}

/** What yargs knows of the options of a command: lists of names. */
interface DeclaredOptions {
  /** Every option. */
  key: Readonly<Record<string, unknown>>;
  array: readonly string[];
  boolean: readonly string[];
  number: readonly string[];
}

/** The types of yargs leave `getOptions` out. */
function declaredOptions(program: object): DeclaredOptions {
  if (!('getOptions' in program) || typeof program.getOptions !== 'function')
    throw new TypeError('yargs has no getOptions');
  return program.getOptions();
}

/** An error of yargs, worded in English, in the words of this project. */
function usageErrorFrom(
  message: string,
  { key, boolean }: DeclaredOptions,
  commands: readonly string[],
  args: readonly string[],
): UsageError {
  const names = commands.map(nameOf);
  const command = commands.find((known) => args.includes(nameOf(known)));
  const [, missing] = /^Missing required arguments?: ([^\n]*)/.exec(message) ?? [];
  if (missing !== undefined)
    return new UsageError(`missing ${missing.replaceAll(/([^, ]+)/g, '--$1')}`, `add it; ${SEE_HELP}`);
  const [, valueless] = /^Not enough arguments following: (.*)/.exec(message) ?? [];
  if (valueless !== undefined) return missingValue(valueless);
  if (/^Not enough non-option arguments/.test(message))
    return command === undefined
      ? new UsageError('missing command', `add one: ${names.join(', ')}; --help describes them`)
      : new UsageError(`${nameOf(command)}: missing argument`, `write ${command}`);
  const [, option, given, choices] = /Argument: (.*), Given: "(.*?)".*, Choices: (.*)/.exec(message) ?? [];
  if (choices !== undefined)
    return new UsageError(`--${option} ${given}: not a choice`, `use ${choices.replaceAll('"', '')}`);
  const [, unknown] = /^Unknown arguments?: ([^,]*)/.exec(message) ?? [];
  if (unknown === undefined) return new UsageError(message.replaceAll(/\s*\n\s*/g, ' '), SEE_HELP);
  const options = Object.keys(key);
  const isUnknown = (arg: string): boolean => arg.startsWith('--') && !options.some((name) => isOption(arg, name));
  // In the message of yargs a name may be cut, at a comma or a line break of its own.
  const typed = (args.find((arg) => isOption(arg, unknown)) ?? args.find(isUnknown))?.replace(/=.*/s, '');
  if (typed !== undefined) return unknownName('option', typed, [...options, ...boolean.map((name) => `no-${name}`)]);
  if (command === undefined) return unknownName('command', unknown, names);
  return new UsageError(`${unknown}: unexpected argument`, `see ${nameOf(command)} --help for its options`);
}

/** Checks what yargs lets pass: an empty value, a repeated option, `--flag=value`, and text where a number belongs. */
function checkValues(
  argv: Readonly<Record<string, unknown>>,
  { key, array, boolean, number }: DeclaredOptions,
  args: readonly string[],
): true {
  for (const name of Object.keys(key)) {
    const value = argv[name];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const at = args.findLastIndex((arg) => isOption(arg, name));
    const [, assigned] = /=(.*)/s.exec(args[at] ?? '') ?? [];
    if (values.length > 1 && !array.includes(name))
      throw new UsageError(`--${name}: given ${values.length} times`, 'give it once');
    // yargs gives an array option without values its default.
    const isBare = at !== -1 && assigned === undefined && (args[at + 1] ?? '--').startsWith('--');
    if (values.includes('') || assigned === '' || (isBare && !boolean.includes(name))) throw missingValue(name);
    if (boolean.includes(name) && assigned !== undefined && !/^(true|false)$/.test(assigned))
      throw new UsageError(`--${name}=${assigned}: takes no value`, `write --${name} or --no-${name}`);
    if (number.includes(name) && values.some(Number.isNaN)) {
      // The environment can set it, too.
      const typed = at === -1 ? '' : ` ${assigned ?? args[at + 1]}`;
      throw new UsageError(`--${name}${typed}: not a number`, `write a number, e.g. --${name} 1`);
    }
  }
  return true;
}

/** Is `arg` the option `name`? A single dash is followed by options of one letter. */
function isOption(arg: string, name: string): boolean {
  const [option = ''] = arg.split('=', 1);
  return (
    option === `--${name}` ||
    option === `--no-${name}` ||
    (name.length === 1 && /^-[^-]/.test(arg) && option.includes(name))
  );
}

function missingValue(option: string): UsageError {
  return new UsageError(`--${option}: missing value`, `write --${option} VALUE`);
}

/** The error for a name that does not exist, with the one that was probably meant. */
function unknownName(kind: 'option' | 'command', typed: string, names: readonly string[]): UsageError {
  const nearest = nearestName(typed.replace(/^-+/, ''), names);
  const question = nearest === undefined ? '' : `; did you mean ${kind === 'option' ? '--' : ''}${nearest}?`;
  return new UsageError(`${typed}: unknown ${kind}${question}`, SEE_HELP);
}

/** The name with the fewest edits, or one that begins with what was typed; undefined if none is close. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  for (let edits = 0; edits <= EDITS_MAX; edits++) {
    const near = names.find((name) => edits < name.length && isWithin(edits, typed, name));
    if (near !== undefined) return near;
  }
  return names.find((name) => typed.length > 1 && name.startsWith(typed));
}

/** Do at most `edits` insertions, deletions and replacements lead from one text to the other? */
function isWithin(edits: number, from: string, to: string): boolean {
  if (edits < 0) return false;
  if (from === '' || to === '') return from.length + to.length <= edits;
  const [nextFrom, nextTo] = [from.slice(1), to.slice(1)];
  if (from[0] === to[0]) return isWithin(edits, nextFrom, nextTo);
  return [
    [nextFrom, nextTo],
    [nextFrom, to],
    [from, nextTo],
  ].some(([a = '', b = '']) => isWithin(edits - 1, a, b));
}

/** The name of a command without its positional arguments. */
function nameOf(command: string): string {
  return command.split(' ', 1).join();
}
