// Reads one level of the source into a feature store, and plans the level's files. Runs in a child process: gdal-async
// is used from one thread of a process only. Beside it are those without geometry and of the rings, and the names.
import { elementAt } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import type { LevelAbout } from '../../format/level-json.ts';
import type { Level } from '../../format/levels.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { divideShare, estimateWork, type Part, type Share } from '../plan/divide-work.ts';
import { planFiles, plannedIndex } from '../plan/plan.ts';
import { checkCodes, checkIdentifiers } from '../quality/identifiers.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { RingParts } from '../rings/ring-parts.ts';
import { levelColumns } from '../source/column-kinds.ts';
import { foundIn, gidColumnsOf, type LevelSource, layerNames, type TaggedColumn } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import type { NamedFid } from '../store/name-table.ts';
import { geometryByte, type OffsetIndex, type StoreIndex } from '../store/store-index.ts';
import { type FeatureSink, type LayersRead, type LayersTask, readLayers } from './read-layers.ts';

/** What to read, and the store to write. Plain data: it is sent to a child process. */
export interface StoreTask {
  source: LevelSource;
  contents: ReleaseContents;
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
  /** Positions of all rings of its units. */
  positions: number;
  about: LevelAbout;
  /** What people are shown of the names of its units; undefined without any. */
  names: string | undefined;
  /** The problems found in this level. */
  findings: readonly Finding[];
  /** The ranges of positions in which tasks ask whether units are valid. */
  checks: readonly { first: number; end: number }[];
  /** The parts of the share that have files. */
  parts: readonly Part[];
}

/**
 * Reads the level into the store, plans its files, and divides the work of writing it.
 * @throws BuildError with file, layer, level and fid if a feature cannot be written or GDAL reports an error
 */
export function storeLevel({ source, contents, share, parts, ...task }: StoreTask): StoredLevel {
  const store = new LevelStore(task.store);
  const { level, layers } = source;
  const { gidColumns = [], nameColumn = '', typeColumn = '', typeName, searchColumns = [] } = layers[0] ?? {};
  const { languages, codes } = layers[0] ?? { languages: [], codes: [] };
  const { features, findings, isRenumbered, names, index, positions, rings, sourceFids } = storeLayers(
    { source, precision: contents.precision },
    store,
  );
  checkIdentifiers(source, index, findings);
  if (codes.length > 0) checkCodes(source, index, store.readNames().codesAt, findings);
  const plan = planFiles(plannedIndex(level, contents, index), contents, estimateWork(index));
  store.writePlan(plan);
  store.writeNote('origins', {
    layers: layers.map((layer) => ({ name: foundIn(layer), features: layer.features })),
    fids: isRenumbered ? Float64Array.from(sourceFids) : undefined,
  });
  return {
    level,
    store: store.path,
    features,
    positions,
    about: {
      layer: layerNames(source),
      gidColumns,
      nameColumn,
      typeColumn,
      ...(typeName !== undefined && { typeName }),
      searchColumns,
      ...taggedAbout('nameColumns', languages),
      ...taggedAbout('codeColumns', codes),
      ...(layers.length > 0 && { columns: levelColumns(layers) }),
      isRenumbered,
    },
    names,
    findings: findings.list(),
    checks: rangesOf(rings, Math.min(parts, Math.ceil(positions / CHECKED_POSITIONS))),
    parts: divideShare(plan, share, parts),
  };
}

/** The member of release.json for columns by tag; none without any. */
function taggedAbout(
  member: 'nameColumns' | 'codeColumns',
  columns: readonly TaggedColumn[],
): Pick<LevelAbout, 'nameColumns' | 'codeColumns'> {
  return columns.length === 0 ? {} : { [member]: Object.fromEntries(columns) };
}

/** Fewest positions for which another task asks about the validity of units. */
const CHECKED_POSITIONS = 200_000;

/**
 * Divides the units of a level into at most `count` ranges of about equally many bytes of rings. Each has rings: units
 * after the last ring are in none.
 */
function rangesOf({ bytes }: OffsetIndex, count: number): { first: number; end: number }[] {
  const total = bytes.reduce((sum, own) => sum + own, 0);
  const ranges: { first: number; end: number }[] = [];
  for (let first = 0, end = 0, read = 0, share = 0; read < total; ) {
    read += elementAt(bytes, end++);
    const reached = Math.floor((read * count) / total);
    if (reached === share) continue;
    ranges.push({ first, end });
    first = end;
    share = reached;
  }
  return ranges;
}

/** Reads the layers of a level into its store. */
export function storeLayers(task: LayersTask, store: LevelStore): LayersRead & ClosedStores {
  let stores: LevelStores | undefined;
  const read = readLayers(task, () => {
    stores?.close();
    stores = createLevelStores(store, gidColumnsOf(task.source), task.precision);
    return stores;
  });
  if (stores === undefined) throw new Error(`level ${task.source.level}: nothing was read`);
  return { ...read, ...stores.close() };
}

/** The stores of a level: its features, the same without geometry, their rings, and their names. */
export interface LevelStores extends Required<FeatureSink> {
  rings: RingSink;
  close(): ClosedStores;
}

/** What was written to the stores of a level. */
export interface ClosedStores {
  /** Of the features. */
  index: StoreIndex;
  /** Of the rings. */
  rings: OffsetIndex;
  /** Positions of all rings. */
  positions: number;
  /** The fids of the units in the source, in the order in which they were read. */
  sourceFids: readonly number[];
}

/**
 * Creates the stores.
 * @param columns names of the GID columns 0 .. level
 * @param precision decimals of the coordinates
 */
function createLevelStores(store: LevelStore, columns: readonly string[], precision: number): LevelStores {
  const texts = store.createFeatures(columns);
  const others = store.createGeometry('none');
  const rings = store.createRings();
  const names: NamedFid[] = [];
  const parts = new RingParts(precision);
  const sourceFids: number[] = [];
  let positions = 0;
  return {
    rings: {
      ring(ring, isHole, area) {
        positions += ring.count;
        parts.add(ring, isHole);
        rings.ring(ring, isHole, area);
      },
    },
    feature({ fid, sourceFid, gids, name, type, otherNames, languages, codes, box, quality, text, withoutGeometry }) {
      sourceFids.push(sourceFid);
      names.push({ fid, name, type, otherNames, languages, codes });
      texts.append({ fid, gids, box, parts: parts.finish(), kind: geometryByte(quality) }, text);
      others.append(fid, withoutGeometry);
      rings.unit(fid);
    },
    close() {
      store.writeNames(names);
      others.close();
      return { index: texts.close(), rings: rings.close(), positions, sourceFids };
    },
  };
}
