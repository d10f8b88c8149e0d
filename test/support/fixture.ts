// What the tests share: small datasets written through GDAL from WKT literals, releases built from them, and GDAL's own
// reading of a dataset to compare answers with.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { LEVELS, type Level } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';
import { type BuildOptions, build } from '../../generator/build.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { gdal } from '../../generator/source/gdal.ts';

export { SILENT };

/** A layer to write: column names, then for each feature its fid, its values and its WKT. */
export interface FixtureLayer {
  name: string;
  columns: readonly (string | { name: string; type: string })[];
  features: readonly FixtureFeature[];
  /** EPSG code of the WKT; 4326 where left out. */
  epsg?: number;
}

export interface FixtureFeature {
  fid?: number;
  values: readonly unknown[];
  wkt: string | null;
}

/** A folder that is removed when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a dataset; formats that hold one layer take one. */
export function writeDataset(file: string, driver: string, layers: readonly FixtureLayer[]): string {
  const dataset = gdal.open(file, 'w', driver);
  for (const { name, columns, features, epsg } of layers) {
    const options = driver === 'ESRI Shapefile' ? ['ENCODING=UTF-8'] : [];
    const srs = gdal.SpatialReference.fromEPSG(epsg ?? 4326);
    const layer = dataset.layers.create(name, srs, gdal.wkbUnknown, options);
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

/** Two countries, three regions, four districts: levels 0 to 2 in GADM's shape, under the given layer names. */
export function countryLayers(layerName: (level: Level) => string): FixtureLayer[] {
  return [
    {
      name: layerName(0),
      columns: ['GID_0', 'COUNTRY'],
      features: [
        { fid: 1, values: ['AAA', 'Aland'], wkt: square(0, 0, 4) },
        { fid: 2, values: ['BBB', 'Beland'], wkt: square(10, 0, 4) },
      ],
    },
    {
      name: layerName(1),
      columns: ['GID_1', 'GID_0', 'COUNTRY', 'NAME_1'],
      features: [
        { fid: 1, values: ['AAA.1_1', 'AAA', 'Aland', 'North'], wkt: square(0, 2, 2) },
        { fid: 2, values: ['AAA.2_1', 'AAA', 'Aland', 'South'], wkt: square(0, 0, 2) },
        { fid: 3, values: ['BBB.1_1', 'BBB', 'Beland', 'All'], wkt: square(10, 0, 4) },
      ],
    },
    {
      name: layerName(2),
      columns: ['GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'NAME_2'],
      features: [
        { fid: 1, values: ['AAA.1.1_1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'Næst'], wkt: square(0, 3) },
        { fid: 2, values: ['AAA.2.1_1', 'AAA', 'Aland', 'AAA.2_1', 'South', 'Søst'], wkt: square(0, 0) },
        { fid: 3, values: ['BBB.1.1_1', 'BBB', 'Beland', 'BBB.1_1', 'All', '東'], wkt: square(10, 0) },
        { fid: 4, values: ['AAA.1.2_1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'Wüst "late"'], wkt: square(1, 3) },
      ],
    },
  ];
}

/** 250 countries and 450 regions: several feature files at both levels, and parents whose regions are scattered. */
export function manyUnitLayers(): FixtureLayer[] {
  const place = (i: number): string => square((i % 300) - 150, Math.floor(i / 300), 0.5);
  return [
    {
      name: 'ADM_0',
      columns: ['GID_0'],
      features: Array.from({ length: 250 }, (_, i) => ({ fid: i + 1, values: [`C${i}`], wkt: place(i) })),
    },
    {
      name: 'ADM_1',
      columns: ['GID_1', 'GID_0'],
      features: Array.from({ length: 450 }, (_, i) => {
        const country = `C${(i * i) % 61}`;
        return { fid: 2 * i, values: [`${country}.${i}`, country], wkt: place(i) };
      }),
    },
  ];
}

/** Builds a release of `source` in `out` with the defaults of the command line, but for `options`. */
export async function buildRelease(
  source: string | string[],
  out: string,
  options: Partial<BuildOptions> = {},
): Promise<Release> {
  const defaults: BuildOptions = {
    source: [source].flat(),
    out,
    release: 'r1',
    precision: 7,
    levels: LEVELS,
    layers: {},
    gidColumns: {},
    workers: 0,
    accept: [],
    attribution: [],
    activate: true,
    storedPages: 'all',
  };
  const { release } = await build({ ...defaults, ...options }, SILENT);
  return release;
}

/** A feature as GDAL itself reads it: in fid order, WGS 84, fields by name. */
export interface ReadFeature {
  fid: number;
  fields: Record<string, unknown>;
  /** GeoJSON geometry at full precision, as GDAL orders its rings; null where there is none. */
  geometry: { type: string; coordinates?: unknown; geometries?: unknown } | null;
}

/** GDAL's reading of one layer. */
export function readLayer(file: string, layerName: string): ReadFeature[] {
  const dataset = gdal.open(file);
  const features = dataset.layers.get(layerName).features.map((feature): ReadFeature => {
    const geometry = feature.getGeometry();
    const isNothing = geometry === null || geometry.isEmpty();
    return {
      fid: feature.fid,
      fields: feature.fields.toObject(),
      geometry: isNothing ? null : JSON.parse(geometry.toJSON()),
    };
  });
  dataset.close();
  return features.sort((a, b) => a.fid - b.fid);
}

/** Makes a server listen on a free port of the loopback until the test file ends; the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
