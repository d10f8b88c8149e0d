// Opens datasets through GDAL (read-only), and GDAL's errors; which layers of SQLite files are not read.
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { BuildError } from '../report/errors.ts';
import { gdal } from './gdal.ts';

/** The CPLErr level from which GDAL reports a failure. */
const CE_FAILURE = 3;

/** Names of the drivers that read vector data. With them, GDAL does not try PG: connections as rasters first. */
const VECTOR_DRIVERS: readonly string[] = gdal.drivers
  .map((driver) => driver)
  .filter((driver) => driver.getMetadata()['DCAP_VECTOR'] === 'YES')
  .map(({ description }) => description)
  // HTTP opens whatever is at an address, in any format. KML reads no attributes.
  .filter((name, _, all) => name !== 'HTTP' && (name !== 'KML' || !all.includes('LIBKML')));

/**
 * Formats whose datasets hold all their data: what is found in folders and archives, or is at an address, is opened as
 * one of these only. Others may read any file or address that this process can: VRT, GNM, MapInfo views and seamless
 * tables, labels of PDS, lists of WFS layers. (GDAL's name of each; GML's references are not followed by GDAL's
 * default.)
 */
const SELF_CONTAINED: readonly string[] = [
  'ESRI Shapefile',
  'GPKG',
  'GeoJSON',
  'GeoJSONSeq',
  'ESRIJSON',
  'TopoJSON',
  'FlatGeobuf',
  'OpenFileGDB',
  'SQLite',
  'CSV',
  'GML',
  'KML',
  'LIBKML',
  'Parquet',
  'Arrow',
  'OGR_GMT',
  'JML',
].filter((name) => VECTOR_DRIVERS.includes(name));

/** A GML without a schema has no types: GDAL guesses them, and 0138 would become the number 138. */
gdal.config.set('GML_FIELDTYPES', 'ALWAYS_STRING');

/**
 * Attributes have the references to other units, `xlink:href`. The file with what GDAL found would be left in the
 * source.
 */
const GML_OPTIONS = ['GML_ATTRIBUTES_TO_OGR_FIELDS=YES', 'WRITE_GFS=NO'];

/** A message of GDAL. */
export interface GdalMessage {
  message: string;
  /** False for a warning. */
  isFailure: boolean;
}

/** GDAL's last message since the last call of this function; undefined if there is none. */
export function takeGdalMessage(): GdalMessage | undefined {
  const error: unknown = gdal.lastError;
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  const message = String(error.message);
  const isFailure = !('level' in error) || Number(error.level) >= CE_FAILURE;
  gdal.lastError = null;
  return { message, isFailure };
}

/** The result of a call of GDAL. @param failed makes the error from GDAL's message if it throws or reports a failure */
export function gdalResult<Result>(call: () => Result, failed: (reason: string) => Error): Result {
  let result: Result;
  try {
    result = call();
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw failed(takeGdalMessage()?.message ?? (error instanceof Error ? error.message : String(error)));
  }
  const gdalMessage = takeGdalMessage();
  if (gdalMessage?.isFailure) throw failed(gdalMessage.message);
  return result;
}

/**
 * Opens a dataset.
 * @param driver GDAL's name of its format; undefined to find it
 * @param encoding of its texts, if it is of a format of `SAID_ENCODING`; undefined for the one that GDAL finds
 * @throws BuildError if GDAL cannot open it, or reports a failure
 */
export function openDataset(path: string, driver?: string, encoding?: string): gdalTypes.Dataset {
  return openEncoded(path, encoding, openChecked(path, driver === undefined ? driversFor(path) : [driver]));
}

/**
 * The formats that a dataset may have, by its name. GDAL goes by content, and would follow what a file refers to,
 * whatever the file is called.
 */
function driversFor(path: string): readonly string[] {
  if (existsSync(path))
    return VECTOR_DRIVERS.filter((driver) => SELF_CONTAINED.includes(driver) || hasEndingOf(driver, path));
  // Anything else that is not a file system of GDAL is a connection, which begins with the name of its format.
  return path.startsWith('/vsi') ? SELF_CONTAINED : VECTOR_DRIVERS;
}

/** Does the name of a file have an ending that GDAL knows of a format? */
function hasEndingOf(driver: string, path: string): boolean {
  const endings: unknown = gdal.drivers.get(driver).getMetadata()['DMD_EXTENSIONS'];
  return typeof endings === 'string' && endings.split(' ').includes(extname(path).slice(1).toLowerCase());
}

/** Formats of which GDAL can be told the encoding. */
export const SAID_ENCODING: readonly string[] = ['ESRI Shapefile'];

function openEncoded(path: string, encoding: string | undefined, dataset: gdalTypes.Dataset): gdalTypes.Dataset {
  const { driver } = dataset;
  if (encoding === undefined || !SAID_ENCODING.includes(driver.description)) return dataset;
  dataset.close();
  const opened = driver.open(path, 'r', [`ENCODING=${encoding}`]);
  // GDAL reads texts as they are where it does not know an encoding.
  if (opened.layers.get(0).testCapability(gdal.OLCStringsAsUTF8)) return opened;
  opened.close();
  throw new BuildError(
    `--encoding ${encoding}: GDAL knows no such encoding, or cannot read the names of the columns of ${path} in it`,
    'use another one, e.g. CP1252, CP1250, CP1251, CP1256, GBK, SHIFT_JIS, EUC-KR or UTF-8',
  );
}

/**
 * Opens a dataset that was found in a folder or an archive.
 * @throws BuildError likewise, and for a format that refers to other files
 */
export function openFoundDataset(path: string, encoding?: string): gdalTypes.Dataset {
  const found = openChecked(
    path,
    SELF_CONTAINED,
    'remove it if it is damaged or not a dataset; a rare format, or one that refers to other files (VRT), must be given as --source itself',
  );
  return openEncoded(path, encoding, found);
}

function openChecked(
  path: string,
  drivers: readonly string[],
  remedy = 'check that the file is complete, in a format that GDAL reads (ogrinfo FILE), and that its ending is that of its format',
): gdalTypes.Dataset {
  const cannotOpen = (reason: string): BuildError =>
    lacksDriver(path) ?? new BuildError(`${path}: GDAL cannot open it: ${reason}`, remedy);
  let dataset: gdalTypes.Dataset;
  takeGdalMessage();
  try {
    dataset = (drivers.includes('GML') ? openGml(path) : undefined) ?? gdal.open(path, 'r', [...drivers]);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw cannotOpen(takeGdalMessage()?.message ?? reason);
  }
  const gdalMessage = takeGdalMessage();
  if (!gdalMessage?.isFailure) return dataset;
  const { description } = dataset.driver;
  dataset.close();
  // GDAL tries one driver after the other: the message may be that of a driver before the one that opened the dataset.
  if (drivers.length > 1) return openChecked(path, [description], remedy);
  throw cannotOpen(gdalMessage.message);
}

/** The drivers of formats that GDAL may have been built without, by the ending of a file. */
const OPTIONAL_DRIVERS: readonly [ending: RegExp, driver: string][] = [
  [/\.(geo)?parquet$/i, 'Parquet'],
  [/\.(arrows?|feather)$/i, 'Arrow'],
  [/\.fgb$/i, 'FlatGeobuf'],
  [/\.(gpkg|gpkg\.zip)$/i, 'GPKG'],
  [/\.gdb$/i, 'OpenFileGDB'],
  [/\.gml$/i, 'GML'],
  [/\.km[lz]$/i, 'LIBKML'],
  [/\.xlsx$/i, 'XLSX'],
];

/** The error for a format that this GDAL does not read; undefined if it does, or if the format is not known. */
function lacksDriver(path: string): BuildError | undefined {
  const driver = OPTIONAL_DRIVERS.find(([ending]) => ending.test(path))?.[1];
  if (driver === undefined || VECTOR_DRIVERS.includes(driver)) return undefined;
  return new BuildError(
    `${path}: this GDAL (${gdal.version}) has no driver ${driver}`,
    `convert it where GDAL has it: ogr2ogr COPY.gpkg ${path}`,
  );
}

/** Opens a GML; undefined for anything else. @throws BuildError if a file beside it says which columns are numbers */
function openGml(path: string): gdalTypes.Dataset | undefined {
  let dataset: gdalTypes.Dataset;
  try {
    dataset = gdal.drivers.get('GML').open(path, 'r', GML_OPTIONS);
  } catch (error) {
    // Without a message, it is of another format.
    if (gdal.lastError !== null) throw error;
    return undefined;
  }
  const gfs = `${path.slice(0, path.length - extname(path).length)}.gfs`;
  if (!existsSync(gfs) || !/<Type>(?!String)/.test(readFileSync(gfs, 'utf8'))) return dataset;
  dataset.close();
  throw new BuildError(
    `${path}: ${basename(gfs)} beside it says that columns are numbers, and codes would lose their leading zeros`,
    `remove ${basename(gfs)}, in which GDAL wrote its guesses; or change the types of codes in it to String`,
  );
}

/** The metadata item that holds the attribution texts, one per line. */
export const ATTRIBUTION_ITEM = 'ATTRIBUTION';

/** The attribution texts of a dataset; empty without the item. Any GDAL dataset may carry it. */
export function datasetAttribution(dataset: gdalTypes.Dataset): string[] {
  const text: unknown = dataset.getMetadata()[ATTRIBUTION_ITEM];
  return typeof text === 'string' ? text.split('\n').filter((line) => line !== '') : [];
}

/**
 * The drivers of SQLite files (GeoPackage, SpatiaLite), in which layers may be no tables: a view may have no end, and a
 * virtual table may be any file of this machine (VirtualText, VirtualShape). No level is read from such a layer: even
 * the list of its columns may take for ever.
 */
const SQLITE_DRIVERS: readonly string[] = ['GPKG', 'SQLite'];

/** What such a layer is, for people. */
export const STORED_QUERY = 'a view or virtual table, which is not read';

const STORED_QUERIES = "SELECT name FROM sqlite_master WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL TABLE%'";

/** Returns a function that says whether a layer of the dataset is a view or a virtual table. */
export function newIsStoredQuery(dataset: gdalTypes.Dataset): (layer: string) => boolean {
  if (!SQLITE_DRIVERS.includes(dataset.driver.description)) return () => false;
  const names = dataset
    .executeSQL(STORED_QUERIES)
    .features.map((feature) => String(feature.fields.get('name')).toLowerCase());
  // GDAL adds the column to the name where a table has several geometries: `name(column)`.
  return (layer) => names.some((name) => layer.toLowerCase() === name || layer.toLowerCase().startsWith(`${name}(`));
}

/** The error for a view or virtual table. */
export function storedQueryRefused(path: string, layer: string): BuildError {
  return new BuildError(
    `${path}: layer ${layer} is ${STORED_QUERY}`,
    `check where its data comes from, then copy it to a table: ogr2ogr -f GPKG COPY.gpkg FILE ${layer}`,
  );
}
