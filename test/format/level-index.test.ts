// The index of a level: sums over ranges of positions against levels made by plain means, and numbers beyond 2^32. What
// its listings and pages are, the oracle of every release and the answers of the contract say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { LevelIndex } from '../../format/level-index.ts';
import { digestOf, makeColumn, makeLevel, type Unit } from './make-level.ts';

/** Levels 0 and 1 have files of 100 features: 250 units are three. */
const UNITS: readonly Unit[] = Array.from({ length: 250 }, (_, i) => ({
  fid: 10 * i,
  text: `${'x'.repeat(i)}\n`,
  gids: [i < 240 ? `P${i % 3}` : null, `U${i}`],
}));
const LARGE = makeLevel(1, UNITS, 'all');

test('fids up to 2^53 - 1 are exact', () => {
  const fids = [0, 2 ** 31, 2 ** 32, 2 ** 53 - 2, 2 ** 53 - 1];
  const { index } = makeLevel(
    0,
    fids.map((fid) => ({ fid, text: '\n', gids: [null] })),
    'none',
  );
  const positions = fids.map((fid) => index.positionOf(fid));
  assert.deepEqual(positions, [0, 1, 2, 3, 4]);
  assert.equal(index.positionOf(2 ** 32 + 1), 3);
});

test('bytes and CRCs of any range are those of its data and texts, also across files', () => {
  fc.assert(
    fc.property(fc.nat(250), fc.nat(250), (a, b) => {
      const [first, end] = [Math.min(a, b), Math.max(a, b)];
      const { index, data, texts } = LARGE;
      const [range, text] = [data, texts].map((parts) => Buffer.concat(parts.slice(first, end)));
      assert.ok(range && text);
      assert.deepEqual([index.chained.bytes(first, end), index.chained.crc(first, end)], [range.length, crc32(range)]);
      assert.deepEqual([index.textBytes(first, end), index.textCrc(first, end)], [text.length, crc32(text)]);
      assert.equal(index.textCrc(first, end, crc32('before ')), crc32(`before ${text}`));
      assert.deepEqual(Buffer.from(index.digests(first, end)), Buffer.concat(data.slice(first, end).map(digestOf)));
      // Without arithmetic: bytes that were read continue the CRC of all before them.
      assert.equal(crc32(range, elementAt(index.arrays.dataCrc, first)), elementAt(index.arrays.dataCrc, end));
    }),
  );
});

test('the position before which there are so many bytes is found, and the first or last one for fewer or more', () => {
  const { chained } = LARGE.index;
  fc.assert(
    fc.property(fc.nat(249), fc.nat(250), fc.nat(20_000), (first, more, bytes) => {
      const end = Math.min(250, first + more);
      const found = chained.positionAt(bytes, first, end);
      assert.ok(found >= first && found <= end && chained.bytes(first, found) <= bytes);
      assert.ok(found === end || chained.bytes(first, found + 1) > bytes);
    }),
  );
  assert.equal(chained.positionAt(-1, 3, 9), 3);
});

test('offsets and lengths beyond 2^32 are exact', () => {
  const { index } = makeLevel(
    0,
    [1, 2, 3].map((fid) => ({ fid, text: '\n', gids: [null] })),
    'none',
  );
  const start = Float64Array.of(0, 2 ** 32 + 1, 2 ** 33 + 3, 2 ** 33 + 10);
  const far = new LevelIndex(0, 'none', { ...index.arrays, start, textStart: start.map((bytes) => 5 * bytes) });
  const offsets = [0, 1, 2].map((position) => far.chained.offsetAt(position));
  assert.deepEqual(offsets, [10, 2 ** 32 + 11, 2 ** 33 + 13]);
  assert.deepEqual([far.chained.bytes(1, 3), far.textBytes(1, 2)], [2 ** 32 + 9, 5 * (2 ** 32 + 2)]);
});

test('positions that the level does not have are errors, not numbers', () => {
  const { index } = LARGE;
  for (const [first, end] of [
    [0, 251],
    [-1, 5],
  ] as const)
    for (const ask of [
      () => index.chained.bytes(first, end),
      () => index.chained.crc(first, end),
      () => index.textBytes(first, end),
      () => index.textCrc(first, end),
    ])
      assert.throws(ask, RangeError);
  assert.throws(() => index.chained.offsetAt(-1), RangeError);
  assert.throws(() => index.chained.offsetAt(251), RangeError);
  for (const position of [-1, 250]) assert.throws(() => index.fidAt(position), RangeError);
});

test('a lone surrogate has no UTF-8 form: as a GID it is looked up as U+FFFD, as encoders write it', () => {
  assert.equal(makeColumn('GID_0', ['A', 'B']).find('\ud800'), -1);
  assert.equal(makeColumn('GID_0', ['A', '\ufffd']).find('\ud800'), 1);
});
