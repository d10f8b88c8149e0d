// Loads gdal-async; the only module that imports it. The package is optional: importing this module fails with a BuildError
// if it is not installed. So `verify`, `diff`, `list`, `activate` and `prune` reach it only through child processes and
// imports at the time of use.
import { missingPackages } from '../report/errors.ts';

/** gdal-async. */
export const { default: gdal } = await import('gdal-async').catch((error: unknown) => {
  throw missingPackages('reading and writing datasets', ['gdal-async'], error);
});
