// Simulations of some seeds: whatever goes wrong, and in whatever order, answers are right, and everything works again
// afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulate.ts';
import { simulatedReleases } from './world.ts';

const releases = await simulatedReleases();
const SEEDS = 10;

test('the answers of 10 simulations are right, none is missing, and what failed works again', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await simulate(seed, releases);
});

test('a seed is played again step by step', async () => {
  const first = await simulate(7, releases);
  assert.ok(first.split('\n').length > 100);
  assert.equal(await simulate(7, releases), first);
  assert.notEqual(await simulate(8, releases), first);
});
