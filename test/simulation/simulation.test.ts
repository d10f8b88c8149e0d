// Simulations of some seeds: whatever goes wrong, and in whatever order, answers are right, and everything works again
// afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulate.ts';
import { simulatedReleases } from './world.ts';

const releases = await simulatedReleases();
const traces = new Map<number, string>();

test('the answers of 10 simulations are right, none is missing, and what failed works again', async () => {
  for (let seed = 1; seed <= 10; seed++) traces.set(seed, await simulate(seed, releases));
});

test('a seed is played again step by step', async () => {
  const first = traces.get(7);
  assert.ok(first !== undefined && first.split('\n').length > 100);
  assert.equal(await simulate(7, releases), first);
  assert.equal(new Set(traces.values()).size, traces.size);
});
