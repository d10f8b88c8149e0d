// The directory origin: which files it keeps open, when it reads on the event loop, and what it says of missing bytes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkedStream, rangeParts } from '../../../proxy/bodies/checked-stream.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { type ByteRange, type Origin, QueuedReads } from '../../../proxy/origin/origin.ts';
import { openFiles } from '../../support/files.ts';
import { compile } from '../../support/processes/compile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { NOBODY } from './failing-host.ts';

const isLinux = process.platform === 'linux';
const folder = temporaryFolder();
mkdirSync(join(folder, 'a'));
const paths = Array.from({ length: 6 }, (_, i) => `a/${i}`);
for (const [i, path] of paths.entries()) writeFileSync(join(folder, path), `file ${i}`.repeat(1000));

/** A clock that stands still: no read is slow, so that `readNow` reads on a machine that waits for its disk, too. */
const noTime = (): number => 0;

/** Reads a range on the event loop; undefined if that would block it. */
function readNow(origin: Origin, path: string, range: ByteRange, staysOpen: boolean): Buffer | undefined {
  const target = Buffer.alloc(range.length + 2, '.');
  if (origin.readNow?.(path, range, target, 1, staysOpen) !== true) return undefined;
  // Nothing around the range is written.
  assert.deepEqual([target.toString('latin1', 0, 1), target.toString('latin1', range.length + 1)], ['.', '.']);
  return target.subarray(1, -1);
}

const openBelow = (path: string): string[] => openFiles(join(folder, path));

test('keeps a bounded number of files open, and closes those of a folder, and all', { skip: !isLinux }, () => {
  const origin = directoryOrigin(folder, noTime);
  const many = Array.from({ length: 600 }, (_, i) => `a/many-${i}`);
  for (const path of many) writeFileSync(join(folder, path), 'x');
  for (const path of many) readNow(origin, path, { offset: 0, length: 1 }, true);
  assert.equal(openBelow('a').length, 512);
  // The most recently used stay open.
  assert.ok(openBelow('a').includes(join(folder, 'a/many-599')) && !openBelow('a').includes(join(folder, 'a/many-0')));
  // A path that is a prefix of another one is not closed with it.
  origin.close?.('a/many-59');
  assert.equal(openBelow('a').length, 512);
  origin.close?.('a/many-599');
  assert.equal(openBelow('a').length, 511);
  origin.close?.('a');
  assert.deepEqual(openBelow('a'), []);
  readNow(origin, 'a/1', { offset: 0, length: 1 }, true);
  origin.close?.('');
  assert.deepEqual(openBelow('a'), []);
});

test('reads on the event loop until two reads are slow, then not for a while, and after that until the next slow one', () => {
  const clock = { now: 0, readMs: 1 };
  let looks = 0;
  // The clock is looked at before and after each read.
  const origin = directoryOrigin(folder, () => {
    if (looks++ % 2 === 1) clock.now += clock.readMs;
    return clock.now;
  });
  let offset = 0;
  // Another range each time: what was read lately is kept, and waits for no disk.
  const isRead = (): boolean => {
    const read = readNow(origin, 'a/1', { offset: offset++, length: 6 }, true) !== undefined;
    // A refusal looks once.
    if (!read) looks++;
    return read;
  };
  assert.ok(isRead());
  clock.readMs = 20;
  assert.ok(isRead());
  // One slow read means nothing: the process may have waited for a processor.
  assert.ok(isRead());
  assert.ok(!isRead());
  clock.now += 249;
  assert.ok(!isRead());
  clock.now += 1;
  assert.ok(isRead());
  assert.ok(!isRead());
  clock.now += 250;
  clock.readMs = 1;
  for (let i = 0; i < 60; i++) assert.ok(isRead());
  clock.readMs = 20;
  assert.ok(isRead());
  clock.readMs = 1;
  assert.ok(isRead());
  origin.close?.('a');
});

const WAYS = {
  'on the event loop, with the file kept open': async (origin: Origin, path: string, range: ByteRange) =>
    readNow(origin, path, range, true),
  'on the event loop, once': async (origin: Origin, path: string, range: ByteRange) =>
    readNow(origin, path, range, false),
  'in the thread pool': (origin: Origin, path: string, range: ByteRange) => origin.read(path, range),
};

for (const [way, read] of Object.entries(WAYS)) {
  test(`reads exactly the bytes that are asked for, ${way}`, async () => {
    const origin = directoryOrigin(folder, noTime);
    const whole = (await origin.read('a/1', 1e9)).toString();
    assert.equal(whole, 'file 1'.repeat(1000));
    for (const [offset, length] of [
      [0, 6000],
      [0, 1],
      [5999, 1],
      [100, 200],
    ] as const)
      assert.equal((await read(origin, 'a/1', { offset, length }))?.toString(), whole.slice(offset, offset + length));
    origin.close?.('a');
  });

  test(`names a file that is missing, that ends early, or that is a folder, ${way}`, async () => {
    const origin = directoryOrigin(folder, noTime);
    for (const [path, range, reason] of [
      ['a/9', { offset: 0, length: 1 }, 'missing'],
      ['a/1/9', { offset: 0, length: 1 }, 'missing'],
      ['a/1', { offset: 0, length: 6001 }, 'damaged'],
      ['a', { offset: 0, length: 1 }, 'unreadable'],
    ] as const)
      await assert.rejects(async () => read(origin, path, range), { name: 'OriginError', reason, path });
    origin.close?.('a');
  });

  test(`a file that was found missing is found when it is there, ${way}`, async () => {
    const origin = directoryOrigin(folder, noTime);
    const range = { offset: 0, length: 6 };
    await assert.rejects(async () => read(origin, 'a/late', range), { reason: 'missing' });
    writeFileSync(join(folder, 'a/late'), 'file x');
    assert.equal((await read(origin, 'a/late', range))?.toString(), 'file x');
    renameSync(join(folder, 'a/late'), join(folder, 'a/gone'));
    origin.close?.('a/late');
    await assert.rejects(async () => read(origin, 'a/late', range), { reason: 'missing' });
    origin.close?.('a');
  });
}

test('a file that the thread pool finds cut short is closed: an intact one in its place is read at once', async () => {
  const origin = directoryOrigin(folder, noTime);
  const [start, end] = [0, 5990].map((offset) => ({ offset, length: 10 }));
  assert.ok(start && end);
  const intact = readFileSync(join(folder, 'a/2'));
  truncateSync(join(folder, 'a/2'), 5995);
  assert.equal(readNow(origin, 'a/2', start, true)?.length, 10);
  await assert.rejects(origin.read('a/2', end), { reason: 'damaged' });
  writeFileSync(join(folder, 'a/new'), intact);
  renameSync(join(folder, 'a/new'), join(folder, 'a/2'));
  assert.ok(readNow(origin, 'a/2', end, true)?.equals(intact.subarray(5990)));
  origin.close?.('a');
});

test('a process without a free file descriptor is busy: the file is not damaged', {
  skip: process.platform === 'win32',
}, () => {
  const script = `
    import { openSync } from 'node:fs';
    import { directoryOrigin } from ${JSON.stringify(compile('proxy/origin/directory.ts'))};
    const origin = directoryOrigin(${JSON.stringify(folder)});
    try { for (;;) openSync('/dev/null', 'r'); } catch {}
    const range = { offset: 0, length: 1 };
    await origin.read('a/1', range).catch(({ reason }) => console.log(reason));
    try { origin.readNow('a/1', range, Buffer.alloc(1), 0, true); } catch ({ reason }) { console.log(reason); }
  `;
  const run = `ulimit -n 100; exec "$0" "$@"`;
  const args = ['-c', run, process.execPath, '--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  assert.equal(stdout, 'busy\nbusy\n', stderr);
});

test('what is no file but a pipe, with or without a writer, or a folder is unreadable, and stops nothing', {
  skip: process.platform === 'win32',
}, () => {
  const odd = temporaryFolder();
  mkdirSync(join(odd, 'folder'));
  spawnSync('mkfifo', [join(odd, 'pipe')]);
  // In a process of its own: who opens a pipe and waits for its writer cannot even be stopped.
  const script = `
    import { openSync } from 'node:fs';
    import { directoryOrigin } from ${JSON.stringify(compile('proxy/origin/directory.ts'))};
    const origin = directoryOrigin(${JSON.stringify(odd)});
    const range = { offset: 0, length: 1 };
    for (const path of ['pipe', 'folder', 'pipe']) {
      for (const extent of [range, 1]) await origin.read(path, extent).catch(({ reason }) => console.log(reason));
      for (const staysOpen of [true, false])
        try { origin.readNow(path, range, Buffer.alloc(1), 0, staysOpen); } catch ({ reason }) { console.log(reason); }
      if (path === 'folder') openSync(${JSON.stringify(join(odd, 'pipe'))}, 'r+');
    }
  `;
  const args = ['--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 });
  assert.equal(stdout, 'unreadable\n'.repeat(12), stderr);
});

test('a stream keeps no file open between its chunks: a client may stop reading, or never begin', {
  skip: !isLinux,
}, async () => {
  writeFileSync(join(folder, 'a/streamed'), Buffer.alloc(1_000_000, 'x'));
  const range = { offset: 1, length: 999_999 };
  const streams = Array.from({ length: 5 }, () => {
    const reads = new QueuedReads(directoryOrigin(folder, noTime));
    const parts = rangeParts({ reads, client: NOBODY, path: 'a/streamed', range, at: 0 }, () => true);
    return checkedStream(reads, parts, 0, range.length);
  });
  let bytes = 0;
  for (const stream of streams) bytes += (await stream.next()).value?.length ?? 0;
  await until(() => openBelow('a/streamed').length === 0, 'files stay open');
  for (const stream of streams) for await (const chunk of stream) bytes += chunk.length;
  assert.equal(bytes, 5 * 999_999);
});

test('a whole file is read up to the length that it may have; what is no file is refused', async () => {
  const origin = directoryOrigin(folder, noTime);
  assert.equal((await origin.read('a/1', 6000)).length, 6000);
  await assert.rejects(origin.read('a/1', 5999), { reason: 'damaged', message: /more than 5999 bytes/ });
  if (!isLinux) return;
  await assert.rejects(directoryOrigin('/dev').read('zero', 65_536), { message: 'zero: unreadable, not a file' });
});
