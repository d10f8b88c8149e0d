// Units: their names and GIDs, from the columns that the release names.
import type { Box } from '../map/geometry/box.ts';
import type { Unit } from './client.ts';

/** A row of names.jsonl, with its level. */
export interface NamedUnit {
  level: number;
  fid: number;
  gid: string | null;
  name: string | null;
  type: string | null;
  /** GID at the nearest level above that has units. */
  parent: string | null;
  /** Of the parent, where it is at another one. */
  parentLevel?: number;
  /** Units of the next level that has some of it. */
  children: number;
  /** Of its main part, without far islands. */
  view?: Box | undefined;
  /** For each level below that has units with its GID, ascending. */
  inside?: readonly UnitsInside[];
  /** Official codes by their key; undefined where it is not known whether it has some. */
  codes?: Readonly<Record<string, string>>;
  /** What to call its parent, in a list of units that have several parents. */
  parentTitle?: string;
}

/** A level, the number of units, and their commonest type. */
export type UnitsInside = [level: number, units: number, type: string | null];

/** The columns of a level; empty texts for none. */
export interface LevelColumns {
  level: number;
  /** Those with the GIDs of the levels 0 to this one; none for a level without units. */
  gidColumns: string[];
  nameColumn: string;
  /** Those with names in a language, by its tag. */
  names?: Readonly<Record<string, string>> | undefined;
  typeColumn?: string;
  /** The type of units that have none in their column. */
  typeName?: string | undefined;
  /** Are units in a box if their own box touches it, because nothing better is known of the level? */
  hasBoxes?: boolean;
  /** Have units official codes? */
  hasCodes?: boolean;
  /** Whose data it is. */
  attribution?: readonly string[];
}

/** A type that says the level and nothing else, such as 'ADM1' of geoBoundaries. */
const LEVEL_AS_TYPE = /^(adm|admin|level|lv)[ _-]?\d$/i;

/**
 * The type of a unit, as a person would say it.
 * @param type as in the data
 */
export function typeOf(type: string | null) {
  return type === null || LEVEL_AS_TYPE.test(type) ? null : type;
}

/** The number in `lv1`, as answers and the map's sources name levels. */
export function levelIn(text: string): number {
  return Number(text.slice('lv'.length));
}

/** What to call a unit: its name, else its GID, else its fid. */
export function titleOf({ name, gid, fid }: { name: string | null; gid: string | null; fid?: number }): string {
  return name ?? gid ?? `fid ${fid}`;
}

/** The GIDs of a unit: those of the units it is in, from the top, and its own. */
export function gidsOf(unit: Unit, { gidColumns }: LevelColumns) {
  return gidColumns.map((column) => textIn(unit, column));
}

/**
 * A unit of a page as a row of a list; the number of its children is unknown, so 0.
 * @param lang of its name, if it has one in this language
 */
export function unitToRow(unit: Unit, columns: LevelColumns, lang: string): NamedUnit {
  const { level, nameColumn, names, typeColumn = '', typeName } = columns;
  const gids = gidsOf(unit, columns);
  const above = gids.slice(0, level);
  const parentLevel = above.findLastIndex((gid) => gid !== undefined);
  const name = textIn(unit, names?.[lang] ?? '') ?? textIn(unit, nameColumn) ?? null;
  const type = typeOf(textIn(unit, typeColumn) ?? typeName ?? null);
  const own = { level, fid: Number(unit.id), gid: gids[level] ?? null, name, type, children: 0 };
  return { ...own, parent: above[parentLevel] ?? null, parentLevel };
}

function textIn(unit: Unit, column: string) {
  return String(unit.properties[column] ?? '') || undefined;
}
