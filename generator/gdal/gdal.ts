// Loads gdal-async; the only module that imports it. The package is optional: importing this module fails with a
// BuildError if it is not installed. So `verify`, `diff`, `list`, `activate` and `prune` reach it only through child
// processes and imports at the time of use.
import type * as gdalTypes from 'gdal-async';
import { BuildError, missingPackages } from '../report/errors.ts';
import { GDAL_LINE, notedNode } from './gdal-node.ts';

/** gdal-async. */
export const { default: gdal } = await import('gdal-async').catch((error: unknown) => {
  const other = notedNode();
  const { node } = process.versions;
  if (other !== undefined) throw new BuildError(`gdal-async has no binding for Node ${node}`, `run it with ${other}`);
  const { message, remedy } = missingPackages('reading and writing datasets', ['gdal-async'], error);
  const isNewer = Number.parseInt(node, 10) > GDAL_LINE;
  throw new BuildError(message, isNewer ? `${remedy}; where it does not compile, use Node ${GDAL_LINE}` : remedy);
});

const { executeSQL } = gdal.Dataset.prototype;
const results = new WeakMap<gdalTypes.Dataset, gdalTypes.Layer[]>();

/**
 * Keeps the layers that it returns as long as their dataset: when the collector frees one of them, gdal-async 3.12.3
 * waits for the lock of the dataset, for ever where this thread holds it just then.
 */
gdal.Dataset.prototype.executeSQL = function (this: gdalTypes.Dataset, ...args: Parameters<typeof executeSQL>) {
  const layer = executeSQL.apply(this, args);
  const kept = results.get(this) ?? [];
  results.set(this, kept);
  kept.push(layer);
  return layer;
};

/** Runs a statement without a result: gdal-async then throws an error with an empty message on success. */
export function execute(dataset: gdalTypes.Dataset, statement: string): void {
  try {
    dataset.executeSQL(statement);
  } catch (error) {
    if (!(error instanceof Error) || error.message !== '') throw error;
  }
}

// Ends by `process.exit`, after all other listeners: without it Node takes V8 apart, which ends a collection that is
// under way, and gdal-async 3.12.3 crashes when that frees a geometry, as it asks for the current isolate and there is
// none (SIGSEGV).
process.once('beforeExit', () => process.once('exit', () => process.exit()));
