// Which units contain a point, beside GDAL's Contains on the published text: differences, of which there must be none,
// and time; then the same points by `points`, of all levels. Run as `npm run bench:contains`; without options it asks
// for a million points of 20,000 synthetic units.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { gdalLookUp, pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';
import { type Figures, printRows } from './measure/measure.ts';
import { runPoints } from './measure/run-points.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import { largestLevel } from './requests/targets.ts';

const ROUNDS = 10;
const US_PER_MS = 1000;

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:contains -- [options]')
  .option('points', { type: 'number', default: 1_000_000, describe: 'how many points, half of them by a border' })
  .options(RELEASE_OPTIONS)
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .parseSync();

const release = await releaseToMeasure(values).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const { level } = largestLevel(release);
const { lines, units: stored } = elementAt(readStored(release.out, release.about.release), level);
const [ofProxy, ofGdal] = [await proxyLookUp(release.out), gdalLookUp(lines)];
const points = pointsOf(lines, 37);
const size = Math.ceil(values.points / ROUNDS);
const figures: Figures = [];
/** The points, and the GID of the first unit at each. */
const table: string[] = ['id,longitude,latitude\n'];
let firsts = '';
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
    const [first] = found[i] ?? [];
    table.push(`${table.length},${asked[i]?.join()}\n`);
    firsts += `${first === undefined ? '' : elementAt(elementAt(stored, first).gids, level)}\n`;
    if (units === undefined) continue;
    compared++;
    if (isDeepStrictEqual(units, found[i])) continue;
    differences++;
    console.error(`lv${level} ${asked[i]?.join()}: units ${found[i]?.join()}, of GDAL ${units.join()}`);
  }
}
const what = `units at a point of lv${level}, half of ${compared.toLocaleString('en')} within 1e-6 degrees of a border`;
const control = 'Contains of gdal-async, of the units in whose envelope the point is';
printRows([{ what, control, unit: 'us', figures, target: '<= 1' }], values.json);
console.error(
  `${differences} differences${size * ROUNDS > compared ? `; ${size * ROUNDS - compared} points are by a geometry that is not valid` : ''}`,
);
differences += lookUpTable();
process.exit(differences > 0 ? 1 : 0);

/**
 * Looks all points up by `points`, as a user does, and prints what it says.
 * @returns rows with other units than the proxy has
 */
function lookUpTable(): number {
  const folder = mkdtempSync(join(tmpdir(), 'bench-contains-'));
  const [asked, found] = [join(folder, 'points.csv'), join(folder, 'units.csv')];
  writeFileSync(asked, table.join(''));
  console.error(`points, all levels: ${runPoints(release.out, asked, found)}`);
  const [header = '', ...rows] = readFileSync(found, 'utf8').split('\n');
  const column = header.split(',').indexOf(`gid_${level}`);
  const expected = firsts.split('\n');
  // Names may have commas, but come after the GID of their level; those of other levels are cut by their own GIDs.
  const others = expected.filter((gid, i) => gid !== '' && !rows[i]?.split(',').includes(gid, column)).length;
  console.error(`${others} rows of points differ`);
  rmSync(folder, { recursive: true });
  return others;
}
