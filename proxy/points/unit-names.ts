// The GIDs and names of a level's units, from its file of names (format/names.ts). Used by level-units.ts and
// reader.ts.
import { namesHeader } from '../../format/names.ts';
import { FormatError } from '../../format/parse.ts';

/** What a unit is called. */
export interface UnitName {
  fid: number;
  gid: string | null;
  name: string | null;
  type: string | null;
}

/**
 * The units of a level, in order of position.
 * @param text the text of names.jsonl.gz
 * @param file for messages
 * @throws FormatError if it is no such text, or not complete
 */
export function* unitNames(text: string, file: string): Generator<UnitName, void, undefined> {
  const header = namesHeader();
  if (!text.startsWith(header) || !text.endsWith('\n')) throw new FormatError(file, 'is not a complete list of names');
  let line = 1;
  // Not by a library: other line separators are part of names.
  for (let begin = header.length; begin < text.length; ) {
    line++;
    const end = text.indexOf('\n', begin);
    yield unitIn(text.slice(begin, end), `${file} line ${line}`);
    begin = end + 1;
  }
}

function unitIn(line: string, where: string): UnitName {
  let values: unknown;
  try {
    values = JSON.parse(line);
  } catch {
    throw new FormatError(where, 'is not JSON');
  }
  const [fid, ...texts]: unknown[] = Array.isArray(values) ? values : [];
  const [gid = null, name = null, type = null] = texts
    .slice(0, 3)
    .map((text) => (typeof text === 'string' ? text : null));
  if (typeof fid !== 'number') throw new FormatError(where, 'is not a unit');
  return { fid, gid, name, type };
}
