// `npm run synthetic -- N FILE`: writes a synthetic GeoPackage of about N units on six levels, to try the generator
// with as many units as one likes; GADM has about 400,000. The benchmarks call it, too.
import { parseArgs } from 'node:util';
import { writeSynthetic } from './synthetic.ts';

const UNITS_MAX = 10_000_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
});
const [count = '', file, ...others] = positionals;
const units = Number(count);
if (!Number.isInteger(units) || units < 1 || units > UNITS_MAX || file === undefined || others.length > 0) {
  console.error(`usage: npm run synthetic -- N FILE    (N is a whole number from 1 to ${UNITS_MAX})`);
  process.exit(values.help ? 0 : 2);
}
const onProgress = (done: number, total: number): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total} units${done === total ? '\n' : ''}`);
};
const written = writeSynthetic(file, units, { onProgress });
const total = written.reduce((sum, ofLevel) => sum + ofLevel, 0);
console.log(`${file}: ${total.toLocaleString('en')} units, by level ${written.join(', ')}`);
