// Reads what the estimate of `build --dry-run` needs of a level: fids, GIDs, names, lengths of all texts, and the texts of a
// sample of features. Runs in a child process: gdal-async is used from one thread of a process only.
import type { Finding } from '../../format/release.ts';
import { type LayersTask, type ReadFeature, readLayers } from '../levels/read-layers.ts';
import { type LevelSidecars, newLevelSidecars, type SidecarOptions } from '../levels/store-level.ts';
import { featureCount, gidColumnsOf } from '../source/level-source.ts';
import { writeStoreIndex } from '../store/feature-store.ts';
import { checkIdentifiers } from '../store/identifiers.ts';
import { newIndexBuilder } from '../store/store-index.ts';
import { STRETCH_FEATURES } from './size-estimate.ts';

/** The sample of each level: stretches of neighbouring features, as pages hold them, spread evenly. */
const STRETCHES = 50;

/** What is read of a level, besides the files: everything but the text of its features. */
export interface ReadSizes {
  sample: Buffer[];
  /** The problems found. */
  findings: readonly Finding[];
}

/**
 * Reads the layers of a level. At the path for scratch files it leaves names, rings and index as those of a store, with
 * the length of each text in place of its bytes in the store.
 */
export function readSizes(task: LayersTask & SidecarOptions): ReadSizes {
  const { source, scratch } = task;
  const gidColumns = gidColumnsOf(source);
  const every = Math.max(1, Math.floor(featureCount(source) / STRETCH_FEATURES / STRETCHES));
  let builder = newIndexBuilder(gidColumns);
  let sample: Buffer[] = [];
  let sidecars: LevelSidecars | undefined;
  const { findings } = readLayers(task, () => {
    builder = newIndexBuilder(gidColumns);
    sample = [];
    const opened = newLevelSidecars(scratch, task);
    sidecars = opened;
    let read = 0;
    const feature = (entry: ReadFeature): void => {
      const { fid, gids, box, text } = entry;
      opened.unit(entry);
      const bytes = text.reduce((sum, part) => sum + part.length, 0);
      builder.add({ fid, gids, box, bytes, deflated: undefined });
      if (Math.floor(read++ / STRETCH_FEATURES) % every === 0) sample.push(Buffer.concat(text));
    };
    return { feature, rings: opened.rings };
  });
  const index = builder.finish();
  sidecars?.close();
  writeStoreIndex(scratch, index);
  checkIdentifiers(source, index, findings);
  return { sample, findings: findings.list() };
}
