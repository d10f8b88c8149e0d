// Reads what the estimate of `build --dry-run` needs of a level: fids, GIDs, names, sizes of the geometries, and the text of
// a sample of features.
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { type LevelSidecars, newLevelSidecars, type SidecarOptions } from '../pages/level-sidecars.ts';
import { type ReadFeature, readLayers } from '../pages/read-layers.ts';
import type { Report } from '../report/progress.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import { writeStoreIndex } from '../store/feature-store.ts';
import { checkIdentifiers } from '../store/identifiers.ts';
import { emptyStoreIndex, newIndexBuilder, type StoreIndex } from '../store/store-index.ts';
import type { SampledFeature } from './size-estimate.ts';

/** The sample of each level: stretches of neighbouring features, as pages hold them, spread evenly. */
const STRETCHES = 50;
const STRETCH_FEATURES = 40;

const PROGRESS_STEP_FEATURES = 1000;

/** What is read of a level: everything but the text of its features. */
export interface ReadSizes {
  /** The path under which index, names and rings are kept as those of a store; undefined if the dataset lacks the level. */
  store: string | undefined;
  index: StoreIndex;
  /** Bytes of each geometry in WKB, by position. */
  wkb: Float64Array;
  sample: SampledFeature[][];
  /** The problems found. */
  findings: readonly Finding[];
}

/** The same of a level that the dataset lacks. */
export function emptySizes(level: Level): ReadSizes {
  return { store: undefined, index: emptyStoreIndex(level), wkb: new Float64Array(), sample: [], findings: [] };
}

/**
 * Reads the layers of a level.
 * @param scratch path for scratch files, and for what is kept
 */
export function readSizes(
  source: LevelSource,
  { precision, isInOverview, keepFids = false }: SidecarOptions & { keepFids?: boolean | undefined },
  scratch: string,
  report: Report,
): ReadSizes {
  const { gidColumns } = elementAt(source.layers, 0);
  const every = Math.max(1, Math.floor(featureCount(source) / STRETCH_FEATURES / STRETCHES));
  let builder = newIndexBuilder(gidColumns);
  let sample: SampledFeature[][] = [];
  let sidecars: LevelSidecars | undefined;
  const { findings } = readLayers({ source, precision, keepFids, scratch }, () => {
    builder = newIndexBuilder(gidColumns);
    sample = [];
    const opened = newLevelSidecars(scratch, { precision, isInOverview });
    sidecars = opened;
    let read = 0;
    const feature = (entry: ReadFeature): void => {
      const { fid, gids, text, wkbBytes } = entry;
      opened.unit(entry);
      // The entry has the size of the geometry in place of the bytes in the store.
      builder.add({ fid, gids, bytes: wkbBytes, deflated: undefined });
      const stretch = Math.floor(read / STRETCH_FEATURES);
      if (stretch % every === 0) {
        const at = stretch / every;
        sample[at] ??= [];
        sample[at].push({ wkb: wkbBytes, text: Buffer.concat(text) });
      }
      read++;
      if (read % PROGRESS_STEP_FEATURES === 0) report.advance('features read', PROGRESS_STEP_FEATURES);
    };
    return { feature, rings: opened.rings };
  });
  const index = builder.finish();
  sidecars?.close();
  writeStoreIndex(scratch, index);
  checkIdentifiers(source, index, findings);
  return { store: scratch, index, wkb: index.bytes, sample, findings: findings.list() };
}
