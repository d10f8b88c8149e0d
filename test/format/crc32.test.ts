// The arithmetic of CRC-32: sums of joined and cut texts, against zlib's own over the bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { cutCrc, joinCrcs, joinSums, shiftCrc, sumOf, type TextSum } from '../../format/crc32.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const LENGTHS = [0, 1, 2, 255, 256, 257, 4_095, 4_096, 4_097, 65_535, 65_536, 16 * MIB - 1, 16 * MIB, 16 * MIB + 257];

test('two texts join, and each end is cut off again, at every length where a table ends', () => {
  const pattern = Buffer.alloc(16 * MIB + 257, '{"coordinates":[[-179.9999999,');
  const texts = LENGTHS.map((length) => {
    const bytes = pattern.subarray(0, length);
    return { bytes, sum: sumOf(bytes) };
  });
  for (const a of texts)
    for (const b of texts) {
      // The larger pairs differ in nothing but the length of a, which the arithmetic does not look at.
      if (a.bytes.length > MIB && b.bytes.length > MIB) continue;
      const what = `${a.bytes.length} + ${b.bytes.length}`;
      const whole = crc32(b.bytes, a.sum.crc);
      assert.deepEqual(joinSums(a.sum, b.sum), { crc: whole, length: a.bytes.length + b.bytes.length }, what);
      assert.equal(joinCrcs(a.sum.crc, b.sum.crc, b.bytes.length), whole, what);
      assert.equal(cutCrc(a.sum.crc, whole, b.bytes.length), b.sum.crc, what);
    }
});

/** The sum of a piece repeated `2 ** doublings` times. */
function doubled(piece: TextSum, doublings: number): TextSum {
  let sum = piece;
  for (let i = 0; i < doublings; i++) sum = joinSums(sum, sum);
  return sum;
}

test('lengths beyond 2^32 are exact up to 2^48: appending a long text is appending its halves', () => {
  const start = sumOf(Buffer.from('{"type":"FeatureCollection"'));
  const piece = sumOf(Buffer.from('{"type":"Feature","id":77}'));
  for (let doublings = 1; doublings <= 43; doublings++) {
    const half = doubled(piece, doublings - 1);
    const whole = doubled(piece, doublings);
    const what = `${whole.length} bytes`;
    assert.deepEqual(joinSums(start, whole), joinSums(joinSums(start, half), half), what);
    assert.equal(cutCrc(start.crc, joinSums(start, whole).crc, whole.length), whole.crc, what);
  }
  assert.ok(doubled(piece, 28).length > 4 * GIB && doubled(piece, 43).length > 2 ** 47);
});

test('shifting by a sum of lengths is shifting by each, also where one byte of the length carries into the next', () => {
  const length = fc.nat(2 ** 47);
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), length, length, (crc, a, b) => {
      assert.equal(shiftCrc(crc, a + b), shiftCrc(shiftCrc(crc, a), b));
    }),
  );
  for (const edge of [2 ** 8, 2 ** 16, 2 ** 24, 2 ** 31, 2 ** 32, 2 ** 40])
    for (const off of [-1, 0, 1])
      assert.equal(
        shiftCrc(shiftCrc(0x89abcdef, edge + off), 1),
        shiftCrc(0x89abcdef, edge + off + 1),
        `${edge + off}`,
      );
  assert.deepEqual([shiftCrc(0x89abcdef, 0), shiftCrc(0, 2 ** 40)], [0x89abcdef, 0]);
});
