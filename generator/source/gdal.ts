// The one door to gdal-async: nothing else imports it. A machine that only verifies, compares or switches releases needs
// no GDAL, so it may be missing until it is used.
import type gdalAsync from 'gdal-async';
import { missingPackages } from '../report/missing-packages.ts';

type Gdal = typeof gdalAsync;

const module = await import('gdal-async').catch((error: unknown) => ({ error }));

/** gdal-async; where it is missing or does not load, whatever is asked of it throws a BuildError that says so. */
export const gdal: Gdal = 'default' in module ? module.default : standIn(module.error);

function standIn(error: unknown): Gdal {
  return new Proxy({} as Gdal, {
    get() {
      throw missingPackages('reading and writing datasets', ['gdal-async'], error);
    },
  });
}
