// The directory origin: which files it keeps open, when it reads on the event loop, and what it says of missing bytes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directoryOrigin, ReadPace } from '../../proxy/origin/directory.ts';
import { OpenFiles } from '../../proxy/origin/open-files.ts';
import type { Client } from '../../proxy/origin/origin.ts';
import { OriginError } from '../../proxy/origin/origin.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
mkdirSync(join(folder, 'a'));
const paths = Array.from({ length: 6 }, (_, i) => `a/${i}`);
for (const [i, path] of paths.entries()) writeFileSync(join(folder, path), `file ${i}`.repeat(1000));

/** Stands for a client: nothing of it is looked at. */
const client: Client = { isClosed: false, onClose() {}, exchange: undefined };

/** Is the descriptor open? */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

test('keeps a bounded number of files open, the most recently used', () => {
  const opened: string[] = [];
  const files = new OpenFiles((path) => {
    opened.push(path);
    return openSync(join(folder, path), 'r');
  }, 3);
  const [first = '', second = '', third = '', fourth = ''] = paths;
  const descriptors = [first, second, third].map((path) => files.find(path).descriptor);
  assert.equal(files.find(first).descriptor, descriptors[0]);
  files.find(fourth);
  assert.equal(files.size, 3);
  assert.deepEqual(descriptors.map(isOpen), [true, false, true]);
  files.find(second);
  assert.deepEqual(descriptors.map(isOpen), [true, true, false]);
  assert.deepEqual(opened, [first, second, third, fourth, second]);
  files.close('a');
  assert.equal(files.size, 0);
});

test('does not close a file while it is read, whatever else is opened meanwhile', async () => {
  const files = new OpenFiles((path) => openSync(join(folder, path), 'r'), 1);
  const [first = '', second = ''] = paths;
  let isClosedEarly = true;
  let descriptor = -1;
  await files.use(first, async (file) => {
    descriptor = file;
    files.find(second);
    files.close(first);
    await new Promise((resolve) => setImmediate(resolve));
    isClosedEarly = !isOpen(file);
  });
  assert.deepEqual([isClosedEarly, isOpen(descriptor)], [false, false]);
  files.close('a');
});

test('a path that is a prefix of another one is not closed with it', () => {
  const files = new OpenFiles(() => openSync(join(folder, 'a/0'), 'r'));
  const other = files.find('a/10').descriptor;
  const meant = files.find('a/1').descriptor;
  files.close('a/1');
  assert.deepEqual([isOpen(meant), isOpen(other)], [false, true]);
  closeSync(other);
});

test('reads on the event loop until a read is slow, then through the thread pool for a while', () => {
  let now = 0;
  const pace = new ReadPace(() => now);
  const take = (ms: number): number => pace.time(() => (now += ms));
  take(1);
  assert.equal(pace.usesPool, false);
  take(20);
  assert.equal(pace.usesPool, true);
  now += 249;
  assert.equal(pace.usesPool, true);
  now += 1;
  assert.equal(pace.usesPool, false);
});

for (const usesPool of [false, true]) {
  const way = usesPool ? 'through the thread pool' : 'on the event loop';
  /** A clock that jumps at each look makes every read seem slow. */
  const paceOf = (): ReadPace => {
    let now = 0;
    const pace = new ReadPace(() => {
      if (usesPool) now += 10;
      return now;
    });
    if (usesPool) pace.time(() => {});
    return pace;
  };

  test(`reads exactly the bytes that are asked for, ${way}`, async () => {
    const origin = directoryOrigin(folder, paceOf());
    const whole = (await origin.read('a/1')).toString();
    assert.equal(whole, 'file 1'.repeat(1000));
    for (const given of [undefined, client])
      for (const [offset, length] of [
        [0, 6000],
        [0, 1],
        [5999, 1],
        [100, 200],
      ] as const) {
        const bytes = await origin.read('a/1', { offset, length }, given);
        assert.equal(bytes.toString(), whole.slice(offset, offset + length));
      }
    origin.close?.('a');
  });

  test(`names a file that is missing, that ends early, or that is a folder, ${way}`, async () => {
    const origin = directoryOrigin(folder, paceOf());
    for (const given of [undefined, client])
      for (const [path, range, reason] of [
        ['a/9', { offset: 0, length: 1 }, 'missing'],
        ['a/1/9', { offset: 0, length: 1 }, 'missing'],
        ['a/1', { offset: 0, length: 6001 }, 'damaged'],
        ['a', { offset: 0, length: 1 }, 'unreadable'],
      ] as const)
        await assert.rejects(
          origin.read(path, range, given),
          (error) => error instanceof OriginError && error.reason === reason && error.path === path,
        );
    origin.close?.('a');
  });

  test(`a file that was found missing is found when it is there, ${way}`, async () => {
    const origin = directoryOrigin(folder, paceOf());
    const range = { offset: 0, length: 6 };
    await assert.rejects(origin.read('a/late', range), { reason: 'missing' });
    writeFileSync(join(folder, 'a/late'), 'file x');
    assert.equal((await origin.read('a/late', range)).toString(), 'file x');
    renameSync(join(folder, 'a/late'), join(folder, 'a/gone'));
    origin.close?.('a/late');
    await assert.rejects(origin.read('a/late', range), { reason: 'missing' });
    origin.close?.('a');
  });
}

test('a process without a free file descriptor is busy: the file is not damaged', {
  skip: process.platform === 'win32',
}, () => {
  const script = `
    import { openSync } from 'node:fs';
    import { directoryOrigin } from ${JSON.stringify(new URL('../../proxy/origin/directory.ts', import.meta.url).href)};
    const origin = directoryOrigin(${JSON.stringify(folder)});
    try { for (;;) openSync('/dev/null', 'r'); } catch {}
    for (const client of [undefined, {}])
      await origin.read('a/1', { offset: 0, length: 1 }, client).catch(({ reason }) => console.log(reason));
  `;
  const run = `ulimit -n 100; exec "$0" "$@"`;
  const args = ['-c', run, process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  assert.equal(stdout, 'busy\nbusy\n', stderr);
});
