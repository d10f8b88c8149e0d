// One unit of about 100 MB of text beside a small one: a dataset to see what a slice of it costs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEVELS } from '../../format/levels.ts';
import { build } from '../../generator/build.ts';
import { gdal } from '../../generator/gdal.ts';
import { SILENT } from '../../generator/report.ts';

const POSITIONS = 4_000_000;

/** Writes and builds it; gives the output folder. */
export async function buildHuge(folder: string): Promise<string> {
  const source = join(folder, 'huge.gpkg');
  const dataset = gdal.open(source, 'w', 'GPKG');
  const layer = dataset.layers.create('ADM_0', gdal.SpatialReference.fromEPSG(4326), gdal.wkbPolygon);
  layer.fields.add(new gdal.FieldDefn('GID_0', gdal.OFTString));
  for (const [gid, positions] of [
    ['HUGE', POSITIONS],
    ['SMALL', 40],
  ] as const) {
    const feature = new gdal.Feature(layer);
    feature.fields.set('GID_0', gid);
    feature.setGeometry(gdal.Geometry.fromWKB(circle(positions)));
    layer.features.add(feature);
  }
  dataset.close();
  const out = join(folder, 'huge');
  const options = { source: [source], out, release: 'huge', precision: 7, workers: 0, accept: [], attribution: [] };
  await build({ ...options, levels: LEVELS, layers: {}, gidColumns: {}, activate: true }, SILENT);
  return out;
}

/** Seconds to read the compressed bytes of the page that holds the unit. */
export function readSeconds(out: string): number {
  const folder = join(out, 'releases/huge/lv0/geojsonl/all');
  const started = performance.now();
  for (const page of readdirSync(folder)) readFileSync(join(folder, page));
  return (performance.now() - started) / 1000;
}

/** A polygon as little-endian WKB. */
function circle(positions: number): Buffer {
  const wkb = Buffer.alloc(13 + positions * 16);
  wkb.writeUInt8(1, 0);
  wkb.writeUInt32LE(3, 1);
  wkb.writeUInt32LE(1, 5);
  wkb.writeUInt32LE(positions, 9);
  for (let i = 0; i < positions; i++) {
    const turn = (2 * Math.PI * (i % (positions - 1))) / (positions - 1);
    wkb.writeDoubleLE(10 + Math.cos(turn) * 8, 13 + i * 16);
    wkb.writeDoubleLE(45 + Math.sin(turn) * 8, 21 + i * 16);
  }
  return wkb;
}
