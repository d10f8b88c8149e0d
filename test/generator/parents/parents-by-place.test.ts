// Parents found by place (--parent-by-place), where the source has no columns of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BuildOptions } from '../../../generator/build.ts';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { buildShard, seal } from '../../../generator/shards/sharded-build.ts';
import { type FixtureLayer, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf } from '../../support/files.ts';
import { buildOptions, buildRelease } from '../../support/releases/build-release.ts';
import { published } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Units of a level with a GID alone: their places. */
function layer(level: number, ...units: [gid: string, wkt: string | null][]): FixtureLayer {
  const features = units.map(([gid, wkt], i) => ({ fid: i + 1, values: [gid, `Name of ${gid}`], wkt }));
  return { name: `level ${level}`, columns: ['code', 'name'], features };
}

function write(name: string, ...layers: FixtureLayer[]): string {
  return writeDataset(join(folder, `${name}.gpkg`), 'GPKG', layers);
}

function typed(levels: readonly number[], ...places: string[]): Partial<BuildOptions> {
  return contentOptionsFrom({
    layer: levels.map((n) => `lv${n}=level ${n}`),
    'gid-column': levels.map((n) => `lv${n}=code`),
    'name-column': levels.map((n) => `lv${n}=name`),
    'parent-by-place': places,
  });
}

const countries = layer(0, ['A', square(0, 0, 4)], ['B', square(10, 0, 4)]);
// The second one is an enclave in the first.
const regions = layer(
  1,
  ['A1', 'POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,2 1,1 1))'],
  ['A2', square(1, 1)],
  ['B1', square(10, 0, 2)],
);
const districts = layer(2, ['a', square(1, 1, 0.5)], ['b', square(2, 2)], ['c', square(11, 1)], ['d', square(0, 0)]);
const nested = write('nested', countries, regions, districts);

test("each unit gets the parent that holds its point, and that parent's parents; build, shards, verify and dry run agree", async () => {
  const options = typed([0, 1, 2], 'lv1,lv2');
  const { out, release, valuesOf } = await published(nested, options);
  assert.deepEqual(valuesOf(2, 'code', 'GID_0', 'GID_1'), [
    ['a', 'A', 'A2'],
    ['b', 'A', 'A1'],
    ['c', 'B', 'B1'],
    ['d', 'A', 'A1'],
  ]);
  assert.deepEqual(release.levels[2]?.gidColumns, ['GID_0', 'GID_1', 'code']);
  assert.deepEqual(release.options['parent-by-place'], ['lv1', 'lv2']);
  assert.deepEqual(release.quality, []);
  const others = buildOptions(nested, join(folder, 'sharded'), options);
  for (const shard of [0, 1]) await buildShard(others, { shard, shards: 2 }, SILENT);
  await seal(others.out, 'r1', true);
  assert.deepEqual(contentOf(others.out), contentOf(out));
  assert.deepEqual((await forecast(others, SILENT)).quality, []);
});

test('a level between need not be there, or is passed over where the option names another', async () => {
  const without = await published(write('without', countries, districts), typed([0, 2], 'lv2'));
  assert.deepEqual(without.valuesOf(2, 'code', 'GID_0', 'GID_1')[2], ['c', 'B', undefined]);
  const { release } = await published(nested, typed([0, 1, 2], 'lv1,lv2:lv0'));
  assert.deepEqual(release.levels[2]?.gidColumns, ['GID_0', '', 'code']);
});

test('units that lie in no unit are counted and refused, also those far from any; accepted, they have none', async () => {
  const places = layer(1, ['none', square(8, 0)], ['one', square(0, 0)], ['empty', null]);
  const odd = write('odd', layer(0, ['A', square(0, 0, 4)], ['B', square(2, 0, 4)]), places);
  const options = typed([0, 1], 'lv1:lv0');
  const message =
    /lv1: 2 units have a parent that is not in the source \(e\.g\. odd\.gpkg: layer level 1, fid 1 lies in no unit of level 0\)\. /;
  const refused = { ...options, accept: ['empty-geometries'] as const };
  await assert.rejects(buildRelease(odd, join(folder, 'odd'), refused), { message, remedy: /--accept orphans$/ });
  const empty = write('empty', layer(0, ['A', square(0, 0, 4)]), layer(1, ['one', square(0, 0)], ['empty', null]));
  const why = /layer level 1, fid 2 has no geometry, so it lies in no unit of level 0\)\. /;
  await assert.rejects(buildRelease(empty, join(folder, 'empty'), refused), { message: why });
  const { quality, gidsOf } = await published(odd, { ...options, accept: ['empty-geometries', 'orphans'] });
  assert.deepEqual(gidsOf(1, 'GID_0'), [null, 'A', null]);
  const counts = quality.map((line) => line.split(' ').slice(1, 3).join(' '));
  assert.deepEqual(counts, ['empty-geometries 1', 'orphans 2']);
});

test('a unit in several takes the smallest; one whose point is in none the one that holds most of it, else the nearest', async () => {
  const fitting = write(
    'fitting',
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
  );
  const { quality, gidsOf } = await published(fitting, typed([0, 1], 'lv1'));
  assert.deepEqual(gidsOf(1, 'GID_0'), ['city', 'east', 'east']);
  const first = 'layer level 1, fid 1 lies in 2 units, the smallest of which is fid 2 of level 0';
  assert.deepEqual(quality, [`lv1 fitting-parents 3 fitting.gpkg: ${first}`]);
});

/** A rectangle as a part of a multipolygon. */
function part(west: number, south: number, east: number, north: number): string {
  return `((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`;
}

test('across the antimeridian, too, a unit takes the one that holds most of it, else the nearest, none far away', async () => {
  const across = write(
    'across',
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
  );
  const { gidsOf } = await published(across, { ...typed([0, 1], 'lv1'), accept: ['orphans'] });
  assert.deepEqual(gidsOf(1, 'GID_0'), ['A', 'C', 'D', null]);
});

test('a unit of which a sliver lies in another, and nothing else in any, is in that one', async () => {
  const sliver = write(
    'sliver',
    layer(0, ['thin', `POLYGON${part(0.03, 0.01, 0.05, 1.2)}`], ['near', `POLYGON${part(1.05, 0, 2, 1)}`]),
    layer(1, ['wide', square(0, 0)]),
  );
  const { gidsOf } = await published(sliver, typed([0, 1], 'lv1'));
  assert.deepEqual(gidsOf(1, 'GID_0'), ['thin']);
});

test('a level that is not there, and one that is not above, are refused; missing columns are named at once, with the option', async () => {
  for (const [place, message] of [
    ['lv3', /^--parent-by-place lv3: the source has no level 3$/],
    ['lv2:lv1', /^--parent-by-place lv2:lv1: the source has no level 1/],
  ] as const) {
    const source = write(`refused-${place.slice(0, 3)}`, countries, districts);
    await assert.rejects(buildRelease(source, folder, typed([0, 2], place)), { message });
  }
  for (const place of ['lv0', 'lv1:lv1', 'lv1:lv2', 'lv7', 'lv2:lv1:lv0'])
    assert.throws(() => typed([], place), /^UsageError: --parent-by-place /);
  await assert.rejects(buildRelease(nested, folder, typed([0, 1, 2])), {
    message:
      /layer level 1 is level 1 but has no column GID_0\n.*layer level 2 is level 2 but has no column GID_0, GID_1$/,
    remedy:
      /^name them with --gid-column lv1:lv0=COLUMN lv2:lv0=COLUMN lv2:lv1=COLUMN, or --gid-column lv1:lv0= lv2:lv0= lv2:lv1= if there is none, or find the parents by place with --parent-by-place lv1,lv2; the layers have code, name$/,
  });
});

test('a level that the source does not have, and of which a layer has no column, is no parent: nothing is typed for it', async () => {
  const national = write('national', regions, districts);
  const options = contentOptionsFrom({
    layer: ['lv1=level 1', 'lv2=level 2'],
    'gid-column': ['lv1=code', 'lv2=code'],
    'name-column': ['lv1,lv2=name'],
    'parent-by-place': ['lv2'],
  });
  const { release, quality } = await published(national, options);
  const columns = release.levels.map(({ gidColumns }) => gidColumns.join());
  assert.deepEqual(columns, ['', ',code', ',GID_1,code', '', '', '']);
  const why = 'the source has no level 0: the units of level 1 are the highest';
  const said = quality.map((line) => line.replace(/ \d+ /, ' '));
  assert.deepEqual(said, [`lv1 missing-parents ${why}`]);
  // A column that was typed is missed all the same.
  const iso = { level: undefined, of: 0, columns: ['ISO'] } as const;
  const named = { ...options, gidColumns: [...(options.gidColumns ?? []), iso] };
  await assert.rejects(buildRelease(national, folder, named), { message: /no layer has a column ISO/ });
});

test('what is found by place wins over a column that nobody named for that level', async () => {
  const columns = ['name', 'code'];
  const unit = (fid: number, name: string, code: string, wkt: string) => ({ fid, values: [name, code], wkt });
  const source = write(
    'names',
    { name: 'country', columns, features: [unit(1, 'Norge', 'x', square(0, 0, 4))] },
    { name: 'fylker', columns, features: [unit(1, 'Agder', '42', square(0, 0, 4))] },
    { name: 'kommuner', columns, features: [unit(1, 'Birkenes', '4216', square(1, 1))] },
  );
  const texts = {
    layer: ['lv0=country', 'lv1=fylker', 'lv2=kommuner'],
    'gid-column': ['lv0=name', 'lv1=code', 'lv2=code'],
    'parent-by-place': ['lv1,lv2'],
  };
  const { valuesOf, quality } = await published(source, contentOptionsFrom(texts));
  assert.deepEqual(valuesOf(2, 'name', 'code', 'GID_0', 'GID_1'), [['Birkenes', '4216', 'Norge', '42']]);
  assert.deepEqual(quality, []);
  // One that is named for it is taken.
  const typedFor = { ...texts, 'gid-column': [...texts['gid-column'], 'lv2:lv0=name'] };
  await assert.rejects(buildRelease(source, join(folder, 'typed'), contentOptionsFrom(typedFor)), {
    message: /fid 1 has name Birkenes, which no unit of level 0 has/,
  });
});
