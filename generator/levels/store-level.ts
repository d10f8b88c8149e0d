// Reads one level of the source into a feature store. Runs in a child process: gdal-async is used from one thread of a
// process only. Beside the store its sidecars: names, and the rings of a level in the overview.
import { elementAt } from '../../format/element-at.ts';
import type { StoredPages } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import type { RingSink } from '../geojson/geometry.ts';
import { newCoarseRings, writeCoarseRings } from '../overview/coarse-rings.ts';
import { createStore, type StoreWriter } from '../store/feature-store.ts';
import { checkIdentifiers } from '../store/identifiers.ts';
import { createNameTable } from '../store/name-table.ts';
import { divideShare, estimateWork, type Part, type Share } from './divide-work.ts';
import { planFiles, plannedIndex, writeFilePlan } from './plan.ts';
import { type LayersTask, type ReadFeature, readLayers } from './read-layers.ts';

/** What to read, and the store to write. Plain data: it is sent to a child process. */
export interface ReadTask extends Omit<LayersTask, 'scratch'> {
  /** Path of the store. */
  store: string;
  storedPages: StoredPages;
  isInOverview: boolean;
  /** Which of the level's files are to be written, and in how many parts. */
  share: Share;
  parts: number;
}

/** The result of reading a level. */
export interface ReadResult {
  features: number;
  /** The problems found in this level. */
  findings: readonly Finding[];
  /** Whether the units have new fids. */
  isRenumbered: boolean;
}

/** What was read, and the parts of the share that have files. */
export interface DividedLevel {
  read: ReadResult;
  parts: readonly Part[];
}

/**
 * Reads the level into the store, plans its files, and divides the work of writing it.
 * @throws BuildError with file, layer, level and fid if a feature cannot be written or GDAL reports an error
 */
export function readLevel({ store: file, storedPages, share, parts, ...task }: ReadTask): DividedLevel {
  const { source } = task;
  const { level } = source;
  let store: StoreWriter | undefined;
  let sidecars: LevelSidecars | undefined;
  const read = readLayers({ ...task, scratch: `${file}.scratch` }, () => {
    store?.close();
    const writer = createStore(file, elementAt(source.layers, 0).gidColumns);
    const opened = newLevelSidecars(file, task);
    store = writer;
    sidecars = opened;
    return {
      rings: opened.rings,
      feature(feature) {
        writer.append(feature.fid, feature.gids, feature.text);
        opened.unit(feature);
      },
    };
  });
  if (store === undefined || sidecars === undefined) throw new Error(`level ${level}: nothing was read`);
  const index = store.close();
  sidecars.close();
  checkIdentifiers(source, index, read.findings);
  const plan = planFiles(plannedIndex(level, storedPages, index), estimateWork(index));
  writeFilePlan(file, plan);
  return {
    read: { features: read.features, findings: read.findings.list(), isRenumbered: read.isRenumbered },
    parts: divideShare(plan, share, parts),
  };
}

/** Takes the units of a level; `close` writes the files. */
export interface LevelSidecars {
  /** Takes the rings of the next unit; undefined for a level that is not in the overview. */
  rings: RingSink | undefined;
  unit(feature: ReadFeature): void;
  close(): void;
}

/** Which sidecars a level has. */
export interface SidecarOptions {
  /** Decimals of the coordinates. */
  precision: number;
  /** Is the level in the overview? */
  isInOverview: boolean;
}

/** Begins the files. @param store path of the store */
export function newLevelSidecars(store: string, { precision, isInOverview }: SidecarOptions): LevelSidecars {
  const names = createNameTable(store);
  const rings = isInOverview ? newCoarseRings(10 ** precision) : undefined;
  return {
    rings,
    unit({ fid, name, type }) {
      names.append(fid, { name, type });
      rings?.unit(fid);
    },
    close() {
      names.close();
      if (rings !== undefined) writeCoarseRings(store, rings.level());
    },
  };
}
