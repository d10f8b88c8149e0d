// What QGIS saves of a GeoPackage: in every format but that one its fids become a column `fid`, beside those that GDAL
// gives. And a column of this name whose values cannot be fids.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { describeDataset } from '../../../generator/source/level-sources.ts';
import { type FixtureLayer, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { published } from './published.ts';

const folder = temporaryFolder();
const options = contentOptionsFrom({ 'gid-column': ['lv2=kommunenr'] });

/** The vector formats of QGIS: GDAL's driver, the ending, the options that QGIS sets. */
const FORMATS = [
  ['GeoJSON', 'geojson', ['-lco', 'RFC7946=NO', '-lco', 'WRITE_BBOX=NO']],
  ['ESRI Shapefile', 'shp', ['-lco', 'ENCODING=UTF-8']],
  ['LIBKML', 'kml', []],
  ['CSV', 'csv', ['-lco', 'GEOMETRY=AS_WKT']],
  ['FlatGeobuf', 'fgb', []],
] as const;

test('a GeoPackage that QGIS saved as GeoJSON, Shapefile, KML, CSV or FlatGeobuf builds with the column of its GIDs alone', async () => {
  const towns = [
    [7, '0301', 'Oslo'],
    [9, '1103', 'Stavanger'],
    [8, '4601', 'Bergen'],
  ];
  // QGIS hands GDAL the fids as a field, and features without one of their own.
  const layer = squares('kommuner', [{ name: 'fid', type: gdal.OFTInteger64 }, 'kommunenr', 'navn'], ...towns);
  const saved = writeDataset(join(folder, 'saved.geojson'), 'GeoJSON', [unnumbered(layer)]);
  for (const [driver, ending, settings] of FORMATS) {
    const own = join(folder, ending);
    mkdirSync(own);
    const file = join(own, `kommuner.${ending}`);
    const known = gdal.drivers.getNames().includes(driver) ? driver : 'KML';
    gdal.vectorTranslate(file, gdal.open(saved), ['-f', known, '-nln', 'kommuner', ...settings]).close();
    const { quality, unitsOf } = await published(file, options);
    assert.doesNotMatch(quality.join('\n'), /fid/, driver);
    const units = unitsOf(2).map(({ id, properties }) => [id, properties.fid, properties.kommunenr]);
    const expected = towns.toSorted(([a = 0], [b = 0]) => Number(a) - Number(b)).map(([fid, gid]) => [fid, fid, gid]);
    assert.deepEqual(units, expected);
  }
});

function unnumbered(layer: FixtureLayer): FixtureLayer {
  return { ...layer, features: layer.features.map(({ values, wkt }) => ({ values, wkt })) };
}

/** A table with a column fid, and perhaps another. */
function table(name: string, fids: readonly string[], title = 'source', value = 'x'): string {
  const file = join(folder, name);
  const rows = fids.map((fid, i) => `"${square(i, 0)}",${fid},K${name}${i},${value}`);
  writeFileSync(file, `WKT,fid,kommunenr,${title}\n${rows.join('\n')}\n`);
  return file;
}

test('a column fid whose values are not whole, or not distinct, has another name, which Data quality says', async () => {
  const { quality, valuesOf } = await published(table('other.csv', ['8', '8']), options);
  const renamed = quality.filter((line) => line.includes('renamed'));
  assert.deepEqual(renamed, ['lv2 renamed-columns 1 other.csv: layer other: fid is source_fid in the release']);
  assert.deepEqual(valuesOf(2, 'fid', 'source_fid'), [
    [1, '8'],
    [2, '8'],
  ]);
  for (const [i, fid] of ['', '2.5', '-2', '9007199254740993', '02', 'A', '0', '9007199254740991'].entries()) {
    const source = [table(`other-${i}.csv`, ['8', fid])];
    const { findings } = describeDataset({ ...options, source, levels: LEVELS });
    assert.equal(findings.length, i < 6 ? 1 : 0, fid);
  }
  const taken = await published(table('taken.csv', ['1', '1'], 'source_fid'), options);
  assert.deepEqual(taken.columnsOf(2), ['fid', 'source_fid_2', 'kommunenr', 'source_fid']);
});

test('fids of several files are taken from all of them, or from none, and new where they collide', async () => {
  const [one, two] = [table('one.csv', ['5', '6']), table('two.csv', ['8', '7'])];
  assert.deepEqual((await published([one, two], options)).gidsOf(2, 'fid'), [5, 6, 7, 8]);
  const colliding = await published([one, table('three.csv', ['6', '4'])], options);
  assert.deepEqual(colliding.valuesOf(2, 'fid', 'source_fid'), [
    [1, '5'],
    [2, '6'],
    [3, '6'],
    [4, '4'],
  ]);
  assert.match(
    colliding.quality.join('\n'),
    /renamed-columns 2 .*\n.*renumbered-fids 2 three\.csv: layer three, fid 1, /,
  );
  // The rows of a file without the column have the numbers that GDAL gives them.
  const bare = writeDataset(join(folder, 'bare.gpkg'), 'GPKG', [squares('bare', ['kommunenr'], ['A'])]);
  const beside = await published([bare, table('five.csv', ['1', '7'])], options);
  assert.deepEqual(beside.valuesOf(2, 'fid', 'source_fid'), [
    [1, undefined],
    [2, '1'],
    [3, '7'],
  ]);
  const { gidsOf, quality } = await published([one, table('four.csv', ['3', '3'])], options);
  assert.deepEqual(gidsOf(2, 'source_fid'), ['5', '6', '3', '3']);
  assert.match(quality.join('\n'), /renamed-columns 2/);
});

test('a column fid may have the GIDs, and --columns may name the column of the fids', async () => {
  const gids = contentOptionsFrom({ 'gid-column': ['lv2=fid'] });
  const { release, valuesOf } = await published(table('gids.csv', ['5', '6']), gids);
  assert.deepEqual(release.levels[2]?.gidColumns, ['', '', 'fid']);
  assert.deepEqual(valuesOf(2, 'fid'), [[5], [6]]);
  const text = await published(table('text.csv', ['A', 'B']), gids);
  assert.deepEqual(
    [text.release.levels[2]?.gidColumns, text.gidsOf(2, 'source_fid')],
    [
      ['', '', 'source_fid'],
      ['A', 'B'],
    ],
  );
  const named = { ...options, ...contentOptionsFrom({ columns: ['-fid', 'source:fid'] }) };
  assert.deepEqual((await published(table('named.csv', ['A'], 'source', '17'), named)).gidsOf(2, 'fid'), [17]);
});
