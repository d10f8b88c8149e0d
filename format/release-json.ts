// release.json, the description of a release.
import { type Finding, findingsIn } from './findings.ts';
import { PRECISION_MAX } from './grid.ts';
import { type LevelSummary, languagesOf, levelFromJson } from './level-json.ts';
import { GEOMETRIES, type Geometry, LEVELS, type StoredPages } from './levels.ts';
import { storedPagesIn } from './manifest.ts';
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
  textsIn,
} from './parse.ts';
import { releaseIdIn, versioned } from './versioned-json.ts';

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
  const levels = listIn(json, 'levels', file).map((entry, i) => levelFromJson(entry, i, `${file} levels[${i}]`));
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
