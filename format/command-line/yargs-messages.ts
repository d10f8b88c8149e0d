// What yargs says is wrong with a command line, in the words of these programs: the option as it was typed, and what to
// type instead.
import { UsageError } from './messages.ts';
import { distance } from './nearest-names.ts';

const HELP = 'add --help to see commands and options';
/** Letters that may be wrong, missing, too many or exchanged in the name of an option, for it to be suggested. */
const WRONG_MAX = 2;
/** A value of an option of levels, such as `lv1=NAME`. */
const LEVEL_VALUE = /^lv\d[,:=]/;
/** Options that a command has under another name than the other commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = { 'serve --out': 'origin' };

/**
 * The error of a message of yargs.
 * @param message in English, in one line
 * @param args the arguments as they were typed
 * @param options the names of all options of the command
 */
export function usageErrorOf(message: string, args: readonly string[], options: readonly string[]): UsageError {
  const command = args.find((arg) => !arg.startsWith('-'));
  const [, near] = /^Did you mean (.*)\?$/.exec(message) ?? [];
  if (near !== undefined) return new UsageError(`${command}: no such command`, `did you mean ${near}? ${HELP}`);
  const [, unknown] = /^Unknown arguments?: (.*)$/.exec(message) ?? [];
  if (unknown !== undefined) return unknownArgument(unknown, command, args, options);
  const [, withoutValue] = /^Not enough arguments following: (\S+)$/.exec(message) ?? [];
  if (withoutValue !== undefined)
    return new UsageError(`--${withoutValue}: missing value`, `write --${withoutValue} VALUE`);
  const [, missing] = /^Missing required arguments?: (.*)$/.exec(message) ?? [];
  if (missing !== undefined) return new UsageError(`missing --${missing.replaceAll(', ', ', --')}`, HELP);
  const [, name, given, choices] =
    /^Invalid values: Argument: (\S+), Given: "(.*)", Choices: (.*)$/.exec(message) ?? [];
  if (name !== undefined)
    return new UsageError(`--${name} ${given}: not one of its values`, `use one of: ${choices?.replaceAll('"', '')}`);
  const [, got, need] = /^Not enough non-option arguments: got (\d+), need at least (\d+)$/.exec(message) ?? [];
  if (need !== undefined) return new UsageError(`${got} of ${need} names given`, HELP);
  return new UsageError(message, HELP);
}

/** What was typed that nothing knows: an option, a command, or a word too many. */
function unknownArgument(
  unknown: string,
  command: string | undefined,
  args: readonly string[],
  options: readonly string[],
): UsageError {
  const names = unknown.split(', ');
  const typed = args.find((arg) => isOneOf(arg, names) || isLettersOf(arg, names));
  if (typed !== undefined) return unknownOption(typed.replace(/=.*$/s, ''), command, options);
  if (unknown === command) return new UsageError(`${unknown}: no such command`, HELP);
  // Columns of levels, one after the other behind one option: the first word too many may be taken for a file.
  const isList = args.some((arg, i) => LEVEL_VALUE.test(arg) && args[i - 1]?.startsWith('-') === false);
  const remedy = isList ? 'write the option before each of its values, or ' : '';
  return new UsageError(`${unknown}: nothing takes this word`, `${remedy}${HELP}`);
}

/** Is an argument an option with one of these names, as yargs understands it? */
function isOneOf(arg: string, names: readonly string[]): boolean {
  const [, name] = /^--(?:no-)?([^=]+)/.exec(arg) ?? [];
  return name !== undefined && (names.includes(name) || names.includes(arg.slice(2)));
}

/** Is an argument an option with one dash, of which yargs took each letter for an option? */
function isLettersOf(arg: string, names: readonly string[]): boolean {
  const [, letters = ''] = /^-([^-=]+)/.exec(arg) ?? [];
  return letters !== '' && Array.from(letters).every((letter) => names.includes(letter));
}

function unknownOption(typed: string, command: string | undefined, options: readonly string[]): UsageError {
  const [, no = '', name = ''] = /^--?(no-)?(.*)$/s.exec(typed) ?? [];
  const near = options
    .map((option) => ({ option, wrong: distance(option, name) }))
    .sort((a, b) => a.wrong - b.wrong)[0];
  const isNear = near !== undefined && near.wrong <= WRONG_MAX && near.wrong < name.length;
  const meant = OTHER_NAMES[`${command} ${typed}`] ?? (isNear ? `${no}${near.option}` : undefined);
  return new UsageError(`${typed}: no such option`, meant === undefined ? HELP : `did you mean --${meant}? ${HELP}`);
}
