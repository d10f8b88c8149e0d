// The names of a level's units, names.jsonl.gz and words.bin: what they say of a unit, and of which columns. The oracle
// derives them of every release that is built here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { releasePath, tilesPath } from '../../../format/layout.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { squares } from '../../support/datasets/write-dataset.ts';
import { featuresOf, openTiles, readTiles } from '../../support/releases/read-tiles.ts';
import { filesOf, testSource } from '../../support/releases/source-cases.ts';

testSource("GADM's NA is no name and no type; the property stays", {
  source: squares('ADM_0', ['GID_0', 'NAME_0', 'ENGTYPE_0'], ['NAM', 'NA', 'NA'], ['BBB', 'Na', 'NA ']),
  'lv0 names gid name type': ['NAM, null, null', 'BBB, Na, NA '],
  'lv0 NAME_0 ENGTYPE_0': ['NA, NA', 'Na, NA '],
});

const COLUMNS = ['GID_0', 'GID_1', 'NAME_1', 'TYPE_1', 'ENGTYPE_1', 'LABEL'];
const NORTH = ['AAA', 'AAA.1_1', 'Nord', 'Provincia', 'Province', 'N'];

testSource('types come from ENGTYPE_n; --type-column and --name-column name others', {
  source: squares('ADM_1', COLUMNS, NORTH),
  'lv1 names name type': ['Nord, Province'],
  'release.levels.1.typeColumn': 'ENGTYPE_1',
  '--type-column lv1=TYPE_1 --name-column lv1=LABEL': {
    'lv1 names name type': ['N, Provincia'],
    'release.levels.1.typeColumn': 'TYPE_1',
  },
  // A column that is renamed keeps its meaning; one that is not published has none.
  '--columns GID_1,ENGTYPE_1:kind': {
    'lv1 names name type': ['null, Province'],
    'release.levels.1.typeColumn': 'kind',
  },
});

testSource('types come from TYPE_n where there is no ENGTYPE_n', {
  source: squares('ADM_1', COLUMNS.with(4, 'KIND'), NORTH),
  'lv1 names name type': ['Nord, Provincia'],
  'release.levels.1.typeColumn': 'TYPE_1',
});

const aland = squares('ADM_0', ['GID_0', 'NAME_0'], ['AAA', 'Aland']);
const TWO = [
  ['AAA', 'A.1_1', 'Nord', null],
  ['AAA', 'A.2_1', 'Sud', 'District'],
];

testSource('--type-name says the type of units that have none, in names and in what counts them', {
  source: [aland, squares('ADM_1', ['GID_0', 'GID_1', 'NAME_1', 'KIND'], ...TWO)],
  '--type-name lv1=Wilaya': {
    'lv1 names type': ['Wilaya', 'Wilaya'],
    'lv0 names inside': ['[[1,2,"Wilaya"]]'],
    'release.levels.0.typeName': undefined,
    'release.levels.1.typeName': 'Wilaya',
    'release.levels.1.typeColumn': '',
  },
});

testSource('--type-name says nothing of units that have a type in a column', {
  source: [aland, squares('ADM_1', ['GID_0', 'GID_1', 'NAME_1', 'ENGTYPE_1'], ...TWO)],
  '--type-name lv1=Wilaya': { 'lv1 names type': ['Wilaya', 'District'] },
});

const searched = squares(
  'ADM_1',
  ['GID_0', 'GID_1', 'NAME_1', 'VARNAME_1', 'NL_NAME_1', 'ALT', 'OLD'],
  ['AAA', 'A.1_1', 'A Coruña', 'La Corogne|Corunna', null, 'Brigantium', 'Crunia'],
  ['AAA', 'A.2_1', "Hawai'i", 'NA', 'هاواي', null, 7],
  ['AAA', 'A.3_1', 'NA', '| |?', 'NA', 'NA', null],
);

testSource('units are found by VARNAME_n and NL_NAME_n, between bars, and by the columns of --search-column', {
  source: searched,
  '--search-column lv1=ALT lv1=old': {
    'release.levels.1.searchColumns': ['VARNAME_1', 'NL_NAME_1', 'ALT', 'OLD'],
    'lv1 names others': ['["La Corogne","Corunna","Brigantium","Crunia"]', '["هاواي","7"]', '[" ","?","NA"]'],
  },
  '--columns=-NL_NAME_1': { 'release.levels.1.searchColumns': ['VARNAME_1'] },
});

for (const [type, value, name] of [
  [gdal.OFTInteger, 7, '7'],
  [gdal.OFTReal, 0.1, '0.1'],
  [gdal.OFTInteger64, 2 ** 52, '4503599627370496'],
  [gdal.OFTString, '', 'null'],
  [gdal.OFTString, null, 'null'],
] as const)
  testSource(`the name of a unit whose column of names has ${JSON.stringify(value)} is ${name}`, {
    source: squares('ADM_0', ['GID_0', { name: 'NAME_0', type }], ['AAA', value]),
    'lv0 names name': [name],
  });

testSource('a level merged from layers with other columns: names come from the column of the first', {
  source: filesOf(
    squares('a', ['GID_0', 'NAME_0'], ['AAA', 'Aland']),
    squares('b', ['GID_0', 'COUNTRY', 'NAME_0'], ['BBB', 'no', 'Beland']),
    squares('c', ['GID_0'], ['CCC']),
  ),
  'lv0 names gid name': ['AAA, Aland', 'BBB, Beland', 'CCC, null'],
});

testSource('units say how many there are inside them, of each level below, and their commonest type', {
  source: [
    squares('ADM_0', ['GID_0'], ['AAA'], ['BBB'], ['CCC']),
    squares('ADM_1', ['GID_0', 'GID_1'], ['AAA', 'A.1_1'], ['AAA', 'A.2_1'], ['BBB', 'B.1_1']),
    squares(
      'ADM_3',
      ['GID_0', 'GID_1', 'GID_3', 'ENGTYPE_3'],
      ['AAA', 'A.1_1', 'X.0', 'City'],
      ['AAA', 'A.1_1', 'X.1', 'Town'],
      ['AAA', 'A.2_1', 'X.2', 'Town'],
      ['AAA', 'A.2_1', 'X.3', 'City'],
      ['AAA', 'A.2_1', 'X.4', null],
      ['BBB', 'B.1_1', 'X.5', 'NA'],
    ),
  ],
  // Of City and Town, as many of both, the first.
  'lv0 names inside': ['[[1,2,null],[3,5,"City"]]', '[[1,1,null],[3,1,null]]', '[]'],
  'lv1 names inside': ['[[3,2,"City"]]', '[[3,3,"Town"]]', '[[3,1,null]]'],
  'lv3 names inside': ['[]', '[]', '[]', '[]', '[]', '[]'],
});

testSource('the children of a unit are those of the nearest level that has some, and a leaf has none', {
  source: [
    squares('ADM_0', ['GID_0'], ['AAA'], ['BBB'], ['CCC']),
    squares('ADM_1', ['GID_0', 'GID_1'], ['AAA', 'A.1_1']),
    squares('ADM_2', ['GID_0', 'GID_1', 'GID_2'], ['AAA', 'A.1_1', 'X.1'], ['BBB', null, 'X.2'], ['BBB', null, 'X.3']),
  ],
  options: { accept: ['null-gids'], tiles: 2 },
  'lv0 names gid children': ['AAA, 1', 'BBB, 2', 'CCC, 0'],
  besides: async ({ out }) => {
    const leaves = new Set<unknown>();
    for await (const { tile } of readTiles(openTiles(join(out, releasePath('r1'), tilesPath(0)))))
      for (const { properties } of featuresOf(tile.layers.units))
        leaves.add(`${properties['gid']} ${properties['leaf']}`);
    assert.deepEqual([...leaves].sort(), ['AAA false', 'BBB false', 'CCC true']);
  },
});

testSource('orphans are the units without a GID of any level above, none at the highest level that has units', {
  source: [
    squares('ADM_1', ['GID_0', 'GID_1'], [null, 'A.1_1'], [null, 'A.2_1']),
    squares('ADM_2', ['GID_0', 'GID_1', 'GID_2'], ['AAA', '', 'X.1'], [null, 'A.9', 'X.2'], ['', null, 'X.3']),
    squares('ADM_3', ['GID_0', 'GID_1', 'GID_2', 'GID_3'], [null, null, null, 'Y.1'], [null, null, null, null]),
  ],
  '--accept null-gids orphans': {
    besides: ({ release }) => assert.equal(release.levels.map(({ orphans }) => orphans).join(), '0,0,1,2,0,0'),
  },
});

testSource(
  'parents are said where they are not those of the parent, other names each once, and areas on the ellipsoid',
  {
    source: [
      squares('ADM_0', ['GID_0'], ['AAA'], ['BBB']),
      squares('ADM_1', ['GID_0', 'GID_1', 'VARNAME_1'], ['AAA', 'A.1_1', 'Uno|One|Uno||'], ['BBB', 'B.1_1', 'NA']),
      squares(
        'ADM_3',
        ['GID_0', 'GID_1', 'GID_2', 'GID_3'],
        ['AAA', 'A.1_1', 'A.x', 'X.1'],
        ['AAA', 'B.1_1', '', 'X.2'],
      ),
    ],
    '--accept null-gids orphans contradicting-parents': {
      // A degree each way from the equator, between parallels: 12,308.463 km2.
      'lv0 names parents others area': ['null, [], 12308', 'null, [], 12308'],
      'lv1 names parents others': ['null, ["Uno","One"]', 'null, []'],
      'lv3 names parents': ['["AAA","A.1_1","A.x"]', '["AAA","B.1_1",null]'],
    },
  },
);

// NA is no code, but with the key iso2: Namibia's.
const TAGGED = '--name-column lv0:FR=name_fr lv0:ar=NAME_AR --code-column lv0:iso2=ISO lv0:un=ISO';
const RECORDED = {
  'name-column': ['lv0:fr=name_fr', 'lv0:ar=NAME_AR'],
  'code-column': ['lv0:iso2=ISO', 'lv0:un=ISO'],
};

testSource('--name-column with a language and --code-column add columns, which the options record', {
  source: squares(
    'ADM_0',
    ['GID_0', 'NAME_0', 'NAME_FR', 'NAME_AR', 'ISO'],
    ['AAA', 'Egypt', 'Égypte', 'مصر', 'NA'],
    ...['-99', '-1', 'N/A', ''].map((code, i) => [`B${i}`, 'Fiji', null, '', code]),
  ),
  [TAGGED]: {
    'lv0 names': [
      'code:iso2, code:un, name:ar, name:fr',
      'NA, null, مصر, Égypte',
      ...Array(4).fill('null, null, null, null'),
    ],
    'lv0 names name': ['Egypt', 'Fiji', 'Fiji', 'Fiji', 'Fiji'],
    'release.levels.0.nameColumns': { ar: 'NAME_AR', fr: 'NAME_FR' },
    'release.levels.0.codeColumns': { iso2: 'ISO', un: 'ISO' },
    'release.levels.1.nameColumns': undefined,
    'release.languages': ['ar', 'fr'],
    'release.options': RECORDED,
    besides: ({ release }) => assert.deepEqual(contentOptionsFrom(release.options), contentOptionsFrom(RECORDED)),
  },
});

testSource(
  'a tag that is none, two columns for one, a column that is not there or left out: each is refused with what to do',
  {
    source: squares('ADM_0', ['GID_0', 'NAME_0', 'FR'], ['AAA', 'Egypt', 'Égypte']),
    '--name-column lv1:fr_FR=X': { refused: /fr_FR is not a language tag/, remedy: 'use fr-FR' },
    '--name-column lv1:=X': { refused: /nothing is not a language tag/, remedy: /BCP 47/ },
    '--name-column lv1:fr=X lv1:FR=Y': { refused: /lv1 has two columns for fr: X and Y/, remedy: 'leave one out' },
    '--code-column lv1:INE=X': { refused: /INE is not a key/, remedy: /small letters/ },
    '--code-column lv1=X': { refused: /not LEVEL:KEY=COLUMN/, remedy: /lv3:ine=CC_3/ },
    '--name-column lv9:fr=X': { refused: /not a level/, remedy: /lv0/ },
    '--name-column lv0:fr=F': /no such column/,
    // Where some are named to be kept, it is to be one of them; where none are, a name there would leave out all others.
    '--name-column lv0:fr=FR --columns NAME_0': {
      refused: '--name-column lv0:fr=FR: --columns leaves this column out',
      remedy: 'add FR to --columns, or leave out --name-column',
    },
    '--name-column lv0:fr=FR --columns=-FR': {
      refused: '--name-column lv0:fr=FR: --columns leaves this column out',
      remedy: 'leave -FR out of --columns, or leave out --name-column',
    },
  },
);
