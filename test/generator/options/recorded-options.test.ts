// release.json records the options that decide a release's content: `build --like` takes them from there.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../../format/levels.ts';
import { type Release, releaseFromJson } from '../../../format/release-json.ts';
import {
  type ContentOptions,
  contentOptionsFrom,
  optionsOf,
  recordedOptions,
} from '../../../generator/options/option-texts.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { sourceName } from '../../../generator/source/source-options.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf } from '../../support/files.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildOptions, buildRelease } from '../../support/releases/build-release.ts';
import { assertAsSource } from '../../support/releases/source-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = writeDataset(join(folder, 'levels.gpkg'), 'GPKG', countryLayers());
const plain = await buildRelease(source, join(folder, 'plain'));
const run = (...args: string[]) => typed('generator', args);

function releaseIn(out: string, id: string): Release {
  return releaseFromJson(readFileSync(join(out, 'releases', id, 'release.json'), 'utf8'), id);
}

/** Every option, with a value that is not its default. */
const EVERY: Omit<ContentOptions, 'source'> = {
  levels: [0, 2],
  layers: [
    { level: 0, value: 'countries' },
    { level: 2, value: 'ADM=*' },
  ],
  nameColumns: [{ level: 2, value: 'N' }],
  languageColumns: [{ level: 2, tag: 'pt-BR', value: 'N=PT' }],
  codeColumns: [{ level: 2, tag: 'iso-3166-2', value: 'ISO' }],
  languages: ['fr', 'zh-Hant'],
  codes: ['all'],
  tileLanguages: ['fr'],
  typeColumns: [{ level: 2, value: 'T' }],
  typeNames: [{ level: 2, value: 'Wilaya' }],
  searchColumns: [
    { level: 2, value: 'ALT' },
    { level: 2, value: 'OLD' },
  ],
  where: [{ level: 0, value: 'A = 1\nOR "B,C" = \'lv1=x\'' }],
  sql: [{ level: 2, value: 'SELECT *, SUBSTR(A, 1, 2) AS B FROM {layer}' }],
  columns: [
    { level: undefined, value: '-A,B:name' },
    { level: 2, value: '-C' },
  ],
  gidColumns: [
    { level: undefined, of: 0, columns: ['ISO'] },
    { level: undefined, of: 2, columns: ['ISO', 'ID_1'] },
    { level: 2, of: 1, columns: [] },
  ],
  keepFids: true,
  encoding: 'CP1252',
  accept: ['orphans', 'no-units'],
  attribution: ['© "A", B', 'C'],
  precision: 5,
  storedPages: 'none',
  geometries: ['full', 'low'],
  licence: 'CC-BY-4.0',
  cells: false,
  neighbours: false,
  parquet: false,
  tiles: 7,
};

test('the options in release.json are those of the build', () => {
  const { precision, storedPages, geometries, licence, cells, neighbours, parquet, tiles, ...all } = EVERY;
  // Names in languages are recorded as others are: by the same option.
  const { languageColumns: _, ...options } = all;
  const recorded = recordedOptions({ source: ['x.gpkg'], ...EVERY });
  const shape = { precision, storedPages, geometries, licence, cells, neighbours, parquet, tiles };
  const release = { ...plain, ...shape, options: JSON.parse(JSON.stringify(recorded)) };
  assert.deepEqual(optionsOf(release), { ...EVERY, accept: ['no-units', 'orphans'] });
  assert.deepEqual(Object.keys(recorded).length, Object.keys(options).length, 'each has a name there');
});

test('options that have their defaults are not recorded, nor is an option for all levels lost', () => {
  assert.deepEqual(plain.options, {});
  const allLevels = buildOptions(source, folder, { nameColumns: [{ level: undefined, value: 'X' }] });
  const recorded = recordedOptions(allLevels);
  const everywhere = LEVELS.map((level) => ({ level, value: 'X' }));
  assert.deepEqual(contentOptionsFrom(recorded).nameColumns, everywhere);
  assert.deepEqual(contentOptionsFrom({ columns: ['lv0,lv2=-A,B'] }).columns, [
    { level: 0, value: '-A,B' },
    { level: 2, value: '-A,B' },
  ]);
});

test('a CRS is recorded by its code in capitals, of one level and of all', () => {
  const crs = (...texts: string[]) => contentOptionsFrom({ crs: texts }).crs?.map(({ value }) => value);
  assert.deepEqual(crs('epsg:4301', 'lv1=epsg:4301'), ['EPSG:4301', 'EPSG:4301']);
});

test('no password and no folder of a source is recorded, nor that fewer units than in the served release were accepted', () => {
  const secret = buildOptions(source, folder, {
    accept: ['fewer-units'],
    sql: [{ level: 0, value: "SELECT * FROM 'PG:dbname=x password=secret'.units" }],
  });
  assert.deepEqual(recordedOptions(secret), { sql: ["lv0=SELECT * FROM 'PG:dbname=x password=...'.units"] });
  for (const [path, name] of [
    ['PG:host=db user=me password=secret', 'PG:'],
    ["PG:host=db dbname='gis' password=secret", 'PG:dbname=gis'],
    ['MySQL:gis,user=root,password=secret', 'MySQL:'],
    ['MSSQL:server=.;UID=me;PWD=secret;database=gis;', 'MSSQL:database=gis'],
    ['OCI:me/secret@gis', 'OCI:'],
    ['https://me:secret@example.org/a.gpkg?token=secret', 'https://example.org/a.gpkg'],
    ['WFS:https://me:secret@example.org/wfs?token=secret', 'WFS:https://example.org/wfs'],
    ['/vsicurl/https://example.org/a.gpkg?token=secret', '/vsicurl/https://example.org/a.gpkg'],
    ['/somewhere/levels.gpkg', 'levels.gpkg'],
    [`/vsizip/${source}`, '/vsizip/levels.gpkg'],
    [`/vsizip//vsitar/{${source}}/a/b.shp`, '/vsizip//vsitar/{levels.gpkg}/a/b.shp'],
    ['/vsizip//vsicurl/https://example.org/a.zip/b.shp', '/vsizip//vsicurl/https://example.org/a.zip/b.shp'],
    [`/vsicurl/https://example.org/a.gpkg?${'x'.repeat(5_000)}`, '/vsicurl/https://example.org/a.gpkg'],
  ] as const)
    assert.equal(sourceName(path), name);
  const { message, remedy } = new BuildError('PG:password=secret dbname=x: failed', 'use //me:secret@host/');
  assert.deepEqual([message, remedy], ['PG:password=... dbname=x: failed', 'use //me:...@host/']);
});

test('build --like builds with the options of another release, except for those that are given', async () => {
  const out = join(folder, 'like');
  const build = async (release: string, ...args: string[]): Promise<Release> => {
    const target = ['--source', source, '--out', out, '--release', release, '--workers', '0', '--quiet'];
    const { status, stderr } = await run('build', ...target, ...args);
    assert.deepEqual([status, stderr], [0, '']);
    return releaseIn(out, release);
  };
  const options = '--levels lv0,lv1 --columns=-COUNTRY --precision 3 --pages none --geometry full,low --attribution A';
  const more = ['--where', "lv1=GID_1 <> 'BBB.1_1'", '--keep-fids', '--date', '2026-11-22'];
  const fewer = ['--no-cells', '--no-neighbours', '--no-tiles'];
  const [r1, r2] = [await build('r1', ...options.split(' '), ...more, ...fewer), await build('r2', '--like', 'r1')];
  const counts = r1.levels.map(({ features }) => features);
  assert.deepEqual(counts, [2, 2, 0, 0, 0, 0]);
  const featureFiles = (id: string) =>
    Object.entries(contentOf(join(out, 'releases', id))).filter(([path]) => path.includes('/features/'));
  assert.deepEqual(featureFiles('r2'), featureFiles('r1'));
  assert.deepEqual([r1.cells, r1.neighbours, r1.tiles], [false, false, undefined]);
  const { date, ...dateless } = r1;
  assert.equal(date, '2026-11-22');
  assert.deepEqual(
    { ...r2, release: 'r1', levels: [] },
    { ...dateless, sequence: 2, levels: [] },
    'the next release has another date, and the next number',
  );
  await assertAsSource(source, out);

  const r3 = await build('r3', '--like', 'r1', '--where', 'lv1=1=1', '--pages', 'all', '--no-keep-fids');
  assert.deepEqual([r3.levels[1]?.features, r3.storedPages], [3, 'all']);
  const { 'keep-fids': _, ...others } = r1.options;
  assert.deepEqual(r3.options, { ...others, where: ['lv1=1=1'] });
});

test('a build without a credit says so at its end, and which ones the release had whose options it took', async () => {
  const out = join(folder, 'credits');
  const plain = writeDataset(join(folder, 'plain.gpkg'), 'GPKG', [squares('ADM_0', ['GID_0', 'NAME_0'], ['AAA', 'A'])]);
  const build = async (...words: string[]): Promise<string> => {
    const args = ['build', '--source', plain, '--out', out, '--workers', '0', '--no-tiles', ...words];
    const { status, stdout, stderr } = await typed('generator', args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.match(await build('--release', 'r1'), /^Credit: none\. .*--attribution TEXT.*--licence ID\.$/m);
  // As where the source has credits of its own.
  const file = join(out, 'releases/r1/release.json');
  const described = { ...JSON.parse(readFileSync(file, 'utf8')), attribution: ['© A', 'B'] };
  writeFileSync(file, JSON.stringify(described));
  const [, words = ''] =
    /^Release r1 has credits; .*: (--attribution "© A" "B")$/m.exec(await build('--release', 'r2', '--like', 'r1')) ??
    [];
  const given = Array.from(words.matchAll(/"([^"]*)"/g), ([, text = '']) => text);
  const credited = await build('--release', 'r3', '--like', 'r1', '--attribution', ...given);
  assert.match(credited, /^Credit: © A\nCredit: B$/m);
});

test('build --like says which source the release had, and refuses options that it does not know', async () => {
  const out = join(folder, 'plain');
  const like = (id: string, ...args: string[]) => run('build', '--out', out, '--like', id, '--release', 'r2', ...args);
  const { status, stderr } = await like('r1');
  assert.equal(status, 2);
  assert.match(stderr, /^build --like r1 needs a source; that one was built from levels\.gpkg\n.*add --source FILE\n$/);
  assert.match((await like('r0')).stderr, /r0: no such release\n.*use one of: r1\n$/);
  const file = join(out, 'releases/r1/release.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), options: { bend: [] } }));
  const { stderr: unknown } = await like('r1', '--source', source, '--workers', '0');
  assert.match(unknown, /^release r1 was built with --bend, which this version does not know\n/);
});
