// Which units contain a point, beside GDAL's Contains on the published text: differences, of which there must be none,
// and time. Run as `npm run bench:contains`; without options it asks for a million points of 20,000 synthetic units.
import { isDeepStrictEqual } from 'node:util';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { gdalLookUp, pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';
import { type Figures, printRows } from './measure/measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import { largestLevel } from './requests/targets.ts';

const ROUNDS = 10;
const US_PER_MS = 1000;

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:contains -- [options]')
  .option('points', { type: 'number', default: 1_000_000, describe: 'how many points, half of them by a border' })
  .options(RELEASE_OPTIONS)
  .strict()
  .parseSync();

const release = await releaseToMeasure(values);
const { level } = largestLevel(release);
const { lines } = elementAt(readStored(release.out, release.about.release), level);
const [ofProxy, ofGdal] = [await proxyLookUp(release.out), gdalLookUp(lines)];
const points = pointsOf(lines, 37);
const size = Math.ceil(values.points / ROUNDS);
const figures: Figures = [];
let compared = 0;
let differences = 0;
for (let round = 0; round < ROUNDS; round++) {
  const asked = Array.from({ length: size }, () => points.next().value);
  const [begun, expected] = [performance.now(), asked.map(([x, y]) => ofGdal(x, y))];
  const [between, found] = [performance.now(), asked.map(([x, y]) => ofProxy(level, x, y))];
  const ended = performance.now();
  figures.push({
    subject: ((ended - between) * US_PER_MS) / size,
    control: ((between - begun) * US_PER_MS) / size,
  });
  for (const [i, units] of expected.entries()) {
    if (units === undefined) continue;
    compared++;
    if (isDeepStrictEqual(units, found[i])) continue;
    differences++;
    console.error(`lv${level} ${asked[i]?.join()}: units ${found[i]?.join()}, of GDAL ${units.join()}`);
  }
}
const what = `units at a point of lv${level}, half of ${compared.toLocaleString('en')} within 1e-6 degrees of a border`;
const control = 'Contains of gdal-async, of the units in whose envelope the point is';
printRows([{ what, control, unit: 'us', figures, target: '<= 1' }]);
const left = size * ROUNDS - compared;
console.error(`${differences} differences; ${left} points are by a geometry that is not valid`);
process.exit(differences > 0 ? 1 : 0);
