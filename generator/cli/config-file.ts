// The file of --config: a JSON object with options by name, typed like those of the command line.
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type DeclaredOptions, UsageError } from '../../format/command-line/messages.ts';
import { codeOf } from '../../format/error-code.ts';
import { FormatError, type JsonObject, objectFrom } from '../../format/parse.ts';
import { isRemote } from '../source/source-options.ts';

/** The options whose values are paths. */
const PATHS: readonly string[] = ['source', 'out', 'sign-key', 'like'];

/** Reads a config file. Its paths are relative to its folder. @throws UsageError if it is not one */
export function readConfigFile(file: string, declared: DeclaredOptions): JsonObject {
  const where = `--config ${file}`;
  try {
    // A pipe would be waited for without end.
    if (!statSync(file).isFile()) throw new FormatError(where, 'not a regular file');
    const config = objectFrom(readFileSync(file, 'utf8'), where);
    for (const [name, value] of Object.entries(config)) checkOption(name, value, where, declared);
    return Object.fromEntries(
      Object.entries(config).map(([name, value]) => [
        name,
        PATHS.includes(name) ? pathsFrom(name, value, file) : value,
      ]),
    );
  } catch (error) {
    const code = codeOf(error);
    const problem = code === '' ? error : new FormatError(where, `cannot be read (${code})`);
    if (!(problem instanceof FormatError)) throw problem;
    throw new UsageError(problem.message, 'use a file with a JSON object of options, such as {"release": "2026-11"}');
  }
}

/** Not options of a config file, which yargs adds to every command. */
const META: readonly string[] = ['config', 'help', 'h', 'version', 'V'];

function pathsFrom(name: string, value: unknown, file: string): unknown {
  if (Array.isArray(value)) return value.map((item) => pathsFrom(name, item, file));
  if (typeof value !== 'string' || value === '' || isAbsolute(value) || isRemote(value)) return value;
  if (name !== 'like') return join(dirname(file), value);
  // Without a folder it is an id.
  return /[/\\]/.test(value) ? resolve(dirname(file), value) : value;
}

/** @throws FormatError if there is no such option, or its value has another type */
function checkOption(
  name: string,
  value: unknown,
  where: string,
  { key, array, boolean, number }: DeclaredOptions,
): void {
  if (!Object.hasOwn(key, name) || META.includes(name)) throw new FormatError(where, `${name}: unknown option`);
  const isText = (item: unknown): boolean => typeof item === 'string';
  const [expected, isExpected] = array.includes(name)
    ? ['a list of texts', isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText))]
    : boolean.includes(name)
      ? ['true or false', typeof value === 'boolean']
      : number.includes(name)
        ? ['a number', typeof value === 'number']
        : ['text', isText(value)];
  if (!isExpected) throw new FormatError(where, `${name} is ${JSON.stringify(value)}, expected ${expected}`);
}
