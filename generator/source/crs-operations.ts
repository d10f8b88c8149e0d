// By which of PROJ's operations GDAL brings a layer to WGS 84, and how accurate they are. No function of GDAL tells it,
// only its debugging output, which a process writes that was started for it; accuracies are in PROJ's database.
import { existsSync, readFileSync } from 'node:fs';
import type * as gdalTypes from 'gdal-async';
import { crsFrom, isOnWgs84, statedCrs, toWgs84 } from '../gdal/crs.ts';
import { gdal } from '../gdal/gdal.ts';
import { takeGdalMessage } from '../gdal/open-dataset.ts';
import type { CrsWay, LayerCrs } from './layer-crs.ts';
import { openSelection } from './open-layer.ts';

/** What is asked. */
export interface OperationsTask {
  /** Layers in other CRS than WGS 84. */
  layers: readonly LayerCrs[];
  /** The file in which PROJ and GDAL write what they do in this process. */
  log: string;
}

/** Number of units, the first of each layer, at which the operations are asked for. */
const SAMPLED = 256;

/**
 * How layers are brought to WGS 84. PROJ chooses an operation for each place: those at the first units are told. Runs in
 * a process of its own.
 */
export function findOperations({ layers, log }: OperationsTask): CrsWay[] {
  gdal.verbose();
  return layers.map((layer) => {
    const { dataset, layer: opened } = openSelection(layer);
    const srs = layer.crs === undefined ? statedCrs(opened) : crsFrom(layer.crs);
    try {
      return srs === undefined
        ? { operations: [], accuracy: 0, outside: 0, units: 0 }
        : wayOf(opened, srs, () => (existsSync(log) ? readFileSync(log, 'utf8') : ''));
    } finally {
      dataset.close();
      takeGdalMessage();
    }
  });
}

type Place = readonly [longitude: number, latitude: number];

function wayOf(layer: gdalTypes.Layer, srs: gdalTypes.SpatialReference, logged: () => string): CrsWay {
  const before = logged().length;
  const transformation = toWgs84(srs);
  const places = firstPlaces(layer, transformation);
  const log = logged();
  const database = openDatabase(log);
  const written = log.slice(before).matchAll(/Using coordinate operation (.*)/g);
  let operations = [...new Set([...written].map(([, name = '']) => name.replace(' + axis order change (2D)', '')))];
  const isExact = isOnWgs84(srs);
  if (isExact) operations = [];
  // PROJ names an operation when it chooses one of several.
  else if (operations.length === 0 && database !== undefined) operations = onlyOperation(database, srs, places);
  const accuracies = operations.map((name) => database && accuracyOf(database, name, srs.isProjected()));
  const isKnown = accuracies.length > 0 && accuracies.every((accuracy) => accuracy !== undefined);
  const area = database && areaOf(database, srs);
  database?.close();
  return {
    operations,
    accuracy: isExact ? 0 : isKnown ? Math.max(...accuracies.map((accuracy) => accuracy ?? 0)) : undefined,
    outside: area === undefined ? 0 : places.filter((place) => !isWithin(place, area)).length,
    units: places.length,
  };
}

/** The middles of the boxes of the first units. */
function firstPlaces(layer: gdalTypes.Layer, transformation: gdalTypes.CoordinateTransformation): Place[] {
  const places: Place[] = [];
  let feature = layer.features.first();
  for (let read = 0; feature && read < SAMPLED; read++, feature = layer.features.next())
    try {
      const box = feature.getGeometry()?.getEnvelope();
      if (box === undefined) continue;
      const { x, y } = transformation.transformPoint((box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2);
      places.push([x, y]);
    } catch {
      // A curve, or a place that has none in WGS 84: who reads the level says so.
    }
  return places;
}

/** PROJ's database, which is the SQLite file that it says it has opened. */
function openDatabase(log: string): gdalTypes.Dataset | undefined {
  const [, file] = /\(proj\.db\).*?\((.*)\) - succeeded/.exec(log) ?? [];
  try {
    return file === undefined ? undefined : gdal.open(file, 'r', ['SQLite']);
  } catch {
    return undefined;
  }
}

function rows(database: gdalTypes.Dataset, sql: string): unknown[][] {
  return database.executeSQL(sql).features.map((feature) => feature.fields.toArray());
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What PROJ adds to the name of an operation that is made for another area. */
const AS_FALLBACK = / as a fallback due to lack of more appropriate operations$/;
/** Begins steps that change no datum. */
const CONVERSION = /^(Conversion from|axis order change)/;
const INVERSE = /^Inverse of /;

/** In metres; undefined if it is not known. Undoing a projection is exact. @param name the names of its steps */
function accuracyOf(database: gdalTypes.Dataset, name: string, isProjected: boolean): number | undefined {
  const names = name.replace(AS_FALLBACK, '').split(' + ');
  const steps = names.map((step, i) => {
    const own = step.replace(INVERSE, '');
    const sql = `SELECT MAX(accuracy) FROM coordinate_operation_view WHERE name = ${quoted(own)} AND deprecated = 0`;
    const accuracy = rows(database, sql)[0]?.[0];
    if (typeof accuracy === 'number') return accuracy;
    const isUndone = isProjected && i === 0 && INVERSE.test(step);
    return isUndone || CONVERSION.test(own) ? 0 : undefined;
  });
  if (steps.includes(undefined)) return undefined;
  const sum = steps.reduce<number>((before, step) => before + (step ?? 0), 0);
  // Millimetres: sums of tenths are not tenths.
  return Math.round(sum * 1000) / 1000;
}

/** The one operation that needs no grid and is meant for where the units are; none if there are several. */
function onlyOperation(
  database: gdalTypes.Dataset,
  srs: gdalTypes.SpatialReference,
  [place]: readonly Place[],
): string[] {
  const base = codeOf(srs.cloneGeogCS());
  if (base === undefined || place === undefined) return [];
  const [longitude, latitude] = place;
  const found = rows(
    database,
    `SELECT DISTINCT own.name FROM coordinate_operation_view AS own
      JOIN usage ON object_table_name = own.table_name AND object_auth_name = own.auth_name AND object_code = own.code
      JOIN extent ON extent.auth_name = extent_auth_name AND extent.code = extent_code
      WHERE own.deprecated = 0 AND own.table_name <> 'grid_transformation' AND source_crs_auth_name = 'EPSG'
      AND target_crs_auth_name = 'EPSG' AND ${latitude} BETWEEN south_lat AND north_lat AND ${longitude} >= west_lon
      AND ${longitude} <= east_lon AND ((source_crs_code = ${quoted(base)} AND target_crs_code = '4326')
      OR (source_crs_code = '4326' AND target_crs_code = ${quoted(base)}))`,
  );
  return found.length === 1 ? found.map(([name]) => String(name)) : [];
}

/** The EPSG code of a CRS, also of one that is written out, as in a .prj file. */
function codeOf(srs: gdalTypes.SpatialReference): string | undefined {
  try {
    if (srs.getAuthorityCode(null) === null) srs.autoIdentifyEPSG();
  } catch {
    return undefined;
  }
  return srs.getAuthorityName(null) === 'EPSG' ? srs.getAuthorityCode(null) : undefined;
}

type Area = readonly [west: number, south: number, east: number, north: number];

/** In degrees: the areas of CRS are coarse, and maps go a little beyond. */
const AREA_MARGIN = 2;

/** The area for which a CRS is made. */
function areaOf(database: gdalTypes.Dataset, srs: gdalTypes.SpatialReference): Area | undefined {
  const code = codeOf(srs.clone());
  if (code === undefined) return undefined;
  const [box = []] = rows(
    database,
    `SELECT west_lon, south_lat, east_lon, north_lat FROM usage
      JOIN extent ON extent.auth_name = extent_auth_name AND extent.code = extent_code
      WHERE object_table_name IN ('projected_crs', 'geodetic_crs') AND object_auth_name = 'EPSG'
      AND object_code = ${quoted(code)}`,
  );
  const [west, south, east, north] = box.map(Number);
  return west === undefined || south === undefined || east === undefined || north === undefined
    ? undefined
    : [west, south, east, north];
}

function isWithin([longitude, latitude]: Place, [west, south, east, north]: Area): boolean {
  const isBetween = (from: number, to: number): boolean =>
    longitude >= from - AREA_MARGIN && longitude <= to + AREA_MARGIN;
  const isBeside = west <= east ? isBetween(west, east) : isBetween(west, 180) || isBetween(-180, east);
  return isBeside && latitude >= south - AREA_MARGIN && latitude <= north + AREA_MARGIN;
}
