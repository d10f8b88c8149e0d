// Finalises a level after its pages and feature files are written: writes its manifest, index, names, words and the
// lines of checksums.txt.
//
// Reads what write-files.ts has recorded, in the order that both share: parts by their first file, in each the files of
// the plan, of each file the paths of `pathsOf`. It is one file because all that it writes is made of these records.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CheckedFile } from '../../format/checked-files.ts';
import { joinCrcs, swapSeparator } from '../../format/crc32.ts';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { DIGEST_BYTES, type FeatureArrays, FeatureTable } from '../../format/feature-table.ts';
import type { Finding } from '../../format/findings.ts';
import { indexPath, manifestPath, namesPath, tileDigestsPath, tilesPath, wordsPath } from '../../format/layout.ts';
import type { GeometrySummary, LevelAbout, LevelSummary } from '../../format/level-json.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { encodeLevel, type LevelFiles } from '../../format/write/level.ts';
import { sha256Of } from '../files/checksums.ts';
import { writeDurably } from '../files/fsync.ts';
import { readSerialized } from '../files/serialized-file.ts';
import { type GrownBytes, measureGrown } from '../names/grown-bytes.ts';
import { gidsOf, type Relatives, writeNames } from '../names/named-units.ts';
import { encodeWords } from '../names/words.ts';
import {
  type FilePlan,
  featureFilesOf,
  fileAt,
  isFormat,
  levelCounts,
  newFeatureArrays,
  pathsOf,
  plannedIndex,
} from '../plan/plan.ts';
import { type ApartBorders, type FeatureRecords, featureRecords, type TaskRecords } from '../plan/records.ts';
import { Findings, unitNamed } from '../quality/findings.ts';
import { sizeAndSum } from '../release-reader/inflate.ts';
import { BuildError } from '../report/errors.ts';
import { LevelStore } from '../store/level-store.ts';
import type { StoreIndex } from '../store/store-index.ts';
import { type ArchiveTask, writeArchive } from '../tiles/archive.ts';
import { readFoundInTiles } from '../tiles/prepare-tiles.ts';

/** The level to finalise. Plain data: it is sent to a child process. */
export interface FinalizeTask {
  release: string;
  contents: ReleaseContents;
  level: Level;
  about: LevelAbout;
  /** Path of the level's store, whose index, plan and names are read. */
  store: string;
  /** The levels beside it, for the names. */
  relatives: Relatives;
  /** The record files of all tasks that wrote the level. */
  records: readonly string[];
  /** The tasks that made its tiles, none if it has none. */
  tiles: Omit<ArchiveTask, 'bounds'>;
  /** Whether they are of shards, of which one may have overwritten the files of another. */
  areOfShards: boolean;
  /** The release's folder. */
  out: string;
}

/** A finalised level. */
export interface FinalizedLevel {
  summary: LevelSummary;
  /** What was found when its files were written. */
  findings: readonly Finding[];
  /** What its languages and codes cost; undefined without any. */
  grown: GrownBytes | undefined;
  /** Path of the file with its lines of checksums.txt, in order of path. */
  checksums: string;
}

/** A file's path relative to the release, and the SHA-256 of its bytes in hex. */
export interface Checksum {
  path: string;
  sha256: string;
}

/**
 * Writes a level's manifest, index, names and words, and its checksum lines.
 * @throws BuildError if a planned file was not written, or has other bytes than were written
 */
export function finalizeLevel(task: FinalizeTask): FinalizedLevel {
  const { level, out } = task;
  const store = new LevelStore(task.store);
  const index = plannedIndex(level, task.contents, store.readIndex());
  const records = task.records
    .map((file) => readSerialized<TaskRecords>(file))
    .sort((a, b) => a.part.first - b.part.first);
  const featuresOf = (geometry: Geometry): FeatureRecords[] =>
    records.map((record) => featureRecords(record, geometry));
  fillSums(index.arrays, featuresOf('full'));
  const tables = new Map(
    index.geometries.map((geometry) => {
      const table = new FeatureTable(level, newFeatureArrays(index.features));
      fillSums(table.arrays, featuresOf(geometry));
      return [geometry, table];
    }),
  );
  const borders = records.find((record) => record.borders !== undefined)?.borders;
  const table = records.find((record) => record.table !== undefined)?.table;
  const { crowded = [], apart } = borders ?? {};
  const findings = new Findings(level);
  findings.add('crowded-borders', () => `fid ${index.arrays.fid[elementAt(crowded, 0)]}`, crowded.length);
  if (apart !== undefined)
    findings.add('drawn-apart', () => `${foundAt(store, apart.unit)}, at ${positionOf(apart)}`, apart.count);
  const invalid = index.features === 0 ? undefined : store.readNote('invalid-units');
  if (invalid !== undefined) findings.add('invalid-polygons', () => foundAt(store, invalid.example), invalid.count);
  addFoundInTiles(findings, store, task);
  addCellShapes(findings, store, index.features === 0 ? [] : index.geometries);
  const { order } = store.readPlan<FilePlan>();
  const checksums: Checksum[] = [];
  let at = 0;
  for (const { part, ...written } of records) {
    if (part.first !== at) break;
    for (let i = 0; at < part.end; at++) {
      const planned = fileAt(index, task.contents, elementAt(order, at));
      let [bytes, sha256] = [0, ''];
      for (const path of pathsOf(planned)) {
        bytes = numberAt(written.bytes, i);
        sha256 = elementAt(written.sha256, i++);
        checkFile(join(out, path), { bytes, sha256 }, task.areOfShards);
        checksums.push({ path, sha256 });
      }
      if (planned.kind === 'borders' || planned.kind === 'table') continue;
      const { kind, number } = planned;
      const table = isFormat(kind) ? index.arrays.pages?.[kind] : undefined;
      if (table === undefined) continue;
      table.bytes[number] = bytes;
      table.digest.set(Buffer.from(sha256, 'hex').subarray(0, DIGEST_BYTES), DIGEST_BYTES * number);
    }
  }
  if (at < order.length || borders === undefined) {
    const paths = at < order.length ? pathsOf(fileAt(index, task.contents, elementAt(order, at))) : [];
    throw new BuildError(
      `level ${level}: ${paths[0] ?? 'what is made of its borders'} was not written`,
      'run the build again; if it fails again, report a bug',
    );
  }
  const put = (path: string, content: string | Buffer): CheckedFile => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeDurably(join(out, path), content);
    const sha256 = sha256Of(content);
    checksums.push({ path, sha256 });
    return { bytes: Buffer.byteLength(content), sha256 };
  };
  const encoded = encodeLevel(task.release, index, tables);
  const counts = levelCounts(index, task.relatives.parent === undefined);
  const bounds = counts.extent;
  const tiles =
    bounds === undefined || task.tiles.zooms.length === 0
      ? undefined
      : writeArchive(out, level, store, { ...task.tiles, bounds });
  const summary: LevelSummary = {
    level,
    ...task.about,
    ...counts,
    ...shapesOf(store, index.features, 'full'),
    geometries: Object.fromEntries(
      Array.from(tables, ([geometry, table]): [Geometry, GeometrySummary] => [
        geometry,
        {
          featureFiles: featureFilesOf(table),
          index: put(indexPath(level, geometry), tableOf(encoded, geometry)),
          ...shapesOf(store, index.features, geometry),
        },
      ]),
    ),
    manifest: put(manifestPath(level), encoded.manifest),
    index: put(indexPath(level), encoded.index),
    ...borders.summary,
    ...(tiles && { tiles: tiles.file }),
    ...(table && { parquet: table }),
    nesting: index.features === 0 || task.relatives.below.length === 0 ? null : store.readNote('nesting'),
    names: writeNames(out, level, store, task.relatives, borders, task.about),
    words: put(wordsPath(level), encodeWords(store.readNames().all())),
  };
  checksums.push({ path: namesPath(level), sha256: summary.names.sha256 });
  if (summary.tiles !== undefined)
    checksums.push(
      { path: tilesPath(level), sha256: summary.tiles.sha256 },
      { path: tileDigestsPath(level), sha256: summary.tiles.digests.sha256 },
    );
  const grown = measureGrown(level, store, task.relatives, borders, summary, tiles?.languageBytes);
  const file = store.file('checksums');
  writeFileSync(file, checksumLines(checksums));
  return { summary, findings: findings.list(), grown, checksums: file };
}

/** What release.json says of the shapes of the units with a geometry. */
function shapesOf(
  store: LevelStore,
  features: number,
  geometry: Geometry,
): Pick<GeometrySummary, 'invalid' | 'positions'> {
  if (features === 0) return { invalid: 0 };
  const { invalid, positions } = store.readCounts(geometry);
  return positions === 0 ? { invalid } : { invalid, positions };
}

/** Says what of the tiles of a level is not as it should be. */
function addFoundInTiles(findings: Findings, store: LevelStore, { level, tiles }: FinalizeTask): void {
  const [zoom] = tiles.zooms;
  if (zoom === undefined) return;
  const { crowded, isSearched } = readFoundInTiles(zoom.work, level);
  findings.add('equal-colours', () => foundAt(store, crowded[0]), crowded.length);
  if (!isSearched) findings.add('unsearched-borders', `zoom ${zoom.deepest}`);
  const overlaps = store.readNote('overlaps');
  if (overlaps.count === 0) return;
  findings.addOverlaps(overlaps, gidsIn(store.readIndex()), (position) => foundAt(store, position));
}

/** Names the units that are a mere cell of the grid in a simplified geometry: nobody drew this shape. */
function addCellShapes(findings: Findings, store: LevelStore, geometries: readonly Geometry[]): void {
  const cells = geometries.flatMap((geometry) =>
    store.readCounts(geometry).cells.map((unit) => [unit, geometry] as const),
  );
  if (cells.length === 0) return;
  const gidOf = gidsIn(store.readIndex());
  // A unit once, with its finest geometry that is a cell.
  const ofUnits = new Map(cells.toReversed());
  for (const [position, geometry] of [...ofUnits].sort(([a], [b]) => a - b))
    findings.addUnit('cell-shapes', () => `${foundAt(store, position)}, geometry ${geometry}`, gidOf(position));
}

/** Decimals of a place that people look at: some 10 m. */
const PLACE_DECIMALS = 4;

function positionOf({ longitude, latitude }: ApartBorders): string {
  return [longitude, latitude].map((degrees) => degrees.toFixed(PLACE_DECIMALS)).join(' ');
}

/** Where in the source the unit at a position was found. */
function foundAt(store: LevelStore, position = 0): string {
  const index = store.readIndex();
  const { offsets, fids } = index;
  const origins = store.readNote('origins');
  const own = elementAt(offsets, position);
  // Texts are in the order in which they were read.
  const number = offsets.reduce((count, offset) => count + (offset < own ? 1 : 0), 0);
  let after = 0;
  const layer = origins.layers.find(({ features: ofLayer }) => {
    after += ofLayer;
    return number < after;
  });
  const fid = elementAt(origins.fids ?? fids, origins.fids ? number : position);
  return `${layer?.name}, ${unitNamed(fid, gidsIn(index)(position))}`;
}

/** The GID of the unit at a position; null if it has none. */
function gidsIn(index: StoreIndex): (position: number) => string | null {
  return gidsOf(index, index.columns.length - 1);
}

function tableOf({ tables }: LevelFiles, geometry: Geometry): Buffer {
  const table = tables.get(geometry);
  if (table === undefined) throw new RangeError(`geometry ${geometry} has no table`);
  return table;
}

/**
 * Adds up the records of all features, in order of position: parts are sorted, and each has the features of a geometry
 * in that order, though those of other geometries, and pages, were written between them.
 */
function fillSums(arrays: FeatureArrays, records: readonly FeatureRecords[]): void {
  const { start, dataCrc, aloneStart, aloneCrc, textStart, textCrc, textCrcFc, digest } = arrays;
  let position = 0;
  const add = (starts: Float64Array, bytes: number, ...crcs: readonly [sums: Uint32Array, crc: number][]): void => {
    starts[position + 1] = elementAt(starts, position) + bytes;
    for (const [sums, crc] of crcs) sums[position + 1] = joinCrcs(elementAt(sums, position), crc, bytes);
  };
  for (const features of records) {
    digest.set(Buffer.from(features.digest.join(''), 'hex'), DIGEST_BYTES * position);
    for (const [i, textBytes] of features.textBytes.entries()) {
      const crc = numberAt(features.textCrc, i);
      add(start, numberAt(features.dataBytes, i), [dataCrc, numberAt(features.dataCrc, i)]);
      add(aloneStart, numberAt(features.aloneBytes, i), [aloneCrc, numberAt(features.aloneCrc, i)]);
      add(textStart, textBytes, [textCrc, crc], [textCrcFc, swapSeparator(crc)]);
      position++;
    }
  }
}

const OVERWRITTEN = 'a shard with other options has overwritten it: run all shards again, with the same options';

/** The last check before the release is published: the folder may have been changed since. */
function checkFile(file: string, { bytes, sha256 }: CheckedFile, isOfShard: boolean): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size !== bytes)
    throw new BuildError(
      `${file}: ${size === undefined ? 'is missing' : `has ${size} bytes`}, ${bytes} bytes were written`,
      isOfShard ? OVERWRITTEN : 'another program has changed the output folder: end it and run the command again',
    );
  const read = isOfShard ? sizeAndSum(file).sha256 : sha256;
  if (read !== sha256) throw new BuildError(`${file}: its SHA-256 is ${read}, ${sha256} was written`, OVERWRITTEN);
}

/** The form that `sha256sum -c` reads, ordered by path. */
export function checksumLines(checksums: Checksum[]): string {
  checksums.sort((a, b) => (a.path < b.path ? -1 : 1));
  return checksums.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}
