// The names of a level's units: JSON Lines, an array for each unit, after a header line. The generator writes them; the
// proxy, `points` and the explorer read them. Readers find columns by their names in the header and ignore others.
import { FormatError } from './parse.ts';

/** The header line. */
export const NAME_FIELDS = [
  'fid',
  'gid',
  'name',
  'type',
  'parent',
  'children',
  'view',
  'inside',
  'parents',
  'area',
  'others',
] as const;

/** A part of a degree that the edges of views are whole numbers of: a screen of a map at zoom 14 has three of them. */
export const VIEW_SCALE = 100;

/** Maximum characters (UTF-16) of a text in a line: of a longer one its beginning is there. */
export const NAMES_TEXT_MAX_CHARS = 10_000;

/** Columns of a level's source, by language and by key of codes. */
interface FurtherColumns {
  nameColumns?: Readonly<Record<string, string>> | undefined;
  codeColumns?: Readonly<Record<string, string>> | undefined;
}

/** Number of languages and codes that the names of a level have. */
export function furtherColumns({ nameColumns = {}, codeColumns = {} }: FurtherColumns): number {
  return Object.keys(nameColumns).length + Object.keys(codeColumns).length;
}

/**
 * Maximum length of the text of a level's names: few hundred bytes a unit are usual, some tens in each language, and
 * small levels may have long names.
 * @param further number of languages and codes
 */
export function namesTextMaxBytes(units: number, further: number): number {
  return 16 * 1024 * 1024 + (1024 + 256 * further) * units;
}

/** The beginning of a text: at most so many characters (UTF-16), without half of one at the end. */
export function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? most - 1 : most);
}

/** The name of a column: of those that every level has, or of its codes and languages. */
export type NameField = (typeof NAME_FIELDS)[number] | `code:${string}` | `name:${string}`;

/** A unit's line, as an object. */
export interface NamedUnit {
  fid: number;
  /** Its GID; null if it has none. */
  gid: string | null;
  name: string | null;
  /** Its type, e.g. `Province`. */
  type: string | null;
  /** The GID that it has of the nearest level above that has units; null if it has none. */
  parent: string | null;
  /** Number of units of the nearest level below that has some with this unit's GID: the first entry of `inside`. */
  children: number;
  /**
   * Where a map goes to see it: the box of its main part, west, south, east, north in degrees, rounded outward to
   * hundredths, west > east across the antimeridian. Null without geometry.
   */
  view: readonly number[] | null;
  /** For each level below that has units with its GID, ascending. */
  inside: readonly UnitsInside[];
  /**
   * Its GIDs of all levels above, null where it has none. Null where they are `parent` and those of the unit that this
   * is the GID of, the first of several.
   */
  parents: readonly (string | null)[] | null;
  /** Km2 on the ellipsoid, five significant digits; null without polygons. */
  area: number | null;
  /** Its other names, each once. */
  others: readonly string[];
  /** Its codes, by the keys of the level, and its names in languages, by their tags; null if it has none. */
  codes: readonly (string | null)[];
  languages: readonly (string | null)[];
}

/** A level, the number of units, and their commonest type, of several the first by position; null without types. */
export type UnitsInside = readonly [level: number, units: number, type: string | null];

/** Other names as lines have them: each once, together no longer than a text. */
export function othersInNames(texts: readonly string[]): string[] {
  let rest = NAMES_TEXT_MAX_CHARS;
  return [...new Set(texts)].filter((text) => {
    if (text === '' || text.length > rest) return false;
    rest -= text.length;
    return true;
  });
}

/** A text as lines have it. */
export function textInNames(text: string): string {
  return beginningOf(text, NAMES_TEXT_MAX_CHARS);
}

/**
 * Where columns are in each line, in the order in which they are asked for.
 * @param header the first line
 * @param file for messages
 * @throws FormatError if it is no header, or lacks one of them
 */
export function nameColumns(header: string, fields: readonly NameField[], file: string): number[] {
  const names = valuesIn(header, `${file} line 1`);
  return fields.map((field) => {
    const at = names.indexOf(field);
    if (at === -1) throw new FormatError(`${file} line 1`, `has no column ${field}`);
    return at;
  });
}

/**
 * The keys of the codes that lines have, or the tags of their languages.
 * @param header the first line
 * @throws FormatError if it is no header
 */
export function furtherKeys(header: string, kind: 'code' | 'name', file: string): string[] {
  const prefix = `${kind}:`;
  const names = valuesIn(header, `${file} line 1`).map(String);
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** The values of a line. @throws FormatError if it is no list */
export function valuesIn(line: string, where: string): unknown[] {
  let values: unknown;
  try {
    values = JSON.parse(line);
  } catch {
    throw new FormatError(where, 'is not JSON');
  }
  if (!Array.isArray(values)) throw new FormatError(where, 'is no list');
  return values;
}
