// Describes a dataset before its features are read. Runs in a child process, so that the parent process does not hold
// the memory of GDAL (some drivers load a whole file to count its features).
import { type FoundLevels, findLevels } from './level-sources.ts';
import { gdalVersion } from './open-dataset.ts';
import type { SourceOptions } from './source-options.ts';

/** What a build needs to know of its dataset. */
export interface DatasetDescription extends FoundLevels {
  /** Version of GDAL. */
  gdal: string;
}

/** Describes a dataset. @throws BuildError as `findLevels` does */
export function describeDataset(options: SourceOptions): DatasetDescription {
  return { ...findLevels(options), gdal: gdalVersion() };
}
