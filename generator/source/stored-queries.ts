// Layers of SQLite files (GeoPackage, SpatiaLite) that are no tables: a view may have no end, and a virtual table may be any
// file of this machine (VirtualText, VirtualShape). No level is read from such a layer: even the list of its columns may
// take for ever.
import type * as gdalTypes from 'gdal-async';
import { BuildError } from '../report/errors.ts';

const SQLITE_DRIVERS: readonly string[] = ['GPKG', 'SQLite'];

/** What it is, for people. */
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

/** The error for such a layer. */
export function storedQueryRefused(path: string, layer: string): BuildError {
  return new BuildError(
    `${path}: layer ${layer} is ${STORED_QUERY}`,
    `check where its data comes from, then copy it to a table: ogr2ogr -f GPKG COPY.gpkg FILE ${layer}`,
  );
}
