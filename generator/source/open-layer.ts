// Opens the layers that level-sources.ts found: as they are, or with 64-bit integers as text.
import type * as gdalTypes from 'gdal-async';
import { crsFrom, crsName, isOnWgs84, isWgs84, statedCrs, toWgs84, WGS84 } from '../gdal/crs.ts';
import { openDataset, takeGdalMessage } from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';
import type { LayerCrs } from './layer-crs.ts';
import type { LayerSource, Selection } from './level-source.ts';

/** A selection, opened. */
export interface OpenSelection {
  dataset: gdalTypes.Dataset;
  layer: gdalTypes.Layer;
}

/** An opened layer. */
export interface OpenLayer {
  layer: gdalTypes.Layer;
  /** Transforms a geometry to WGS 84 in place; undefined if it is in WGS 84 already. */
  transformation: gdalTypes.CoordinateTransformation | undefined;
  /** Are polygons repaired that are not valid? */
  isMadeValid: boolean;
  close(): void;
}

/** The dialect of --sql: it keeps fids and geometries, whatever the format of the source. */
const DIALECT = 'OGRSQL';

/** Opens a selection. @throws BuildError if a condition or statement is not valid */
export function openSelection(selection: Selection): OpenSelection {
  const { path, driver, encoding, layer: name, where, sql } = selection;
  refuseFurtherStatement(selection);
  const dataset = openDataset(path, driver, encoding);
  try {
    const layer = dataset.layers.get(name);
    if (sql !== undefined) {
      refuseUnnameable(selection, layer);
      return { dataset, layer: dataset.executeSQL(sql, undefined, DIALECT) };
    }
    if (where !== undefined) layer.setAttributeFilter(where);
    return { dataset, layer };
  } catch (error) {
    dataset.close();
    takeGdalMessage();
    if (error instanceof BuildError) throw error;
    throw selectionError(selection, error instanceof Error ? error.message : String(error));
  }
}

/**
 * GDAL ignores what follows a semicolon, or a database does it.
 * @throws BuildError for one outside of quotation marks
 */
function refuseFurtherStatement(selection: Selection): void {
  const text = (selection.sql ?? selection.where ?? '').replaceAll(/'[^']*'|"[^"]*"/g, '');
  if (!text.includes(';')) return;
  throw selectionError(selection, 'only one condition or statement is possible, without ;');
}

/**
 * GDAL takes a column `*` for all columns, in place of which it puts this one again, without end; no quotation mark
 * ends after a backslash.
 * @throws BuildError if a statement names such a column
 */
function refuseUnnameable({ path, layer: name, sql = '' }: Selection, layer: gdalTypes.Layer): void {
  const column = layer.fields
    .getNames()
    .find((field) => (field === '*' || field.endsWith('\\')) && sql.includes(field));
  if (column === undefined) return;
  throw new BuildError(
    `${path}: layer ${name} has a column named ${column}, which GDAL's SQL cannot select, and needs SQL: for --sql, or to read integers beyond 2^53`,
    'rename the column in the source',
  );
}

function selectionError({ path, layer, level, where, sql }: Selection, reason: string): BuildError {
  const [option, value] = where === undefined ? ['--sql', sql] : ['--where', where];
  // Integers as text are read by a statement with the condition.
  const isInStatement = where !== undefined && sql !== undefined;
  return new BuildError(
    `${path}: layer ${layer}: ${option} lv${level}=${value}: ${reason}`,
    isInStatement
      ? 'write the condition in OGR SQL, by which layers with integers beyond 2^53 are read'
      : `correct ${option}; ogrinfo shows the columns of the layer`,
  );
}

/** Number of features of a selection. @throws BuildError if GDAL cannot count them */
export function countFeatures({ layer }: OpenSelection, selection: Selection): number {
  const { path, layer: name, level, where, sql } = selection;
  const count = layer.features.count(true);
  const gdalMessage = takeGdalMessage();
  if (!gdalMessage?.isFailure) return count;
  if (where !== undefined || sql !== undefined) throw selectionError(selection, gdalMessage.message);
  throw new BuildError(
    `${path}: layer ${name} (level ${level}): GDAL cannot count its features: ${gdalMessage.message}`,
    'the file is damaged or incomplete: download or copy it again',
  );
}

/** Opens a layer for reading. @param hasTextIntegers whether its 64-bit integers are read as text, not as doubles */
export function openLayer(source: LayerSource, hasTextIntegers: boolean): OpenLayer {
  const { dataset, layer } = openSelection(hasTextIntegers ? withTextIntegers(source) : source);
  const { crs, isMadeValid } = source;
  return { layer, transformation: transformationFor(layer, crs), isMadeValid, close: () => dataset.close() };
}

/** The same with a statement that reads the layer's 64-bit integers as text, its other fields unchanged. */
export function withTextIntegers<Source extends Selection>(source: Source): Source {
  if (source.sql !== undefined)
    throw new BuildError(
      `${source.path}: layer ${source.layer} (level ${source.level}): --sql selects an integer beyond 2^53`,
      'write CAST(column AS CHARACTER(20)) for that column in the statement',
    );
  const opened = openSelection(source);
  const selected = opened.layer.fields.map(({ name, type }) =>
    type === 'integer64' ? `CAST(${quoted(name)} AS CHARACTER(20)) AS ${quoted(name)}` : quoted(name),
  );
  opened.dataset.close();
  const condition = source.where === undefined ? '' : ` WHERE ${source.where}`;
  return { ...source, sql: `SELECT ${selected.join(', ')} FROM ${quoted(source.layer)}${condition}` };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '\\"')}"`;
}

function transformationFor(
  layer: gdalTypes.Layer,
  crs: string | undefined,
): gdalTypes.CoordinateTransformation | undefined {
  const srs = crs === undefined ? statedCrs(layer) : crsFrom(crs);
  return srs === undefined || isWgs84(srs) ? undefined : toWgs84(srs);
}

/** Formats whose coordinates are in WGS 84 where the file does not say otherwise. */
const WGS84_FORMATS = ['GeoJSON', 'GeoJSONSeq', 'TopoJSON', 'KML', 'LIBKML'];

/** The CRS of a layer that is open. */
export function crsOfLayer(layer: gdalTypes.Layer, selection: Selection): LayerCrs {
  const stated = statedCrs(layer);
  const srs = selection.crs === undefined ? stated : crsFrom(selection.crs);
  const own = stated && crsName(stated);
  const byFormat = stated !== undefined || WGS84_FORMATS.includes(selection.driver) ? 'source' : 'assumed';
  const { crs } = selection;
  return {
    ...selection,
    name: crs ?? own ?? WGS84,
    origin: crs === undefined ? byFormat : 'option',
    ...(crs !== undefined && stated && !stated.isSame(crsFrom(crs)) && { replaced: own }),
    datum: srs === undefined || isWgs84(srs) ? 'same' : isOnWgs84(srs) ? 'projected' : 'other',
  };
}
