// Opens a dataset through GDAL and finds the layer of each level by its GID_n columns. Reads features; never writes.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import { attributionOf } from './attribution.ts';
import { type Column, columnsOf } from './columns.ts';
import { gdal } from './gdal.ts';

/** What the user says about the source. */
export interface SourceOptions {
  /** Files or folders, in the order given. */
  source: readonly string[];
  /** Layer names by level, where the GID columns do not tell. */
  layers: Readonly<Partial<Record<Level, string>>>;
  /** Names of the columns that hold GID_n, by n, where they are called otherwise. */
  gidColumns: Readonly<Partial<Record<Level, string>>>;
  /** The levels to publish; others are published as empty. */
  levels: readonly Level[];
}

/** A layer that was found for a level. Plain data: it can be sent to another process, which opens it again. */
export interface LevelLayer {
  level: Level;
  /** What `gdal.open` takes. */
  path: string;
  layer: string;
  /** As GDAL counts them. */
  features: number;
  columns: readonly Column[];
  /** For each n = 0 .. level, the index of the GID_n column in `columns`. */
  gidColumns: readonly number[];
}

/** An opened layer. */
export interface OpenLayer {
  layer: gdalTypes.Layer;
  /** Brings a geometry to WGS 84 in place; undefined where it is already. */
  transformation: gdalTypes.CoordinateTransformation | undefined;
  close(): void;
}

/** Version of the GDAL in use, e.g. `3.6.2`. */
export function gdalVersion(): string {
  return gdal.version;
}

/**
 * Finds the layer of every level that the source has.
 * @throws BuildError where a file cannot be opened, no layer has GID columns, two claim one level, a level lacks a
 *   parent's column, or the source is GADM's single-layer download
 */
export function findLevels(options: SourceOptions): LevelLayer[] {
  // What is missing here must not look like a fault of the source.
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
          `name the one to take with --layer ${levelName(level)}=${layer.name}`,
        );
      }
      const gidColumns = gidColumnsOf(path, layer.name, level, columns, options);
      found.push({ level, path, layer: layer.name, features: layer.features.count(true), columns, gidColumns });
    }
    dataset.close();
  }
  for (const [level, name] of Object.entries(options.layers)) {
    if (!found.some((layer) => layer.layer === name)) {
      throw new BuildError(`no layer ${name} for level ${level}; the source has ${seen.join('; ')}`, 'mend --layer');
    }
  }
  if (found.length === 0) {
    throw new BuildError(
      `no layer of ${options.source.join(', ')} has GID_0 .. GID_5 columns; it has ${seen.join('; ') || 'no layers'}`,
      'name the columns that hold the GIDs with --gid-column lv0=COLUMN, and so on for each level',
    );
  }
  refuseSingleLayer(found);
  return found.filter((layer) => options.levels.includes(layer.level)).sort((a, b) => a.level - b.level);
}

/** Opens a layer that was found before. */
export function openLayer(found: LevelLayer): OpenLayer {
  const dataset = openDataset(found.path);
  const layer = dataset.layers.get(found.layer);
  return { layer, transformation: transformationFor(layer), close: () => dataset.close() };
}

/**
 * Opens a layer that was found before, with its curves approximated by straight segments (GDAL's default of 4 degrees
 * a segment): gdal-async has no classes for curves.
 * @param scratch where the straightened copy may be written; the caller removes it
 */
export function openStraightened(found: LevelLayer, scratch: string): OpenLayer {
  const dataset = openDataset(found.path);
  const options = ['-f', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-preserve_fid', found.layer];
  const straight = gdal.vectorTranslate(scratch, dataset, options);
  dataset.close();
  const layer = straight.layers.get(0);
  return { layer, transformation: transformationFor(layer), close: () => straight.close() };
}

/** Who must be named where the data is shown, as the source itself says. */
export function attributionIn(source: readonly string[]): string[] {
  return source.flatMap(expandSource).flatMap((path) => {
    const dataset = openDataset(path);
    const attribution = attributionOf(dataset);
    dataset.close();
    return attribution;
  });
}

/** What GDAL said last, for messages; empty where it said nothing. */
export function lastGdalError(): string {
  const error: unknown = gdal.lastError;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
}

/** A folder that GDAL does not open as one dataset (GeoJSON files, say) stands for the files in it. */
function expandSource(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new BuildError(`${path}: no such file or folder`, 'check --source');
  if (!isFolder) return [path];
  try {
    gdal.open(path).close();
    return [path];
  } catch {
    const files = readdirSync(path).sort();
    const opened = files.map((file) => join(path, file)).filter(isDataset);
    if (opened.length === 0)
      throw new BuildError(`${path}: GDAL can read none of its ${files.length} files`, 'check --source');
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
      'check the file; ogrinfo FILE shows what GDAL makes of it',
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

/** GADM's other download holds every unit once, at its deepest level: as a level it would publish nonsense. */
function refuseSingleLayer(found: readonly LevelLayer[]): void {
  const [only] = found;
  if (found.length !== 1 || only === undefined || only.level === 0) return;
  const own = only.columns[only.gidColumns[only.level] ?? 0]?.name ?? '';
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
  // GDAL's drivers give longitude first whatever the CRS says, so its order of axes does not matter here.
  if (srs === null || (srs.isGeographic() && srs.isSameGeogCS(gdal.SpatialReference.fromEPSG(4326)))) return undefined;
  // CRS84 is WGS 84 with longitude first; EPSG:4326 as a target would give latitude first.
  return new gdal.CoordinateTransformation(srs, gdal.SpatialReference.fromURN('urn:ogc:def:crs:OGC:1.3:CRS84'));
}
