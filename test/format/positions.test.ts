// Sets of positions against plain sorted lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  allPositions,
  intersect,
  NO_POSITIONS,
  Positions,
  positionsIn,
  positionsOfBits,
  positionsOfEach,
} from '../../format/positions.ts';

/** Runs of a sorted list as tables. */
function tablesOf(list: readonly number[]): { first: number[]; rank: number[] } {
  const rank = [...list.keys()].filter((i) => i === 0 || list[i - 1] !== (list[i] ?? 0) - 1);
  return { first: rank.map((i) => list[i] ?? 0), rank };
}

/** The set of a sorted list, in tables where runs of other sets lie before and after its own. */
function positionsFrom(list: readonly number[]): Positions {
  const { first, rank } = tablesOf(list);
  const [others, after] = [
    { first: [0, 30, 90], rank: [0, 7, 9] },
    { first: [2, 50], rank: [0, 20] },
  ];
  return new Positions(
    Uint32Array.from([...others.first, ...first, ...after.first]),
    Uint32Array.from([...others.rank, ...rank, ...after.rank]),
    others.first.length,
    others.first.length + first.length,
    list.length,
  );
}

function listOf(positions: Positions): number[] {
  return [...positionsIn(positions.slice(0, positions.count))];
}

/** Sorted lists of positions, some of single ones, some of long runs. */
const list = fc.oneof(
  fc.uniqueArray(fc.nat(60)),
  fc
    .array(fc.tuple(fc.nat(55), fc.integer({ min: 1, max: 12 })), { maxLength: 6 })
    .map((runs) => [...new Set(runs.flatMap(([first, length]) => Array.from({ length }, (_, i) => first + i)))]),
);
const sorted = list.map((values) => values.sort((a, b) => a - b));

test('a set counts, ranks and finds its positions as the sorted list that it stands for', () => {
  fc.assert(
    fc.property(sorted, fc.nat(75), (values, position) => {
      const set = positionsFrom(values);
      assert.equal(set.count, values.length);
      assert.equal(set.runs, tablesOf(values).first.length);
      assert.equal(set.rankOf(position), values.filter((value) => value < position).length);
      const found = values.map((_, rank) => set.at(rank));
      assert.deepEqual(found, values);
      assert.deepEqual(listOf(set), values);
    }),
  );
});

/** Positions as bits, of which there are more than the greatest of them. */
function bitsOf(values: readonly number[]): Int32Array {
  const words = new Int32Array(1 + ((values.at(-1) ?? 0) >>> 5) + (values.length % 3));
  for (const value of values) words[value >>> 5] = (words[value >>> 5] ?? 0) | (1 << value);
  return words;
}

test('a set of positions that are given one by one, or as bits, has these, and as few runs as can be', () => {
  fc.assert(
    fc.property(sorted, (values) => {
      // The highest bit of the last word is never set.
      const bits = [...bitsOf(values), 0];
      for (const set of [
        positionsOfEach(values),
        positionsOfEach(Uint32Array.from(values)),
        positionsOfBits(Int32Array.from(bits)),
      ]) {
        assert.deepEqual([listOf(set), set.count], [values, values.length]);
        assert.equal(set.runs, tablesOf(values).first.length);
      }
    }),
  );
});

test('a slice is the positions of its ranks, as ascending pairs that are neither empty nor touch', () => {
  fc.assert(
    fc.property(sorted, fc.nat(60), fc.nat(60), (values, from, count) => {
      const set = positionsFrom(values);
      if (from + count > values.length) {
        const message = `ranks ${from} to ${from + count - 1} of ${values.length}`;
        assert.throws(() => set.slice(from, count), { name: 'RangeError', message });
        return;
      }
      const ranges = set.slice(from, count);
      assert.deepEqual([...positionsIn(ranges)], values.slice(from, from + count));
      for (const [i, edge] of ranges.entries()) assert.ok(i === 0 || (ranges[i - 1] ?? edge) < edge, `${ranges}`);
    }),
  );
});

test('the intersection is the positions of both, in maximal runs, whichever is named first', () => {
  fc.assert(
    fc.property(sorted, sorted, (a, b) => {
      const both = a.filter((value) => b.includes(value));
      for (const set of [
        intersect(positionsFrom(a), positionsFrom(b)),
        intersect(positionsFrom(b), positionsFrom(a)),
      ]) {
        assert.deepEqual(listOf(set), both);
        assert.deepEqual([set.count, set.runs], [both.length, tablesOf(both).first.length]);
        for (const [rank, value] of both.entries()) assert.deepEqual([set.at(rank), set.rankOf(value)], [value, rank]);
      }
    }),
  );
});

test('a set of one run and one of 100,000 intersect without a walk through either', () => {
  const first = Uint32Array.from({ length: 100_000 }, (_, i) => 2 * i);
  const rank = Uint32Array.from({ length: 100_000 }, (_, i) => i);
  const many = new Positions(first, rank, 0, 100_000, 100_000);
  let reads = 0;
  const endOf = many.endOf.bind(many);
  many.endOf = (run) => {
    reads++;
    return endOf(run);
  };
  const few = new Positions(Uint32Array.of(150_000), Uint32Array.of(0), 0, 1, 6);
  assert.deepEqual(listOf(intersect(few, many)), [150_000, 150_002, 150_004]);
  assert.ok(reads < 20, `${reads} runs`);
});

test('all positions of a level are one run, and those of none are no run', () => {
  assert.deepEqual(listOf(allPositions(5)), [0, 1, 2, 3, 4]);
  assert.deepEqual([allPositions(5).runs, allPositions(5).rankOf(3), allPositions(5).rankOf(9)], [1, 3, 5]);
  for (const none of [NO_POSITIONS, allPositions(0), intersect(NO_POSITIONS, allPositions(5))]) {
    assert.deepEqual([none.count, none.runs, none.rankOf(7), none.slice(0, 0)], [0, 0, 0, []]);
    assert.throws(() => none.at(0), { name: 'RangeError', message: 'rank 0 of 0' });
  }
});

test('ranks that the set does not have are errors, not positions of a neighbour in the tables', () => {
  const set = positionsFrom([4, 5, 9]);
  for (const rank of [-1, 3, Number.NaN])
    assert.throws(() => set.at(rank), { name: 'RangeError', message: `rank ${rank} of 3` });
  for (const [from, count] of [
    [-1, 2],
    [2, 2],
    [0, 4],
  ] as const)
    assert.throws(() => set.slice(from, count), {
      name: 'RangeError',
      message: `ranks ${from} to ${from + count - 1} of 3`,
    });
});
