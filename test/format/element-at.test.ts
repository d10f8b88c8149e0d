// Indexing: what is missing throws, and never passes as 0 or as an empty text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt, numberAt } from '../../format/element-at.ts';

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
