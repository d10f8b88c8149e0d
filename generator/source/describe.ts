// Describes a dataset before its features are read. Runs in a child process, so that the parent process does not hold
// the memory of GDAL (some drivers load a whole file to count its features).

import { attributionOf } from './attribution.ts';
import { expandSource } from './expand-source.ts';
import { type FoundLevels, findLevels } from './level-sources.ts';
import { gdalVersion, openDataset } from './open-dataset.ts';
import type { SourceOptions } from './source-options.ts';

/** What a build needs to know of its dataset. */
export interface DatasetDescription extends FoundLevels {
  /** Version of GDAL. */
  gdal: string;
  /** The attribution texts in its metadata. */
  attribution: readonly string[];
}

/** Describes a dataset. @throws BuildError as `findLevels` does */
export function describeDataset(options: SourceOptions): DatasetDescription {
  return { ...findLevels(options), gdal: gdalVersion(), attribution: attributionIn(options.source) };
}

/** The attribution texts in the metadata of all datasets of the source. */
function attributionIn(source: readonly string[]): string[] {
  return expandSource(source).flatMap((path) => {
    const dataset = openDataset(path);
    const attribution = attributionOf(dataset);
    dataset.close();
    return attribution;
  });
}
