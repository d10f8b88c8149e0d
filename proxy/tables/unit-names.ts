// The GIDs and names of a level's units, from its file of names (format/names.ts).
import { type NameField, nameColumns, valuesIn } from '../../format/names.ts';
import { FormatError } from '../../format/parse.ts';

/** What a unit is called. */
export interface UnitName {
  fid: number;
  gid: string | null;
  name: string | null;
  type: string | null;
}

/** The units of a level, in order of position. @throws FormatError as `nameValues` does */
export function* unitNames(text: string, file: string): Generator<UnitName, void, undefined> {
  for (const { values, where } of nameValues(text, file, ['fid', 'gid', 'name', 'type'])) {
    const [fid, ...texts] = values;
    const [gid = null, name = null, type = null] = texts.map(textOrNull);
    if (typeof fid !== 'number') throw new FormatError(where, 'is not a unit');
    yield { fid, gid, name, type };
  }
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * What a file of names has of each unit, in order of position. Columns are found by their names in the header; others
 * are ignored.
 * @param text the text of names.jsonl.gz
 * @param file for messages
 * @throws FormatError if it is no such text, or not complete
 */
export function* nameValues(
  text: string,
  file: string,
  fields: readonly NameField[],
): Generator<{ values: readonly unknown[]; where: string }, void, undefined> {
  if (!text.endsWith('\n')) throw new FormatError(file, 'is not a complete list of names');
  let begin = text.indexOf('\n') + 1;
  const columns = nameColumns(text.slice(0, begin), fields, file);
  let line = 1;
  // Not by a library: other line separators are part of names.
  while (begin < text.length) {
    line++;
    const end = text.indexOf('\n', begin);
    const where = `${file} line ${line}`;
    const values = valuesIn(text.slice(begin, end), where);
    yield { values: columns.map((column) => values[column]), where };
    begin = end + 1;
  }
}
