// Sources that are damaged: cut short at every 1/32 and with bytes changed. A build gives all features with their
// geometries or fails and says where; never fewer silently, and never a release beside the error.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ACCEPTABLE, type Acceptable } from '../../generator/quality/findings.ts';
import { BuildError } from '../../generator/report/errors.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { featuresIn } from '../support/releases/features-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const UNITS = 60;
const features = Array.from({ length: UNITS }, (_, i) => ({
  fid: i + 1,
  values: [`A${i}`, `name of the unit with the number ${i}`],
  wkt: square(i, i % 40),
}));
const layer = { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features };

/** By format: the source as a whole, and those of its files to damage. */
const sources: Record<string, { source: string; files: string[] }> = {};
for (const [driver, ending] of [
  ['GPKG', 'gpkg'],
  ['FlatGeobuf', 'fgb'],
  ['GeoJSON', 'geojson'],
] as const) {
  const file = writeDataset(join(folder, `ADM_0.${ending}`), driver, [layer]);
  sources[driver] = { source: file, files: [file] };
}
const shapes = join(folder, 'shapes');
writeDataset(shapes, 'ESRI Shapefile', [layer]);
sources['ESRI Shapefile'] = {
  source: shapes,
  files: ['shp', 'shx', 'dbf'].map((ending) => join(shapes, `ADM_0.${ending}`)),
};

/** Builds the damaged source; true where that gave a whole release, false where it was refused. */
async function survives(source: string, what: string, accept: readonly Acceptable[] = []): Promise<boolean> {
  const out = join(folder, 'out');
  rmSync(out, { recursive: true, force: true });
  try {
    await buildRelease(source, out, { storedPages: 'none', accept });
  } catch (error) {
    assert.ok(error instanceof BuildError, `${what}: ${error instanceof Error ? error.stack : error}`);
    assert.ok(
      error.message.includes(basename(source)) || error.message.includes('level 0'),
      `${what}: ${error.message}`,
    );
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

/** A copy of the source in which one file is damaged. */
function damaged(source: string, file: string, damage: (bytes: Buffer) => Buffer): string {
  const root = join(folder, 'damaged');
  rmSync(root, { recursive: true, force: true });
  const copy = join(root, basename(source));
  cpSync(source, copy, { recursive: true });
  const target = statSync(source).isDirectory() ? join(copy, basename(file)) : join(dirname(copy), basename(file));
  writeFileSync(target, damage(readFileSync(file)));
  return copy;
}

/**
 * How many of the changed bytes have to be noticed: most of a text, of a binary file those of its structure. The
 * formats have no checksums, so that other names and coordinates cannot be told from those of the source.
 */
const REFUSED_MIN: Readonly<Record<string, number>> = { GPKG: 6, FlatGeobuf: 16, GeoJSON: 48, 'ESRI Shapefile': 24 };

for (const [driver, { source, files }] of Object.entries(sources)) {
  test(`${driver}: undamaged it builds; each of its files cut at any 1/32 is refused, whatever is accepted`, async () => {
    assert.ok(await survives(source, 'undamaged'));
    for (const file of files) {
      for (let part = 0; part < 32; part++) {
        const cut = damaged(source, file, (bytes) => bytes.subarray(0, Math.floor((bytes.length * part) / 32)));
        const what = `${basename(file)} cut at ${part}/32`;
        // Whatever problems of the data are accepted: an error of GDAL is not one of them.
        assert.ok(!(await survives(cut, what, ACCEPTABLE)), `${what} was built`);
      }
    }
  });

  test(`${driver}: with bytes changed it is refused or has every feature with its geometry`, async () => {
    let refused = 0;
    for (const file of files) {
      const { size } = statSync(file);
      // Steps that are no multiple of any structure's size, so that every kind of byte is met.
      for (let i = 0; i < 64; i++) {
        const at = (i * Math.floor(size / 64) + i * 7) % size;
        const value = i % 2 === 0 ? 0x00 : 0xff;
        const changed = damaged(source, file, (bytes) => {
          bytes[at] = value;
          return bytes;
        });
        if (!(await survives(changed, `${basename(file)} with ${value} at ${at}`))) refused++;
      }
    }
    const [least, all] = [REFUSED_MIN[driver] ?? 0, files.length * 64];
    assert.ok(refused >= least, `${refused} of ${all} were refused, expected ${least} or more`);
  });
}
