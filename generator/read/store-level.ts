// Reads one level of the source into a feature store, and plans the level's files. Runs in a child process: gdal-async
// is used from one thread of a process only. Beside it are those without geometry and of the rings, and the names.
import type { Level } from '../../format/levels.ts';
import type { Finding, LevelAbout, ReleaseShape } from '../../format/release.ts';
import type { RingSink } from '../geojson/geometry.ts';
import { RingParts } from '../geojson/ring-parts.ts';
import { divideShare, estimateWork, type Part, type Share } from '../plan/divide-work.ts';
import { planFiles, plannedIndex } from '../plan/plan.ts';
import { gidColumnsOf, type LevelSource, layerNames } from '../source/level-source.ts';
import { checkIdentifiers } from '../store/identifiers.ts';
import { LevelStore } from '../store/level-store.ts';
import type { NamedFid } from '../store/name-table.ts';
import type { StoreIndex } from '../store/store-index.ts';
import { type FeatureSink, type LayersRead, type LayersTask, readLayers } from './read-layers.ts';

/** What to read, and the store to write. Plain data: it is sent to a child process. */
export interface StoreTask {
  source: LevelSource;
  shape: ReleaseShape;
  /** Path of the store. */
  store: string;
  /** Which of the level's files are to be written, and in how many parts. */
  share: Share;
  parts: number;
}

/** A level in its store; one that the dataset lacks has an empty store. */
export interface StoredLevel {
  level: Level;
  /** Path of the store. */
  store: string;
  features: number;
  about: LevelAbout;
  /** The problems found in this level. */
  findings: readonly Finding[];
  /** The parts of the share that have files. */
  parts: readonly Part[];
}

/**
 * Reads the level into the store, plans its files, and divides the work of writing it.
 * @throws BuildError with file, layer, level and fid if a feature cannot be written or GDAL reports an error
 */
export function storeLevel({ source, shape, share, parts, ...task }: StoreTask): StoredLevel {
  const store = new LevelStore(task.store);
  const { level, layers } = source;
  const { gidColumns = [], nameColumn = '', typeColumn = '', searchColumns = [] } = layers[0] ?? {};
  const { features, invalid, findings, isRenumbered, index } = storeLayers(
    { source, precision: shape.precision },
    store,
  );
  checkIdentifiers(source, index, findings);
  const plan = planFiles(plannedIndex(level, shape, index), shape, estimateWork(index));
  store.writePlan(plan);
  store.writeInvalid('full', invalid);
  return {
    level,
    store: store.path,
    features,
    about: { layer: layerNames(source), gidColumns, nameColumn, typeColumn, searchColumns, isRenumbered },
    findings: findings.list(),
    parts: divideShare(plan, share, parts),
  };
}

/** Reads the layers of a level into its store. */
export function storeLayers(task: Omit<LayersTask, 'scratch'>, store: LevelStore): LayersRead & { index: StoreIndex } {
  let stores: LevelStores | undefined;
  const read = readLayers({ ...task, scratch: store.file('scratch') }, () => {
    stores?.close();
    stores = createLevelStores(store, gidColumnsOf(task.source), task.precision);
    return stores;
  });
  if (stores === undefined) throw new Error(`level ${task.source.level}: nothing was read`);
  return { ...read, index: stores.close() };
}

/** The stores of a level: its features, the same without geometry, their rings, and their names. */
export interface LevelStores extends Required<FeatureSink> {
  rings: RingSink;
  /** @returns the index of the features */
  close(): StoreIndex;
}

/**
 * Creates the stores.
 * @param columns names of the GID columns 0 .. level
 * @param precision decimals of the coordinates
 */
export function createLevelStores(store: LevelStore, columns: readonly string[], precision: number): LevelStores {
  const texts = store.createFeatures(columns);
  const others = store.createGeometry('none');
  const rings = store.createRings();
  const names: NamedFid[] = [];
  const parts = new RingParts(precision);
  return {
    rings: {
      ring(positions, isHole, area) {
        parts.add(positions, isHole);
        rings.ring(positions, isHole, area);
      },
    },
    feature({ fid, gids, name, type, otherNames, box, text, withoutGeometry }) {
      names.push({ fid, name, type, otherNames });
      texts.append({ fid, gids, box, parts: parts.finish() }, text);
      others.append(fid, withoutGeometry);
      rings.unit(fid);
    },
    close() {
      store.writeNames(names);
      rings.close();
      others.close();
      return texts.close();
    },
  };
}
