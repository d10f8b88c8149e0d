// Sources that are damaged: cut short at every 1/32 and with bytes changed. A build gives all features with their
// geometries or fails and says where; never fewer silently, and never a release beside the error. A landing tries a
// slice of the 576 damages, SLICE=all each.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ACCEPTABLE, type Acceptable } from '../../../generator/quality/findings.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { featuresIn } from '../../support/releases/features-in.ts';
import { slice, sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const UNITS = 60;
const features = Array.from({ length: UNITS }, (_, i) => ({
  fid: i + 1,
  values: [`A${i}`, `name of the unit with the number ${i}`],
  wkt: square(i, i % 40),
}));
const layer = { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features };

/** The driver, the path of the source, and those of its files to damage. */
const SOURCES = [
  ['GPKG', 'ADM_0.gpkg', ['ADM_0.gpkg']],
  ['FlatGeobuf', 'ADM_0.fgb', ['ADM_0.fgb']],
  ['GeoJSON', 'ADM_0.geojson', ['ADM_0.geojson']],
  ['ESRI Shapefile', 'shapes', ['shapes/ADM_0.shp', 'shapes/ADM_0.shx', 'shapes/ADM_0.dbf']],
] as const;

/** Builds a source; true where that gave a whole release, false where it was refused. */
async function survives(source: string, what: string, accept: readonly Acceptable[] = []): Promise<boolean> {
  const out = join(folder, 'out');
  rmSync(out, { recursive: true, force: true });
  try {
    await buildRelease(source, out, { accept });
  } catch (error) {
    assert.ok(error instanceof BuildError, `${what}: ${error instanceof Error ? error.stack : error}`);
    const isNamed = error.message.includes(basename(source)) || error.message.includes('level 0');
    assert.ok(isNamed, `${what}: ${error.message}`);
    assert.ok(!existsSync(join(out, 'current.json')), what);
    if (existsSync(join(out, 'releases'))) assert.deepEqual(readdirSync(join(out, 'releases')), [], what);
    return false;
  }
  const units = featuresIn(out, 0);
  assert.equal(units.length, UNITS, `${what}: fewer features, silently`);
  for (const { id, geometry } of units) {
    const rings = geometry?.type === 'MultiPolygon' ? geometry.coordinates.flat() : geometry?.coordinates;
    assert.ok(rings?.length > 0 && rings[0].length >= 4, `${what}: fid ${id} has lost its geometry, silently`);
  }
  return true;
}

function damaged(source: string, file: string, damage: (bytes: Buffer) => Buffer): string {
  const root = join(folder, 'damaged');
  rmSync(root, { recursive: true, force: true });
  cpSync(join(folder, source), join(root, source), { recursive: true });
  writeFileSync(join(root, file), damage(readFileSync(join(folder, file))));
  return join(root, source);
}

/**
 * How many of the changed bytes of each slice have to be noticed: most of a text, of a binary file those of its
 * structure. The formats have no checksums, so that other names and coordinates cannot be told from those of the
 * source.
 */
const REFUSED_MIN = {
  GPKG: [1, 1, 1, 0, 1, 0, 1, 1],
  FlatGeobuf: [4, 4, 0, 2, 0, 2, 0, 4],
  GeoJSON: [6, 6, 6, 6, 6, 6, 6, 6],
  'ESRI Shapefile': [0, 6, 0, 6, 0, 6, 0, 6],
};

for (const [driver, source, files] of SOURCES) {
  writeDataset(join(folder, dirname(files[0]), driver === 'ESRI Shapefile' ? '' : source), driver, [layer]);
  const cuts = files.flatMap((file) => Array.from({ length: 32 }, (_, part) => ({ file, part })));
  // Steps that are no multiple of any structure's size, so that every kind of byte is met.
  const changes = files.flatMap((file) => {
    const { size } = statSync(join(folder, file));
    return Array.from({ length: 64 }, (_, i) => ({
      file,
      at: (i * Math.floor(size / 64) + i * 7) % size,
      value: i % 2 === 0 ? 0x00 : 0xff,
    }));
  });

  test(`${driver}: undamaged it builds; each of its files cut at any 1/32 is refused, whatever is accepted`, async () => {
    assert.ok(await survives(join(folder, source), 'undamaged'));
    for (const { file, part } of sliceOf(cuts)) {
      const cut = damaged(source, file, (bytes) => bytes.subarray(0, Math.floor((bytes.length * part) / 32)));
      const what = `${file} cut at ${part}/32`;
      // Whatever problems of the data are accepted: an error of GDAL is not one of them.
      assert.ok(!(await survives(cut, what, ACCEPTABLE)), `${what} was built`);
    }
  });

  test(`${driver}: with bytes changed it is refused or has every feature with its geometry`, async () => {
    let refused = 0;
    for (const { file, at, value } of sliceOf(changes)) {
      const changed = damaged(source, file, (bytes) => {
        bytes[at] = value;
        return bytes;
      });
      if (!(await survives(changed, `${file} with ${value} at ${at}`))) refused++;
    }
    const expected = REFUSED_MIN[driver].filter((_, i) => slice === undefined || slice === i);
    const least = expected.reduce((sum, one) => sum + one, 0);
    assert.ok(refused >= least, `${refused} were refused, expected ${least} or more`);
  });
}
