// Reads one level of the source into a feature store, and plans the level's files. Runs in a child process: gdal-async is
// used from one thread of a process only. Beside the store its sidecars: names, and the rings of a level in the overview.
import type { Level } from '../../format/levels.ts';
import type { Finding, LevelAbout } from '../../format/release.ts';
import type { RingSink } from '../geojson/geometry.ts';
import { newCoarseRings } from '../overview/coarse-rings.ts';
import { gidColumnsOf, layerNames } from '../source/level-source.ts';
import { createStore, geometryStorePath, type StoreWriter } from '../store/feature-store.ts';
import { checkIdentifiers } from '../store/identifiers.ts';
import { writeNameTable } from '../store/name-table.ts';
import { createRingStore } from '../store/ring-store.ts';
import { writeSidecar } from '../store/sidecar.ts';
import { divideShare, estimateWork, type Part, type Share } from './divide-work.ts';
import { planFiles, plannedIndex, type StoredFiles } from './plan.ts';
import { type LayersTask, type ReadFeature, readLayers } from './read-layers.ts';

/** What to read, and the store to write. Plain data: it is sent to a child process. */
export interface StoreTask extends Omit<LayersTask, 'scratch'>, StoredFiles {
  /** Path of the store. */
  store: string;
  isInOverview: boolean;
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
export function storeLevel({
  store: file,
  storedPages,
  geometries,
  cells,
  share,
  parts,
  ...task
}: StoreTask): StoredLevel {
  const { source } = task;
  const { level, layers } = source;
  const { gidColumns = [], nameColumn = '', typeColumn = '' } = layers[0] ?? {};
  let stores: Pick<StoreWriter, 'close'>[] = [];
  let sidecars: LevelSidecars | undefined;
  const { features, findings, isRenumbered } = readLayers({ ...task, scratch: `${file}.scratch` }, () => {
    for (const store of stores) store.close();
    const texts = createStore(file, gidColumnsOf(source));
    const others = createStore(geometryStorePath(file, 'none'), []);
    const rings = createRingStore(file);
    const beside = newLevelSidecars(file, task);
    [stores, sidecars] = [[rings, others, texts], beside];
    return {
      rings: {
        ring(positions, isHole, area) {
          rings.ring(positions, isHole, area);
          // It may change the positions.
          beside.rings?.ring(positions, isHole, area);
        },
      },
      feature(feature) {
        const { fid, gids, box, text, withoutGeometry } = feature;
        texts.append({ fid, gids, box }, text);
        others.append({ fid, gids: [], box }, withoutGeometry);
        rings.unit(fid);
        beside.unit(feature);
      },
    };
  });
  const index = stores.map((store) => store.close()).at(-1);
  if (index === undefined || sidecars === undefined) throw new Error(`level ${level}: nothing was read`);
  sidecars.close();
  checkIdentifiers(source, index, findings);
  const plan = planFiles(plannedIndex(level, { storedPages, geometries, cells }, index), estimateWork(index));
  writeSidecar(file, 'plan', plan);
  return {
    level,
    store: file,
    features,
    about: { layer: layerNames(source), gidColumns, nameColumn, typeColumn, isRenumbered },
    findings: findings.list(),
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
  const names: Pick<ReadFeature, 'fid' | 'name' | 'type'>[] = [];
  const rings = isInOverview ? newCoarseRings(10 ** precision) : undefined;
  return {
    rings,
    unit({ fid, name, type }) {
      names.push({ fid, name, type });
      rings?.unit(fid);
    },
    close() {
      writeNameTable(store, names);
      if (rings !== undefined) writeSidecar(store, 'rings', rings.level());
    },
  };
}
