// Simulations of other seeds for each landing: eight slices have 2,000.
import { test } from 'node:test';
import { seedsOf } from '../support/slice.ts';
import { simulate } from './simulate.ts';
import { simulatedReleases } from './world.ts';

/** Those of `npm test` come before them. */
const BEFORE = 10;

test('the answers of 250 other simulations are right, none is missing, and what failed works again', async () => {
  const releases = await simulatedReleases();
  for (const seed of seedsOf(250)) await simulate(BEFORE + seed, releases);
});
