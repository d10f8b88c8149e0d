// Datasets for tests, written through GDAL from WKT literals.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gdal } from '../../../generator/gdal/gdal.ts';

/** A layer to write: column names, then for each feature its fid, its values and its WKT. */
export interface FixtureLayer {
  name: string;
  columns: readonly (string | { name: string; type: string })[];
  features: readonly FixtureFeature[];
  /** EPSG code of the WKT; 4326 where left out. */
  epsg?: number;
  /** Of a Shapefile; UTF-8 where left out. */
  encoding?: string;
  /** The type of geometry that the layer declares; any where left out. */
  type?: number;
}

export interface FixtureFeature {
  fid?: number;
  values: readonly unknown[];
  wkt: string | null;
}

/** A layer with the fids 1, 2, 3 ... */
export function layerOf(
  name: string,
  columns: FixtureLayer['columns'],
  units: readonly (readonly [values: readonly unknown[], wkt: string | null])[],
): FixtureLayer {
  return { name, columns, features: units.map(([values, wkt], i) => ({ fid: i + 1, values, wkt })) };
}

/** A layer of squares side by side from (0, 0), with these values. */
export function squares(name: string, columns: FixtureLayer['columns'], ...rows: readonly unknown[][]): FixtureLayer {
  return layerOf(
    name,
    columns,
    rows.map((values, i) => [values, square(i, 0)]),
  );
}

/** Writes a dataset; formats that hold one layer take one. */
export function writeDataset(file: string, driver: string, layers: readonly FixtureLayer[]): string {
  const dataset = gdal.open(file, 'w', driver);
  for (const { name, columns, features, epsg, type, encoding = 'UTF-8' } of layers) {
    const options = driver === 'ESRI Shapefile' ? [`ENCODING=${encoding}`] : [];
    const srs = gdal.SpatialReference.fromEPSG(epsg ?? 4326);
    const layer = dataset.layers.create(name, srs, type ?? gdal.wkbUnknown, options);
    for (const column of columns) {
      const { name: title, type } = typeof column === 'string' ? { name: column, type: gdal.OFTString } : column;
      layer.fields.add(new gdal.FieldDefn(title, type));
    }
    for (const { fid, values, wkt } of features) {
      const feature = new gdal.Feature(layer);
      if (fid !== undefined) feature.fid = fid;
      for (const [i, value] of values.entries()) feature.fields.set(i, value);
      if (wkt !== null) feature.setGeometry(gdal.Geometry.fromWKT(wkt));
      layer.features.add(feature);
    }
    layer.flush();
  }
  dataset.close();
  return file;
}

const ENDINGS = { 'ESRI Shapefile': 'shp', GPKG: 'gpkg', GeoJSON: 'geojson', FlatGeobuf: 'fgb' } as const;

/** Writes a file for each layer in a folder, which is made; their paths. */
export function writeFiles(folder: string, driver: keyof typeof ENDINGS, layers: readonly FixtureLayer[]): string[] {
  mkdirSync(folder, { recursive: true });
  return layers.map((layer) => writeDataset(join(folder, `${layer.name}.${ENDINGS[driver]}`), driver, [layer]));
}

/** Runs a statement that gives no rows; gdal-async throws an empty error for those. */
export function runSql(dataset: { executeSQL(sql: string): unknown }, sql: string): void {
  try {
    dataset.executeSQL(sql);
  } catch (error) {
    if (!(error instanceof Error) || error.message !== '') throw error;
  }
}

/** A square of `size` degrees with its south-west corner at (x, y), clockwise as Shapefiles have it. */
export function square(x: number, y: number, size = 1): string {
  return `MULTIPOLYGON(((${ring(x, y, size)})))`;
}

/** A rectangle, counter-clockwise. @param holes each in parentheses */
export function box(west: number, south: number, east: number, north: number, ...holes: string[]): string {
  const exterior = `(${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south})`;
  return `POLYGON(${[exterior, ...holes].join()})`;
}

function ring(x: number, y: number, size: number): string {
  const corners = [
    [x, y],
    [x, y + size],
    [x + size, y + size],
    [x + size, y],
    [x, y],
  ];
  return corners.map((corner) => corner.join(' ')).join(',');
}
