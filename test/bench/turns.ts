// What the worst value of each path, parameter and header costs: CPU of the request, and of its longest turn of the event
// loop, for the first time and the median of five others. Run as `npm run bench:turns`.
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { costsOf, lineOf } from '../http/worst-values.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:turns -- [options]')
  .options({
    ...RELEASE_OPTIONS,
    rows: { type: 'string', default: '', describe: 'only rows with this text' },
  })
  .strict()
  .parseSync();
const { out, about } = await releaseToMeasure(values);
console.log('milliseconds of CPU: first, its longest turn, median, longest turn');
const costs = await costsOf(out, about.release, ({ of, what }) => `${of} ${what}`.includes(values.rows));
for (const cost of costs) console.log(lineOf(cost));
process.exit(0);
