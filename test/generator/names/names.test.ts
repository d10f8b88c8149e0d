// The names of a level's units, names.jsonl.gz and words.bin: what they say of a unit, and of which columns. The oracle
// derives them of every release that is built here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { featureFilePath, namesPath, releasePath, tilesPath } from '../../../format/layout.ts';
import { LEVELS, type Level } from '../../../format/levels.ts';
import { NAME_FIELDS, type NameField } from '../../../format/names.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { nameValues } from '../../../proxy/tables/unit-names.ts';
import { type FixtureLayer, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { readNames } from '../../support/releases/read-index.ts';
import { featuresOf, openTiles, readTiles } from '../../support/releases/read-tiles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let builds = 0;

const BASIC = ['fid', 'gid', 'name', 'type', 'parent', 'children', 'inside'] as const;

/**
 * Builds a release of some layers, or sources; the lines of a level's names without the header, and what release.json
 * says.
 */
async function namesOf(layers: readonly FixtureLayer[] | string[], options: Partial<BuildOptions> = {}) {
  const out = join(folder, `out-${builds}`);
  const sources = layers.filter((source) => typeof source === 'string');
  const own = layers.filter((layer) => typeof layer !== 'string');
  if (own.length > 0) sources.push(writeDataset(join(folder, `${builds}.gpkg`), 'GPKG', own));
  builds++;
  const release = await buildRelease(sources, out, options);
  const names = LEVELS.map((level): unknown[][] => {
    const text = gunzipSync(readFileSync(join(out, releasePath('r1'), namesPath(level)))).toString();
    const [header, ...lines] = text.split('\n');
    assert.equal(lines.pop(), '', 'the last line ends');
    assert.deepEqual(JSON.parse(header ?? '').slice(0, NAME_FIELDS.length), NAME_FIELDS);
    // Views, parents, areas and other names have tests of their own; the oracle has compared all.
    return lines.map((line) => {
      const values: unknown[] = JSON.parse(line);
      return BASIC.map((field) => values[NAME_FIELDS.indexOf(field)]);
    });
  });
  return { names, out, release, typeColumns: release.levels.map(({ typeColumn }) => typeColumn) };
}

test("GADM's NA is no name and no type; the property stays", async () => {
  const layer = squares('ADM_0', ['GID_0', 'NAME_0', 'ENGTYPE_0'], ['NAM', 'NA', 'NA'], ['BBB', 'Na', 'NA ']);
  const { names, out } = await namesOf([layer]);
  assert.deepEqual(names[0], [
    [1, 'NAM', null, null, null, 0, []],
    [2, 'BBB', 'Na', 'NA ', null, 0, []],
  ]);
  const file = join(out, releasePath('r1'), featureFilePath(0, 0));
  assert.match(gunzipSync(readFileSync(file)).toString(), /"NAME_0":"NA","ENGTYPE_0":"NA"/);
});

test('types come from ENGTYPE_n, else TYPE_n; --type-column and --name-column name others', async () => {
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'TYPE_1', 'ENGTYPE_1', 'LABEL'];
  const values = ['AAA', 'AAA.1_1', 'Nord', 'Provincia', 'Province', 'N'];
  const whole = { name: 'ADM_1', columns, features: [{ fid: 1, values, wkt: square(0, 0) }] };
  const local = { ...whole, columns: columns.with(4, 'KIND') };
  for (const [layer, options, name, type, column] of [
    [whole, {}, 'Nord', 'Province', 'ENGTYPE_1'],
    [local, {}, 'Nord', 'Provincia', 'TYPE_1'],
    [
      whole,
      { typeColumns: [{ level: 1, value: 'TYPE_1' }], nameColumns: [{ level: undefined, value: 'LABEL' }] },
      'N',
      'Provincia',
      'TYPE_1',
    ],
    // A column that is renamed keeps its meaning; one that is not published has none.
    [whole, { columns: [{ level: undefined, value: 'GID_1,ENGTYPE_1:kind' }] }, null, 'Province', 'kind'],
  ] as const) {
    const { names, typeColumns } = await namesOf([layer], options);
    assert.deepEqual([names[1], typeColumns[1]], [[[1, 'AAA.1_1', name, type, null, 0, []]], column]);
  }
});

test('--type-name says the type of units that have none, in names and in what counts them', async () => {
  const countries = squares('ADM_0', ['GID_0', 'NAME_0'], ['AAA', 'Aland']);
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'ENGTYPE_1'];
  const units = squares('ADM_1', columns, ['AAA', 'A.1_1', 'Nord', null], ['AAA', 'A.2_1', 'Sud', 'District']);
  const options = { typeNames: [{ level: 1 as const, value: 'Wilaya' }] };
  const { names, release, out } = await namesOf(
    [countries, { ...units, columns: columns.toSpliced(3, 1, 'KIND') }],
    options,
  );
  assert.deepEqual(
    names[1]?.map(([, , , type]) => type),
    ['Wilaya', 'Wilaya'],
  );
  assert.deepEqual(names[0]?.[0]?.at(-1), [[1, 2, 'Wilaya']]);
  const [{ typeName: none } = {}, { typeName, typeColumn } = {}] = release.levels;
  assert.deepEqual([none, typeName, typeColumn], [undefined, 'Wilaya', '']);
  assert.deepEqual((await verify({ out, workers: 0 }, SILENT)).findings, []);
  const withOwn = await namesOf([countries, units], options);
  assert.deepEqual(
    withOwn.names[1]?.map(([, , , type]) => type),
    ['Wilaya', 'District'],
  );
});

test('units are found by VARNAME_n and NL_NAME_n, between vertical bars, and by the columns of --search-column', async () => {
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'VARNAME_1', 'NL_NAME_1', 'ALT', 'OLD'];
  const features = [
    ['AAA', 'A.1_1', 'A Coruña', 'La Corogne|Corunna', null, 'Brigantium', 'Crunia'],
    ['AAA', 'A.2_1', "Hawai'i", 'NA', 'هاواي', null, 7],
    ['AAA', 'A.3_1', 'NA', '| |?', 'NA', 'NA', null],
  ].map((values, i) => ({ fid: i + 1, values, wkt: square(2 * i, 0) }));
  const searchColumns = ['ALT', 'old'].map((value) => ({ level: 1 as const, value }));
  for (const [options, expected] of [
    [{ searchColumns }, ['VARNAME_1', 'NL_NAME_1', 'ALT', 'OLD']],
    [{ columns: [{ level: undefined, value: '-NL_NAME_1' }] }, ['VARNAME_1']],
  ] as const) {
    const { release } = await namesOf([{ name: 'ADM_1', columns, features }], options);
    assert.deepEqual(release.levels[1]?.searchColumns, expected);
  }
});

test('names that are not text become text: numbers, 64-bit integers; an empty text is null', async () => {
  for (const [type, value, text] of [
    [gdal.OFTInteger, 7, '7'],
    [gdal.OFTReal, 0.1, '0.1'],
    [gdal.OFTInteger64, 2 ** 52, '4503599627370496'],
    [gdal.OFTString, '', null],
    [gdal.OFTString, null, null],
  ] as const) {
    const { names } = await namesOf([squares('ADM_0', ['GID_0', { name: 'NAME_0', type }], ['AAA', value])]);
    assert.deepEqual(names[0], [[1, 'AAA', text, null, null, 0, []]]);
  }
});

test('a level merged from layers with other columns: names come from the column of the first', async () => {
  const layers = [
    squares('ADM_0', ['GID_0', 'NAME_0'], ['AAA', 'Aland']),
    squares('ADM_0', ['GID_0', 'COUNTRY', 'NAME_0'], ['BBB', 'no', 'Beland']),
    squares('ADM_0', ['GID_0', 'COUNTRY'], ['CCC', 'no']),
  ];
  const sources = layers.map((layer, i) => writeDataset(join(folder, `merged-${i}.gpkg`), 'GPKG', [layer]));
  const { names } = await namesOf(sources);
  assert.deepEqual(names[0], [
    [1, 'AAA', 'Aland', null, null, 0, []],
    [2, 'BBB', 'Beland', null, null, 0, []],
    [3, 'CCC', null, null, null, 0, []],
  ]);
});

test('units say how many there are inside them, of each level below, and their commonest type', async () => {
  const [a1, a2, b1] = [
    ['AAA', 'A.1_1'],
    ['AAA', 'A.2_1'],
    ['BBB', 'B.1_1'],
  ] as const;
  const types = ['City', 'Town', 'Town', 'City', null, 'NA'];
  const units = [a1, a1, a2, a2, a2, b1].map((parents, i) => [...parents, `X.${i}`, types[i] ?? null]);
  const { names } = await namesOf([
    squares('ADM_0', ['GID_0'], ['AAA'], ['BBB'], ['CCC']),
    squares('ADM_1', ['GID_0', 'GID_1'], [...a1], [...a2], [...b1]),
    squares('ADM_3', ['GID_0', 'GID_1', 'GID_3', 'ENGTYPE_3'], ...units),
  ]);
  // Of City and Town, as many of both, the first.
  const inA = [
    [1, 2, null],
    [3, 5, 'City'],
  ];
  const inB = [
    [1, 1, null],
    [3, 1, null],
  ];
  const expected = [[inA, inB, []], [[[3, 2, 'City']], [[3, 3, 'Town']], [[3, 1, null]]], [], units.map(() => [])];
  const inside = names.slice(0, 4).map((level) => level.map((unit) => unit.at(-1)));
  assert.deepEqual(inside, expected);
});

test('the children of a unit are those of the nearest level that has some, and a leaf has none', async () => {
  const layers = [
    squares('ADM_0', ['GID_0'], ['AAA'], ['BBB'], ['CCC']),
    squares('ADM_1', ['GID_0', 'GID_1'], ['AAA', 'A.1_1']),
    squares('ADM_2', ['GID_0', 'GID_1', 'GID_2'], ['AAA', 'A.1_1', 'X.1'], ['BBB', null, 'X.2'], ['BBB', null, 'X.3']),
  ];
  const { names, out } = await namesOf(layers, { accept: ['null-gids'], tiles: 2 });
  const leaves = new Map<unknown, unknown>();
  for await (const { tile } of readTiles(openTiles(join(out, releasePath('r1'), tilesPath(0)))))
    for (const { properties } of featuresOf(tile.layers.units)) leaves.set(properties['gid'], properties['leaf']);
  assert.deepEqual(
    names[0]?.map(([, gid, , , , children]) => [gid, children, leaves.get(gid)]),
    [
      ['AAA', 1, false],
      ['BBB', 2, false],
      ['CCC', 0, true],
    ],
  );
  assert.deepEqual((await verify({ out, workers: 0 }, SILENT)).findings, []);
});

test('orphans are the units without a GID of any level above, none at the highest level that has units', async () => {
  const layers = [
    squares('ADM_1', ['GID_0', 'GID_1'], [null, 'A.1_1'], [null, 'A.2_1']),
    squares('ADM_2', ['GID_0', 'GID_1', 'GID_2'], ['AAA', '', 'X.1'], [null, 'A.9', 'X.2'], ['', null, 'X.3']),
    squares('ADM_3', ['GID_0', 'GID_1', 'GID_2', 'GID_3'], [null, null, null, 'Y.1'], [null, null, null, null]),
  ];
  const { release, out } = await namesOf(layers, { accept: ['null-gids', 'orphans'] });
  assert.deepEqual(
    release.levels.map(({ orphans }) => orphans),
    [0, 0, 1, 2, 0, 0],
  );
  assert.deepEqual((await verify({ out, workers: 0 }, SILENT)).findings, []);
});

/** The columns of a level's names that are asked for. */
function columnsOf(out: string, level: Level, fields: readonly NameField[]): unknown[][] {
  const text = gunzipSync(readFileSync(join(out, releasePath('r1'), namesPath(level)))).toString();
  return Array.from(nameValues(text, 'names', fields), ({ values }) => [...values]);
}

test('parents are said where they are not those of the parent, other names each once, and areas on the ellipsoid', async () => {
  const { out } = await namesOf(
    [
      squares('ADM_0', ['GID_0'], ['AAA'], ['BBB']),
      squares('ADM_1', ['GID_0', 'GID_1', 'VARNAME_1'], ['AAA', 'A.1_1', 'Uno|One|Uno||'], ['BBB', 'B.1_1', 'NA']),
      squares(
        'ADM_3',
        ['GID_0', 'GID_1', 'GID_2', 'GID_3'],
        ['AAA', 'A.1_1', 'A.x', 'X.1'],
        ['AAA', 'B.1_1', '', 'X.2'],
      ),
    ],
    { accept: ['null-gids', 'orphans', 'contradicting-parents'] },
  );
  // A degree each way from the equator, between parallels.
  const square = 12308.463;
  assert.deepEqual(columnsOf(out, 0, ['parents', 'others']), [
    [null, []],
    [null, []],
  ]);
  assert.deepEqual(columnsOf(out, 1, ['parents', 'others']), [
    [null, ['Uno', 'One']],
    [null, []],
  ]);
  assert.deepEqual(columnsOf(out, 3, ['parents']), [[['AAA', 'A.1_1', 'A.x']], [['AAA', 'B.1_1', null]]]);
  for (const [area] of columnsOf(out, 0, ['area'])) assert.equal(area, Number(square.toPrecision(5)));
});

test('--name-column with a language and --code-column add columns, which the options record', async () => {
  const columns = ['GID_0', 'NAME_0', 'NAME_FR', 'NAME_AR', 'ISO'];
  const layer = squares(
    'ADM_0',
    columns,
    ['AAA', 'Egypt', 'Égypte', 'مصر', 'NA'],
    ...['-99', '-1', 'N/A', ''].map((code, i) => [`B${i}`, 'Fiji', null, '', code]),
  );
  // NA is no code, but with the key iso2: Namibia's.
  const codes = ['lv0:iso2=ISO', 'lv0:un=ISO'];
  const texts = { 'name-column': ['lv0:FR=name_fr', 'lv0:ar=NAME_AR'], 'code-column': codes };
  const { names, release, out } = await namesOf([layer], contentOptionsFrom(texts));
  assert.equal(names[0]?.[0]?.[2], 'Egypt');
  const added = readNames(join(out, releasePath('r1')), 0).map((line) => line.slice(NAME_FIELDS.length));
  assert.deepEqual(added, [
    ['code:iso2', 'code:un', 'name:ar', 'name:fr'],
    ['NA', null, 'مصر', 'Égypte'],
    ...Array.from({ length: 4 }, () => [null, null, null, null]),
  ]);
  const [{ nameColumns, codeColumns } = {}, { nameColumns: none } = {}] = release.levels;
  assert.deepEqual(
    [nameColumns, codeColumns, none],
    [{ ar: 'NAME_AR', fr: 'NAME_FR' }, { iso2: 'ISO', un: 'ISO' }, undefined],
  );
  assert.deepEqual(release.languages, ['ar', 'fr']);
  assert.deepEqual(release.options, {
    'name-column': ['lv0:fr=name_fr', 'lv0:ar=NAME_AR'],
    'code-column': codes,
  });
  assert.deepEqual(contentOptionsFrom(release.options), contentOptionsFrom(texts));
  assert.deepEqual((await verify({ out, workers: 0 }, SILENT)).findings, []);
});

test('a tag that is none, two columns for one, a column that is not there or left out: each is refused with what to do', async () => {
  for (const [option, values, message, remedy] of [
    ['name-column', ['lv1:fr_FR=X'], /fr_FR is not a language tag/, 'use fr-FR'],
    ['name-column', ['lv1:=X'], /nothing is not a language tag/, /BCP 47/],
    ['name-column', ['lv1:fr=X', 'lv1:FR=Y'], /lv1 has two columns for fr: X and Y/, 'leave one out'],
    ['code-column', ['lv1:INE=X'], /INE is not a key/, /small letters/],
    ['code-column', ['lv1=X'], /not LEVEL:KEY=COLUMN/, /lv3:ine=CC_3/],
    ['name-column', ['lv9:fr=X'], /not a level/, /lv0/],
  ] as const)
    assert.throws(() => contentOptionsFrom({ [option]: values }), {
      message,
      ...(typeof remedy === 'string' ? { remedy } : {}),
    });
  const layer = squares('ADM_0', ['GID_0', 'NAME_0', 'FR'], ['AAA', 'Egypt', 'Égypte']);
  const french = contentOptionsFrom({ 'name-column': ['lv0:fr=FR'] });
  // Where some are named to be kept, it is to be one of them; where none are, a name there would leave out all others.
  for (const [value, remedy] of [
    ['NAME_0', 'add FR to --columns, or leave out --name-column'],
    ['-FR', 'leave -FR out of --columns, or leave out --name-column'],
  ] as const)
    await assert.rejects(namesOf([layer], { ...french, columns: [{ level: undefined, value }] }), {
      message: '--name-column lv0:fr=FR: --columns leaves this column out',
      remedy,
    });
  await assert.rejects(namesOf([layer], contentOptionsFrom({ 'name-column': ['lv0:fr=F'] })), /no such column/);
});
