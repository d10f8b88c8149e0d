// A build spread over machines: shards as processes of their own, then seal; the same bytes as a plain build.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../../format/element-at.ts';
import { STORED_PAGES, type StoredPages } from '../../../format/levels.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { type Report, SILENT } from '../../../generator/report/progress.ts';
import { buildShard, seal } from '../../../generator/shards/sharded-build.ts';
import { writeInvented } from '../../support/datasets/large-dataset.ts';
import { contentOf, filesUnder } from '../../support/files.ts';
import { compile } from '../../support/processes/compile.ts';
import { buildOptions, buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = join(folder, 'many.gpkg');
// Three feature files at each of two levels.
writeInvented(source, { counts: [210, 230], verticesOf: () => 4, strayEvery: 2 });
/** A plain build with each choice of --pages. */
const plain: Readonly<Record<StoredPages, string>> = {
  all: join(folder, 'all'),
  unfiltered: join(folder, 'unfiltered'),
  none: join(folder, 'none'),
};
/** What else a choice has: one has names in a language, which are in its tiles, and codes. Columns have them by chance. */
const alsoWith: Readonly<Record<StoredPages, Partial<BuildOptions>>> = {
  all: {},
  unfiltered: {},
  none: {
    tiles: 3,
    languageColumns: [{ level: 1, tag: 'fr', value: 'GID_1' }],
    tileLanguages: ['fr'],
    codeColumns: [{ level: 0, tag: 'national', value: 'NAME_0' }],
  },
};
for (const storedPages of STORED_PAGES)
  await buildRelease(source, plain[storedPages], { ...ONE_OTHER, ...alsoWith[storedPages], storedPages });

const out = join(folder, 'sharded');

function buildOne(shard: number, shards: number, options: Partial<BuildOptions> = {}, report: Report = SILENT) {
  return buildShard(buildOptions(source, out, { ...ONE_OTHER, ...options }), { shard, shards }, report);
}

async function runShard(share: string): Promise<void> {
  const what = ['--source', source, '--out', out, '--release', 'r1', '--geometry', 'low', '--no-tiles'];
  await promisify(execFile)(process.execPath, [
    compile('generator/main.ts'),
    'build',
    ...what,
    '--workers',
    '0',
    '--shard',
    share,
  ]);
}

for (const storedPages of STORED_PAGES) {
  // Processes take most of the time: one choice has them.
  const inProcesses = storedPages === 'all';
  test(`4 shards, ${inProcesses ? 'two of them processes of their own' : 'at once'}, and a seal give the bytes of a plain build, with --pages ${storedPages}`, async () => {
    rmSync(out, { recursive: true, force: true });
    const options = { ...alsoWith[storedPages], storedPages };
    const builds = [2, 3].map((shard) => buildOne(shard, 4, options));
    const others = [0, 1].map((shard) => (inProcesses ? runShard(`${shard}/4`) : buildOne(shard, 4, options)));
    await Promise.all([...builds, ...others]);
    assert.ok(!existsSync(join(out, 'current.json')), 'nothing is published before the seal');
    const shown: string[] = [];
    const report = { ...SILENT, preview: (lines: readonly string[]) => void shown.push(...lines) };
    await seal(out, 'r1', true, { report });
    assert.match(shown.join(), storedPages === 'none' ? /^languages and codes take .* bytes of tiles before/ : /^$/);
    assert.deepEqual(contentOf(out), contentOf(plain[storedPages]));
  });
}

test('seal writes and verifies in child processes, and says what it verifies', async () => {
  rmSync(out, { recursive: true, force: true });
  for (const shard of [0, 1]) await buildOne(shard, 2);
  const verified = new Map<string, number>();
  let hasChildren = false;
  const report: Report = {
    ...SILENT,
    advance(what, amount) {
      verified.set(what, (verified.get(what) ?? 0) + amount);
      hasChildren ||= process.getActiveResourcesInfo().includes('ProcessWrap');
    },
  };
  const { privateKey: signKey } = generateKeyPairSync('ed25519');
  await seal(out, 'r1', true, { signKey, workers: 2, report });
  assert.ok(hasChildren);
  assert.equal(verified.get('features verified'), 2 * (210 + 230), 'of two geometries');
  const sums = (folder: string): string => readFileSync(join(folder, 'releases/r1/checksums.txt'), 'utf8');
  assert.equal(sums(out), sums(plain.all));
});

test('each file is written by one shard, and identical pages by the same one', async () => {
  const written = await Promise.all(
    [0, 1, 2].map(async (shard) => {
      const own = join(folder, `shard-${shard}`);
      await buildShard(buildOptions(source, own, ONE_OTHER), { shard, shards: 3 }, SILENT);
      return contentOf(join(own, 'releases/.r1.shards/release'));
    }),
  );
  const files = filesUnder(join(plain.all, 'releases/r1')).filter((file) =>
    /[0-9]{6}\.((geojsonl|json)\.gz|bin)$|(cells|neighbours)\.bin$|neighbours\.csv\.gz$|units\.(parquet|digest)$/.test(
      file,
    ),
  );
  assert.deepEqual(written.flatMap((files) => Object.keys(files)).sort(), files);
  // Of features that are not chained nothing is beside their file, and levels without neighbours have the same table.
  const filled = written.map((files) =>
    Object.entries(files).filter(([path]) => !/\/(alone\/|neighbours\.)/.test(path)),
  );
  const digests = filled.map((files) => new Set(files.map(([, digest]) => digest)));
  assert.equal(
    new Set(digests.flatMap((digests) => [...digests])).size,
    digests.reduce((sum, { size }) => sum + size, 0),
  );
});

test('shards have about the same work where a quarter of the units has most of the bytes, and may have different numbers of workers', async () => {
  const [uneven, whole, sharded] = [join(folder, 'uneven.gpkg'), join(folder, 'whole'), join(folder, 'shards')];
  writeInvented(uneven, { counts: [200, 200], verticesOf: (_, i) => (i < 50 ? 300 : 30), strayEvery: 7 });
  await buildRelease(uneven, whole, { storedPages: 'all' });
  const release = join(sharded, 'releases/.r1.shards/release');
  const bytesWritten = (): number =>
    filesUnder(release).reduce((sum, file) => sum + statSync(join(release, file)).size, 0);
  const after: number[] = [];
  for (const shard of [0, 1, 2, 3]) {
    const options = buildOptions(uneven, sharded, { storedPages: 'all', workers: shard === 1 ? 1 : 0 });
    await buildShard(options, { shard, shards: 4 }, SILENT);
    after.push(bytesWritten());
  }
  const bytes = after.map((total, shard) => total - (after[shard - 1] ?? 0));
  const mean = elementAt(after, 3) / 4;
  assert.ok(Math.max(...bytes) < 1.4 * mean, `bytes of the shards: ${bytes.join(', ')}`);
  await seal(sharded, 'r1', true);
  assert.deepEqual(contentOf(sharded), contentOf(whole));
});

test('shards that are run again with another choice of --pages leave no files of the first one in the release', async () => {
  rmSync(out, { recursive: true });
  for (const storedPages of ['all', 'unfiltered'] as const)
    for (const shard of [0, 1]) await buildOne(shard, 2, { storedPages });
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain.unfiltered));
});

test('seal names the shards that are missing and those that do not fit; a shard that is run again replaces its files', async () => {
  rmSync(out, { recursive: true });
  await assert.rejects(seal(out, 'r1', true), { message: /no shard is finished/ });
  for (const shard of [0, 2]) await buildOne(shard, 3);
  await assert.rejects(seal(out, 'r1', true), {
    message: /shards not finished: 1\/3 \(not begun\)$/,
    remedy: /--shard 1\/3/,
  });
  for (const other of [{ precision: 6 }, { storedPages: 'unfiltered' }] as const) {
    await buildOne(1, 3, other);
    await assert.rejects(seal(out, 'r1', true), { message: /shards 0\/3 and 1\/3 differ in source, options/ });
  }
  assert.ok(!existsSync(join(out, 'current.json')));
  // Shards of another precision are divided in another way: one may overwrite files of any other.
  for (const shard of [0, 1, 2]) await buildOne(shard, 3);
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain.all));
});

test('seal refuses shards whose GEOS decides otherwise about simplified units, which no index of the full ones shows', async ({
  mock,
}) => {
  rmSync(out, { recursive: true, force: true });
  await buildOne(0, 2);
  const { isValid } = gdal.Geometry.prototype;
  // Simplified units are asked about in thousandths of a degree, others in 1e-7.
  const other = mock.method(gdal.Geometry.prototype, 'isValid', function (this: gdalTypes.Geometry) {
    const { minX, maxX } = this.getEnvelope();
    return maxX - minX > 10_000 && isValid.call(this);
  });
  await buildOne(1, 2);
  other.mock.restore();
  await assert.rejects(seal(out, 'r1', true), {
    message: /shards 0\/2 and 1\/2 differ in source, options, number of shards or what GDAL makes of the source$/,
    remedy: /the same versions of Node\.js and GDAL$/,
  });
});

test('seal refuses a file that a shard of another division has overwritten since, also one that is as long', async () => {
  for (const shard of [0, 1]) await buildOne(shard, 2, { release: 'r2' });
  const file = join(out, 'releases/.r2.shards/release/lv1/low/features/000001.geojsonl.gz');
  const content = readFileSync(file);
  for (const [overwritten, problem] of [
    [content.with(99, 255 - elementAt(content, 99)), 'its SHA-256 is [0-9a-f]{64}, [0-9a-f]{64} was written'],
    [content.subarray(1), 'has \\d+ bytes, \\d+ bytes were written'],
  ] as const) {
    writeFileSync(file, overwritten);
    const message = new RegExp(`/low/features/000001\\.geojsonl\\.gz: ${problem}$`);
    await assert.rejects(seal(out, 'r2', true), { message, remedy: /run all shards again/ });
  }
  writeFileSync(file, content);
});

test('seal refuses a done.json that is damaged, and names the member', async () => {
  const file = join(out, 'releases/.r2.shards/shard-1-of-2/done.json');
  const intact = readFileSync(file, 'utf8');
  const done = JSON.parse(intact);
  const [first, ...others] = done.levels;
  const about = (change: object): string => JSON.stringify({ ...done, about: { ...done.about, ...change } });
  const levels = (...levels: object[]): string => JSON.stringify({ ...done, levels: [...levels, ...others] });
  const damage: [content: string, message: RegExp][] = [
    [intact.slice(0, 200), /done\.json: is not JSON$/],
    ['[]', /done\.json: is not a JSON object$/],
    [JSON.stringify({ ...done, share: { shard: 0, shards: 2 } }), /done\.json: is of shard 0\/2 of release r2$/],
    [about({ release: 'r1' }), /is of shard 1\/2 of release r1$/],
    [about({ precision: -1 }), /about: precision is -1, expected a whole/],
    [about({ storedPages: 'some' }), /about: storedPages is "some", expected one/],
    [about({ options: { sql: 1 } }), /options: sql is not a list/],
    [levels(), /levels\[0\]: level is 1, expected 0$/],
    [levels({ ...first, index: '' }), /levels\[0\]: index is "", expected/],
    [levels({ ...first, records: ['../x'] }), /records has "\.\.\/x"/],
  ];
  for (const [content, message] of damage) {
    writeFileSync(file, content);
    await assert.rejects(seal(out, 'r2', true), { message, remedy: /remove that folder and run build --shard 1\/2/ });
  }
  writeFileSync(file, intact);
  await seal(out, 'r2', true);
});

test('seal names a shard that is running and one that failed in the middle as begun; both can be run again', async () => {
  rmSync(out, { recursive: true });
  /** Builds a shard; does something in the middle. */
  const begin = (shard: number, inTheMiddle: () => void): Promise<void> => {
    const advance = (what: string): void => {
      if (what === 'files written') inTheMiddle();
    };
    return buildOne(shard, 3, {}, { ...SILENT, advance });
  };
  let running: Promise<unknown> | undefined;
  await begin(1, () => {
    running ??= assert.rejects(seal(out, 'r1', true), {
      message: /shards not finished: 0\/3 \(not begun\), 1\/3 \(begun\), 2\/3 \(not begun\)$/,
    });
  });
  assert.ok(running, 'the shard writes nothing');
  await running;
  const failing = begin(2, () => {
    throw new Error('the machine is gone');
  });
  await assert.rejects(failing, /the machine is gone/);
  await assert.rejects(seal(out, 'r1', true), { message: /shards not finished: 0\/3 \(not begun\), 2\/3 \(begun\)$/ });
  for (const shard of [0, 2]) await buildOne(shard, 3);
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain.all));
});
