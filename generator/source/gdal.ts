// Loads gdal-async; the only module that imports it. The package is optional: `verify`, `diff`, `list`, `activate` and
// `prune` work without it.
import type gdalAsync from 'gdal-async';
import { missingPackages } from '../report/missing-packages.ts';

type Gdal = typeof gdalAsync;

const module = await import('gdal-async').catch((error: unknown) => ({ error }));

/** gdal-async. If it is not installed or does not load, every property access throws a BuildError that says so. */
export const gdal: Gdal = 'default' in module ? module.default : standIn(module.error);

function standIn(error: unknown): Gdal {
  return new Proxy({} as Gdal, {
    get() {
      throw missingPackages('reading and writing datasets', ['gdal-async'], error);
    },
  });
}
