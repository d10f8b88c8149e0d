// A build spread over machines: shards as processes of their own, then seal; the same bytes as a plain build.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import type { GidColumn } from '../../format/gid-column.ts';
import { STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import type { BuildOptions } from '../../generator/build.ts';
import { type Report, SILENT } from '../../generator/report/progress.ts';
import { buildShard, seal } from '../../generator/sharded-build.ts';
import { indexDigest, newIndexBuilder } from '../../generator/store/store-index.ts';
import { manyUnitLayers } from '../support/datasets/small-datasets.ts';
import { type FixtureLayer, writeDataset } from '../support/datasets/write-dataset.ts';
import { contentOf, filesUnder } from '../support/files.ts';
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
      await buildShard(buildOptions(source, own), { shard, shards: 3 }, SILENT);
      return contentOf(join(own, 'releases/.r1.shards/release'));
    }),
  );
  const files = filesUnder(join(plain.all, 'releases/r1')).filter((file) =>
    /[0-9]{6}\.(geojsonl|json)\.gz$/.test(file),
  );
  assert.deepEqual(written.flatMap((files) => Object.keys(files)).sort(), files);
  const digests = written.map((files) => new Set(Object.values(files)));
  assert.equal(
    new Set(digests.flatMap((digests) => [...digests])).size,
    digests.reduce((sum, { size }) => sum + size, 0),
  );
});

/** Countries and regions, the first quarter of which has ten times the vertices of the others. */
function unevenLayers(): FixtureLayer[] {
  const outline = (i: number): string => {
    const vertices = i < 100 ? 300 : 30;
    const corners = Array.from({ length: vertices }, (_, corner) => {
      const angle = (corner / vertices) * 2 * Math.PI;
      const radius = 1 + Math.abs(Math.sin(i + corner * 12.9898)) / 10;
      return `${radius * Math.cos(angle)} ${radius * Math.sin(angle)}`;
    });
    return `POLYGON((${[...corners, corners[0]].join(',')}))`;
  };
  const units = (parents: (i: number) => string[]) =>
    Array.from({ length: 400 }, (_, i) => ({ fid: i + 1, values: parents(i), wkt: outline(i) }));
  return [
    { name: 'ADM_0', columns: ['GID_0'], features: units((i) => [`C${i}`]) },
    { name: 'ADM_1', columns: ['GID_1', 'GID_0'], features: units((i) => [`C${i}.1`, `C${i % 40}`]) },
  ];
}

test('shards have about the same work where a quarter of the units has most of the bytes, and may have different numbers of workers', async () => {
  const [uneven, whole, sharded] = ['uneven.gpkg', 'uneven-whole', 'uneven-sharded'].map((name) => join(folder, name));
  assert.ok(uneven && whole && sharded);
  writeDataset(uneven, 'GPKG', unevenLayers());
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
  for (const other of [{ precision: 0 }, { storedPages: 'unfiltered' }] as const) {
    await buildOne(1, 3, other);
    await assert.rejects(seal(out, 'r1', true), { message: /shards 0\/3 and 1\/3 differ in source, options/ });
  }
  assert.ok(!existsSync(join(out, 'current.json')));
  await buildOne(1, 3);
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain.all));
});

test('seal refuses a done.json that is damaged, and names the member', async () => {
  for (const shard of [0, 1]) await buildOne(shard, 2, { release: 'r2' });
  const file = join(out, 'releases/.r2.shards/shard-1-of-2/done.json');
  const intact = readFileSync(file, 'utf8');
  const done = JSON.parse(intact);
  const [first, ...others] = done.levels;
  const damage: [content: string, message: RegExp][] = [
    [intact.slice(0, 200), /done\.json: is not JSON$/],
    ['[]', /done\.json: is not a JSON object$/],
    [JSON.stringify({ ...done, share: { shard: 0, shards: 2 } }), /done\.json: is of shard 0\/2 of release r2$/],
    [JSON.stringify({ ...done, about: { ...done.about, release: 'r1' } }), /is of shard 1\/2 of release r1$/],
    [JSON.stringify({ ...done, about: { ...done.about, precision: -1 } }), /about: precision is -1, expected a whole/],
    [
      JSON.stringify({ ...done, about: { ...done.about, storedPages: 'some' } }),
      /about: storedPages is "some", expected one/,
    ],
    [JSON.stringify({ ...done, levels: others }), /levels\[0\]: level is 1, expected 0$/],
    [JSON.stringify({ ...done, levels: [{ ...first, index: '' }, ...others] }), /levels\[0\]: index is "", expected/],
    [JSON.stringify({ ...done, levels: [{ ...first, records: ['../x'] }, ...others] }), /records has "\.\.\/x"/],
    [JSON.stringify({ ...done, about: { ...done.about, options: { sql: 1 } } }), /options: sql is not a list/],
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
  const sealed: Promise<unknown>[] = [];
  const inTheMiddle = (then: () => void): Report => ({
    ...SILENT,
    advance: (what) => {
      if (what === 'files written') then();
    },
  });
  const options = buildOptions(source, out);
  const sealNow = (): void => {
    const attempt = seal(out, 'r1', true);
    attempt.catch(() => {});
    sealed.push(attempt);
  };
  await buildShard(options, { shard: 1, shards: 3 }, inTheMiddle(sealNow));
  const [running = assert.fail('the shard writes nothing')] = sealed;
  await assert.rejects(running, {
    message: /shards not finished: 0\/3 \(not begun\), 1\/3 \(begun\), 2\/3 \(not begun\)$/,
  });
  await assert.rejects(
    buildShard(
      options,
      { shard: 2, shards: 3 },
      inTheMiddle(() => {
        throw new Error('the machine is gone');
      }),
    ),
  );
  await assert.rejects(seal(out, 'r1', true), { message: /shards not finished: 0\/3 \(not begun\), 2\/3 \(begun\)$/ });
  for (const shard of [0, 2]) await buildOne(shard, 3);
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain.all));
});

test('the digest by which seal compares shards depends on the units alone, not on how V8 holds the arrays', () => {
  const builder = newIndexBuilder(['GID_0']);
  for (const fid of [1, 2]) builder.add({ fid, gids: [`C${fid}`], bytes: 10, deflated: undefined });
  const index = builder.finish();
  // An array that V8 holds with room for holes may be serialised in another way.
  const packed = [...index.columns];
  const holey = new Array<GidColumn>(packed.length);
  for (const [n, column] of packed.entries()) holey[n] = column;
  assert.equal(indexDigest({ ...index, columns: holey }), indexDigest({ ...index, columns: packed }));
  assert.notEqual(indexDigest({ ...index, bytes: index.bytes.map((bytes) => bytes + 1) }), indexDigest(index));
});

test('a share that is not i/n with i below n is refused', async () => {
  for (const share of ['4/4', '1', 'a/b', '0/0']) {
    const { code, output } = await runShard(out, share);
    assert.equal(code, 2);
    assert.match(output, /not i\/n with i from 0 to n - 1/);
  }
});
