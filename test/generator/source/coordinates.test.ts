// The coordinate reference system of a source: stated, missing, declared by --crs, and what release.json says of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { releaseFromJson } from '../../../format/release-json.ts';
import { releaseToJson } from '../../../format/write/texts.ts';
import { buildTable } from '../../../generator/cli/tables.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { layerOf, runSql, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import {
  type Published,
  pathsOf,
  published,
  type Source,
  testSource,
  textsOf,
} from '../../support/releases/source-cases.ts';

/** A Shapefile of level 0 whose units have one GID; without a CRS if there is no code. */
function shapefile(name: string, epsg: number | undefined, ...shapes: string[]): Source {
  return (folder) => {
    const units = shapes.map((wkt) => [['A', 'Aa'], wkt] as const);
    const layer = { ...layerOf(name, ['GID_0', 'NAME_0'], units), epsg: epsg ?? 4326 };
    const file = writeDataset(join(folder, `${name}.shp`), 'ESRI Shapefile', [layer]);
    if (epsg === undefined) writeFileSync(join(folder, `${name}.prj`), '');
    return file;
  };
}

const TOKYO = 'POLYGON((139.7 35.6,139.8 35.6,139.8 35.7,139.7 35.6))';
const BERN = 'POLYGON((2600000 1200000,2610000 1200000,2610000 1210000,2600000 1200000))';
const NO_FINDING = { crs: [], accuracy: [] };

/** Asserts that the first unit has this box, to so many degrees. */
const inBox =
  (expected: readonly number[], most = 0) =>
  ({ unitsOf }: Published) => {
    const box: number[] = unitsOf(0)[0].bbox;
    assert.ok(
      expected.every((corner, i) => Math.abs(corner - (box[i] ?? NaN)) <= most),
      `${box}`,
    );
  };
/** TOKYO on Tokyo's datum: some 400 metres away. */
const inTokyo = inBox([139.6968], 0.0002);

testSource('a source in NAD83 keeps its numbers in New York, as GDAL and QGIS bring it to WGS 84', {
  source: shapefile('nad83', 4269, 'POLYGON((-74 40.7,-73 40.7,-73 41,-74 40.7))'),
  'release.crs': [
    {
      layers: ['nad83.shp: layer nad83'],
      crs: 'EPSG:4269',
      origin: 'source',
      operations: ['NAD83 to WGS 84 (1)'],
      accuracy: 4,
    },
  ],
  besides: (made) => {
    inBox([-74, 40.7, -73, 41])(made);
    const line = /^ {2}nad83\.shp: layer nad83: EPSG:4269 by NAD83 to WGS 84 \(1\) \(accuracy 4 m\)$/m;
    assert.match(buildTable(made.release), line);
  },
});

testSource('a source in EPSG:3857 comes to degrees', {
  source: shapefile('mercator', 3857, 'POLYGON((0 0,1000000 0,1000000 6000000,0 6000000,0 0))'),
  // 1,000,000 m / 6,378,137 m in degrees; the inverse Gudermannian of 6,000,000 m / 6,378,137 m.
  besides: inBox([0, 0, 8.9831528, 47.3537047]),
});

testSource('a source whose CRS is latitude first has longitude first', {
  source: { ...layerOf('etrs', ['GID_0'], [[['A'], 'POLYGON((10 50,11 50,11 51,10 50))']]), epsg: 4258 },
  besides: inBox([10, 50, 11, 51]),
});

testSource('an operation that is made for another area has the accuracy that it has there', {
  source: shapefile('beside', 31468, 'POLYGON((3500000 5540000,3510000 5540000,3510000 5550000,3500000 5540000))'),
  'release.crs.0.operations': [
    'Inverse of 3-degree Gauss-Kruger zone 4 + DHDN to WGS 84 (2) as a fallback due to lack of more appropriate operations',
  ],
  'release.crs.0.accuracy': 3,
});

test('an accuracy of less than a metre is recorded, and read again', async () => {
  const estonia = shapefile('est92', 4133, 'POLYGON((25 58.5,26 58.5,26 59,25 58.5))');
  const { release } = await published(pathsOf(estonia));
  const [{ operations, accuracy } = assert.fail()] = release.crs ?? [];
  assert.deepEqual([operations, accuracy], [['EST92 to WGS 84 (1)'], 0.5]);
  assert.deepEqual(releaseFromJson(releaseToJson(release), 'release.json').crs, release.crs);
  for (const accuracy of [-1, '1', null]) {
    const { crs, ...json } = JSON.parse(releaseToJson(release));
    const text = JSON.stringify({ ...json, crs: [{ ...crs[0], accuracy }] });
    assert.throws(() => releaseFromJson(text, 'r'), {
      message: /^r crs\[0\]: accuracy is .*, expected a number of metres$/,
    });
  }
});

testSource('degrees without a CRS are taken for WGS 84, which data quality says; --crs says which they are', {
  source: shapefile('bare', undefined, TOKYO),
  quality: { crs: ['lv0 no-crs 1 bare.shp: layer bare'] },
  'release.crs': [
    { layers: ['bare.shp: layer bare'], crs: 'EPSG:4326', origin: 'assumed', operations: [], accuracy: 0 },
  ],
  besides: ({ release }) =>
    assert.match(buildTable(release), /^ {2}bare\.shp: layer bare: no CRS, taken for EPSG:4326$/m),
  '--crs lv0=epsg:4301': {
    quality: { crs: [] },
    'release.crs.0.crs': 'EPSG:4301',
    'release.crs.0.origin': 'option',
    'release.options.crs': ['lv0=EPSG:4301'],
    besides: (made) => {
      inTokyo(made);
      const [about] = made.release.crs ?? [];
      assert.match(about?.operations.join() ?? '', /^Tokyo.to.WGS/i);
      assert.ok((about?.accuracy ?? 0) > 0);
    },
  },
  '--crs EPSG:4301': { besides: inTokyo },
  '--crs EPSG:99999': /^EPSG:99999: GDAL knows no such CRS/,
  // What GDAL would read or fetch is not the code of a CRS.
  '--crs http://127.0.0.1:1/crs': /^--crs /,
  '--crs ./file.prj': /^--crs /,
  '--crs 4301': /^--crs /,
  '--crs lv0=': /^--crs /,
  '--crs lv9=EPSG:4301': /^--crs /,
});

testSource('a GeoPackage that says that nothing is known of its CRS has none', {
  source: (folder) => {
    const source = writeDataset(join(folder, 'unknown.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0'], [[['A'], TOKYO]])]);
    const dataset = gdal.open(source, 'r+');
    for (const table of ['gpkg_contents', 'gpkg_geometry_columns']) runSql(dataset, `UPDATE ${table} SET srs_id = 0`);
    dataset.close();
    return source;
  },
  quality: { crs: ['lv0 no-crs 1 unknown.gpkg: layer ADM_0'] },
});

testSource('units that are united from pieces keep the CRS that --crs says', {
  source: shapefile('pieces', undefined, TOKYO, TOKYO),
  '--crs EPSG:4301 --dissolve lv0': {
    'release.crs.0.layers': ['pieces.shp: layer pieces'],
    'release.crs.0.origin': 'option',
    besides: inTokyo,
  },
});

const RING = '[[1,2],[2,2],[2,3],[1,2]]';
const UNIT = '"properties":{"GID_0":"A","NAME_0":"Aa"}';

for (const [name, text] of [
  ['GeoJSON', `{"type":"Feature",${UNIT},"geometry":{"type":"Polygon","coordinates":[${RING}]}}`],
  [
    'TopoJSON',
    `{"type":"Topology","objects":{"units":{"type":"GeometryCollection","geometries":[{"type":"Polygon","arcs":[[0]],${UNIT}}]}},"arcs":[${RING}]}`,
  ],
] as const)
  testSource(`${name} is in WGS 84 by definition, and needs no CRS`, {
    source: textsOf({ [`bare.${name.toLowerCase()}`]: text }),
    quality: { crs: [] },
    'release.crs.0.crs': 'EPSG:4326',
    'release.crs.0.origin': 'source',
  });

testSource('a CRS that --crs puts in the place of another one, or that is made for elsewhere, is a finding', {
  source: shapefile('swiss', 2056, BERN),
  quality: NO_FINDING,
  'release.crs.0.operations': ['CH1903+ to WGS 84 (1)'],
  '--crs EPSG:27700': {
    quality: {
      'replaced-crs': ['lv0 replaced-crs 1 swiss.shp: layer swiss: EPSG:27700 instead of EPSG:2056'],
      'outside-crs': ['lv0 outside-crs 1 swiss.shp: layer swiss: EPSG:27700'],
    },
  },
});

/** A unit in UTM zone 32 by its numbers. */
const inZone = (easting: number) => shapefile('utm', undefined, square(easting, 66e5, 1e4));

testSource('units inside of the area of a projection that --crs says, on the datum of WGS 84, are no finding', {
  source: inZone(5e5),
  '--crs EPSG:32632': { quality: NO_FINDING, 'release.crs.0.accuracy': 0 },
});

testSource('units outside of the area of that projection, in a grid with another false easting, are a finding', {
  source: inZone(15e5),
  '--crs EPSG:32632': { quality: { crs: [/ outside-crs 1 /] } },
});

test('readers ignore members of release.json that they do not know, and need none that versions before did not write', async () => {
  const { release } = await published(pathsOf(shapefile('members', undefined, TOKYO)));
  const { crs, ...before } = JSON.parse(releaseToJson(release));
  assert.ok(crs);
  const further = { ...before, further: { anything: [1] }, crs: [{ ...crs[0], further: true }] };
  assert.deepEqual(releaseFromJson(JSON.stringify(further), 'release.json'), release);
  assert.equal(releaseFromJson(JSON.stringify(before), 'release.json').crs, undefined);
});
