// Indexing: what is missing throws, and never passes as 0 or as an empty text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { runTable, valueAt } from '../../format/runs.ts';

test('returns elements that are 0, empty or null, and throws for an index before, after or between the elements', () => {
  assert.deepEqual([elementAt(['', null], 0), elementAt(['', null], 1)], ['', null]);
  assert.deepEqual([numberAt([0, 7], 0), numberAt([0, 7], 1), elementAt(Int32Array.of(0), 0)], [0, 7, 0]);
  for (const index of [-1, 2, 0.5, Number.NaN]) {
    const expected = { name: 'RangeError', message: `index ${index} of 2` };
    assert.throws(() => elementAt(['a', 'b'], index), expected);
    assert.throws(() => elementAt(Uint32Array.of(1, 2), index), expected);
    assert.throws(() => numberAt([1, 2], index), expected);
  }
});

test('runs that lack their last count and runs of an unknown set are refused', () => {
  assert.throws(() => valueAt([5], 0), RangeError);
  assert.throws(() => runTable([0, 10, 2, 2, 12, 1], 2), { name: 'RangeError', message: 'set 2 of 2' });
  const table = runTable([0, 10, 2, 1, 12, 1, 0, 13, 4], 2);
  assert.deepEqual([table.at(0), table.at(1), table.at(2)], [[10, 2, 13, 4], [12, 1], []]);
  assert.deepEqual([table.sizeOf(0), table.sizeOf(1)], [6, 1]);
});
