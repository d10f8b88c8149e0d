// The file of a level's cells: its form, what is refused of a damaged one, and the example of the specification.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VarintReader } from '../../../format/cell-numbers.ts';
import { type CellArrays, type Cells, decodeCells, directoryBytes } from '../../../format/cells.ts';
import { elementAt } from '../../../format/element-at.ts';
import { pointAt } from '../../../format/grid.ts';
import { FormatError } from '../../../format/parse.ts';
import { FORMAT_VERSION } from '../../../format/version.ts';
import { encodeDirectory } from '../../../generator/borders/build-cells.ts';
import { bytesIn } from '../../format/worked-example.ts';
import { bytesOf, makeLevel, patchwork, rectangle, ring } from '../../support/datasets/made-up-levels.ts';
import { dice } from '../../support/dice.ts';

test('cells lie in the order of their keys, and neither sea nor the inside of a unit has more than one in a row', () => {
  const units = patchwork(7, 4, 6, 20, dice(10));
  const { arrays, bytes } = makeLevel(units, 7);
  assert.equal(arrays.key[0], 0);
  assert.ok(arrays.key.every((key, i) => i === 0 || key > elementAt(arrays.key, i - 1)));
  assert.equal(arrays.start.length, arrays.key.length + 1);
  assert.equal(arrays.start.at(-1), bytes.length);
  const lengths = Array.from(arrays.crc, (_, cell) => bytesOf({ arrays, bytes }, cell).length);
  assert.ok(lengths.includes(0));
  assert.ok(lengths.every((length, i) => length > 0 || lengths[i + 1] !== 0));
  const again = makeLevel(units, 7);
  assert.deepEqual([again.arrays, again.bytes], [arrays, bytes]);
});

test('a level without areas is the directory of one cell without bytes', () => {
  for (const units of [[], [[], []], [[ring(7, [1, 1], [2, 2])]]]) {
    const { arrays, bytes, unitsAt } = makeLevel(units, 7);
    assert.deepEqual([[...arrays.key], [...arrays.start], [...arrays.crc], bytes.length], [[0], [60, 60], [0], 60]);
    assert.deepEqual(unitsAt('1.5', '1.5'), []);
  }
});

test('a flipped bit, missing bytes and those of another cell are an error, never another unit', () => {
  const { cells, arrays, bytes } = makeLevel(patchwork(7, 2, 3, 20, dice(11)), 7);
  const point = pointAt('1.2', '1.1', 7) ?? assert.fail();
  const cell = cells.cellAt(point);
  const own = bytesOf({ arrays, bytes }, cell);
  assert.equal(cells.unitsAt(point, cell, own, 'cells.bin').length, 1);
  const refused = (damaged: Uint8Array): void =>
    assert.throws(() => cells.unitsAt(point, cell, damaged, 'lv1/cells.bin'), {
      name: FormatError.name,
      message: `lv1/cells.bin: cell ${cell} is damaged`,
    });
  for (let bit = 0; bit < 8 * own.length; bit++) {
    const damaged = Buffer.from(own);
    damaged[bit >> 3] = elementAt(own, bit >> 3) ^ (1 << (bit & 7));
    refused(damaged);
  }
  refused(own.subarray(0, -1));
  refused(new Uint8Array(0));
  refused(bytesOf({ arrays, bytes }, cell + 1));
});

test('points that the bytes of a cell do not have are refused, whatever their number', () => {
  const bytes = Uint8Array.from([1, 2, 3, 4, 130, 5, 130]);
  for (const count of [3, 4, 2 ** 40, Number.POSITIVE_INFINITY])
    assert.throws(() => new VarintReader(bytes).readPoints(count, new Float64Array(16), 2), RangeError, String(count));
});

test('a directory that is cut, damaged, of another version or of another level is refused', () => {
  const { cells, bytes } = makeLevel(patchwork(7, 4, 6, 20, dice(18)), 7);
  const refused = (damaged: Uint8Array, problem: RegExp, expected = { features: 24, precision: 7 }): void =>
    assert.throws(() => decodeCells(damaged, 'lv1/cells.bin', expected), { name: FormatError.name, message: problem });
  assert.deepEqual(decodeCells(bytes.subarray(0, cells.bytes), 'cells.bin').arrays, cells.arrays);
  // Views of what begins at an odd place.
  assert.deepEqual(decodeCells(Buffer.concat([Buffer.of(0), bytes]).subarray(1), 'cells.bin').arrays, cells.arrays);
  assert.equal(cells.fileBytes, bytes.length);
  for (let bytesLeft = 0; bytesLeft < cells.bytes; bytesLeft += 13)
    refused(
      bytes.subarray(0, bytesLeft),
      bytesLeft < 32 ? /^lv1\/cells\.bin: does not begin like/ : /has \d+ bytes, its directory has \d+$/,
    );
  for (let bit = 0; bit < 8 * cells.bytes; bit += bit < 8 * 40 ? 1 : 101) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    refused(damaged, /^lv1\/cells\.bin: /);
  }
  const older = Buffer.from(bytes);
  older.writeUInt32LE(FORMAT_VERSION - 1, 8);
  refused(older, /format version is 6, expected 7: build the release again/);
  refused(bytes, /is of 24 units with 7 decimals, expected 25 with 7$/, { features: 25, precision: 7 });
  refused(bytes, /is of 24 units with 7 decimals, expected 24 with 6$/, { features: 24, precision: 6 });
});

test('a directory whose arrays contradict each other is refused although its CRC-32 is right', () => {
  const from = directoryBytes(3);
  const arrays = (key: number[], start: number[]): CellArrays => {
    return { key: Float64Array.from(key), start: Float64Array.from(start), crc: new Uint32Array(key.length) };
  };
  const head = { features: 2, precision: 7 };
  const decoded = (key: number[], start: number[]): Cells =>
    decodeCells(encodeDirectory(head, arrays(key, start)), 'cells.bin');
  assert.equal(decoded([0, 4, 8], [from, from, from + 9, from + 9]).fileBytes, from + 9);
  const refused: [key: number[], start: number[], problem: RegExp][] = [
    [[0, 8, 4], [from, from, from, from], /the key of cell 2 does not ascend/],
    [[0, 4, 4], [from, from, from, from], /the key of cell 2 does not ascend/],
    [[0, NaN, 4], [from, from, from, from], /the key of cell 1 does not ascend/],
    [[0, 1.5, 4], [from, from, from, from], /the key of cell 1 does not ascend/],
    [[0, 4, Infinity], [from, from, from, from], /the key of cell 2 does not ascend/],
    [[1, 4, 8], [from, from, from, from], /first cell does not begin/],
    [[0, 4, 8], [0, from, from, from], /first cell does not begin/],
    [[0, 4, 8], [from, from + 2, from + 1, from + 3], /cell 1 ends before it begins/],
    [[0, 4, 8], [from, from, from, NaN], /cell 2 ends before it begins/],
    [[], [directoryBytes(0)], /first cell does not begin/],
  ];
  for (const [key, start, problem] of refused)
    assert.throws(() => decoded(key, start), { name: FormatError.name, message: problem }, problem.source);
  const precise = encodeDirectory({ features: 2, precision: 13 }, arrays([0], [60, 60]));
  assert.throws(() => decodeCells(precise, 'cells.bin'), /has 13 decimals, at most 12 are possible/);
});

test('the example of the specification, byte by byte', () => {
  const { bytes, unitsAt } = makeLevel([[rectangle(0, 0, 0, 2, 2)], [rectangle(0, 2, 0, 4, 2)]], 0);
  assert.deepEqual(bytes, bytesIn('text cells'));
  assert.deepEqual(unitsAt('2', '1'), [1]);
});
