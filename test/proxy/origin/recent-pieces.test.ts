// What is kept of a folder's files: a piece that is found has the bytes of its file, whatever was written since. And of
// cells: one that is found has its numbers, whatever was read since.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCell, roomOf } from '../../../format/cell-numbers.ts';
import { KeptCells } from '../../../proxy/features/places/kept-cells.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { RecentPieces } from '../../../proxy/origin/recent-pieces.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { turnsDuring } from '../../support/turns-during.ts';

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

/** Cells, and numbers that are kept of them. */
const CELLS = 40;
const SIZE = 500;

/** The bytes of a cell with so many units from a position on, each with a border of three points. */
function cellOf(position: number, units: number): Uint8Array {
  const border = (unit: number): number[] => [4 * 2 + 1, unit, unit, 4, position, 2, 1, 6];
  const others = Array.from({ length: units - 1 }, () => 2);
  const borders = Array.from({ length: units }, (_, i) => border(i)).flat();
  return Uint8Array.from([units, 2 * position, ...others, ...borders]);
}

function bytesIn({ buffer, byteOffset, byteLength }: Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

test('a cell that is found is the one that was read, also when the memory has been written over many times', () => {
  const read = fc.record({ cell: fc.nat(CELLS - 1), units: fc.integer({ min: 1, max: 12 }) });
  let found = 0;
  fc.assert(
    fc.property(fc.array(read, { minLength: 150, maxLength: 150, size: 'max' }), (cells) => {
      const kept = new KeptCells(CELLS, SIZE, SIZE);
      const last = new Map<number, Float64Array>();
      for (const { cell, units } of cells) {
        const bytes = cellOf(cell, units);
        const expected = readCell(bytes, new Float64Array(roomOf(bytes.length)));
        assert.deepEqual(kept.read(cell, bytes), expected);
        last.set(cell, expected);
        assert.deepEqual(kept.get(cell), expected, 'the last one is kept');
        for (const [other, numbers] of last) {
          const known = kept.get(other);
          if (known === undefined) continue;
          found++;
          assert.ok(bytesIn(known).equals(bytesIn(numbers)), `cell ${other}`);
        }
        assert.ok(kept.bytes <= 8 * SIZE + 12 * CELLS, `${kept.bytes} bytes`);
      }
    }),
    { numRuns: 4 },
  );
  assert.ok(found > 2000, `${found} were found`);
});

test('other requests are answered while a cell with very many borders is read', async () => {
  const border = [4 * 2 + 1, 0, 2, 4, 6, 2, 1, 6];
  const bytes = Buffer.concat([Buffer.of(1, 0), Buffer.alloc(60_000 * border.length, Buffer.from(border))]);
  const kept = new KeptCells(1, bytes.length, SIZE);
  const turns = await turnsDuring(kept.loadLarge(0, bytes));
  assert.ok(turns > 3, `${turns} turns`);
  assert.deepEqual(kept.large(0), readCell(bytes, new Float64Array(roomOf(bytes.length))));
});

test('of cells larger than the memory the last one is kept, and bytes that are no cell spoil nothing', async () => {
  const kept = new KeptCells(CELLS, SIZE, SIZE);
  const intact = kept.read(1, cellOf(1, 2)).slice();
  const large = cellOf(0, 60);
  assert.deepEqual([kept.isLarge(large.length), kept.isLarge(cellOf(3, 14).length)], [true, false]);
  const [first, again] = await Promise.all([kept.loadLarge(0, large), kept.loadLarge(0, large)]);
  assert.equal(first[2], 60);
  assert.ok(again === first && kept.large(0) === first);
  await kept.loadLarge(5, cellOf(5, 70));
  assert.deepEqual([kept.large(0), kept.large(5)?.[2], kept.get(1)], [undefined, 70, intact]);
  // The next one has no room before the end of the memory.
  for (const cell of [3, 4]) kept.read(cell, cellOf(cell, 14));
  assert.deepEqual(kept.get(1), intact);
  assert.throws(() => kept.read(2, cellOf(2, 12).subarray(0, -1)), RangeError);
  await assert.rejects(kept.loadLarge(2, cellOf(2, 60).subarray(0, -1)), RangeError);
  assert.deepEqual([kept.get(2), kept.large(2)], [undefined, undefined]);
  assert.deepEqual(kept.get(1) ?? intact, intact);
});
