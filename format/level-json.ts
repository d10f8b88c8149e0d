// What release.json says of a level.
import {
  type CellsFile,
  type CheckedFile,
  cellsFileIn,
  checkedFileIn,
  type NeighboursFile,
  neighboursFileIn,
  type TableFile,
  type TilesFile,
  tableFileIn,
  tilesFileIn,
  type WholeFile,
  wholeFileIn,
} from './checked-files.ts';
import { type Format, type Geometry, LEVELS, type Level } from './levels.ts';
import { geometriesIn } from './manifest.ts';
import {
  booleanIn,
  FormatError,
  type JsonObject,
  listIn,
  numberIn,
  objectFrom,
  shownTextIn,
  shownTextsIn,
  textIn,
} from './parse.ts';

/**
 * The type of a column's values in the features: `int64` whole numbers, `double` numbers, `date` texts YYYY-MM-DD,
 * `json` any values.
 */
export type ColumnKind = (typeof COLUMN_KINDS)[number];

const COLUMN_KINDS = ['int64', 'double', 'boolean', 'string', 'date', 'json'] as const;

/** A property of the units of a level. Its values may be null. */
export interface LevelColumn {
  name: string;
  type: ColumnKind;
}

/** What release.json says of a level besides its files. */
export interface LevelAbout {
  /** The names of the source layers, for people; empty if the dataset lacks the level. */
  layer: string;
  /** The columns of the GIDs of the levels 0 to this one; empty texts where the units have no parent. */
  gidColumns: readonly string[];
  /** The column with the units' names; empty if there is none. */
  nameColumn: string;
  /** The column with the units' types, e.g. `Province`; empty if there is none. */
  typeColumn: string;
  /** The type of the units that have none in that column; undefined if there is none. */
  typeName?: string | undefined;
  /** The columns with other names of the units, which are found by them. */
  searchColumns: readonly string[];
  /** The columns with names in languages, by tag, and with codes, by key; undefined for none. */
  nameColumns?: Readonly<Record<string, string>> | undefined;
  codeColumns?: Readonly<Record<string, string>> | undefined;
  /** The properties of its units, in order; undefined if the dataset lacks the level, or they were not recorded. */
  columns?: readonly LevelColumn[] | undefined;
  /** Whether the units have other fids than in the source, because fids of several layers collided. */
  isRenumbered: boolean;
  /** Attribution texts of its units; undefined for those of the release. */
  attribution?: readonly string[] | undefined;
}

/** Units with more positions are not asked whether they are valid, and not counted among those that are not. */
export const CHECKED_MAX_POSITIONS = 150_000;

/** The description of a level in release.json. */
export interface LevelSummary extends LevelAbout {
  level: Level;
  features: number;
  /** Units with no GID in any column of a level above, which no unit above lists; 0 for the highest level with units. */
  orphans: number;
  /** Number of listings that are not empty: the unfiltered one, and one for each parent GID. */
  listings: number;
  /** Number of stored pages by format. */
  pages: Readonly<Record<Format, number>>;
  /** Bytes of all stored pages. */
  bytes: number;
  /** Number of feature files, and their total bytes with those of the files in `alone/`. */
  featureFiles: { files: number; bytes: number };
  /** Units that are not valid with their full geometry. */
  invalid: number;
  /** Positions of the rings of its units, the closing one of each counted; undefined where it was not recorded. */
  positions?: number | undefined;
  /** West, south, east, north of all units in degrees, west never greater than east; undefined without geometry. */
  extent?: readonly number[] | undefined;
  /** The files of each geometry besides the full one, in the order of `GEOMETRIES`. */
  geometries: Readonly<Partial<Record<Geometry, GeometrySummary>>>;
  manifest: CheckedFile;
  index: CheckedFile;
  /** Undefined if the release has no cells. */
  cells?: CellsFile | undefined;
  /** Undefined if the release has no tiles, or no unit of the level has an area. */
  tiles?: TilesFile | undefined;
  /** Undefined if the release has no neighbours. */
  neighbours?: NeighboursFile | undefined;
  /** Undefined if the release has no tables, or the level no units. */
  parquet?: TableFile | undefined;
  /**
   * How it nests: the share of the edges of its units with units below them that the next level that has units has,
   * too; null if there is none, or nothing counts.
   */
  nesting: number | null;
  /** The level's names of units. */
  names: WholeFile;
  /** The words of these names. */
  words: CheckedFile;
}

/** What release.json says of a level with another geometry than the full one. */
export interface GeometrySummary {
  /** Number of feature files, and their total bytes with those of the files in `alone/`. */
  featureFiles: { files: number; bytes: number };
  index: CheckedFile;
  /** Units that are not valid with it. */
  invalid: number;
  /** Positions of the simplified rings, counted likewise; undefined without rings, and where it was not recorded. */
  positions?: number | undefined;
}

/** The languages of some levels. */
export function languagesOf(levels: readonly Pick<LevelAbout, 'nameColumns'>[]): string[] {
  return [...new Set(levels.flatMap(({ nameColumns = {} }) => Object.keys(nameColumns)))].sort();
}

/** Reads what release.json says of level `i`. @throws FormatError that names the member */
export function levelFromJson(entry: unknown, i: number, where: string): LevelSummary {
  const json = objectFrom(entry, where);
  const level = LEVELS[i];
  if (level === undefined || numberIn(json, 'level', where) !== level)
    throw new FormatError(where, `level is not ${i}`);
  const pages = objectFrom(json['pages'], `${where} pages`);
  return {
    level,
    ...levelAboutFrom(json, where),
    features: numberIn(json, 'features', where),
    orphans: json['orphans'] === undefined ? 0 : numberIn(json, 'orphans', where),
    listings: numberIn(json, 'listings', where),
    pages: {
      geojsonl: numberIn(pages, 'geojsonl', where),
      fc: numberIn(pages, 'fc', where),
    },
    bytes: numberIn(json, 'bytes', where),
    featureFiles: featureFilesIn(json, where),
    invalid: numberIn(json, 'invalid', where),
    ...positionsIn(json, where),
    ...(json['extent'] !== undefined && { extent: extentIn(json, where) }),
    geometries: Object.fromEntries(
      geometriesIn(json, where).map((geometry) => [
        geometry,
        geometryFrom(objectFrom(json['geometries'], where)[geometry], `${where} geometries.${geometry}`),
      ]),
    ),
    manifest: checkedFileIn(json, 'manifest', where),
    index: checkedFileIn(json, 'index', where),
    ...(json['cells'] !== undefined && { cells: cellsFileIn(json, where) }),
    ...(json['tiles'] !== undefined && { tiles: tilesFileIn(json, where) }),
    ...(json['neighbours'] !== undefined && { neighbours: neighboursFileIn(json, where) }),
    ...(json['parquet'] !== undefined && { parquet: tableFileIn(json, where) }),
    nesting: nestingIn(json, where),
    names: wholeFileIn(json, 'names', where),
    words: checkedFileIn(json, 'words', where),
  };
}

/** The members of a level that do not describe its files. @throws FormatError likewise */
export function levelAboutFrom(json: JsonObject, where: string): LevelAbout {
  return {
    layer: textIn(json, 'layer', where),
    gidColumns: shownTextsIn(json, 'gidColumns', where),
    nameColumn: shownTextIn(json, 'nameColumn', where),
    typeColumn: shownTextIn(json, 'typeColumn', where),
    ...(json['typeName'] !== undefined && { typeName: shownTextIn(json, 'typeName', where) }),
    searchColumns: shownTextsIn(json, 'searchColumns', where),
    ...(json['nameColumns'] !== undefined && { nameColumns: taggedColumnsIn(json, 'nameColumns', where) }),
    ...(json['codeColumns'] !== undefined && { codeColumns: taggedColumnsIn(json, 'codeColumns', where) }),
    ...(json['columns'] !== undefined && {
      columns: listIn(json, 'columns', where).map((entry, i) => columnFrom(entry, `${where} columns[${i}]`)),
    }),
    isRenumbered: booleanIn(json, 'isRenumbered', where),
    ...(json['attribution'] !== undefined && { attribution: shownTextsIn(json, 'attribution', where) }),
  };
}

function geometryFrom(entry: unknown, where: string): GeometrySummary {
  const json = objectFrom(entry, where);
  return {
    featureFiles: featureFilesIn(json, where),
    index: checkedFileIn(json, 'index', where),
    invalid: numberIn(json, 'invalid', where),
    ...positionsIn(json, where),
  };
}

function positionsIn(json: JsonObject, where: string): { positions?: number } {
  return json['positions'] === undefined ? {} : { positions: numberIn(json, 'positions', where) };
}

function extentIn(json: JsonObject, where: string): number[] {
  const extent = listIn(json, 'extent', where).filter((edge) => typeof edge === 'number');
  if (extent.length !== 4) throw new FormatError(where, `extent has ${extent.length} numbers, expected 4`);
  return extent;
}

function featureFilesIn(json: JsonObject, where: string): LevelSummary['featureFiles'] {
  const featureFiles = objectFrom(json['featureFiles'], `${where} featureFiles`);
  return { files: numberIn(featureFiles, 'files', where), bytes: numberIn(featureFiles, 'bytes', where) };
}

function columnFrom(entry: unknown, where: string): LevelColumn {
  const json = objectFrom(entry, where);
  const type = COLUMN_KINDS.find((known) => known === json['type']);
  if (type === undefined)
    throw new FormatError(where, `type is ${JSON.stringify(json['type'])}, expected ${COLUMN_KINDS.join(', ')}`);
  return { name: textIn(json, 'name', where), type };
}

/** Columns by their tags. */
function taggedColumnsIn(json: JsonObject, member: string, where: string): Record<string, string> {
  const place = `${where} ${member}`;
  const columns = objectFrom(json[member], place);
  return Object.fromEntries(Object.keys(columns).map((tag) => [tag, shownTextIn(columns, tag, place)]));
}

function nestingIn(json: JsonObject, where: string): number | null {
  const share = json['nesting'];
  if (share === null || (typeof share === 'number' && share >= 0 && share <= 1)) return share;
  throw new FormatError(where, `nesting is ${JSON.stringify(share)}, expected a number from 0 to 1, or null`);
}
