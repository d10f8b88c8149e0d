// The command `sample`: writes the sample dataset. Its code is loaded when it is needed: a build of other data runs
// without its packages.
import { printable } from '../../format/command-line/messages.ts';
import { defineCommand, printResult, progressOf } from '../cli/command.ts';
import { missingPackages } from '../report/errors.ts';

const SAMPLE_PACKAGES = ['world-atlas', 'us-atlas', 'es-atlas', 'i18n-iso-countries'];

export const sampleCommand = defineCommand({
  command: 'sample',
  describe: 'write the sample dataset, a GeoPackage of real boundaries',
  builder: (args) =>
    args
      .option('out', { type: 'string', requiresArg: true, demandOption: true, describe: 'GeoPackage to write' })
      .example('$0 sample --out sample.gpkg', 'countries of the world, units of Spain and the United States'),
  async handler(argv) {
    const { writeSample } = await sampleModule();
    const units = writeSample(argv.out, progressOf(argv, 'units written'));
    const total = units.reduce((sum, count) => sum + count, 0);
    const summary = `${printable(argv.out)}: ${total.toLocaleString('en')} units, by level ${units.join(', ')}`;
    printResult(argv, { file: argv.out, units }, summary);
  },
});

/** Loads the module that writes the sample dataset. @throws BuildError if packages are missing */
export async function sampleModule(): Promise<typeof import('../sample/sample.ts')> {
  return import('../sample/sample.ts').catch((error: unknown) => {
    throw missingPackages('the sample', SAMPLE_PACKAGES, error);
  });
}
