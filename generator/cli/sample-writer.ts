// The sample dataset for `build --sample` and `sample`. Its code is loaded when it is needed: a build of other data runs
// without its packages.
import { missingPackages } from '../report/missing-packages.ts';

const SAMPLE_PACKAGES = ['world-atlas', 'us-atlas', 'es-atlas', 'i18n-iso-countries'];

/** Loads the function that writes the sample dataset. @throws BuildError if packages are missing */
export async function sampleWriter(): Promise<typeof import('../datasets/sample/sample.ts').writeSample> {
  const { writeSample } = await import('../datasets/sample/sample.ts').catch((error: unknown) => {
    throw missingPackages('the sample', SAMPLE_PACKAGES, error);
  });
  return writeSample;
}
