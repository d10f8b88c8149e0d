// A moment of the soak: every kind of request, client and change, with whole answers checked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from './soak.ts';

test('under mixed traffic, while releases and keys change and a host fails, no answer is wrong', async (t) => {
  const length = { requests: 600 };
  const result = await soak({ intervals: 2, length, clients: 16, seed: 7 }, (line) => t.diagnostic(line));
  assert.deepEqual(result.wrong, []);
  assert.ok(result.requests >= 2 * length.requests && result.hostFailures > 0);
  // Three releases are published before, and six changes are made in each interval.
  assert.deepEqual([result.switches, result.rotations], [3 + 2 * 6, 2]);
});
