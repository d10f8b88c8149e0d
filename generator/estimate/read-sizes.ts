// Reads what the estimate of `build --dry-run` needs of a level: fids, GIDs, names, lengths of all texts, and the texts
// of a sample of features. Runs in a child process: gdal-async is used from one thread of a process only.
import type { Geometry } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import type { RingSink } from '../geojson/geometry.ts';
import { RingParts } from '../geojson/ring-parts.ts';
import { type LayersTask, type ReadFeature, readLayers } from '../read/read-layers.ts';
import { createLevelStores, type LevelStores } from '../read/store-level.ts';
import { simplifyLevels, storeGeometries } from '../shapes/store-geometries.ts';
import { featureCount, gidColumnsOf } from '../source/level-source.ts';
import { storedText } from '../store/feature-store.ts';
import { checkIdentifiers } from '../store/identifiers.ts';
import { LevelStore } from '../store/level-store.ts';
import type { NamedFid } from '../store/name-table.ts';
import type { RingStoreWriter } from '../store/ring-store.ts';
import { newIndexBuilder } from '../store/store-index.ts';
import { geometryGroups } from '../write/build-levels.ts';
import { STRETCH_FEATURES, storedBytes } from './size-estimate.ts';

/** The sample of each level: stretches of neighbouring features, as pages hold them, spread evenly. */
const STRETCHES = 50;

/** What to read. Plain data: it is sent to a child process. */
export interface SizesTask extends LayersTask {
  geometries: readonly Geometry[];
  /** Is the level in the overview, which is made of its rings? */
  isInOverview: boolean;
}

/** What is read of a level, besides the files: everything but the text of its features. */
export interface ReadSizes {
  sample: Buffer[];
  /** Bytes of the feature files of each other geometry, as a share of those of the full one: of the sample. */
  shares: Readonly<Partial<Record<Geometry, number>>>;
  /** The problems found. */
  findings: readonly Finding[];
}

/**
 * Reads the layers of a level. At the path for scratch files it leaves names, rings and index as those of a store, with
 * the length of each text in place of its bytes in the store.
 */
export function readSizes(task: SizesTask): ReadSizes {
  const { source, scratch, precision, geometries, isInOverview } = task;
  const gidColumns = gidColumnsOf(source);
  const every = Math.max(1, Math.floor(featureCount(source) / STRETCH_FEATURES / STRETCHES));
  let builder = newIndexBuilder(gidColumns);
  let sample: Buffer[] = [];
  let names: NamedFid[] = [];
  let rings: RingStoreWriter | undefined;
  const level = new LevelStore(scratch);
  const store = new LevelStore(`${scratch}.sample`);
  let sampled: LevelStores | undefined;
  const { findings } = readLayers(task, () => {
    builder = newIndexBuilder(gidColumns);
    sample = [];
    names = [];
    rings?.close();
    const all = isInOverview ? level.createRings() : undefined;
    rings = all;
    sampled?.close();
    const stores = createLevelStores(store, [], precision);
    sampled = stores;
    const parts = new RingParts(precision);
    let read = 0;
    const isSampled = (): boolean => Math.floor(read / STRETCH_FEATURES) % every === 0;
    const feature = (entry: ReadFeature): void => {
      const { fid, gids, name, type, otherNames, box, text } = entry;
      names.push({ fid, name, type, otherNames });
      all?.unit(fid);
      const bytes = text.reduce((sum, part) => sum + part.length, 0);
      builder.add({ fid, gids, box, parts: parts.finish(), bytes, deflatedText: 0, crc: 0 });
      if (isSampled()) {
        sample.push(Buffer.concat(text));
        stores.feature({ ...entry, gids: [] });
      }
      read++;
    };
    const ring: RingSink['ring'] = (positions, isHole, area) => {
      parts.add(positions, isHole);
      if (isSampled()) stores.rings.ring(positions, isHole, area);
      all?.ring(positions, isHole, area);
    };
    return { feature, rings: { ring } };
  });
  const index = builder.finish();
  rings?.close();
  level.writeNames(names);
  level.writeIndex(index);
  checkIdentifiers(source, index, findings);
  sampled?.close();
  const groups = geometryGroups(geometries);
  if (groups.length > 0) simplifyLevels({ stores: [store.path], names: groups.map(({ name }) => name), precision });
  for (const group of groups) storeGeometries({ store: store.path, precision, ...group });
  const shares = Object.fromEntries(
    geometries.slice(1).map((geometry) => [geometry, bytesWith(store, geometry) / bytesWith(store, 'full')]),
  );
  return { sample, shares, findings: findings.list() };
}

/** Bytes that the features of a store have in feature files; 1 if there are none, by which can be divided. */
function bytesWith(store: LevelStore, geometry: Geometry): number {
  const reader = store.openFeatures(geometry);
  const bytes = storedBytes(Array.from(reader.read([0, reader.index.features]), storedText));
  reader.close();
  return Math.max(1, bytes);
}
