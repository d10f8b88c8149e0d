// The simulations of many seeds.
import { test } from 'node:test';
import { simulate } from './simulate.ts';
import { simulatedReleases } from './world.ts';

const SEEDS = { first: 21, last: 2020 };

test('the answers of 2,000 simulations are right, none is missing, and what failed works again', async () => {
  const releases = await simulatedReleases();
  for (let seed = SEEDS.first; seed <= SEEDS.last; seed++) await simulate(seed, releases);
});
