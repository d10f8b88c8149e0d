// What a build needs to know of its dataset before it reads the features. Runs in a child process, so that the parent
// never loads GDAL nor what GDAL loads (some drivers hold a whole file in memory to count its features).
import { attributionIn, findLevels, gdalVersion, type LevelLayer, type SourceOptions } from './dataset.ts';

/** A dataset before it is read. */
export interface DatasetDescription {
  /** The layer of each level that it has, ascending. */
  layers: readonly LevelLayer[];
  /** Version of the GDAL that reads it. */
  gdal: string;
  /** Who must be named where the data is shown, as the source itself says. */
  attribution: readonly string[];
}

/** Describes a dataset. @throws BuildError as `findLevels` does */
export function describeDataset(options: SourceOptions): DatasetDescription {
  return { layers: findLevels(options), gdal: gdalVersion(), attribution: attributionIn(options.source) };
}
