// A build spread over machines: shards as processes of their own, then seal; the same bytes as a plain build.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { seal } from '../generator/shards.ts';
import { writeSynthetic } from '../generator/synthetic.ts';
import { buildRelease, temporaryFolder } from './fixture.ts';

const folder = temporaryFolder();
const source = join(folder, 'synthetic.gpkg');
writeSynthetic(source, 400);
const plain = join(folder, 'plain');
await buildRelease(source, plain, { accept: ['null-gids', 'duplicate-gids'] });

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
  const child = spawn(process.execPath, [...process.execArgv, 'generator/main.ts', ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}

function contentOf(out: string): Record<string, string> {
  const entries = readdirSync(out, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(files.map((file) => [relative(out, file), readFileSync(file, 'base64')]));
}

const ACCEPT = ['--accept', 'null-gids', 'duplicate-gids'];
const out = join(folder, 'sharded');

test('4 shards as separate processes and a seal give the bytes of a plain build', async () => {
  const runs = await Promise.all(['0/4', '1/4', '2/4', '3/4'].map((share) => runShard(out, share, ...ACCEPT)));
  for (const { code, output } of runs) assert.equal(code, 0, output);
  assert.ok(!existsSync(join(out, 'current.json')), 'nothing is published before the seal');
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain));
});

test('a seal names the shards that are missing and those that do not fit; a shard run again mends it', async () => {
  rmSync(out, { recursive: true });
  await assert.rejects(seal(out, 'r1', true), { message: /no shard is finished/ });
  for (const share of ['0/3', '2/3']) assert.equal((await runShard(out, share, ...ACCEPT)).code, 0);
  await assert.rejects(seal(out, 'r1', true), { message: /shards not finished: 1\/3/, remedy: /--shard 1\/3/ });
  assert.equal((await runShard(out, '1/3', '--precision', '3', ...ACCEPT)).code, 0);
  await assert.rejects(seal(out, 'r1', true), { message: /shards 0\/3 and 1\/3 differ in source, options/ });
  assert.ok(!existsSync(join(out, 'current.json')));
  assert.equal((await runShard(out, '1/3', ...ACCEPT)).code, 0);
  await seal(out, 'r1', true);
  assert.deepEqual(contentOf(out), contentOf(plain));
});

test('a share that is none is refused', async () => {
  for (const share of ['4/4', '1', 'a/b', '0/0']) {
    const { code, output } = await runShard(out, share);
    assert.equal(code, 1);
    assert.match(output, /not i\/n with i from 0 to n - 1/);
  }
});
