// A moment of the soak: every kind of request, client and change, with whole answers checked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from './soak.ts';

test('under mixed traffic, while releases and keys change and a host fails, no answer is wrong', async (t) => {
  const result = await soak({ intervals: 2, seconds: 12, clients: 16, seed: 7 }, (line) => t.diagnostic(line));
  assert.deepEqual(result.wrong, []);
  assert.ok(result.requests > 100 && result.switches > 4 && result.rotations === 2 && result.hostFailures > 0);
});
