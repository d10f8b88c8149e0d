// Parents found by place (--parent-by-place), where the source has no columns of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { type FixtureLayer, layerOf, square } from '../../support/datasets/write-dataset.ts';
import { assertSharded, buildOptions } from '../../support/releases/build-release.ts';
import { pathsOf, published, testSource, typedOptions } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Units of a level: their GIDs and their places. */
function layer(level: number, ...units: [gid: string, wkt: string | null][]): FixtureLayer {
  const rows = units.map(([gid, wkt]) => [[gid, `Name of ${gid}`], wkt] as const);
  return layerOf(`level${level}`, ['code', 'name'], rows);
}

/** What is typed for these layers but the places, which are to follow. */
const OF_01 =
  '--layer lv0=level0 lv1=level1 --gid-column lv0=code lv1=code --name-column lv0,lv1=name --parent-by-place';
const OF_02 =
  '--layer lv0=level0 lv2=level2 --gid-column lv0=code lv2=code --name-column lv0,lv2=name --parent-by-place';
const OF_ALL =
  '--layer lv0=level0 lv1=level1 lv2=level2 --gid-column lv0=code lv1=code lv2=code --name-column lv0,lv1,lv2=name';

const countries = layer(0, ['A', square(0, 0, 4)], ['B', square(10, 0, 4)]);
// The second one is an enclave in the first.
const regions = layer(
  1,
  ['A1', 'POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,2 1,1 1))'],
  ['A2', square(1, 1)],
  ['B1', square(10, 0, 2)],
);
const districts = layer(2, ['a', square(1, 1, 0.5)], ['b', square(2, 2)], ['c', square(11, 1)], ['d', square(0, 0)]);
const nested = [countries, regions, districts];

test("each unit gets the parent that holds its point, and that parent's parents; build, shards and dry run agree", async () => {
  const source = pathsOf(nested);
  const options = typedOptions(`${OF_ALL} --parent-by-place lv1,lv2`);
  const { out, release, valuesOf } = await published(source, options);
  assert.equal(valuesOf(2, 'code', 'GID_0', 'GID_1').join(' '), 'a,A,A2 b,A,A1 c,B,B1 d,A,A1');
  assert.deepEqual(release.levels[2]?.gidColumns, ['GID_0', 'GID_1', 'code']);
  assert.deepEqual(release.options['parent-by-place'], ['lv1', 'lv2']);
  assert.deepEqual(release.quality, []);
  await assertSharded(source, out, options);
  assert.deepEqual((await forecast(buildOptions(source, temporaryFolder(), options), SILENT)).quality, []);
});

testSource('a level between need not be there', {
  source: [countries, districts],
  [`${OF_02} lv2`]: {
    'lv2 columns': ['fid', 'code', 'name', 'GID_0'],
    'lv2 code GID_0': ['a, A', 'b, A', 'c, B', 'd, A'],
  },
  [`${OF_02} lv3`]: '--parent-by-place lv3: the source has no level 3',
  [`${OF_02} lv2:lv1`]: /^--parent-by-place lv2:lv1: the source has no level 1/,
});

testSource(
  'a level is passed over where the option names another; missing columns are named at once, with the option',
  {
    source: nested,
    [`${OF_ALL} --parent-by-place lv1,lv2:lv0`]: { 'release.levels.2.gidColumns': ['GID_0', '', 'code'] },
    [OF_ALL]: {
      refused:
        /layer level1 is level 1 but has no column GID_0\n.*layer level2 is level 2 but has no column GID_0, GID_1$/,
      remedy:
        'name them with --gid-column lv1:lv0=COLUMN lv2:lv0=COLUMN lv2:lv1=COLUMN, or --gid-column lv1:lv0= lv2:lv0= lv2:lv1= if there is none, or find the parents by place with --parent-by-place lv1,lv2; the layers have code, name',
    },
    '--parent-by-place lv0': /^--parent-by-place /,
    '--parent-by-place lv1:lv1': /^--parent-by-place /,
    '--parent-by-place lv1:lv2': /^--parent-by-place /,
    '--parent-by-place lv7': /^--parent-by-place /,
    '--parent-by-place lv2:lv1:lv0': /^--parent-by-place /,
  },
);

testSource('units that lie in no unit are counted and refused, also those far from any; accepted, they have none', {
  source: [
    layer(0, ['A', square(0, 0, 4)], ['B', square(2, 0, 4)]),
    layer(1, ['none', square(8, 0)], ['one', square(0, 0)], ['empty', null]),
  ],
  [`${OF_01} lv1:lv0 --accept empty-geometries`]: {
    refused:
      /lv1: 2 units have a parent that is not in the source \(e\.g\. level0\.gpkg: layer level1, fid 1 lies in no unit of level 0\)\. /,
    remedy: /--accept orphans$/,
  },
  [`${OF_01} lv1:lv0 --accept empty-geometries orphans`]: {
    'lv1 GID_0': ['null', 'A', 'null'],
    quality: [/^lv1 empty-geometries 1 /, /^lv1 orphans 2 /],
  },
});

testSource('a unit without a geometry lies in no unit', {
  source: [layer(0, ['A', square(0, 0, 4)]), layer(1, ['one', square(0, 0)], ['empty', null])],
  [`${OF_01} lv1:lv0 --accept empty-geometries`]:
    /layer level1, fid 2 has no geometry, so it lies in no unit of level 0\)\. /,
});

testSource(
  'a unit in several takes the smallest; one whose point is in none the one that holds most of it, else the nearest',
  {
    source: [
      layer(
        0,
        ['wide', square(0, 0, 4)],
        ['city', square(1, 1, 2)],
        // Two sides of a strait.
        ['west', 'POLYGON((10 0,11 0,11 4,10 4,10 0))'],
        ['east', 'POLYGON((13 0,14 0,14 4,13 4,13 0))'],
      ),
      layer(
        1,
        ['in both', square(1.5, 1.5, 1)],
        ['over the strait', 'POLYGON((10.9 1,13.5 1,13.5 2,10.9 2,10.9 1))'],
        ['an island', 'POLYGON((12.7 3,12.9 3,12.9 3.2,12.7 3.2,12.7 3))'],
      ),
    ],
    [`${OF_01} lv1`]: {
      'lv1 GID_0': ['city', 'east', 'east'],
      quality: [
        'lv1 fitting-parents 3 level0.gpkg: layer level1, fid 1 lies in 2 units, the smallest of which is fid 2 of level 0',
      ],
    },
  },
);

testSource('units that are much larger than their parents are counted: levels may be exchanged', {
  source: [
    layer(0, ['A1', square(0, 0, 2)], ['A2', square(2, 0, 2)]),
    layer(1, ['A', 'POLYGON((-1 0,4 0,4 2.5,-1 2.5,-1 0))'], ['a little larger', square(2, 0, 2.5)], ['empty', null]),
  ],
  [`${OF_01} lv1 --accept empty-geometries orphans`]: {
    quality: [
      /^lv1 empty-geometries 1 /,
      /^lv1 orphans 1 /,
      'lv1 smaller-parents 1 level0.gpkg: layer level1, fid 1 is larger than fid 1 of level 0',
    ],
  },
});

/** A rectangle as a part of a multipolygon. */
function part(west: number, south: number, east: number, north: number): string {
  return `((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`;
}

testSource(
  'across the antimeridian, too, a unit takes the one that holds most of it, else the nearest, none far away',
  {
    source: [
      layer(
        0,
        ['A', `POLYGON${part(179, 0, 179.9, 4)}`],
        ['B', square(0, 0, 21)],
        ['C', `POLYGON${part(179, 9.9, 179.9, 10.5)}`],
        ['D', `MULTIPOLYGON(${part(179, 20, 180, 21)},${part(-180, 20, -179, 21)})`],
      ),
      layer(
        1,
        ['near A', `MULTIPOLYGON(${part(-179.9, 0, -179, 0.9)},${part(179.95, 1, 179.96, 1.01)})`],
        ['a corner in C', `MULTIPOLYGON(${part(-179.9, 10, -179, 11)},${part(179.5, 10, 179.6, 10.1)})`],
        ['beside D', `POLYGON${part(-179.9, 21.1, -179.4, 21.6)}`],
        ['alone', `MULTIPOLYGON(${part(-179.9, 15, -179, 16)},${part(179, 15, 179.1, 15.1)})`],
      ),
    ],
    [`${OF_01} lv1 --accept orphans`]: { 'lv1 GID_0': ['A', 'C', 'D', 'null'] },
  },
);

testSource('a unit of which a sliver lies in another, and nothing else in any, is in that one', {
  source: [
    layer(0, ['thin', `POLYGON${part(0.03, 0.01, 0.05, 1.2)}`], ['near', `POLYGON${part(1.05, 0, 2, 1)}`]),
    layer(1, ['wide', square(0, 0)]),
  ],
  [`${OF_01} lv1`]: { 'lv1 GID_0': ['thin'] },
});

const NATIONAL =
  '--layer lv1=level1 lv2=level2 --gid-column lv1=code lv2=code --name-column lv1,lv2=name --parent-by-place lv2';

testSource(
  'a level that the source does not have, and of which a layer has no column, is no parent: nothing is typed for it',
  {
    source: [regions, districts],
    [NATIONAL]: {
      'release.levels.1.gidColumns': ['', 'code'],
      'release.levels.2.gidColumns': ['', 'GID_1', 'code'],
      quality: [/^lv1 missing-parents \d+ the source has no level 0: the units of level 1 are the highest$/],
    },
    // A column that was typed is missed all the same.
    [`${NATIONAL} --gid-column lv0=ISO`]: /no layer has a column ISO/,
  },
);

/** A unit of a layer in which names come first. */
const named = (name: string, units: [string, string], wkt: string) => layerOf(name, ['name', 'code'], [[units, wkt]]);
const NORWAY = '--layer lv0=country lv1=fylker lv2=kommuner --parent-by-place lv1,lv2';

testSource('what is found by place wins over a column that nobody named for that level', {
  source: [
    named('country', ['Norge', 'x'], square(0, 0, 4)),
    named('fylker', ['Agder', '42'], square(0, 0, 4)),
    named('kommuner', ['Birkenes', '4216'], square(1, 1)),
  ],
  [`${NORWAY} --gid-column lv0=name lv1=code lv2=code`]: {
    'lv2 name code GID_0 GID_1': ['Birkenes, 4216, Norge, 42'],
    quality: [],
  },
  // One that is named for it is taken.
  [`${NORWAY} --gid-column lv0=name lv1=code lv2=code lv2:lv0=name`]:
    /fid 1 has name Birkenes, which no unit of level 0 has/,
});
