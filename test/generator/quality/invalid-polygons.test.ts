// Polygons of the source that cross themselves: counted with every geometry, and made valid where that is asked for.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { areaOf, madeValid } from '../../../generator/gdal/valid-polygons.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildOptions, buildUnchecked } from '../../support/releases/build-release.ts';
import { findingToText, published } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Two triangles that meet at a point, which no edge ends at. */
const BOW_TIE = 'POLYGON((10 0,11 1,11 0,10 0.5,10 0))';
/** The ring of a bow tie of so many positions, not closed: two triangles of 5/3 square degrees together. */
function bowOf(count: number): number[][] {
  const along = Array.from({ length: count - 4 }, (_, i) => [52, 2 - (2 * (i + 1)) / count]);
  return [[50, 0], [52, 2], ...along, [52, 0], [50, 1]];
}

/** A unit whose second polygon lies in its first one. */
const TWICE = 'MULTIPOLYGON(((20 0,21 0,21 1,20 1,20 0)),((20.2 0.2,20.4 0.2,20.4 0.4,20.2 0.4,20.2 0.2)))';
/** A spike of no width: invalid in full, gone when simplified. */
const SPIKE = 'POLYGON((30 0,31 0,31 0.5,31.0005 0.5,31 0.5,31 1,30 1,30 0))';

const shapes = [square(0, 0), BOW_TIE, TWICE, SPIKE, 'POINT(40 0)'];
const features = shapes.map((wkt, i) => ({ fid: i + 1, values: [`U${i + 1}`], wkt }));
const units = { name: 'units', columns: ['code'], features };
const source = writeDataset(join(folder, 'units.gpkg'), 'GPKG', [units]);

function typed(makesValid: boolean) {
  const texts = { layer: ['lv0=units'], 'gid-column': ['lv0=code'], 'make-valid': makesValid };
  return { ...contentOptionsFrom(texts), accept: ['non-polygonal'], geometries: SIMPLIFIED } as const;
}

const SIMPLIFIED = ['full', 'medium', 'low'] as const;

/** A release, and how many of its units are invalid with each geometry: as it says, and as GEOS finds. */
async function invalidUnits(makesValid: boolean) {
  const made = await published(source, typed(makesValid));
  const [level = assert.fail()] = made.release.levels;
  const { medium, low } = level.geometries;
  const isInvalid = ({ geometry }: { geometry: object }): boolean => !gdal.Geometry.fromGeoJson(geometry).isValid();
  const found = SIMPLIFIED.map((geometry) => made.unitsOf(0, geometry).filter(isInvalid).length);
  return { ...made, said: [level.invalid, medium?.invalid, low?.invalid], found };
}

test('a unit of more than 150,000 positions is a finding: nobody has asked whether it is valid', async () => {
  const [most, more] = [150_000, 150_001].map((count, i) => ({
    fid: i + 1,
    values: [`U${i + 1}`],
    wkt: `POLYGON((${[...bowOf(count), [50, 0]].map((place) => place.join(' ')).join()}))`,
  }));
  assert.ok(most && more);
  const large = writeDataset(join(folder, 'large.gpkg'), 'GPKG', [{ ...units, features: [most, more] }]);
  const options = { ...typed(false), geometries: ['full'] } as const;
  const { quality } = await buildUnchecked(large, join(folder, 'large'), options);
  const expected = [
    'lv0 invalid-polygons 1 large.gpkg: layer units, fid 1, GID U1',
    'lv0 no-names 2 large.gpkg: layer units',
    'lv0 unchecked-polygons 1 large.gpkg: layer units, fid 2, GID U2',
  ];
  assert.deepEqual(quality.map(findingToText), expected);
  const dry = await forecast(buildOptions(large, join(folder, 'dry'), options), SILENT);
  assert.deepEqual(dry.quality.map(findingToText).sort(), expected);
});

test('what changes measure is made valid, also with more positions', () => {
  const { geometry, wasInvalid } = madeValid([[bowOf(150_001).flat()]]);
  assert.ok(wasInvalid && geometry.isValid());
  // Two triangles; the area of the ring as it lies is their difference.
  assert.ok(Math.abs(areaOf(geometry) - 5 / 3) < 1e-5, `${areaOf(geometry)}`);
});

test('invalid units are a finding with an example, and release.json counts them with each geometry', async () => {
  const { said, found, quality, release } = await invalidUnits(false);
  assert.deepEqual(found, [3, 2, 2]);
  assert.deepEqual(said, found);
  assert.deepEqual(quality, [
    'lv0 invalid-polygons 3 units.gpkg: layer units, fid 2, GID U2',
    'lv0 no-names 5 units.gpkg: layer units',
    'lv0 non-polygonal 1 units.gpkg: layer units, fid 5, GID U5',
  ]);
  assert.ok(!('make-valid' in release.options));
  const dry = await forecast(buildOptions(source, join(folder, 'dry'), typed(false)), SILENT);
  assert.deepEqual(dry.quality.map(({ kind, count }) => `${kind} ${count}`).sort(), [
    'invalid-polygons 3',
    'no-names 5',
    'non-polygonal 1',
  ]);
});

test('with --make-valid units keep what they cover, and all are valid; verify reads the source alike', async () => {
  const { said, found, quality, release, unitsOf } = await invalidUnits(true);
  assert.deepEqual(found, [0, 0, 0]);
  assert.deepEqual(said, found);
  assert.deepEqual(quality, [
    'lv0 no-names 5 units.gpkg: layer units',
    'lv0 non-polygonal 1 units.gpkg: layer units, fid 5, GID U5',
  ]);
  assert.ok('make-valid' in release.options);
  const [, bowTie, twice, spike, point] = unitsOf(0).map(({ geometry }) => geometry);
  assert.equal(bowTie?.type, 'MultiPolygon');
  assert.deepEqual(twice?.coordinates.length, 1);
  assert.equal(spike?.type, 'Polygon');
  assert.deepEqual(point, { type: 'Point', coordinates: [40, 0] });
});

test('the example of an invalid unit is the first that was read, by its file and the fid that it has there', async () => {
  const files = ['a', 'b'].map((name) => {
    // The highest fid comes first in the file.
    const units = [square(0, 0), BOW_TIE, BOW_TIE, square(2, 2)].map((wkt, i) => ({
      fid: 4 - i,
      values: [`${name}${4 - i}`],
      wkt: name === 'a' && wkt === BOW_TIE ? square(5, i) : wkt,
    }));
    return writeDataset(join(folder, `${name}.geojson`), 'GeoJSON', [
      { name: 'units', columns: ['code'], features: units },
    ]);
  });
  const { quality } = await published(files, { ...typed(false), accept: [] });
  assert.ok(quality.includes('lv0 invalid-polygons 2 b.geojson: layer units, fid 3, GID b3'), quality.join('\n'));
});
