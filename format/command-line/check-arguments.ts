// Checks the arguments of a command before yargs does: yargs accepts options without a value or given twice, suggests
// nothing for a mistyped option, and turns the value of a number option into NaN.
import { missingValue, nameOf, UsageError, unknownName } from './usage-error.ts';

/** What yargs knows of the options of a command: lists of names. */
interface DeclaredOptions {
  /** Every option. */
  key: Readonly<Record<string, unknown>>;
  /** Other names of an option. */
  alias: Readonly<Record<string, readonly string[]>>;
  array: readonly string[];
  boolean: readonly string[];
  number: readonly string[];
  choices: Readonly<Record<string, readonly unknown[]>>;
}

/** The parsed arguments: the values of options by name, in both spellings, and in `_` the command. */
interface ParsedArguments {
  _: readonly (string | number)[];
  [name: string]: unknown;
}

/**
 * Checks the arguments of a command.
 * @param instance yargs, with the options of the command
 * @param commands every command with its positional arguments
 * @param args the arguments of the process, for messages
 * @throws UsageError
 */
export function checkArguments(
  argv: ParsedArguments,
  instance: unknown,
  commands: readonly string[],
  args: readonly string[],
): void {
  const declared = declaredOptions(instance);
  checkCommand(argv._.map(String), commands.map(nameOf));
  checkNames(argv, declared, args);
  for (const name of Object.keys(declared.key)) checkValue(name, argv[name], declared, args);
}

function checkCommand([command, ...others]: readonly string[], names: readonly string[]): void {
  if (command === undefined)
    throw new UsageError('missing command', `add one: ${names.join(', ')}; --help describes them`);
  if (!names.includes(command)) throw unknownName('command', command, names);
  if (others[0] !== undefined)
    throw new UsageError(`${others[0]}: unexpected argument`, `see ${command} --help for its options`);
}

function checkNames(argv: ParsedArguments, { key, alias, boolean }: DeclaredOptions, args: readonly string[]): void {
  const names = Object.keys(key);
  const known = new Set([...names, ...names.map(camelCase), ...Object.values(alias).flat(), '_', '$0', '--']);
  const unknown = Object.keys(argv).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const typed = args.find((arg) => isOption(arg, unknown))?.replace(/=.*/s, '') ?? `--${unknown}`;
  throw unknownName('option', typed, [...names, ...boolean.map((name) => `no-${name}`)]);
}

function checkValue(name: string, value: unknown, declared: DeclaredOptions, args: readonly string[]): void {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const typed = typedValue(name, args);
  if (values.length > 1 && !declared.array.includes(name))
    throw new UsageError(`--${name}: given ${values.length} times`, 'give it once');
  // An array option without a value is an empty array.
  const isEmptyArray = Array.isArray(value) && value.length === 0 && args.some((arg) => isOption(arg, name));
  const isLast = args.length > 0 && isOption(args.at(-1) ?? '', name) && typed === undefined;
  if (values.includes('') || typed === '' || isEmptyArray || (isLast && !declared.boolean.includes(name)))
    throw missingValue(name);
  if (declared.boolean.includes(name)) {
    const [, assigned = 'true'] = /^[^=]*=(.*)/s.exec(args.findLast((arg) => isOption(arg, name)) ?? '') ?? [];
    if (assigned !== 'true' && assigned !== 'false')
      throw new UsageError(`--${name}=${assigned}: takes no value`, `write --${name} or --no-${name}`);
  }
  if (declared.number.includes(name) && values.some(Number.isNaN)) {
    // Without `typed`, the environment set it.
    throw new UsageError(
      `--${name}${typed === undefined ? '' : ` ${typed}`}: not a number`,
      `write a number, e.g. --${name} 1`,
    );
  }
  const choices = declared.choices[name];
  const other = choices && values.find((one) => one !== undefined && !choices.includes(one));
  if (other !== undefined) throw new UsageError(`--${name} ${other}: not a choice`, `use ${choices?.join(', ')}`);
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

/** The value of an option as it was typed. */
function typedValue(name: string, args: readonly string[]): string | undefined {
  const at = args.findLastIndex((arg) => isOption(arg, name));
  const [, value = args[at + 1]] = /=(.*)/s.exec(args[at] ?? '') ?? [];
  return at === -1 ? undefined : value;
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The types of yargs leave `getOptions` out. */
function declaredOptions(instance: unknown): DeclaredOptions {
  if (typeof instance !== 'object' || instance === null || !('getOptions' in instance))
    throw new TypeError('yargs has no getOptions');
  if (typeof instance.getOptions !== 'function') throw new TypeError('getOptions of yargs is not a function');
  return instance.getOptions();
}
