// release.json, the description of a release, and current.json, the pointer to the current one.
import { type PublishedChanges, publishedChangesIn } from './changes.ts';
import { PRECISION_MAX } from './grid.ts';
import { isReleaseId, RELEASE_ID_RULE } from './layout.ts';
import type { Format, Geometry, Level, StoredPages } from './levels.ts';
import { GEOMETRIES, LEVELS } from './levels.ts';
import { geometriesIn, storedPagesIn } from './manifest.ts';
import type { JsonObject } from './parse.ts';
import {
  booleanIn,
  FormatError,
  listIn,
  numberIn,
  objectFrom,
  shownTextIn,
  shownTextsIn,
  textIn,
  textsIn,
} from './parse.ts';
import { FORMAT_VERSION, versionProblem } from './version.ts';

/** A file of the source dataset. */
export interface SourceFile {
  /** Base name, or path relative to the source folder. */
  name: string;
  /** Undefined, like the digest, for a URL or a database. */
  bytes?: number | undefined;
  sha256?: string | undefined;
}

/** A coordinate reference system (CRS) of the source, and how it was brought to WGS 84. */
export interface SourceCrs {
  /** Where it is, for people: files and layers. */
  layers: readonly string[];
  /** Its code, e.g. `EPSG:2056`, or its name. */
  crs: string;
  /** Who says so: the source, the option `crs` of the build, or nobody: it was assumed. */
  origin: 'source' | 'option' | 'assumed';
  /** The CRS that the source states, where the option says another. */
  replaced?: string | undefined;
  /** PROJ's names of the operations; none where only a projection is undone, or where none is known. */
  operations: readonly string[];
  /** Accuracy of the worst one in metres; undefined if it is not known. */
  accuracy?: number | undefined;
}

/** A kind of problem in the data of a level, with the number of cases. */
export interface Finding {
  level: Level;
  /** A stable name, e.g. `empty-geometries`. */
  kind: string;
  count: number;
  /** Where the first one is, for people. */
  example: string;
  /** The GIDs of the units, where they have no shape or another one than in the source: the first 100. */
  units?: readonly string[] | undefined;
  /** The pairs of units that overlap, by their GIDs: the 100 with the most area in common, the largest first. */
  pairs?: readonly OverlappingPair[] | undefined;
}

/** Two units that have an area in common. */
export interface OverlappingPair {
  gids: readonly string[];
  km2: number;
}

/** A file of the release, or the beginning of one, that is read whole, and how to check it. */
export interface CheckedFile {
  /** Bytes of the file. */
  bytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
}

/** A file of cells: its beginning is read whole, the rest cell by cell. */
export interface CellsFile extends CheckedFile {
  directory: CheckedFile;
}

/** Vector tiles: an archive, whose root directory is read whole, and beside it what its parts must be. */
export interface TilesFile extends CheckedFile {
  /** The beginning of the archive: header, root directory and metadata. */
  directory: CheckedFile;
  /** tiles.digest, and its beginning. */
  digests: CheckedFile & { head: CheckedFile };
  minzoom: number;
  maxzoom: number;
  /** The languages in which its units have names besides the default ones: their tags; undefined for none. */
  languages?: readonly string[] | undefined;
  /** How many units have a polygon in its tiles of `maxzoom`. */
  units: number;
}

/** A file of neighbours. */
export interface NeighboursFile extends CheckedFile {
  /** The same as a table. */
  table: WholeFile;
}

/** Bytes of each block of a table but the last: units.digest has 8 bytes of the SHA-256 of each. */
export const TABLE_BLOCK_BYTES: number = 64 * 1024;

/** A level as a table, whose blocks are checked by the digests beside it. */
export interface TableFile extends CheckedFile {
  /** Its units. */
  rows: number;
  digests: CheckedFile;
}

/** A file that is served whole: one gzip member. */
export interface WholeFile extends CheckedFile {
  /** Bytes of its text. */
  textBytes: number;
}

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

/** What decides the files of a release, besides its source. */
export interface ReleaseContents {
  /** Decimals of the coordinates, 0 to 12. */
  precision: number;
  /** Which pages are stored as files. */
  storedPages: StoredPages;
  /** The geometries of its units, `full` among them, in the order of `GEOMETRIES`. */
  geometries: readonly Geometry[];
  /** Has it cells, which say which units are at a point? */
  cells: boolean;
  /** The deepest zoom of its vector tiles; undefined if it has none. */
  tiles?: number | undefined;
  /** Has it neighbours, which say which units share a border? */
  neighbours: boolean;
  /** Has it each level that has units as a table, GeoParquet? */
  parquet: boolean;
}

/** What release.json says of a release besides its files. */
export interface ReleaseAbout extends ReleaseContents {
  release: string;
  /** The date of the release, `YYYY-MM-DD`, to be shown with the data; undefined if the build was given none. */
  date?: string | undefined;
  source: readonly SourceFile[];
  /** Its CRS; undefined in releases of versions that did not record it. */
  crs?: readonly SourceCrs[] | undefined;
  /** Version of the GDAL that read the source. */
  gdal: string;
  /** The licence of the data: an SPDX identifier or a URL; undefined if the build was given none. */
  licence?: string | undefined;
  /** Attribution texts, to be shown with the data; may be empty. */
  attribution: readonly string[];
  /**
   * The build's options that decide the content, besides those above: the values of each as on the command line, none
   * for a flag. Readers need not know their names.
   */
  options: Readonly<Record<string, readonly string[]>>;
  /** Problems of the data, accepted or not severe. */
  quality: readonly Finding[];
}

/** release.json. */
export interface Release extends ReleaseAbout {
  /** Its number among the releases of its output folder, from 1: that of a later one is greater. */
  sequence: number;
  /** The languages in which some level has names: their tags, ascending. */
  languages: readonly string[];
  /** All six levels, ascending. */
  levels: readonly LevelSummary[];
}

/** The languages of some levels. */
export function languagesOf(levels: readonly Pick<LevelAbout, 'nameColumns'>[]): string[] {
  return [...new Set(levels.flatMap(({ nameColumns = {} }) => Object.keys(nameColumns)))].sort();
}

/** current.json. */
export interface Current {
  /** The release that answers requests without a cursor. */
  release: string;
  /** Every hosted release, the current one included. A cursor of any other release is answered 410. */
  hosted: readonly string[];
  /** SHA-256 of each release.json in hex, by id: the root of all other digests of a release. */
  digests: ReadonlyMap<string, string>;
  /** The changes between releases that are published, oldest first; undefined where there are none. */
  changes?: readonly PublishedChanges[] | undefined;
  /** gone.bin, beside them; undefined where there are none. */
  gone?: CheckedFile | undefined;
}

/** What current.json says of releases, and its members, of which others are of what lies beside them. */
export interface Pointer extends Pick<Current, 'release' | 'hosted' | 'digests'> {
  members: JsonObject;
}

/** A file of a release of another format version. */
export class FormatVersionError extends FormatError {
  readonly version: number;
  /** The release that it is of, or names; undefined if it says none. */
  readonly release: string | undefined;

  constructor(file: string, version: number, release?: string) {
    super(file, versionProblem(version));
    this.version = version;
    this.release = release;
  }
}

/** Is it a date as `YYYY-MM-DD`? */
export function isDate(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/** Maximum size of a release.json: it lists the files of the source, of which there may be tens of thousands. */
export const RELEASE_MAX_BYTES: number = 16 * 1024 * 1024;

/**
 * Reads release.json.
 * @throws FormatError that names the file, the member, what was got and what was expected; FormatVersionError first
 */
export function releaseFromJson(text: string, file: string): Release {
  const json = versioned(text, file);
  const levels = listIn(json, 'levels', file).map((entry, i) => levelFrom(entry, i, `${file} levels[${i}]`));
  if (levels.length !== LEVELS.length)
    throw new FormatError(file, `${levels.length} levels, expected ${LEVELS.length}`);
  const about = releaseAboutFrom(json, file);
  for (const { level, geometries } of levels)
    if (['full', ...Object.keys(geometries)].join() !== about.geometries.join())
      throw new FormatError(file, `level ${level} has other geometries than the release`);
  for (const { level, tiles } of levels)
    if (tiles !== undefined && tiles.maxzoom !== about.tiles)
      throw new FormatError(file, `level ${level} has tiles to zoom ${tiles.maxzoom}, the release to ${about.tiles}`);
  for (const summary of levels)
    for (const member of ['cells', 'neighbours'] as const)
      if ((summary[member] !== undefined) !== about[member])
        throw new FormatError(
          file,
          `level ${summary.level} has ${about[member] ? 'no ' : ''}${member}, which the release does not say`,
        );
  for (const { level, features, parquet } of levels)
    if ((parquet !== undefined) !== (about.parquet && features > 0))
      throw new FormatError(
        file,
        `level ${level} has ${parquet === undefined ? 'no' : 'a'} table, which the release does not say`,
      );
  const languages = json['languages'] === undefined ? [] : shownTextsIn(json, 'languages', file);
  const ofLevels = languagesOf(levels);
  if (languages.join() !== ofLevels.join())
    throw new FormatError(
      file,
      `languages is ${JSON.stringify(languages)}, its levels have ${JSON.stringify(ofLevels)}`,
    );
  return {
    ...about,
    sequence: numberIn(json, 'sequence', file),
    languages,
    levels,
  };
}

/** The members of release.json that do not describe its files. @throws FormatError likewise */
export function releaseAboutFrom(json: JsonObject, file: string): ReleaseAbout {
  const options = objectFrom(json['options'], `${file} options`);
  return {
    release: releaseIdIn(json, file),
    ...(json['date'] !== undefined && { date: dateIn(json, file) }),
    source: listIn(json, 'source', file).map((entry, i) => {
      const where = `${file} source[${i}]`;
      const source = objectFrom(entry, where);
      const name = textIn(source, 'name', where);
      if (source['sha256'] === undefined && source['bytes'] === undefined) return { name };
      return { name, bytes: numberIn(source, 'bytes', where), sha256: textIn(source, 'sha256', where) };
    }),
    ...(json['crs'] !== undefined && {
      crs: listIn(json, 'crs', file).map((entry, i) => sourceCrsFrom(entry, `${file} crs[${i}]`)),
    }),
    gdal: textIn(json, 'gdal', file),
    precision: numberIn(json, 'precision', file, PRECISION_MAX),
    storedPages: storedPagesIn(json, file),
    geometries: geometryNamesIn(json, file),
    cells: booleanIn(json, 'cells', file),
    neighbours: booleanIn(json, 'neighbours', file),
    parquet: json['parquet'] !== undefined && booleanIn(json, 'parquet', file),
    ...(json['tiles'] !== undefined && { tiles: numberIn(json, 'tiles', file) }),
    ...(json['licence'] !== undefined && { licence: shownTextIn(json, 'licence', file) }),
    attribution: shownTextsIn(json, 'attribution', file),
    options: Object.fromEntries(Object.keys(options).map((name) => [name, textsIn(options, name, `${file} options`)])),
    quality: findingsIn(json, 'quality', file),
  };
}

/** The geometries of a release, `full` first. @throws FormatError for others */
export function geometryNamesIn(json: JsonObject, file: string): Geometry[] {
  const names = textsIn(json, 'geometries', file);
  const known = GEOMETRIES.filter((geometry) => names.includes(geometry));
  if (known.join() !== names.join() || known[0] !== 'full')
    throw new FormatError(
      file,
      `geometries is ${JSON.stringify(names)}, expected some of ${GEOMETRIES.join(', ')}, full first`,
    );
  return known;
}

function dateIn(json: JsonObject, file: string): string {
  const date = textIn(json, 'date', file);
  if (!isDate(date)) throw new FormatError(file, `date is ${JSON.stringify(date)}, expected YYYY-MM-DD`);
  return date;
}

/** The member as a list of findings. */
export function findingsIn(json: JsonObject, member: string, where: string): Finding[] {
  return listIn(json, member, where).map((entry, i) => findingFrom(entry, `${where} ${member}[${i}]`));
}

/**
 * Reads current.json.
 * @throws FormatError that names the file, the member, what was got and what was expected; FormatVersionError first
 */
export function currentFromJson(text: string, file: string): Current {
  const { members, ...pointer } = pointerFromJson(text, file);
  return { ...pointer, ...changesIn(members, file) };
}

/** The changes that current.json names. @throws FormatError likewise */
export function changesIn(members: JsonObject, file: string): Pick<Current, 'changes' | 'gone'> {
  const gone = goneIn(members, file);
  return {
    ...(members['changes'] !== undefined && { changes: publishedChangesIn(members, file) }),
    ...(gone !== undefined && { gone }),
  };
}

/** What current.json says of gone.bin; undefined if there is none. @throws FormatError likewise */
export function goneIn(members: JsonObject, file: string): CheckedFile | undefined {
  return members['gone'] === undefined ? undefined : checkedFileIn(members, 'gone', file);
}

/** Reads current.json but for what lies beside the releases. @throws FormatError likewise */
export function pointerFromJson(text: string, file: string): Pointer {
  const members = versioned(text, file);
  const release = releaseIdIn(members, file);
  const hosted = textsIn(members, 'hosted', file);
  const invalid = hosted.find((id) => !isReleaseId(id));
  if (invalid !== undefined)
    throw new FormatError(file, `hosted names ${JSON.stringify(invalid)}, expected ${RELEASE_ID_RULE}`);
  if (!hosted.includes(release)) throw new FormatError(file, `release ${release} is not among the hosted ones`);
  const digests = objectFrom(members['digests'], `${file} digests`);
  for (const id of hosted)
    if (!/^[0-9a-f]{64}$/.test(textIn(digests, id, `${file} digests`)))
      throw new FormatError(file, `digests.${id} is ${JSON.stringify(digests[id])}, expected a SHA-256 in hex`);
  return {
    release,
    hosted,
    digests: new Map(hosted.map((id) => [id, textIn(digests, id, file)])),
    members,
  };
}

function versioned(text: string, file: string): JsonObject {
  const json = objectFrom(text, file);
  const version = numberIn(json, 'version', file);
  if (version !== FORMAT_VERSION) {
    const { release } = json;
    const isNamed = typeof release === 'string' && isReleaseId(release);
    throw new FormatVersionError(file, version, isNamed ? release : undefined);
  }
  return json;
}

function releaseIdIn(json: JsonObject, file: string): string {
  const id = textIn(json, 'release', file);
  if (!isReleaseId(id)) throw new FormatError(file, `release is ${JSON.stringify(id)}, expected ${RELEASE_ID_RULE}`);
  return id;
}

function sourceCrsFrom(entry: unknown, where: string): SourceCrs {
  const json = objectFrom(entry, where);
  const origin = (['source', 'option', 'assumed'] as const).find((known) => known === json['origin']);
  if (origin === undefined) throw new FormatError(where, `origin is ${JSON.stringify(json['origin'])}`);
  return {
    layers: textsIn(json, 'layers', where),
    crs: textIn(json, 'crs', where),
    origin,
    ...(json['replaced'] !== undefined && { replaced: textIn(json, 'replaced', where) }),
    operations: textsIn(json, 'operations', where),
    ...(json['accuracy'] !== undefined && { accuracy: metresIn(json, 'accuracy', where) }),
  };
}

/** The member as a number >= 0. */
function metresIn(json: JsonObject, member: string, where: string): number {
  const metres = json[member];
  if (typeof metres === 'number' && Number.isFinite(metres) && metres >= 0) return metres;
  throw new FormatError(where, `${member} is ${JSON.stringify(metres)}, expected a number of metres`);
}

function findingFrom(entry: unknown, where: string): Finding {
  const json = objectFrom(entry, where);
  const level = LEVELS.find((n) => n === json['level']);
  if (level === undefined) throw new FormatError(where, `level is ${JSON.stringify(json['level'])}`);
  return {
    level,
    kind: textIn(json, 'kind', where),
    count: numberIn(json, 'count', where),
    example: textIn(json, 'example', where),
    ...(json['units'] !== undefined && { units: textsIn(json, 'units', where) }),
    ...(json['pairs'] !== undefined && {
      pairs: listIn(json, 'pairs', where).map((pair, i) => overlappingPairFrom(pair, `${where} pairs[${i}]`)),
    }),
  };
}

function overlappingPairFrom(entry: unknown, where: string): OverlappingPair {
  const json = objectFrom(entry, where);
  const gids = textsIn(json, 'gids', where);
  if (gids.length !== 2) throw new FormatError(where, `${gids.length} gids, expected 2`);
  const { km2 } = json;
  if (typeof km2 !== 'number' || km2 < 0)
    throw new FormatError(where, `km2 is ${JSON.stringify(km2)}, expected a number`);
  return { gids, km2 };
}

function levelFrom(entry: unknown, i: number, where: string): LevelSummary {
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

function wholeFileIn(json: JsonObject, member: string, where: string): WholeFile {
  const place = `${where} ${member}`;
  const { bytes, sha256 } = checkedFileIn(json, member, where);
  return { bytes, textBytes: numberIn(objectFrom(json[member], place), 'textBytes', place), sha256 };
}

function cellsFileIn(json: JsonObject, where: string): CellsFile {
  const file = objectFrom(json['cells'], `${where} cells`);
  return { ...checkedFileIn(json, 'cells', where), directory: checkedFileIn(file, 'directory', `${where} cells`) };
}

function tilesFileIn(json: JsonObject, where: string): TilesFile {
  const [file, place] = [objectFrom(json['tiles'], `${where} tiles`), `${where} tiles`];
  const digests = objectFrom(file['digests'], `${place} digests`);
  return {
    ...checkedFileIn(json, 'tiles', where),
    directory: checkedFileIn(file, 'directory', place),
    digests: { ...checkedFileIn(file, 'digests', place), head: checkedFileIn(digests, 'head', `${place} digests`) },
    minzoom: numberIn(file, 'minzoom', place),
    maxzoom: numberIn(file, 'maxzoom', place),
    ...(file['languages'] !== undefined && { languages: shownTextsIn(file, 'languages', place) }),
    units: numberIn(file, 'units', place),
  };
}

function neighboursFileIn(json: JsonObject, where: string): NeighboursFile {
  const place = `${where} neighbours`;
  const file = objectFrom(json['neighbours'], place);
  return { ...checkedFileIn(json, 'neighbours', where), table: wholeFileIn(file, 'table', place) };
}

function tableFileIn(json: JsonObject, where: string): TableFile {
  const [file, place] = [objectFrom(json['parquet'], `${where} parquet`), `${where} parquet`];
  return {
    ...checkedFileIn(json, 'parquet', where),
    rows: numberIn(file, 'rows', place),
    digests: checkedFileIn(file, 'digests', place),
  };
}

function nestingIn(json: JsonObject, where: string): number | null {
  const share = json['nesting'];
  if (share === null || (typeof share === 'number' && share >= 0 && share <= 1)) return share;
  throw new FormatError(where, `nesting is ${JSON.stringify(share)}, expected a number from 0 to 1, or null`);
}

function checkedFileIn(json: JsonObject, member: string, where: string): CheckedFile {
  const place = `${where} ${member}`;
  const file = objectFrom(json[member], place);
  return { bytes: numberIn(file, 'bytes', place), sha256: textIn(file, 'sha256', place) };
}
