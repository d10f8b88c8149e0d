// A command as yargs takes it, with the types of its options inferred from their declaration.
import type { ArgumentsCamelCase, Argv } from 'yargs';

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
