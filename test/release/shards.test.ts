// A build spread over machines: shards as processes of their own, then seal; the same bytes as a plain build.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import type { BuildOptions } from '../../generator/build.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { buildShard, seal } from '../../generator/sharded-build.ts';
import { manyUnitLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { contentOf } from '../support/files.ts';
import { compile } from '../support/processes/compile.ts';
import { buildOptions, buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROGRAM = compile('generator/main.ts');
const folder = temporaryFolder();
const source = writeDataset(join(folder, 'many.gpkg'), 'GPKG', manyUnitLayers());
/** A plain build with each choice of --pages. */
const plain: Readonly<Record<StoredPages, string>> = {
  all: join(folder, 'all'),
  unfiltered: join(folder, 'unfiltered'),
  none: join(folder, 'none'),
};
for (const storedPages of STORED_PAGES) await buildRelease(source, plain[storedPages], { storedPages });

/** Builds one shard in this process. */
async function buildOne(shard: number, shards: number, options: Partial<BuildOptions> = {}): Promise<void> {
  await buildShard(buildOptions(source, out, options), { shard, shards }, SILENT);
}

/** Runs one shard from the command line. */
async function runShard(out: string, share: string, ...more: string[]): Promise<{ code: unknown; output: string }> {
  const args = [
    'build',
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
    ...more,
  ];
  const child = spawn(process.execPath, [PROGRAM, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}

const out = join(folder, 'sharded');

for (const storedPages of STORED_PAGES) {
  test(`4 shards as separate processes and a seal give the bytes of a plain build, with --pages ${storedPages}`, async () => {
    rmSync(out, { recursive: true, force: true });
    const shares = ['0/4', '1/4', '2/4', '3/4'];
    const runs = await Promise.all(shares.map((share) => runShard(out, share, '--pages', storedPages)));
    for (const { code, output } of runs) assert.equal(code, 0, output);
    assert.ok(!existsSync(join(out, 'current.json')), 'nothing is published before the seal');
    await seal(out, 'r1', true);
    assert.deepEqual(contentOf(out), contentOf(plain[storedPages]));
  });
}

test('each shard writes feature files of its own and the pages that begin in them', async () => {
  const release = join(out, 'releases/.r1.shards/release');
  const filesOf = (): string[] => Object.keys(contentOf(release));
  rmSync(out, { recursive: true });
  await buildOne(1, 3);
  const first = filesOf();
  const own = [
    'lv0/features/000002.geojsonl.gz',
    'lv0/geojsonl/all/000006.geojsonl.gz',
    'lv1/features/000005.geojsonl.gz',
  ];
  for (const file of own) assert.ok(first.includes(file), file);
  for (const file of ['lv0/features/000001.geojsonl.gz', 'lv0/geojsonl/all/000001.geojsonl.gz'])
    assert.ok(!first.includes(file), file);
  await buildOne(2, 3);
  const both = filesOf();
  for (const file of ['lv0/features/000003.geojsonl.gz', 'lv0/fc/all/000050.json.gz'])
    assert.ok(both.includes(file) && !first.includes(file), file);
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
  await assert.rejects(seal(out, 'r1', true), { message: /shards not finished: 1\/3/, remedy: /--shard 1\/3/ });
  for (const other of [{ precision: 0 }, { storedPages: 'unfiltered' }] as const) {
    await buildOne(1, 3, other);
    await assert.rejects(seal(out, 'r1', true), { message: /shards 0\/3 and 1\/3 differ in source, options/ });
  }
  assert.ok(!existsSync(join(out, 'current.json')));
  await buildOne(1, 3);
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
