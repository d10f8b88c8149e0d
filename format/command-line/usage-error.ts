// Errors in the command line, in the words of this project in place of those of yargs.
import { nearestName } from './nearest-name.ts';

/** The command line is wrong: `message` says what and where; `remedy` what to do. */
export class UsageError extends Error {
  readonly remedy: string;
  readonly isUsage = true;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'UsageError';
    this.remedy = remedy;
  }
}

/** The remedy of an error that has no better one. */
const SEE_HELP = 'add --help to see commands and options';

/**
 * The error for a name that does not exist.
 * @param typed the option or command, as it was typed
 * @param names every name that may stand there
 */
export function unknownName(kind: 'option' | 'command', typed: string, names: readonly string[]): UsageError {
  const dashes = kind === 'option' ? '--' : '';
  const nearest = nearestName(typed.replace(/^-+/, ''), names);
  const question = nearest === undefined ? '' : `; did you mean ${dashes}${nearest}?`;
  return new UsageError(`${typed}: unknown ${kind}${question}`, SEE_HELP);
}

/**
 * An error of yargs.
 * @param message as yargs words it, in English
 * @param commands each with its positional arguments, e.g. `activate <release>`
 * @param args the arguments of the process
 */
export function usageErrorFrom(message: string, commands: readonly string[], args: readonly string[]): UsageError {
  const [, options] = /^Missing required arguments?: ([^\n]*)/.exec(message) ?? [];
  if (options !== undefined)
    return new UsageError(`missing ${options.replaceAll(/([^, ]+)/g, '--$1')}`, `add it; ${SEE_HELP}`);
  const [, valueless] = /^Not enough arguments following: (.*)/.exec(message) ?? [];
  if (valueless !== undefined) return missingValue(valueless);
  const command = commands.find((known) => args.includes(nameOf(known)));
  if (/^Not enough non-option arguments/.test(message) && command !== undefined)
    return new UsageError(`${nameOf(command)}: missing argument`, `write ${command}`);
  return new UsageError(message.replaceAll(/\s*\n\s*/g, ' '), SEE_HELP);
}

/** The error for an option without the value that it needs. */
export function missingValue(option: string): UsageError {
  return new UsageError(`--${option}: missing value`, `write --${option} VALUE`);
}

/** The name of a command without its positional arguments. */
export function nameOf(command: string): string {
  return command.split(' ', 1).join();
}
