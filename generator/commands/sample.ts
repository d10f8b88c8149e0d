// The command `sample`: writes a sample or synthetic GeoPackage.
import { printable } from '../../format/command-line/messages.ts';
import { defineCommand } from '../cli/command.ts';
import { printResult, progressOf } from '../cli/output.ts';
import { wholeNumber } from '../cli/parse-options.ts';
import { sampleWriter } from '../cli/sample-writer.ts';

const UNITS_MAX = 10_000_000;

export const sampleCommand = defineCommand({
  command: 'sample',
  describe: 'write a sample or synthetic GeoPackage',
  builder: (args) =>
    args
      .option('out', { type: 'string', requiresArg: true, demandOption: true, describe: 'GeoPackage to write' })
      .option('synthetic', {
        type: 'number',
        requiresArg: true,
        describe: 'write about N invented units on six levels instead of real ones',
      })
      .example('$0 sample --out sample.gpkg', 'countries of the world, units of Spain and the United States')
      .example('$0 sample --out big.gpkg --synthetic 400000', 'as many invented units as GADM has'),
  async handler(argv) {
    const written = progressOf(argv, 'units written');
    const synthetic =
      argv.synthetic === undefined ? undefined : wholeNumber('--synthetic', argv.synthetic, 1, UNITS_MAX);
    let units: readonly number[];
    if (synthetic === undefined) {
      const writeSample = await sampleWriter();
      units = writeSample(argv.out, written).units;
    } else {
      const { writeSynthetic } = await import('../datasets/synthetic/synthetic.ts');
      units = writeSynthetic(argv.out, synthetic, written);
    }
    const total = units.reduce((sum, count) => sum + count, 0);
    const summary = `${printable(argv.out)}: ${total.toLocaleString('en')} units, by level ${units.join(', ')}`;
    printResult(argv, { file: argv.out, units }, summary);
  },
});
