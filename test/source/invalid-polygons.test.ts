// Polygons of the source that cross themselves: counted with every geometry, and made valid where that is asked for.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { forecast } from '../../generator/estimate/estimate.ts';
import { sourceOptionsFrom } from '../../generator/option-texts.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { verify } from '../../generator/verify/verify.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildOptions, buildRelease } from '../support/releases/build-release.ts';
import { featuresIn } from '../support/releases/features-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Two triangles that meet at a point, which no edge ends at. */
const BOW_TIE = 'POLYGON((10 0,11 1,11 0,10 0.5,10 0))';
/** A unit whose second polygon lies in its first one. */
const TWICE = 'MULTIPOLYGON(((20 0,21 0,21 1,20 1,20 0)),((20.2 0.2,20.4 0.2,20.4 0.4,20.2 0.4,20.2 0.2)))';
/** A spike of no width: invalid in full, gone when simplified. */
const SPIKE = 'POLYGON((30 0,31 0,31 0.5,31.0005 0.5,31 0.5,31 1,30 1,30 0))';

const source = writeDataset(join(folder, 'units.gpkg'), 'GPKG', [
  {
    name: 'units',
    columns: ['code'],
    features: [square(0, 0), BOW_TIE, TWICE, SPIKE, 'POINT(40 0)'].map((wkt, i) => ({
      fid: i + 1,
      values: [`U${i + 1}`],
      wkt,
    })),
  },
]);

function typed(makesValid: boolean) {
  return {
    ...sourceOptionsFrom({ layer: ['lv0=units'], 'gid-column': ['lv0=code'], 'make-valid': makesValid }),
    accept: ['non-polygonal'] as const,
  };
}

/** How many units of a release are invalid: with each geometry, as it says and as GEOS finds. */
async function invalidUnits(name: string, makesValid: boolean) {
  const out = join(folder, name);
  const { quality, levels, options } = await buildRelease(source, out, typed(makesValid));
  const { findings } = await verify({ out, source: { source: [source] }, workers: 0 }, SILENT);
  assert.deepEqual(findings, []);
  const [level = assert.fail()] = levels;
  const { medium, low } = level.geometries;
  const isInvalid = ({ geometry }: { geometry: unknown }): boolean =>
    !gdal.Geometry.fromGeoJson(geometry as object).isValid();
  return {
    said: [level.invalid, medium?.invalid, low?.invalid],
    found: (['full', 'medium', 'low'] as const).map(
      (geometry) => featuresIn(out, 0, geometry).filter(isInvalid).length,
    ),
    quality: quality.map(({ kind, count, example }) => `${kind} ${count} ${example}`),
    isMadeValid: 'make-valid' in options,
  };
}

test('invalid units are a finding with an example, and release.json counts them with each geometry', async () => {
  const { said, found, quality, isMadeValid } = await invalidUnits('as-they-are', false);
  assert.deepEqual(found, [3, 2, 2]);
  assert.deepEqual(said, found);
  assert.deepEqual(quality, [
    'invalid-polygons 3 units.gpkg: layer units, fid 2, GID U2',
    'no-names 5 units.gpkg: layer units',
    'non-polygonal 1 units.gpkg: layer units, fid 5, GID U5',
  ]);
  assert.equal(isMadeValid, false);
  const dry = await forecast(buildOptions(source, join(folder, 'dry'), typed(false)), SILENT);
  assert.deepEqual(dry.quality.map(({ kind, count }) => `${kind} ${count}`).sort(), [
    'invalid-polygons 3',
    'no-names 5',
    'non-polygonal 1',
  ]);
});

test('with --make-valid units keep what they cover, and all are valid; verify reads the source alike', async () => {
  const { said, found, quality, isMadeValid } = await invalidUnits('made-valid', true);
  assert.deepEqual(found, [0, 0, 0]);
  assert.deepEqual(said, found);
  assert.deepEqual(quality, [
    'no-names 5 units.gpkg: layer units',
    'non-polygonal 1 units.gpkg: layer units, fid 5, GID U5',
  ]);
  assert.equal(isMadeValid, true);
  const [, bowTie, twice, spike, point] = featuresIn(join(folder, 'made-valid'), 0).map(({ geometry }) => geometry);
  assert.equal(bowTie?.type, 'MultiPolygon');
  assert.deepEqual(twice?.coordinates.length, 1);
  assert.equal(spike?.type, 'Polygon');
  assert.deepEqual(point, { type: 'Point', coordinates: [40, 0] });
});
