// What is kept of a folder's files: a piece that is found has the bytes of its file, whatever was written since.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { RecentPieces } from '../../proxy/origin/recent-pieces.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KIB = 1024;

/** The bytes of a range of a file, which tell where they are from. */
function bytesOf(file: number, offset: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, i) => 31 * file + 7 * offset + i + ((offset + i) >> 8)));
}

test('a piece that is found is the one that was asked for, also when the memory has been written over many times', () => {
  const pieces = new RecentPieces();
  let found = 0;
  const asked = fc.record({
    file: fc.integer({ min: 1, max: 3 }),
    offset: fc.integer({ min: 0, max: 3000 }).map((number) => number * 613),
    length: fc.integer({ min: 1, max: 3 * KIB }),
  });
  fc.assert(
    fc.property(fc.array(asked, { minLength: 300, maxLength: 300, size: 'max' }), (ranges) => {
      for (const { file, offset, length } of [...ranges, ...ranges.slice(-20)]) {
        const target = Buffer.alloc(length + 2);
        const expected = bytesOf(file, offset, length);
        if (pieces.read(file, { offset, length }, target, 1)) {
          found++;
          assert.ok(target.subarray(1, -1).equals(expected));
          assert.deepEqual([target[0], target.at(-1)], [0, 0], 'nothing is written beside it');
        } else pieces.keep(file, { offset, length }, expected, 0);
      }
    }),
    { numRuns: 15 },
  );
  assert.ok(found > 150, `${found} were found`);
});

test('a range that begins like a kept one is another one, and large ones are not kept', () => {
  const pieces = new RecentPieces();
  const target = Buffer.alloc(8 * KIB);
  pieces.keep(1, { offset: 100, length: 50 }, bytesOf(1, 100, 50), 0);
  assert.ok(pieces.read(1, { offset: 100, length: 50 }, target, 0));
  assert.ok(!pieces.read(1, { offset: 100, length: 51 }, target, 0));
  assert.ok(!pieces.read(2, { offset: 100, length: 50 }, target, 0));
  pieces.keep(1, { offset: 200, length: 5 * KIB }, bytesOf(1, 200, 5 * KIB), 0);
  assert.ok(!pieces.read(1, { offset: 200, length: 5 * KIB }, target, 0));
});

test('what is kept of a file goes when the file is closed: another one in its place is read', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'releases'));
  const path = 'releases/file.bin';
  writeFileSync(join(folder, path), 'first');
  const origin = directoryOrigin(folder, () => 0);
  const read = (): string => {
    const target = Buffer.alloc(5);
    assert.ok(origin.readNow?.(path, { offset: 0, length: 5 }, target, 0, true));
    return target.toString();
  };
  assert.deepEqual([read(), read()], ['first', 'first']);
  writeFileSync(join(folder, 'other'), 'other');
  renameSync(join(folder, 'other'), join(folder, path));
  origin.close?.(path);
  assert.deepEqual([read(), read()], ['other', 'other']);
  appendFileSync(join(folder, path), '!');
  origin.close?.('');
});
