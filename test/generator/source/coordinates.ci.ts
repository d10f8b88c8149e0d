// What is published of sources in other coordinate reference systems, beside gdaltransform, which asks PROJ as ogr2ogr
// and QGIS do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { layerOf } from '../../support/datasets/write-dataset.ts';
import { without } from '../../support/processes/programs.ts';
import { pathsOf, published } from '../../support/releases/source-cases.ts';

/** Another version of GDAL may know other operations. */
const other = without(`gdaltransform --version | grep -F 'GDAL ${gdal.version},'`);

/** Three places in the coordinates of a CRS, easting or longitude first. */
const PLACES: readonly [epsg: number, where: string, ...places: string[]][] = [
  [4269, 'New York, NAD83', '-74 40.7', '-73 40.7', '-73 41'],
  [4269, '180 degrees and a pole, NAD83', '180 51.5', '179.5 51.5', '179.5 90'],
  [4301, "Tokyo, Tokyo's datum", '139.7 35.6', '139.8 35.6', '139.8 35.7'],
  [2263, 'Long Island, in feet', '983000 200000', '990000 200000', '990000 210000'],
  [2056, 'Switzerland', '2600000 1200000', '2610000 1200000', '2610000 1210000'],
  [27700, 'England', '400000 400000', '410000 400000', '410000 410000'],
  [31370, 'Belgium', '150000 170000', '160000 170000', '160000 180000'],
  [30166, 'Japan, northing first by EPSG', '-1000 -2000', '5000 -2000', '5000 9000'],
  [3995, 'beside the North Pole', '0 10000', '30000 10000', '30000 40000'],
];

/** A place with the decimals of a release. */
function rounded(place: readonly unknown[]): string {
  return place.map((number) => (Number(number) + 0).toFixed(7)).join(' ');
}

for (const [epsg, where, ...places] of PLACES)
  test(`units in EPSG:${epsg} (${where}) come out where gdaltransform puts them`, { skip: other }, async () => {
    const ring = [...places, ...places.slice(0, 1)].join(',');
    const layer = { ...layerOf('units', ['GID_0'], [[['A'], `POLYGON((${ring}))`]]), epsg };
    const { unitsOf } = await published(pathsOf(layer));
    const { stdout } = spawnSync('gdaltransform', ['-s_srs', `EPSG:${epsg}`, '-t_srs', 'EPSG:4326', '-output_xy'], {
      input: `${places.join('\n')}\n`,
      encoding: 'utf8',
    });
    const expected = stdout
      .trim()
      .split('\n')
      .map((line) => rounded(line.split(' ')));
    const found = unitsOf(0)[0].geometry.coordinates[0].slice(1).map(rounded);
    assert.deepEqual(found.toSorted(), expected.toSorted());
  });
