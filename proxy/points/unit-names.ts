// The GIDs and names of a level's units, from its file of names (format/names.ts). Used by level-units.ts and
// reader.ts.
import { nameColumns, valuesIn } from '../../format/names.ts';
import { FormatError } from '../../format/parse.ts';

/** What a unit is called. */
export interface UnitName {
  fid: number;
  gid: string | null;
  name: string | null;
  type: string | null;
}

/**
 * The units of a level, in order of position. Columns are found by their names in the header; others are ignored.
 * @param text the text of names.jsonl.gz
 * @param file for messages
 * @throws FormatError if it is no such text, or not complete
 */
export function* unitNames(text: string, file: string): Generator<UnitName, void, undefined> {
  if (!text.endsWith('\n')) throw new FormatError(file, 'is not a complete list of names');
  let begin = text.indexOf('\n') + 1;
  const columns = nameColumns(text.slice(0, begin), ['fid', 'gid', 'name', 'type'], file);
  let line = 1;
  // Not by a library: other line separators are part of names.
  while (begin < text.length) {
    line++;
    const end = text.indexOf('\n', begin);
    yield unitIn(text.slice(begin, end), columns, `${file} line ${line}`);
    begin = end + 1;
  }
}

function unitIn(line: string, columns: readonly number[], where: string): UnitName {
  const values = valuesIn(line, where);
  const [fid, ...texts] = columns.map((column) => values[column]);
  const [gid = null, name = null, type = null] = texts.map((text) => (typeof text === 'string' ? text : null));
  if (typeof fid !== 'number') throw new FormatError(where, 'is not a unit');
  return { fid, gid, name, type };
}
