// One unit of about 100 MB of text: what a slice of it costs beside reading its compressed bytes.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { featureFilePath, releasePath } from '../../../format/layout.ts';
import { FORMAT_VERSION } from '../../../format/manifest.ts';
import { gdal } from '../../../generator/source/gdal.ts';
import type { Row } from '../measure/measure.ts';
import { buildOnce } from '../requests/measured-release.ts';
import { startScript } from '../servers/servers.ts';
import { download } from '../servers/service.ts';
import type { Bench, Figures } from './compare.ts';

const POSITIONS = 4_000_000;
const SMALL_POSITIONS = 40;
/** Seconds of one answer vary more than requests a second do. */
const TIMES_A_ROUND = 3;
const TARGET = '/api/v1/fc/lv0?gid-0=HUGE';

/**
 * Measures it; the dataset and its release are made in `cache` once.
 * @throws Error when the build or an answer fails
 */
export async function measureHuge({ service, rounds, folder }: Bench, cache: string): Promise<Row[]> {
  const source = join(cache, 'huge.gpkg');
  if (!existsSync(source)) writeHuge(source);
  const out = join(cache, `v${FORMAT_VERSION}-huge`);
  await buildOnce(source, out, '--pages', 'none');
  const headers = service.headers('gzip');
  const proxy = await service.start(out);
  const bytes = await download(proxy.url + TARGET, headers);
  const sizesFile = join(folder, 'huge.sizes.json');
  writeFileSync(sizesFile, JSON.stringify([bytes]));
  const bare = await startScript('test/bench/servers/control.ts', [sizesFile, 'gzip']);
  try {
    const besideReading: Figures = [];
    const besideBare: Figures = [];
    for (let time = 0; time < TIMES_A_ROUND * rounds; time++) {
      const subject = await secondsFor(() => download(proxy.url + TARGET, headers));
      besideReading.push({ subject, control: await secondsFor(() => readFeatureFiles(out)) });
      besideBare.push({ subject, control: await secondsFor(() => download(bare.url, headers)) });
    }
    const resident = `proxy at most ${Math.round(proxy.memory().most)} MB resident`;
    const what = `a unit of 100 MB of text as a slice (${(bytes / 1e6).toFixed(1)} MB gzipped; ${resident})`;
    const reading = { control: 'reading its compressed bytes', target: '<= 3, stretch 2, memory bounded' };
    const sending = { control: 'bare Node server sending as many bytes from memory', target: 'none' };
    return [
      { what, ...reading, unit: 's', figures: besideReading },
      { what, ...sending, unit: 's', figures: besideBare },
    ];
  } finally {
    await Promise.all([proxy.stop(), bare.stop()]);
  }
}

async function secondsFor(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Reads the feature file that holds the unit, and next to nothing besides. */
function readFeatureFiles(out: string): void {
  const folder = dirname(join(out, releasePath('bench'), featureFilePath(0, 0)));
  for (const file of readdirSync(folder)) readFileSync(join(folder, file));
}

/** Writes the unit and a small one. */
function writeHuge(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  // A file that is there is whole.
  const part = join(dirname(file), `part-${process.pid}.gpkg`);
  rmSync(part, { force: true });
  const dataset = gdal.open(part, 'w', 'GPKG');
  const layer = dataset.layers.create('ADM_0', gdal.SpatialReference.fromEPSG(4326), gdal.wkbPolygon);
  layer.fields.add(new gdal.FieldDefn('GID_0', gdal.OFTString));
  for (const [gid, positions] of [
    ['HUGE', POSITIONS],
    ['SMALL', SMALL_POSITIONS],
  ] as const) {
    const feature = new gdal.Feature(layer);
    feature.fields.set('GID_0', gid);
    feature.setGeometry(gdal.Geometry.fromWKB(circle(positions)));
    layer.features.add(feature);
  }
  dataset.close();
  renameSync(part, file);
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
