// `npm run simulate -- --seed N [--seeds M]`: runs the simulations of one seed or several, and prints what happened in
// a single one.
import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';
import { simulatedReleases } from './world.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, seeds: { type: 'string', default: '1' } },
});
const [first, count] = [Number(values.seed), Number(values.seeds)];
const releases = await simulatedReleases();
const failed: number[] = [];
for (let seed = first; seed < first + count; seed++) {
  try {
    const trace = await simulate(seed, releases);
    if (count === 1) console.log(trace);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    failed.push(seed);
  }
}
console.log(`${count} simulations, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(', ')}` : ''}`);
if (failed.length > 0) process.exitCode = 1;
