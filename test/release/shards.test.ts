// A build spread over machines: shards as processes of their own, then seal; the same bytes as a plain build.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import type { BuildOptions } from '../../generator/build.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { buildShard, seal } from '../../generator/sharded-build.ts';
import { writeInvented, writeTwoLevels } from '../support/datasets/large-dataset.ts';
import { contentOf, filesUnder } from '../support/files.ts';
import { GENERATOR } from '../support/processes/run-generator.ts';
import { buildOptions, buildRelease, ONE_OTHER } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = writeTwoLevels(join(folder, 'many.gpkg'));
/** A plain build with each choice of --pages. */
const plain: Readonly<Record<StoredPages, string>> = {
  all: join(folder, 'all'),
  unfiltered: join(folder, 'unfiltered'),
  none: join(folder, 'none'),
};
for (const storedPages of STORED_PAGES) await buildRelease(source, plain[storedPages], { ...ONE_OTHER, storedPages });

/** Builds one shard in this process. */
async function buildOne(shard: number, shards: number, options: Partial<BuildOptions> = {}): Promise<void> {
  await buildShard(buildOptions(source, out, { ...ONE_OTHER, ...options }), { shard, shards }, SILENT);
}

/** Runs one shard from the command line. */
async function runShard(out: string, share: string, ...more: string[]): Promise<{ code: unknown; output: string }> {
  const what = [
    '--source',
    source,
    '--out',
    out,
    '--release',
    'r1',
    '--shard',
    share,
    '--workers',
    '0',
    '--geometry',
    'low',
  ];
  const child = spawn(process.execPath, [GENERATOR, 'build', ...what, ...more]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}

const out = join(folder, 'sharded');

for (const storedPages of STORED_PAGES) {
  // Processes take most of the time: one choice has them.
  const inProcesses = storedPages === 'all';
  const how = inProcesses ? 'as separate processes' : 'one after another';
  test(`4 shards ${how} and a seal give the bytes of a plain build, with --pages ${storedPages}`, async () => {
    rmSync(out, { recursive: true, force: true });
    const shares = inProcesses ? ['0/4', '1/4', '2/4', '3/4'] : [];
    const runs = await Promise.all(shares.map((share) => runShard(out, share, '--pages', storedPages)));
    for (const { code, output } of runs) assert.equal(code, 0, output);
    if (!inProcesses) for (const shard of [0, 1, 2, 3]) await buildOne(shard, 4, { storedPages });
    assert.ok(!existsSync(join(out, 'current.json')), 'nothing is published before the seal');
    await seal(out, 'r1', true);
    assert.deepEqual(contentOf(out), contentOf(plain[storedPages]));
  });
}

test('each file is written by one shard, and identical pages by the same one', async () => {
  const written = await Promise.all(
    [0, 1, 2].map(async (shard) => {
      const own = join(folder, `shard-${shard}`);
      await buildShard(buildOptions(source, own, ONE_OTHER), { shard, shards: 3 }, SILENT);
      return contentOf(join(own, 'releases/.r1.shards/release'));
    }),
  );
  const files = filesUnder(join(plain.all, 'releases/r1')).filter((file) =>
    /[0-9]{6}\.((geojsonl|json)\.gz|bin)$|cells\.bin$/.test(file),
  );
  assert.deepEqual(written.flatMap((files) => Object.keys(files)).sort(), files);
  // Of features that are not chained nothing is beside their file.
  const filled = written.map((files) => Object.entries(files).filter(([path]) => !path.includes('/alone/')));
  const digests = filled.map((files) => new Set(files.map(([, digest]) => digest)));
  assert.equal(
    new Set(digests.flatMap((digests) => [...digests])).size,
    digests.reduce((sum, { size }) => sum + size, 0),
  );
});

test('shards have about the same work where a quarter of the units has most of the bytes, and may have different numbers of workers', async () => {
  const [uneven, whole, sharded] = [join(folder, 'uneven.gpkg'), join(folder, 'whole'), join(folder, 'shards')];
  writeInvented(uneven, { counts: [400, 400], verticesOf: (_, i) => (i < 100 ? 300 : 30), strayEvery: 7 });
  await buildRelease(uneven, whole);
  const release = join(sharded, 'releases/.r1.shards/release');
  const bytesWritten = (): number =>
    filesUnder(release).reduce((sum, file) => sum + statSync(join(release, file)).size, 0);
  const after: number[] = [];
  for (const shard of [0, 1, 2, 3]) {
    await buildShard(buildOptions(uneven, sharded, { workers: shard % 2 }), { shard, shards: 4 }, SILENT);
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
  await buildOne(1, 3);
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain.all));
});

test('seal refuses a file that a shard of another division has overwritten since, though it is as long', async () => {
  for (const shard of [0, 1]) await buildOne(shard, 2, { release: 'r2' });
  const file = join(out, 'releases/.r2.shards/release/lv1/low/features/000001.geojsonl.gz');
  const content = readFileSync(file);
  writeFileSync(file, content.with(99, 255 - elementAt(content, 99)));
  await assert.rejects(seal(out, 'r2', true), {
    message: /low\/features\/000001\.geojsonl\.gz: its SHA-256 is [0-9a-f]{64}, [0-9a-f]{64} was written$/,
    remedy: /run all shards again/,
  });
  rmSync(join(out, 'releases/.r2.shards'), { recursive: true });
});

test('seal refuses a done.json that is damaged, and names the member', async () => {
  for (const shard of [0, 1]) await buildOne(shard, 2, { release: 'r2' });
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
  let running: Promise<unknown> | undefined;
  /** Builds a shard; does something in the middle. */
  const begin = (shard: number, inTheMiddle: () => void) =>
    buildShard(
      buildOptions(source, out, ONE_OTHER),
      { shard, shards: 3 },
      {
        ...SILENT,
        advance: (what) => {
          if (what === 'files written') inTheMiddle();
        },
      },
    );
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

test('a share that is not i/n with i below n is refused', async () => {
  for (const share of ['4/4', '1', 'a/b', '0/0']) {
    const { code, output } = await runShard(out, share);
    assert.equal(code, 2);
    assert.match(output, /not i\/n with i from 0 to n - 1/);
  }
});
