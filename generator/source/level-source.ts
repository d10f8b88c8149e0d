// The description of the units of a level in the source: plain data, so that it can be sent to another process, which
// opens the layers again.
import type { Level } from '../../format/levels.ts';
import { sourceName } from './source-options.ts';

/** The type of a column in the source, by which its values are written; `other` for lists. */
export type ColumnType =
  | 'boolean'
  | 'integer'
  | 'integer64'
  | 'real'
  | 'string'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'binary'
  | 'other';

/** A field of a layer, at its index in the layer. */
export interface SourceField {
  name: string;
  type: ColumnType;
  /** Does it only repeat the geometry as text? */
  isGeometry: boolean;
}

/** A published column. */
export interface Column {
  /** Its name in the published features. */
  name: string;
  type: ColumnType;
  /** Indexes of its fields in the layer. Several fields: their values are joined with dots. */
  fields: readonly number[];
}

/** A published column by its tag. */
export type TaggedColumn = readonly [tag: string, column: string];

/** A layer and the level of its units. */
export interface LevelLayer {
  /** The name for `gdal.open`. */
  path: string;
  /** The layer's name. */
  layer: string;
  level: Level;
}

/** A layer of the source that holds units of a level. */
export interface LayerSource extends LevelLayer {
  /** The layer of the source that it was made from, by dissolving; undefined for one of the source. */
  madeFrom?: Pick<LevelLayer, 'path' | 'layer'>;
  /** GDAL's name of the dataset's format: it is opened as no other. */
  driver: string;
  /** The encoding of its texts, where the file does not say it; undefined for what GDAL finds. */
  encoding: string | undefined;
  /** The code of its CRS, where the file states none or a wrong one; undefined for what it states. */
  crs: string | undefined;
  /** Only the features for which this condition (SQL WHERE) holds; undefined for all. */
  where: string | undefined;
  /** A SELECT statement in OGR SQL whose result is read instead of the layer; undefined for the layer itself. */
  sql: string | undefined;
  /** Are polygons repaired that are not valid? */
  isMadeValid: boolean;
  /** GDAL's feature count. */
  features: number;
  /** Number of the features that the condition leaves out. */
  leftOut: number;
  /** Its fields, those of parents that are found by place last. */
  fields: readonly SourceField[];
  /** The published columns, in order, besides the fid. */
  columns: readonly Column[];
  /** The field whose values are the fids of the units; undefined if GDAL says them. */
  fidField?: number;
  /**
   * For each n = 0 .. level the fields whose values, joined with dots, are the GID at level n; empty if the units have
   * no parent at that level.
   */
  gids: readonly (readonly number[])[];
  /**
   * The levels whose GIDs are those of the parent that is found by place: they are the values of fields that follow the
   * layer's own.
   */
  placed: readonly Level[];
  /** For each n = 0 .. level the name of the published column that has this GID; empty if there is none. */
  gidColumns: readonly string[];
  /** The name of the published column with the units' names; empty if there is none. */
  nameColumn: string;
  /** The published columns with names in languages, by tag, and with codes, by key; both sorted. */
  languages: readonly TaggedColumn[];
  codes: readonly TaggedColumn[];
  /** The name of the published column with the units' types; empty if there is none. */
  typeColumn: string;
  /** The type of the units that have none in that column; undefined if there is none. */
  typeName?: string | undefined;
  /** The names of the published columns with other names of the units, which are found by them. */
  searchColumns: readonly string[];
}

/** What to read of a dataset. */
export type Selection = Pick<LayerSource, 'path' | 'driver' | 'encoding' | 'layer' | 'level' | 'where' | 'sql' | 'crs'>;

/** The layers of a level, in the order in which they are read; none for a level that the dataset lacks. */
export interface LevelSource {
  level: Level;
  layers: readonly LayerSource[];
  /** Fail if units of several layers have the same fid, instead of numbering the level's units from 1. */
  keepFids?: boolean | undefined;
  /** The level of the parents that are found by place, and the file that has them (store/placed-parents.ts). */
  place?: { of: Level; file: string } | undefined;
}

/** A layer whose features are united to the units of levels. */
export interface DissolvedLayer extends Selection {
  /** The levels that are made, ascending. */
  levels: readonly Level[];
  /** Do its features end at different levels, like those of GADM's single-layer download (gadm_410.gpkg)? */
  isSingle: boolean;
  /** Does 0 stand for no unit in the last column of a composed GID, as in GADM 2? */
  isZeroNone: boolean;
  /** For each n = 0 .. level the fields whose values, joined with dots, are the GID at level n, and their names. */
  gids: readonly (readonly number[])[];
  columns: readonly string[];
  /** Its fields. */
  fields: readonly SourceField[];
  /** For each level that is made the names of further columns that it keeps. */
  kept: readonly (readonly string[])[];
  /** For each level that is made the fields by which units are told apart (same-unit.ts); none if it is not asked. */
  telling: readonly (readonly number[])[];
}

/** Levels that were made from a layer: their units are read from these instead. */
export interface MadeLevels extends Pick<DissolvedLayer, 'path' | 'layer' | 'levels'> {
  /** Paths of GeoPackages with a layer for each level. The fids of a level are unique across them. */
  parts: readonly string[];
  /** For each level the fields of the source that it has, in the order of its own, which have other names. */
  fields: readonly (readonly SourceField[])[];
}

/** The name of the layer of a level that was made. */
export function partLayer(level: Level): string {
  return `ADM_${level}`;
}

/** Number of features in all layers of a level. */
export function featureCount({ layers }: LevelSource): number {
  return layers.reduce((sum, { features }) => sum + features, 0);
}

/** The names of the GID columns 0 .. level of a level's layers, which have the same ones. */
export function gidColumnsOf({ level, layers }: LevelSource): readonly string[] {
  return layers[0]?.gidColumns ?? Array.from({ length: level + 1 }, () => '');
}

/** Maximum number of names of layers or files that are listed. */
const LISTED_NAMES = 3;

/** The names of a level's layers, for people. */
export function layerNames({ layers }: LevelSource): string {
  return namesInShort(layers.map(({ layer }) => layer));
}

/** Names, each once; of many the first ones and the number of the others. */
export function namesInShort(all: readonly string[]): string {
  const names = [...new Set(all)];
  const listed = names.slice(0, LISTED_NAMES).join(', ');
  return names.length > LISTED_NAMES ? `${listed} and ${names.length - LISTED_NAMES} more` : listed;
}

/** The file and the name of a layer, for findings: of one that was made, those of the source. */
export function foundIn({ madeFrom, ...own }: Pick<LayerSource, 'path' | 'layer' | 'madeFrom'>): string {
  const { path, layer } = madeFrom ?? own;
  return `${sourceName(path)}: layer ${layer}`;
}

/** Where a layer is, for messages: of one that was made, where that is of which it was. */
export function layerToText({ madeFrom, ...own }: LevelLayer & Pick<LayerSource, 'madeFrom'>): string {
  const { path, layer, level } = { ...own, ...madeFrom };
  return `${path}: layer ${layer} (level ${level})`;
}

/** Are two layers the same one of the source? */
export function isSameLayer(
  one: Pick<LayerSource, 'path' | 'layer'>,
  other: Pick<LayerSource, 'path' | 'layer'>,
): boolean {
  return one.path === other.path && one.layer === other.layer;
}
