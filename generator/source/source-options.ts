// The options that describe the source: where it is, and how its layers and columns become levels.
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Level, levelName } from '../../format/levels.ts';

/** An option that applies to one level, or to all levels if `level` is undefined. */
export interface LevelOption {
  level: Level | undefined;
  value: string;
}

/** A column of a level by a tag: a language (`fr`), or a key of codes (`iso2`). */
export interface TaggedOption {
  level: Level;
  tag: string;
  value: string;
}

/** The value of `--languages` and `--codes` for all that there are. */
export const ALL = 'all';

/** `--gid-column`: the columns of the GIDs of a level. */
export interface GidColumnOption {
  /** The level of the units whose columns these are; undefined for all. */
  level: Level | undefined;
  /** The level of the GIDs: `level` itself, or that of a parent. */
  of: Level;
  /** Column names; the values of several are joined with dots. Empty: the units have no parent at that level. */
  columns: readonly string[];
}

/** `--parent-by-place`: the units of a level get the unit of a level above that holds their point as parent. */
export interface PlaceOption {
  level: Level;
  /** The level of the parents; undefined for the nearest one above that is published. */
  of: Level | undefined;
}

/** `--dissolve`: the units of a level are the unions of the features that share their GID. */
export interface DissolveOption {
  level: Level;
  /** The level of these features: `level` itself, or one below, of which only a column says which unit they are in. */
  of: Level;
}

/** The options that describe the source. */
export interface SourceOptions {
  /** Files, folders, archives, URLs and connection strings, in order. */
  source: readonly string[];
  /** The levels to publish; others are published as empty. */
  levels: readonly Level[];
  /**
   * Names of the layers of a level, or `FILE:LAYER`, in which `*` stands for any characters, or `!` and either for all
   * others; a level without any is found by columns.
   */
  layers?: readonly LevelOption[] | undefined;
  /** The GID columns, where they differ from the known schemas. */
  gidColumns?: readonly GidColumnOption[] | undefined;
  /** The levels whose units have no columns of parents: these are found by place. */
  parentByPlace?: readonly PlaceOption[] | undefined;
  /** The levels whose units are united from features. */
  dissolve?: readonly DissolveOption[] | undefined;
  /** The columns that have the units' names, where they differ from the known schemas. */
  nameColumns?: readonly LevelOption[] | undefined;
  /** The columns with names in languages. */
  languageColumns?: readonly TaggedOption[] | undefined;
  /** The columns with codes. */
  codeColumns?: readonly TaggedOption[] | undefined;
  /** Languages, and keys of codes, whose columns are taken where a known schema has them, or `all`. */
  languages?: readonly string[] | undefined;
  codes?: readonly string[] | undefined;
  /** The columns that have the units' types, where they differ from the known schemas. */
  typeColumns?: readonly LevelOption[] | undefined;
  /** What the units of a level are called that have no type of their own, e.g. `Wilaya`. */
  typeNames?: readonly LevelOption[] | undefined;
  /** Columns with other names of the units, besides those of the known schemas. */
  searchColumns?: readonly LevelOption[] | undefined;
  /** Conditions (SQL WHERE) that select the units of a level. */
  where?: readonly LevelOption[] | undefined;
  /** SELECT statements (OGR SQL) that are read instead of the layers of a level. */
  sql?: readonly LevelOption[] | undefined;
  /** Comma-separated lists of columns to keep (`NAME`), drop (`-NAME`) or rename (`NAME:new`). */
  columns?: readonly LevelOption[] | undefined;
  /** Fail if units of several layers have the same fid, instead of numbering the level's units from 1. */
  keepFids?: boolean | undefined;
  /** The codes of the CRS of layers that state none, or a wrong one, e.g. `EPSG:4301`. */
  crs?: readonly LevelOption[] | undefined;
  /** The encoding of texts in files that do not say it, e.g. `CP1252`: of Shapefiles. */
  encoding?: string | undefined;
  /** Repair polygons that are not valid. */
  makeValid?: boolean | undefined;
}

export function placeToText({ level, of }: PlaceOption): string {
  return of === undefined ? levelName(level) : `${levelName(level)}:${levelName(of)}`;
}

export function gidColumnToText({ level, of, columns }: GidColumnOption): string {
  const levels = level === undefined ? levelName(of) : `${levelName(level)}:${levelName(of)}`;
  return `${levels}=${columns.join('+')}`;
}

export function dissolveToText({ level, of }: DissolveOption): string {
  return of === level ? levelName(level) : `${levelName(level)}=${levelName(of)}`;
}

/** The values of an option that apply to a level. */
export function valuesFor(options: readonly LevelOption[] | undefined, level: Level): string[] {
  return (options ?? [])
    .filter((option) => option.level === undefined || option.level === level)
    .map(({ value }) => value);
}

/** The columns of a level by tag, sorted by tag. */
export function columnsByTag(
  options: readonly TaggedOption[] | undefined,
  level: Level,
): [tag: string, value: string][] {
  const own = (options ?? []).filter((option) => option.level === level);
  return [...new Map(own.map(({ tag, value }) => [tag, value]))].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Is it the name of something other than a local file: a URL, a connection string, a path of a GDAL file system? */
export function isRemote(path: string): boolean {
  return /^(\/vsi|[A-Za-z][A-Za-z0-9_+-]+:)/.test(path) && !existsSync(path);
}

/** The local file that a path begins with; empty if it begins with none. */
function archiveIn(path: string): string {
  const ends = Array.from(path.matchAll(/[/}]|$/g), ({ index }) => index);
  const end = ends.find((at) => existsSync(path.slice(0, at)) && statSync(path.slice(0, at)).isFile());
  return path.slice(0, end ?? 0);
}

/**
 * The name of a part of the source for release.json, which is public: of a file that of the file, also of one in a local
 * archive that of the archive, of a URL without user and query, of a connection the format and the database.
 */
export function sourceName(path: string): string {
  if (!isRemote(path)) return basename(resolve(path));
  const [, archives = '', inside = ''] = /^((?:\/vsi[a-z0-9]+\/)+\{?)(.*)$/s.exec(path) ?? [];
  const archive = archiveIn(inside);
  if (archive !== '') return `${archives}${basename(archive)}${inside.slice(archive.length)}`;
  const [, driver] = /^([A-Za-z][\w+-]*:)(?!\/\/|https?:)/.exec(path) ?? [];
  if (driver === undefined) return path.replace(/\/\/[^/@]*@/, '//').replace(/\?.*$/, '');
  const [, name, database] = /\b(dbname|database)\s*=\s*'?([^'\s,;]+)/i.exec(path) ?? [];
  return name === undefined ? driver : `${driver}${name}=${database}`;
}
