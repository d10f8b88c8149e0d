// Reads what the estimate of `build --dry-run` needs of a level: fids, GIDs and lengths of all texts, and how far the
// texts of a sample of features are compressed. Runs in a child process: gdal-async is used from one thread of a
// process only.

import type { Geometry } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { deflateLine, deflateText } from '../../format/write/gzip.ts';
import { geometryGroups } from '../plan/plan.ts';
import { Findings } from '../quality/findings.ts';
import { checkIdentifiers } from '../quality/identifiers.ts';
import { UnitPolygons } from '../quality/unit-polygons.ts';
import { type LayersTask, type ReadFeature, readLayers } from '../read/read-layers.ts';
import { createLevelStores, type LevelStores } from '../read/store-level.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { RingParts } from '../rings/ring-parts.ts';
import { openTexts } from '../simplify/feature-texts.ts';
import { simplifyLevels, storePoints } from '../simplify/store-geometries.ts';
import { featureCount, gidColumnsOf } from '../source/level-source.ts';
import { REUSE_TEXT_BYTES, storedText } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';
import { newIndexBuilder, SHAPES } from '../store/store-index.ts';
import { chainedData } from '../write/write-files.ts';

/** The sample of each level: stretches of neighbouring features, as pages hold them, spread evenly. */
const STRETCHES = 50;

/** Features of a stretch: about as many as a page holds. */
const STRETCH_FEATURES = 40;

/** What to read. Plain data: it is sent to a child process. */
export interface SizesTask extends LayersTask {
  geometries: readonly Geometry[];
}

/** What is read of a level, besides the index. */
export interface ReadSizes {
  /** Bytes of the files of a kind for each byte of the features' texts with the full geometry, in the sample. */
  factors: Readonly<Partial<Record<Geometry, number>>> & { pages: number };
  /** The problems found. */
  findings: readonly Finding[];
}

/**
 * Reads the layers of a level. At the path for scratch files it leaves the index of a store, with the length of each
 * text in place of its bytes in the store.
 */
export function readSizes(task: SizesTask): ReadSizes {
  const { source, scratch, precision, geometries } = task;
  const gidColumns = gidColumnsOf(source);
  const every = Math.max(1, Math.floor(featureCount(source) / STRETCH_FEATURES / STRETCHES));
  let builder = newIndexBuilder(gidColumns);
  const sample = new LevelStore(`${scratch}.sample`);
  let sampled: LevelStores | undefined;
  let invalid = new Findings(source.level);
  const { findings } = readLayers(task, () => {
    builder = newIndexBuilder(gidColumns);
    sampled?.close();
    const stores = createLevelStores(sample, [], precision);
    sampled = stores;
    const parts = new RingParts(precision);
    const polygons = new UnitPolygons();
    invalid = new Findings(source.level);
    let read = 0;
    const isSampled = (): boolean => Math.floor(read / STRETCH_FEATURES) % every === 0;
    const feature = (entry: ReadFeature): void => {
      const { fid, gids, box, text } = entry;
      if (!polygons.areValid() && !entry.quality.isCollapsed) invalid.add('invalid-polygons', entry.place);
      const bytes = text.reduce((sum, part) => sum + part.length, 0);
      builder.add({ fid, gids, box, parts: parts.finish(), shape: SHAPES.none, bytes, deflatedText: 0, crc: 0 });
      if (isSampled()) stores.feature({ ...entry, gids: [] });
      read++;
    };
    const ring: RingSink['ring'] = (positions, isHole, area) => {
      parts.add(positions, isHole);
      polygons.ring(positions, isHole, area);
      if (isSampled()) stores.rings.ring(positions, isHole, area);
    };
    return { feature, rings: { ring } };
  });
  const index = builder.finish();
  new LevelStore(scratch).writeIndex(index);
  checkIdentifiers(source, index, findings);
  sampled?.close();
  const groups = geometryGroups({ geometries });
  if (groups.length > 0) simplifyLevels({ stores: [sample.path], names: groups.map(({ name }) => name), precision });
  if (geometries.includes('point')) storePoints({ store: sample.path, precision, points: true, labels: false });
  const texts = textsOf(sample, 'full', precision);
  const textBytes = Math.max(1, lengthOf(texts));
  const factors = geometries.map(
    (geometry) => [geometry, storedBytes(textsOf(sample, geometry, precision)) / textBytes] as const,
  );
  return {
    factors: { ...Object.fromEntries(factors), pages: pageBytes(texts) / textBytes },
    findings: [...findings.list(), ...invalid.list()],
  };
}

/** The texts of the features of a store. */
function textsOf(store: LevelStore, geometry: Geometry, precision: number): Buffer[] {
  const reader = openTexts(store, geometry, precision);
  const texts = Array.from(reader.read([0, store.readIndex().features]), storedText);
  reader.close();
  return texts;
}

/** Bytes that features have in feature files and in those beside them. */
function storedBytes(texts: readonly Buffer[]): number {
  let bytes = 0;
  let before: Buffer | undefined;
  for (const text of texts) {
    const line = isShort(text) ? text : undefined;
    const alone = deflateLine(text);
    bytes += alone.length + (chainedData(line, before, alone)?.length ?? 0);
    before = line;
  }
  return bytes;
}

/** Bytes that features have in pages, where short texts are deflated together. */
function pageBytes(texts: readonly Buffer[]): number {
  const [shorts, longs] = [texts.filter(isShort), texts.filter((text) => !isShort(text))];
  const pages = [...longs];
  for (let i = 0; i < shorts.length; i += STRETCH_FEATURES)
    pages.push(Buffer.concat(shorts.slice(i, i + STRETCH_FEATURES)));
  return lengthOf(pages.map((text) => deflateText(text)));
}

function isShort({ length }: Buffer): boolean {
  return length < REUSE_TEXT_BYTES;
}

function lengthOf(texts: readonly Buffer[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
