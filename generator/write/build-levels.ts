// Reads the levels of a dataset and writes the files of a release, in the tasks of the child processes.
import { statSync } from 'node:fs';
import { LEVELS, type Level } from '../../format/levels.ts';
import type { Release, ReleaseAbout, ReleaseContents } from '../../format/release-json.ts';
import { grownLines } from '../names/grown-bytes.ts';
import { relativesOf } from '../names/named-units.ts';
import type { Attribution } from '../options/attribution.ts';
import type { Share } from '../plan/divide-work.ts';
import {
  type GeometryGroup,
  geometryGroups,
  groupOfStage,
  isOfBorders,
  isOfTable,
  releaseContents,
} from '../plan/plan.ts';
import { joinValidity, NO_INVALID } from '../quality/validity-counts.ts';
import type { StoredLevel, storeLevel } from '../read/store-level.ts';
import type { SealedStaging, Staging } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import { type Simplified, simplifyWhenRead } from '../simplify/simplify-together.ts';
import type { storePoints } from '../simplify/store-geometries.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import type { WriteTilesTask } from '../tiles/write-tiles.ts';
import { askedBytes } from '../workers/memory.ts';
import { type Pool, taskCount } from '../workers/pool.ts';
import type { Demand } from '../workers/task-queue.ts';
import { RANKS, TASKS } from '../workers/tasks.ts';
import type { checkValidity } from './check-validity.ts';
import type { FinalizedLevel, finalizeLevel } from './finalize.ts';
import { sealRelease } from './seal-release.ts';
import type { SlowUnits } from './slow-units.ts';
import type { writeFiles } from './write-files.ts';

/** What the steps of a build share. */
export interface BuildContext {
  contents: ReleaseContents;
  staging: Staging;
  pool: Pool;
  report: Report;
  /** Which files to write. */
  share: Share;
  /** Names the units that take long. */
  slow: SlowUnits;
}

/** Whom the units are of. */
export interface Credits extends Attribution {
  licence: string | undefined;
}

/**
 * Bytes of memory that a task holds for each position of its levels, as measured: the borders of units, the common
 * arcs of tiles, these while a zoom's are made (the deepest; how much less each zoom above it; at least), those of all
 * levels that are in a zoom, and the shapes of its own level.
 */
export const TASK_POSITION_BYTES = {
  borders: 70,
  arcs: 40,
  zoomArcs: { deepest: 46, above: -3, least: 20 },
  inZoom: 15,
  shapes: 25,
} as const;

/**
 * Bytes of memory that a task holds for each unit of its level, as measured: its entries in the index, in the names and
 * in the plan while it is read; its point; its attributes in tiles; its entry in the index while files are written, or
 * overlaps are measured; index, names, words and records while the level is finalised.
 */
export const TASK_UNIT_BYTES = { read: 6000, points: 2000, tiles: 2000, files: 1300, indexes: 3500 } as const;

/** The same for each byte of the records of a level while it is finalised. */
const RECORD_BYTES = 6;

/** What a task asks for that reads the index of a level, and its features one after the other. */
export function filesDemand(features: number): Demand {
  return { rank: RANKS.files, bytes: askedBytes(TASK_UNIT_BYTES.files * features) };
}

/** Bytes of memory that the task of a table holds, as measured: for a position of a group of rows, at most; for a unit. */
const TABLE_BYTES = { position: 100, group: 120e6, unit: 350 } as const;

/** What the task of a table asks for, which waits for all geometries and cannot be divided. */
function tableDemand({ features, positions }: Pick<StoredLevel, 'features' | 'positions'>): Demand {
  const group = Math.min(TABLE_BYTES.position * positions, TABLE_BYTES.group);
  return { rank: RANKS.table, bytes: askedBytes(group + TABLE_BYTES.unit * features) };
}

/** A level that is being read, and then written. */
export interface LevelWork {
  read: Promise<StoredLevel>;
  /** When the places of its labels are known. */
  labelled: Promise<void>;
  /** The record files of its tasks, when all its files are written. */
  written: Promise<string[]>;
}

/**
 * Reads every level into its store, the largest first, and begins to write the files of each.
 * @param isAccepted resolves when files may be written: a shard has no folder of its own to remove them from
 * @returns the work of all six levels, ascending
 */
export function workOnLevels(
  sources: readonly LevelSource[],
  context: BuildContext,
  credits: Credits,
  isAccepted: Promise<void> = Promise.resolve(),
): LevelWork[] {
  const levels = LEVELS.map((level) => sources.find((source) => source.level === level) ?? { level, layers: [] });
  const reads = new Map<Level, Promise<StoredLevel>>();
  for (const source of [...levels].sort((a, b) => featureCount(b) - featureCount(a)))
    reads.set(source.level, readLevel(source, context, credits.levels.get(source.level)));
  const ascending = levels.map(({ level }) => {
    const read = reads.get(level);
    if (read === undefined) throw new RangeError(`level ${level}`);
    return read;
  });
  const simplified = simplifyWhenRead(ascending, context.contents, context.pool);
  return ascending.map((read) => {
    const writing = Promise.all([read, isAccepted]).then(([stored]) =>
      writeLevel(stored, simplified, context, credits),
    );
    const [labelled, written] = [writing.then((own) => own.labelled), writing.then((own) => own.written)];
    // Whoever waits for the first error gets it; others that follow are not unhandled.
    for (const work of [read, labelled, written]) work.catch(() => {});
    return { read, labelled, written };
  });
}

/** Reads a level into its store. @param attribution of its own; undefined for that of the release */
async function readLevel(
  source: LevelSource,
  { contents, staging, pool, report, share }: BuildContext,
  attribution: readonly string[] | undefined,
): Promise<StoredLevel> {
  const store = LevelStore.in(staging.work, source.level).path;
  report.expect('features read', featureCount(source));
  const task = { source, contents, store, share, parts: taskCount(pool) };
  const stored = await pool.run<typeof storeLevel>(TASKS.storeLevel, task, {
    rank: RANKS.read,
    bytes: askedBytes(TASK_UNIT_BYTES.read * featureCount(source)),
  });
  report.advance('features read', stored.features);
  return attribution === undefined ? stored : { ...stored, about: { ...stored.about, attribution } };
}

/**
 * Begins to write the files of a level, or a share of them: those of the full geometry, pages and what is made of
 * borders at once, others when their geometries are made. Of its stores only index, plan, rings and labels remain.
 * @returns when its labels are known, and the record files
 */
function writeLevel(
  { level, store, features, positions, about, checks, parts }: StoredLevel,
  simplified: Simplified,
  { contents, staging, pool, report, slow }: BuildContext,
  { release, licence }: Credits,
): { labelled: Promise<void>; written: Promise<string[]> } {
  const files = new LevelStore(store);
  for (const { first, end } of parts) report.expect('files written', end - first);
  const isSimplified = simplified(level);
  const make = async ({ geometries, labels }: GeometryGroup): Promise<void> => {
    await isSimplified;
    const points = geometries.includes('point');
    if (features === 0 || !(points || labels)) return;
    const task = { store, precision: contents.precision, points, labels };
    const demand = { rank: RANKS.geometries, bytes: askedBytes(TASK_UNIT_BYTES.points * features) };
    const taken = await pool.run<typeof storePoints>(TASKS.storePoints, task, demand);
    slow.add({ level, store }, taken);
  };
  const made = new Map(geometryGroups(contents).map((group) => [group.name, make(group)]));
  const table = { about, attribution: about.attribution ?? release, licence };
  const written = parts.map(async (part) => {
    const group = groupOfStage(part.stage);
    if (group !== undefined) await made.get(group);
    if (isOfTable(part.stage)) await Promise.all(made.values());
    const records = files.file(`records-${part.first}`);
    const task = { level, contents, store, out: staging.release, records, part, table };
    const demand = { rank: RANKS.borders, bytes: askedBytes(TASK_POSITION_BYTES.borders * positions) };
    if (isOfBorders(part.stage)) await pool.run<typeof writeFiles>(TASKS.writeBorders, task, demand);
    else if (isOfTable(part.stage))
      await pool.run<typeof writeFiles>(TASKS.writeTable, task, tableDemand({ features, positions }));
    else await pool.run<typeof writeFiles>(TASKS.writeFiles, task, filesDemand(features));
    report.advance('files written', part.end - part.first);
    return records;
  });
  const checked = checks.map((range) =>
    pool.run<typeof checkValidity>(TASKS.checkValidity, { store, ...range }, { rank: RANKS.files, bytes: 0 }),
  );
  const finish = async (): Promise<string[]> => {
    const [records, found] = await Promise.all([
      Promise.all(written),
      Promise.all(checked),
      Promise.all(made.values()),
      // Also without simplified geometries: by then no other level is compared with this one's rings.
      isSimplified,
    ]);
    const { invalid, listed, example } = found.reduce(joinValidity, NO_INVALID);
    files.writeCounts('full', { invalid, positions, cells: [] });
    files.writeNote('invalid-units', { count: listed, example: example?.position });
    files.removeFeatures();
    return records;
  };
  return { labelled: made.get('medium') ?? Promise.resolve(), written: finish() };
}

/**
 * Writes a release: each level's manifest, index and names once the level's files are written.
 * @param levels all six, ascending
 * @param recordsOf the record files of a level, when all its files are written
 * @param tilesOf the tasks that made the tiles of a level, when all have ended
 * @param areOfShards whether they are of shards
 */
export async function writeRelease<Stored extends Pick<StoredLevel, 'level' | 'store' | 'features' | 'about'>>(
  about: ReleaseAbout,
  levels: readonly Stored[],
  recordsOf: (level: Stored) => readonly string[] | Promise<readonly string[]>,
  {
    staging,
    pool,
    report,
  }: Pick<BuildContext, 'pool' | 'report'> & {
    staging: SealedStaging;
  },
  tilesOf: (level: Level) => readonly WriteTilesTask[] | Promise<readonly WriteTilesTask[]>,
  areOfShards = false,
): Promise<Release> {
  const { release } = about;
  const { release: out } = staging;
  const contents = releaseContents(about);
  const units = levels.map(({ level, store, features }) => ({ level, store, features }));
  const finalize = async (stored: Stored): Promise<FinalizedLevel> => {
    const { level, store } = stored;
    const relatives = relativesOf(level, units);
    const [records, zooms] = await Promise.all([recordsOf(stored), tilesOf(level)]);
    // A shard has removed its own.
    if (!areOfShards) new LevelStore(store).removeRings();
    const tiles = { zooms, attribution: about.attribution };
    const task = { release, level, about: stored.about, contents, store, relatives, records, tiles, areOfShards, out };
    const recorded = records.reduce((sum, file) => sum + statSync(file).size, 0);
    const bytes = askedBytes(TASK_UNIT_BYTES.indexes * stored.features + RECORD_BYTES * recorded);
    const demand = { rank: RANKS.files, bytes };
    return pool.run<typeof finalizeLevel>(TASKS.finalizeLevel, task, demand);
  };
  const finalized = await Promise.all(levels.map(finalize));
  report.preview?.(grownLines(finalized));
  return sealRelease(staging, about, finalized);
}
