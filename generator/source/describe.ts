// Describes a dataset before its features are read. Runs in a child process, so that the parent process does not hold
// the memory of GDAL (some drivers load a whole file to count its features).
import { attributionIn, findLevels, gdalVersion, type LevelLayer, type SourceOptions } from './dataset.ts';

/** What a build needs to know of its dataset. */
export interface DatasetDescription {
  /** The layers of the levels in the dataset, ascending. */
  layers: readonly LevelLayer[];
  /** Version of GDAL. */
  gdal: string;
  /** The attribution texts in its metadata. */
  attribution: readonly string[];
}

/** Describes a dataset. @throws BuildError as `findLevels` does */
export function describeDataset(options: SourceOptions): DatasetDescription {
  return { layers: findLevels(options), gdal: gdalVersion(), attribution: attributionIn(options.source) };
}
