// What the worst value of each path, parameter and header costs: CPU of the request, and its longest turn of the event
// loop, for the first time and the median of five others. Exits with 1 where a turn is too long. Run as
// `npm run bench:turns`.
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { costsOf, lineOf, TURN_MAX_MS } from '../proxy/guards/worst-of-each.ts';
import { COUNTS_THREAD } from '../support/http/turns.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './measured-release.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:turns -- [options]')
  .options({ ...RELEASE_OPTIONS, rows: { type: 'string', default: '', describe: 'only rows with this text' } })
  .strict()
  .parseSync();
const { out, about } = await releaseToMeasure(values);
if (!COUNTS_THREAD)
  console.error('this Node does not tell threads apart: turns look longer than with Node 22 or later');
console.log('milliseconds of CPU: first, its longest turn, median, longest turn');
const costs = await costsOf(out, about.release, ({ of, what }) => `${of} ${what}`.includes(values.rows));
for (const cost of costs) console.log(lineOf(cost));
const tooLong = costs.filter(({ first, longestMs }) => Math.max(first.longestMs, longestMs) > TURN_MAX_MS);
if (tooLong.length > 0) console.log(`\nabove ${TURN_MAX_MS} ms:\n${tooLong.map(lineOf).join('\n')}`);
process.exit(tooLong.length > 0 ? 1 : 0);
