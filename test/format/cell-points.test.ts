// The points of cells, which are read in one loop, against their numbers one by one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { VarintReader } from '../../format/cell-numbers.ts';

/** Steps of a few bits, and of more than 28, which numbers of a cell may have. */
const step = fc.oneof(fc.integer({ min: -70, max: 70 }), fc.integer({ min: -(2 ** 27), max: 2 ** 27 }), fc.integer());
const steps = fc.array(fc.tuple(step, step), { maxLength: 600 });
const start = fc.integer({ min: 0, max: 3_600_000_000 });

/** A number as cells have it. */
function bytesOf(value: number): number[] {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
  return [...bytes, rest];
}

test('points are sums of the numbers that are read one by one, of any size', () => {
  fc.assert(
    fc.property(steps, start, start, (all, x, y) => {
      const bytes = Uint8Array.from([...all.flat().flatMap(bytesOf), 5]);
      const [one, several] = [new VarintReader(bytes), new VarintReader(bytes)];
      const points = Float64Array.from([x, y, ...all.flat()]);
      several.readPoints(all.length, points, 2);
      const expected = [x, y];
      for (let i = 2; i < points.length; i++) expected.push((expected[i - 2] ?? NaN) + one.nextSigned());
      assert.deepEqual([...points], expected);
      assert.deepEqual([several.next(), several.isAtEnd], [5, true]);
    }),
  );
});

test('points that the bytes do not have are refused, whatever their number', () => {
  const bytes = Uint8Array.from([1, 2, 3, 4, 130, 5, 130]);
  for (const count of [3, 4, 2 ** 40, Number.POSITIVE_INFINITY])
    assert.throws(() => new VarintReader(bytes).readPoints(count, new Float64Array(16), 2), RangeError, String(count));
});
