// Opens a dataset through GDAL (read-only) and finds the layer of each level by its GID_n columns.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import { attributionOf } from './attribution.ts';
import { type Column, columnsOf } from './columns.ts';
import { gdal } from './gdal.ts';

/** The options that describe the source. */
export interface SourceOptions {
  /** Files or folders, in the order of the command line. */
  source: readonly string[];
  /** Layer names by level; otherwise the GID columns decide. */
  layers: Readonly<Partial<Record<Level, string>>>;
  /** Names of the GID columns by level; `GID_n` by default. */
  gidColumns: Readonly<Partial<Record<Level, string>>>;
  /** The levels to publish; others are published as empty. */
  levels: readonly Level[];
}

/** The layer of a level. Plain data, so that it can be sent to another process, which opens the layer again. */
export interface LevelLayer {
  level: Level;
  /** The path for `gdal.open`. */
  path: string;
  layer: string;
  /** GDAL's feature count. */
  features: number;
  columns: readonly Column[];
  /** For each n = 0 .. level, the index of the GID_n column in `columns`. */
  gidColumns: readonly number[];
}

/** An opened layer. */
export interface OpenLayer {
  layer: gdalTypes.Layer;
  /** Transforms a geometry to WGS 84 in place; undefined if it is in WGS 84 already. */
  transformation: gdalTypes.CoordinateTransformation | undefined;
  close(): void;
}

/** Version of the GDAL in use, e.g. `3.6.2`. */
export function gdalVersion(): string {
  return gdal.version;
}

/**
 * Finds the layer of every level in the source.
 * @throws BuildError if a file cannot be opened, no layer has GID columns, two layers have the same level, a layer lacks
 *   the column of a parent level, or the source is GADM's single-layer download
 */
export function findLevels(options: SourceOptions): LevelLayer[] {
  // Fails first if gdal-async is not installed; later the error would name the source.
  gdalVersion();
  const found: LevelLayer[] = [];
  const seen: string[] = [];
  for (const path of options.source.flatMap(expandSource)) {
    const dataset = openDataset(path);
    for (const layer of dataset.layers) {
      const columns = columnsOf(dataset, layer);
      seen.push(`${layer.name} (${columns.map((column) => column.name).join(', ')})`);
      const level = levelOf(layer.name, columns, options);
      if (level === undefined) continue;
      const twin = found.find((other) => other.level === level);
      if (twin) {
        throw new BuildError(
          `${path}: layers ${twin.layer} and ${layer.name} are both level ${level}`,
          `choose one, e.g. --layer ${levelName(level)}=${layer.name}`,
        );
      }
      const gidColumns = gidColumnsOf(path, layer.name, level, columns, options);
      found.push({ level, path, layer: layer.name, features: layer.features.count(true), columns, gidColumns });
    }
    dataset.close();
  }
  for (const [level, name] of Object.entries(options.layers)) {
    if (!found.some((layer) => layer.layer === name)) {
      throw new BuildError(
        `no layer ${name} for level ${level}; the source has ${seen.join('; ')}`,
        `correct --layer lv${level}=${name}`,
      );
    }
  }
  if (found.length === 0) {
    throw new BuildError(
      `no layer of ${options.source.join(', ')} has GID_0 .. GID_5 columns; it has ${seen.join('; ') || 'no layers'}`,
      'name the GID column of each level, e.g. --gid-column lv0=ISO3 lv1=REGION',
    );
  }
  refuseSingleLayer(found);
  return found.filter((layer) => options.levels.includes(layer.level)).sort((a, b) => a.level - b.level);
}

/** The names of the GID columns 0 .. level. */
export function gidColumnNames({ columns, gidColumns }: LevelLayer): string[] {
  return gidColumns.map((at) => elementAt(columns, at).name);
}

/** Opens the layer that `findLevels` found. */
export function openLayer(found: LevelLayer): OpenLayer {
  const dataset = openDataset(found.path);
  const layer = dataset.layers.get(found.layer);
  return { layer, transformation: transformationFor(layer), close: () => dataset.close() };
}

/**
 * Opens a copy of the layer with its curves approximated by straight segments (GDAL's default of 4 degrees a segment):
 * gdal-async has no classes for curves.
 * @param scratch path of the copy; the caller removes it
 */
export function openStraightened(found: LevelLayer, scratch: string): OpenLayer {
  const dataset = openDataset(found.path);
  const options = ['-f', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-preserve_fid', found.layer];
  const straight = gdal.vectorTranslate(scratch, dataset, options);
  dataset.close();
  const layer = straight.layers.get(0);
  return { layer, transformation: transformationFor(layer), close: () => straight.close() };
}

/** The attribution texts in the metadata of the source. */
export function attributionIn(source: readonly string[]): string[] {
  return source.flatMap(expandSource).flatMap((path) => {
    const dataset = openDataset(path);
    const attribution = attributionOf(dataset);
    dataset.close();
    return attribution;
  });
}

/** GDAL's last error message; empty if there is none. */
export function lastGdalError(): string {
  const error: unknown = gdal.lastError;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
}

/** The datasets of a path: if GDAL cannot open a folder as one dataset (e.g. GeoJSON files), the files in it. */
function expandSource(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new BuildError(`${path}: no such file or folder`, 'correct --source');
  if (!isFolder) return [path];
  try {
    gdal.open(path).close();
    return [path];
  } catch {
    const files = readdirSync(path).sort();
    const opened = files.map((file) => join(path, file)).filter(isDataset);
    if (opened.length === 0)
      throw new BuildError(
        `${path}: GDAL cannot open any of its ${files.length} files`,
        'correct --source, or convert the files to a format that GDAL reads, e.g. GeoPackage',
      );
    return opened;
  }
}

function isDataset(path: string): boolean {
  if (statSync(path).isDirectory()) return false;
  try {
    gdal.open(path).close();
    return true;
  } catch {
    return false;
  }
}

function openDataset(path: string): gdalTypes.Dataset {
  try {
    return gdal.open(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BuildError(
      `${path}: GDAL cannot open it: ${reason}`,
      'check that the file is complete and in a format that GDAL reads (ogrinfo FILE)',
    );
  }
}

function levelOf(layer: string, columns: readonly Column[], options: SourceOptions): Level | undefined {
  const named = LEVELS.filter((level) => options.layers[level] !== undefined);
  const claimed = named.find((level) => options.layers[level] === layer);
  if (claimed !== undefined) return claimed;
  const level = LEVELS.findLast((n) => gidColumn(n, columns, options) !== -1);
  return level === undefined || named.includes(level) ? undefined : level;
}

function gidColumn(n: Level, columns: readonly Column[], options: SourceOptions): number {
  const wanted = (options.gidColumns[n] ?? `GID_${n}`).toLowerCase();
  return columns.findIndex((column) => column.name.toLowerCase() === wanted);
}

function gidColumnsOf(
  path: string,
  layer: string,
  level: Level,
  columns: readonly Column[],
  options: SourceOptions,
): number[] {
  return LEVELS.slice(0, level + 1).map((n) => {
    const at = gidColumn(n, columns, options);
    if (at === -1) {
      throw new BuildError(
        `${path}: layer ${layer} is level ${level} but has no column ${options.gidColumns[n] ?? `GID_${n}`}`,
        `name it with --gid-column ${levelName(n)}=COLUMN; the layer has ${columns.map((column) => column.name).join(', ')}`,
      );
    }
    return at;
  });
}

/** GADM's single-layer download holds only the deepest units of each area: it cannot be published as a level. */
function refuseSingleLayer(found: readonly LevelLayer[]): void {
  const [only] = found;
  if (found.length !== 1 || only === undefined || only.level === 0) return;
  const own = elementAt(gidColumnNames(only), only.level);
  const { layer, close } = openLayer(only);
  const quoted = `"${own.replaceAll('"', '""')}"`;
  layer.setAttributeFilter(`${quoted} IS NULL OR ${quoted} = ''`);
  const shallower = layer.features.count(true);
  close();
  if (shallower === 0) return;
  throw new BuildError(
    `${only.path}: its single layer ${only.layer} holds units of several levels: ${shallower} of ${only.features} have no ` +
      `${own}. This is the form of GADM's single-layer download (gadm_410)`,
    "use GADM's file of six separate levels instead: gadm_410-levels.gpkg",
  );
}

function transformationFor(layer: gdalTypes.Layer): gdalTypes.CoordinateTransformation | undefined {
  const { srs } = layer;
  // GDAL's drivers return longitude first, whatever the axis order of the CRS.
  if (srs === null || (srs.isGeographic() && srs.isSameGeogCS(gdal.SpatialReference.fromEPSG(4326)))) return undefined;
  // CRS84 is WGS 84 with longitude first; EPSG:4326 as a target would give latitude first.
  return new gdal.CoordinateTransformation(srs, gdal.SpatialReference.fromURN('urn:ogc:def:crs:OGC:1.3:CRS84'));
}
