// A valid file of JSON with one member that is missing or another value, for tests of what readers make of it.
import assert from 'node:assert/strict';
import { FormatError, isObject } from '../../format/parse.ts';

/** Names of members and numbers of elements, from the outermost. */
type Path = readonly (string | number)[];

/** In the place of any value; undefined is a member that is missing. */
const OTHERS: readonly unknown[] = [undefined, null, true, -1, 1.5, 2 ** 53, 'x', '', [], [1], {}, { x: 1 }];

/** A file with another value in the place at the end of the path. */
function changedAt(json: object, path: Path, value: unknown): object {
  return JSON.parse(JSON.stringify(withValue(json, path, value)));
}

function withValue(json: unknown, [key, ...path]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(json)) {
    const changed = withValue(json[Number(key)], path, value);
    return changed === undefined ? json.toSpliced(Number(key), 1) : json.with(Number(key), changed);
  }
  return isObject(json) ? { ...json, [key]: withValue(json[key], path, value) } : assert.fail(`${key}`);
}

function* pathsIn(json: unknown, path: Path = []): Generator<[Path, unknown]> {
  if (path.length > 0) yield [path, json];
  if (Array.isArray(json)) for (const [i, element] of json.entries()) yield* pathsIn(element, [...path, i]);
  else if (isObject(json)) for (const [name, value] of Object.entries(json)) yield* pathsIn(value, [...path, name]);
}

/**
 * Changes each member of a valid file in turn: it is refused, with the file and the member, or one above it, in the
 * message, or what is read is what the file says.
 * @param read reads a text, and gives what it would be written as
 * @param isTried of a member, by the names and numbers that lead to it
 * @returns how often it is refused
 */
export function assertRefusedOrRead(
  json: object,
  file: string,
  read: (text: string) => object,
  isTried: (path: string) => boolean = () => true,
): number {
  let refused = 0;
  for (const [path, intact] of pathsIn(json))
    for (const other of isTried(path.join('.')) ? othersThan(intact) : []) {
      const changed = changedAt(json, path, other);
      const what = `${path.join('.')}: ${JSON.stringify(other)}`;
      try {
        const written = read(JSON.stringify(changed));
        // What is missing may have a default.
        const isMissing = other === undefined && typeof path.at(-1) === 'string';
        assert.deepEqual(isMissing ? changedAt(written, path, other) : written, changed, what);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        // Messages call the member `parquet` a table, too.
        const names = path.filter((name) => typeof name === 'string').slice(-2);
        const isNamed = [...names, ...(names.includes('parquet') ? ['table'] : [])].some((name) =>
          error.message.includes(name),
        );
        assert.ok(error.message.startsWith(file) && isNamed, `${what}: ${error.message}`);
        refused++;
      }
    }
  return refused;
}

function othersThan(value: unknown): unknown[] {
  return typeof value === 'number' ? [...OTHERS, value + 1, value - 1] : [...OTHERS];
}
