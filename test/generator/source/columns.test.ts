// The columns of a source: fids, types and values, which of them are published and as what.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { LEVELS } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { describeDataset } from '../../../generator/source/level-sources.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { runSql, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { readIndex } from '../../support/releases/read-index.ts';
import {
  filesOf,
  pathsOf,
  published,
  type Source,
  testSource,
  textsOf,
  typedOptions,
  writeTexts,
} from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** GeoJSON with these properties, as text: JSON.stringify would round the integers. */
function geojsonOf(properties: readonly string[], ids = properties.map((_, i) => i + 1)): string {
  const geometry = '{"type":"Polygon","coordinates":[[[1,2],[2,2],[2,3],[1,2]]]}';
  const features = properties.map(
    (json, i) => `{"type":"Feature","id":${ids[i]},"properties":{${json}},"geometry":${geometry}}`,
  );
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

const IDS = [907199254740991, 3, 0, 70, 2];

testSource('keeps fids that start at 0, have gaps and are unsorted in the file, and orders by them', {
  source: textsOf({
    'unsorted.geojson': geojsonOf(
      IDS.map((id) => `"GID_0":"A${id}","list":["a","b"]`),
      IDS,
    ),
  }),
  'lv0 fid': ['0', '2', '3', '70', '907199254740991'],
});

testSource('refuses a fid that occurs twice, as where a feature has no id and another one has 0', {
  source: textsOf({ 'some.geojson': geojsonOf(['"GID_0":"A"', '"GID_0":"B"'], [0]).replace('"id":undefined,', '') }),
  refused: /level 0 \(some\.geojson\): fid 0 occurs twice$/,
  remedy: /the features of a GeoJSON file have an "id" each, or none has one/,
});

test('writes properties verbatim: column order, types, booleans, dates, nulls and text in any script', async () => {
  const source = join(temporaryFolder(), 'types.gpkg');
  const dataset = gdal.open(source, 'w', 'GPKG');
  dataset.layers.create('seed', gdal.SpatialReference.fromEPSG(4326), gdal.wkbPolygon);
  const text = 'tab\t quote" slash\\ line\n nul-ish\u0001 ünï 東京 🗺';
  for (const sql of [
    'CREATE TABLE ADM_0 (fid INTEGER PRIMARY KEY, "2020" INTEGER, GID_0 TEXT, flag BOOLEAN, small MEDIUMINT, big INTEGER, ' +
      'real DOUBLE, "a""b" TEXT, day DATE, moment DATETIME, raw BLOB, geom POLYGON)',
    "INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('ADM_0', 'features', 4326)",
    "INSERT INTO gpkg_geometry_columns VALUES ('ADM_0', 'geom', 'POLYGON', 4326, 0, 0)",
    `INSERT INTO ADM_0 VALUES (9, 7, 'AAA', 1, -3, 9007199254740991, 0.1, '${text}', '2020-01-02', '2020-01-02T03:04:05Z', x'00ff', NULL), ` +
      "(10, NULL, 'BBB', 0, 0, -1, -0.5, '', NULL, NULL, NULL, NULL)",
  ])
    runSql(dataset, sql);
  dataset.close();
  const { linesOf, release } = await published(source, { accept: ['empty-geometries'] });
  assert.deepEqual(
    release.levels[0]?.columns?.map(({ name, type }) => `${name} ${type}`),
    [
      ...['fid int64', '2020 int64', 'GID_0 string', 'flag boolean', 'small int64', 'big int64', 'real double'],
      ...['a"b string', 'day date', 'moment string', 'raw string'],
    ],
  );
  const whole = (fid: number, properties: string): string =>
    `{"type":"Feature","id":${fid},"properties":{"fid":${fid},${properties}},"geometry":null}\n`;
  const first =
    `"2020":7,"GID_0":"AAA","flag":true,"small":-3,"big":9007199254740991,"real":0.1,"a\\"b":${JSON.stringify(text)},` +
    '"day":"2020-01-02","moment":"2020-01-02T03:04:05Z","raw":"AP8="';
  const second =
    '"2020":null,"GID_0":"BBB","flag":false,"small":0,"big":-1,"real":-0.5,"a\\"b":"","day":null,"moment":null,"raw":null';
  assert.equal(linesOf(0), whole(9, first) + whole(10, second));
});

/** Columns by their types in two layers, and what becomes of them. */
const TYPES: readonly [name: string, types: (string | undefined)[], type: string][] = [
  ['whole', [gdal.OFTInteger, gdal.OFTInteger64], 'int64'],
  ['number', [gdal.OFTInteger, gdal.OFTReal], 'double'],
  ['exact', [gdal.OFTInteger64, gdal.OFTReal], 'json'],
  ['code', [gdal.OFTString, gdal.OFTInteger], 'json'],
  ['day', [gdal.OFTDate, gdal.OFTDate], 'date'],
  ['time', [gdal.OFTDate, gdal.OFTDateTime], 'string'],
  ['early', [gdal.OFTReal, undefined], 'double'],
  ['late', [undefined, gdal.OFTInteger], 'int64'],
];

testSource('the type of a column follows from those that its layers have, not from values', {
  source: filesOf(
    ...['a', 'b'].map((name, i) => {
      const own = TYPES.flatMap(([column, { [i]: type }]) => (type === undefined ? [] : [{ name: column, type }]));
      const nothing = own.map(() => null);
      return squares(name, ['GID_0', ...own], [`${name}0`, ...nothing], [`${name}1`, ...nothing]);
    }),
  ),
  '--layer lv0=*': {
    'release.levels.0.columns': [
      { name: 'fid', type: 'int64' },
      { name: 'GID_0', type: 'string' },
      ...TYPES.map(([name, , type]) => ({ name, type })),
    ],
  },
});

/** Integers that a double cannot hold: the ends of the 64-bit range, and the first beyond 2^53 on both sides. */
const BIG_INTEGERS = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993'];

// FlatGeobuf has no type for dates.
for (const [driver, ending, day] of [
  ['GPKG', 'gpkg', '"2020-01-02"'],
  ['GeoJSON', 'geojson', '"2020-01-02"'],
  ['FlatGeobuf', 'fgb', '"2020-01-02T00:00:00"'],
] as const)
  test(`${driver}: writes a 64-bit number exactly, as a property and as a GID`, async () => {
    const folder = temporaryFolder();
    const written = (name: string, properties: readonly string[]): string => {
      const [json = ''] = writeTexts(folder, { [`${name}.json`]: geojsonOf(properties) });
      const target = join(folder, `${name}.${ending}`);
      gdal.vectorTranslate(target, gdal.open(json), ['-f', driver, '-nln', name, '-preserve_fid']).close();
      return target;
    };
    const populations = [...BIG_INTEGERS, '0', '9007199254740991', 'null'];
    const gids = [...BIG_INTEGERS, '4', '5', '6'];
    const others = '"is":true,"day":"2020-01-02","share":0.1';
    const countries = populations.map((population, i) => `"GID_0":${gids[i]},"POP":${population},${others}`);
    const children = BIG_INTEGERS.map((gid) => `"GID_1":"${gid}/child","GID_0":${gid}`);
    const source = [written('big0', countries), written('big1', children)];
    const { out, linesOf } = await published(source, { storedPages: 'all' });
    const root = join(out, 'releases/r1');
    const fc = gunzipSync(readFileSync(join(root, 'lv0/fc/all/000001.json.gz'))).toString();
    for (const [text, end] of [[linesOf(0)], [fc, 5]] as const) {
      const bare = (name: string) =>
        [...text.matchAll(new RegExp(`"${name}":([^,}]*)`, 'g'))].map(([, value]) => value);
      assert.deepEqual(bare('POP'), populations.slice(0, end));
      assert.deepEqual(bare('GID_0'), gids.slice(0, end));
      for (const [name, value] of Object.entries({ is: 'true', day, share: '0.1' }))
        assert.deepEqual(new Set(bare(name)), new Set([value]));
    }
    const [parents] = readIndex(root, 1).columns;
    const counted = Array.from({ length: parents?.size ?? 0 }, (_, n) => [parents?.gidAt(n), parents?.countAt(n)]);
    assert.deepEqual(
      counted,
      BIG_INTEGERS.toSorted().map((gid) => [gid, 1]),
    );
  });

/** A file with a 64-bit number beside a column of this name. */
function besides(name: string): Source {
  return textsOf({
    'named.geojson': geojsonOf([`"GID_0":"AAA",${JSON.stringify(name)}:"x","POP":${BIG_INTEGERS[0]}`]),
  });
}

test('writes a 64-bit number beside columns of any name', async () => {
  for (const name of ['"', "it's", 'a\\b', 'n.GID_0', 'COUNT(*)', '%', ' '])
    assert.deepEqual((await published(pathsOf(besides(name)))).gidsOf(0, name), ['x']);
});

for (const [name, selected] of [
  ['*', /has a column named \*/],
  ['a\\', /--sql selects an integer beyond 2\^53/],
] as const)
  testSource(`refuses a 64-bit number beside a column ${name}, which SQL cannot name`, {
    source: besides(name),
    refused: /geojson: layer .* has a column named (\*|a\\), which GDAL's SQL cannot select, and needs SQL/,
    remedy: /^rename the column in the source$/,
    '--sql "lv0=SELECT * FROM {layer}"': selected,
  });

testSource('beside a 64-bit number, a condition is one of OGR SQL', {
  source: (folder) => {
    const [json = ''] = writeTexts(folder, { 'some.geojson': geojsonOf(BIG_INTEGERS.map((id) => `"GID_0":${id}`)) });
    const file = join(folder, 'some.gpkg');
    gdal.vectorTranslate(file, gdal.open(json), ['-f', 'GPKG']).close();
    return file;
  },
  '--where "lv0=length(GID_0) = 16"': {
    refused: /some\.gpkg: layer some: --where lv0=length\(GID_0\) = 16: Undefined function 'length' used/,
    remedy: 'write the condition in OGR SQL, by which layers with integers beyond 2^53 are read',
  },
  '--where "lv0=GID_0 = 9007199254740993"': { 'lv0 columns': ['fid', 'GID_0'], counts: [1] },
  '--where lv0=1 --sql "lv0=SELECT * FROM {layer}"': {
    refused: /^--where and --sql are both given for level 0: a statement has its own condition$/,
  },
});

testSource('refuses a list with a number beyond 2^53', {
  source: textsOf({ 'list.geojson': geojsonOf(['"GID_0":"AAA","POP":[1,9007199254740993]']) }),
  refused: /list\.geojson: layer list \(level 0\), fid 1, GID AAA: a list has 9007199254740992, .*2\^53/,
  remedy: 'change the column to text',
});

testSource('a GID is made of values as they are published: dates, truth values, numbers, and none of NaN', {
  source: textsOf({
    'dated.geojson': geojsonOf([
      '"code":"A","since":"2020-01-02","is":true,"share":1.5',
      '"code":"B","since":"2021-01-02","is":false,"share":NaN',
    ]),
  }),
  '--gid-column lv0=share lv1=since lv2=code+since+is --accept null-gids': {
    'lv2 GID_2 since share': ['A.2020-01-02.true, 2020-01-02, 1.5', 'B.2021-01-02.false, 2021-01-02, null'],
    'lv2 names gid parents': ['A.2020-01-02.true, ["1.5","2020-01-02"]', 'B.2021-01-02.false, [null,"2021-01-02"]'],
  },
});

testSource('a GID that is joined with a 64-bit number has all of its digits, also without its column', {
  source: textsOf({ 'joined.geojson': geojsonOf(BIG_INTEGERS.map((big) => `"code":"A","POP":${big}`)) }),
  '--gid-column lv0=code+POP --columns=-POP': { 'lv0 GID_0': BIG_INTEGERS.map((big) => `A.${big}`) },
});

testSource('refuses GIDs in a column of lists', {
  source: textsOf({ 'lists.geojson': geojsonOf(['"code":"A","parts":["a","b"]']) }),
  '--gid-column lv1=code+parts': {
    refused: /lists\.geojson: layer lists \(level 1\): column parts has lists, and no GIDs$/,
    remedy: /^name another column with --gid-column lv1=COLUMN, or change the column to text in the source$/,
  },
  '--gid-column lv0=parts lv1=code': /column parts has lists, and no GIDs$/,
});

testSource('a column of names, of types, or of --columns need not be in every layer of a level, but in one', {
  source: filesOf(squares('a', ['code'], ['A']), squares('b', ['code', 'title', 'kind'], ['B', 'Title', 'region'])),
  '--layer lv0=* --gid-column lv0=code --name-column lv0=title --type-column lv0=kind --columns lv0=kind:sort': {
    'release.levels.0.nameColumn': 'title',
    'release.levels.0.typeColumn': 'sort',
    'lv0 code title sort': ['A, , ', 'B, Title, region'],
  },
  '--gid-column lv0=code --name-column lv0=titel': {
    refused: /^--name-column lv0=titel: no layer of level 0 has such a column$/,
    remedy: /use one of: title, code, kind$/,
  },
  '--gid-column lv0=code --columns lv0=-titel': {
    refused: /^--columns lv0=-titel: no layer of level 0 has a column titel$/,
    remedy: /use one of: title, code, kind$/,
  },
});

testSource('refuses layers of a level that call the column of names otherwise, with how they get one name', {
  source: filesOf(
    squares('a', ['GID_0', 'Name', 'TYPE_0'], ['A', 'One', 'Realm']),
    squares('b', ['GID_0', 'shapeName', 'type_0'], ['B', 'Two', 'Land']),
  ),
  '--layer lv0=*': {
    refused:
      'level 0 is merged from layers with different columns of names: Name in a.gpkg: layer a, shapeName in b.gpkg: layer b',
    remedy:
      'give them one name: --columns lv0=shapeName:Name; or leave out the names of others: --name-column lv0=Name',
  },
  '--columns lv0=shapeName:Name': {
    refused: /different columns of types: TYPE_0 in a\.gpkg: layer a, type_0 in b\.gpkg: layer b$/,
    remedy: 'give them one name: --columns lv0=type_0:TYPE_0',
  },
  '--columns lv0=shapeName:Name lv0=type_0:TYPE_0': { 'lv0 names gid name type': ['A, One, Realm', 'B, Two, Land'] },
  '--columns lv0=type_0:TYPE_0 --name-column lv0=Name': { 'lv0 names gid name': ['A, One', 'B, null'] },
});

testSource('of columns whose names differ by case alone, options take the one that is spelled so', {
  source: textsOf({ 'units.csv': `ID,id,Name,name,WKT\nx,a,X,One,"${square(0, 0)}"\nx,b,X,Two,"${square(1, 0)}"\n` }),
  '--layer lv0=units --gid-column lv0=id --name-column lv0=name --search-column lv0=Name': {
    'lv0 names gid name': ['a, One', 'b, Two'],
    'release.levels.0.gidColumns': ['id'],
    'release.levels.0.nameColumn': 'name',
  },
  '--layer lv0=units --gid-column lv0=Id': {
    refused: /^--gid-column lv0=Id: .*units\.csv: layer units has ID and id$/,
    remedy: 'write the name of one of them',
  },
  '--layer lv0=units --gid-column lv0=id --name-column lv0=NAME': {
    refused: /^--name-column lv0=NAME: .*units\.csv: layer units has Name and name$/,
    remedy: 'write the name of one of them',
  },
});

testSource('chooses, drops and renames columns; a column of WKT in a CSV file is not an attribute', {
  source: textsOf({ 'units.csv': 'WKT,GID_0,NAME_0,extra\n"POLYGON((0 0,1 0,1 1,0 0))",AAA,Aland,1\n' }),
  'lv0 columns': ['fid', 'GID_0', 'NAME_0', 'extra'],
  'lv0 GID_0 NAME_0 extra': ['AAA, Aland, 1'],
  '--columns lv0=NAME_0:name extra': {
    'lv0 columns': ['fid', 'GID_0', 'name', 'extra'],
    'lv0 GID_0 name extra': ['AAA, Aland, 1'],
  },
  '--columns=-extra': { 'lv0 columns': ['fid', 'GID_0', 'NAME_0'] },
  '--columns extr': {
    refused: /^--columns extr: no layer has a column extr$/,
    remedy: /use one of: extra, .*; of one level only: --columns lv1=extr$/,
  },
  '--columns lv0=-extr': /^--columns lv0=-extr: .*units\.csv: layer units has no column extr$/,
});

testSource('a column of CSV whose name begins with WKT is an attribute, but for _WKT', {
  source: textsOf({ 'units.csv': 'wkt_note,GID_0,_wkt_2,wktname\nnote,AAA,"POLYGON((0 0,1 0,1 1,0 0))",Aland\n' }),
  'lv0 columns': ['fid', 'wkt_note', 'GID_0', 'wktname'],
  'lv0 wkt_note wktname': ['note, Aland'],
});

testSource('of --columns, a column that has a colon in its name is meant before the new name of another one', {
  source: textsOf({ 'units.csv': 'WKT,GID_0,name,name:en\n"POLYGON((0 0,1 0,1 1,0 0))",AAA,Ahvenanmaa,Aland\n' }),
  '--columns name:en': { 'lv0 columns': ['fid', 'GID_0', 'name:en'], 'lv0 name:en': ['Aland'] },
  '--columns name:en:english': { 'lv0 columns': ['fid', 'GID_0', 'name', 'english'], 'lv0 english': ['Aland'] },
  '--columns name:title': { 'lv0 columns': ['fid', 'GID_0', 'title', 'name:en'] },
  '--columns=-name:en': { 'lv0 columns': ['fid', 'GID_0', 'name'] },
  '--columns name:name:en': {
    refused: /would have two columns named name:en$/,
    remedy: /, e\.g\. --columns lv0=name:en:name:en_2$/,
  },
});

testSource('--columns without a level applies to the levels that have the column', {
  source: countryLayers(),
  '--columns=-NAME_2,NAME_1:name': {
    'lv0 columns': ['fid', 'GID_0', 'COUNTRY'],
    'lv1 columns': ['fid', 'GID_1', 'GID_0', 'COUNTRY', 'name'],
    'lv2 columns': ['fid', 'GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'name'],
  },
});

/** Tables with a column fid, and perhaps another. */
function tables(fids: Readonly<Record<string, readonly string[]>>, title = 'source', value = 'x'): Source {
  const texts = Object.entries(fids).map(([name, own]) => {
    const rows = own.map((fid, i) => `"${square(i, 0)}",${fid},K${name}${i},${value}\n`);
    return [`${name}.csv`, `WKT,fid,kommunenr,${title}\n${rows.join('')}`];
  });
  return textsOf(Object.fromEntries(texts));
}

const CODES = '--gid-column lv2=kommunenr';

testSource('a column fid whose values are not distinct has another name, which data quality says', {
  source: tables({ a: ['8', '8'] }),
  [CODES]: {
    quality: { renamed: ['lv2 renamed-columns 1 a.csv: layer a: fid is source_fid in the release'] },
    'lv2 fid source_fid': ['1, 8', '2, 8'],
  },
});

testSource('the other name of a column fid gets a number where the source has that name', {
  source: tables({ taken: ['1', '1'] }, 'source_fid'),
  [CODES]: { 'lv2 columns': ['fid', 'source_fid_2', 'kommunenr', 'source_fid'] },
});

test('a column fid has another name where a value is not a whole number up to 2^53', () => {
  for (const [i, fid] of ['', '2.5', '-2', '9007199254740993', '02', 'A', '0', '9007199254740991'].entries()) {
    const source = [pathsOf(tables({ other: ['8', fid] }))].flat();
    const { findings } = describeDataset({ ...typedOptions(CODES), source, levels: LEVELS });
    assert.equal(findings.length, i < 6 ? 1 : 0, fid);
  }
});

testSource('fids of several files are taken from all of them', {
  source: tables({ one: ['5', '6'], two: ['8', '7'] }),
  [CODES]: { 'lv2 fid': ['5', '6', '7', '8'] },
});

testSource('fids of several files are taken from none where one repeats its own', {
  source: tables({ one: ['5', '6'], b: ['3', '3'] }),
  [CODES]: { 'lv2 source_fid': ['5', '6', '3', '3'], quality: { renamed: [/renamed-columns 2/] } },
});

testSource('fids that collide in several files are new, and a column', {
  source: tables({ one: ['5', '6'], three: ['6', '4'] }),
  [CODES]: {
    'lv2 fid source_fid': ['1, 5', '2, 6', '3, 6', '4, 4'],
    quality: { fid: [/renamed-columns 2 /, /renumbered-fids 2 three\.csv: layer three, fid 1, /] },
  },
});

testSource('rows of a file without a column fid have the numbers that GDAL gives them, those beside it a column', {
  source: (folder) => {
    const bare = writeDataset(join(folder, 'bare.gpkg'), 'GPKG', [squares('bare', ['kommunenr'], ['A'])]);
    return [bare, pathsOf(tables({ five: ['1', '7'] }))].flat();
  },
  [CODES]: { 'lv2 fid source_fid': ['1, ', '2, 1', '3, 7'] },
});

testSource('a column fid may have the GIDs', {
  source: tables({ gids: ['5', '6'] }),
  '--gid-column lv2=fid': { 'release.levels.2.gidColumns': ['', '', 'fid'], 'lv2 fid': ['5', '6'] },
});

testSource('a column fid that is text may have the GIDs, under another name', {
  source: tables({ text: ['A', 'B'] }),
  '--gid-column lv2=fid': { 'release.levels.2.gidColumns': ['', '', 'source_fid'], 'lv2 source_fid': ['A', 'B'] },
});

testSource('--columns may name the column of the fids', {
  source: tables({ named: ['A'] }, 'source', '17'),
  [`${CODES} --columns=-fid source:fid`]: { 'lv2 fid': ['17'] },
});
