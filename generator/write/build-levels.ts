// Reads the levels of a dataset and writes the files of a release, in the tasks of the child processes: used by
// `build`, its shards and `seal`.
import { elementAt } from '../../format/element-at.ts';
import { type Geometry, LEVELS, type Level } from '../../format/levels.ts';
import { overviewLevels } from '../../format/overview.ts';
import type { Release, ReleaseAbout, ReleaseShape } from '../../format/release.ts';
import type { Share } from '../plan/divide-work.ts';
import { GEOMETRY_GROUPS, groupOfStage, isOfBorders, shapeOf } from '../plan/plan.ts';
import type { StoredLevel, storeLevel } from '../read/store-level.ts';
import type { SealedStaging, Staging } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import type { storeGeometries } from '../shapes/store-geometries.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import { joinValidity, NO_INVALID } from '../store/validity.ts';
import type { Pool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { checkValidity } from './check-validity.ts';
import type { CutTilesTask } from './cut-tiles.ts';
import { type FinalizedLevel, type finalizeLevel, sealRelease } from './finalize.ts';
import { relativesOf } from './named-units.ts';
import type { writeFiles } from './write-files.ts';
import type { writeOverview } from './write-overview.ts';

/** What the steps of a build share. */
export interface BuildContext {
  shape: ReleaseShape;
  staging: Staging;
  pool: Pool;
  report: Report;
  /** Which files to write. */
  share: Share;
}

/** Maximum tasks of a level per child process: enough that all processes finish at about the same time. */
const TASKS_PER_WORKER = 4;

/** When tasks begin that wait together (workers/task-queue.ts): the longest that cannot be divided come first. */
export const RANKS = { read: 1, arcs: 2, borders: 2, geometries: 3, overview: 3, files: 4, tiles: 4 } as const;

/**
 * Bytes of memory that a task holds for each position of its levels, as measured: the arcs and points of
 * simplification, the borders of units, the common arcs of tiles, and what of them is in a zoom.
 */
export const POSITION_BYTES = { borders: 50, geometries: 35, overview: 35, arcs: 100, tiles: 60 } as const;

/** The geometries to make for a release with these, for each task; the first one leaves the places of labels, too. */
export function geometryGroups(geometries: readonly Geometry[]): Geometry[][] {
  return GEOMETRY_GROUPS.map((group) => group.filter((geometry) => geometries.includes(geometry)));
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
  isAccepted: Promise<void> = Promise.resolve(),
): LevelWork[] {
  const levels = LEVELS.map((level) => sources.find((source) => source.level === level) ?? { level, layers: [] });
  const works = new Map<Level, LevelWork>();
  const workOn = (level: Level): LevelWork => {
    const work = works.get(level);
    if (work === undefined) throw new RangeError(`level ${level}`);
    return work;
  };
  const below = async (level: Level): Promise<string | undefined> => {
    for (const deeper of LEVELS.filter((other) => other > level)) {
      const { store, features } = await workOn(deeper).read;
      if (features > 0) return store;
    }
    return undefined;
  };
  for (const source of [...levels].sort((a, b) => featureCount(b) - featureCount(a))) {
    const read = readLevel(source, context);
    const writing = Promise.all([read, isAccepted]).then(([stored]) => writeLevel(stored, below, context));
    const [labelled, written] = [writing.then((own) => own.labelled), writing.then((own) => own.written)];
    // Whoever waits for the first error gets it; others that follow are not unhandled.
    for (const work of [read, labelled, written]) work.catch(() => {});
    works.set(source.level, { read, labelled, written });
  }
  return levels.map(({ level }) => workOn(level));
}

/** Reads a level into its store. */
async function readLevel(
  source: LevelSource,
  { shape, staging, pool, report, share }: BuildContext,
): Promise<StoredLevel> {
  const parts = Math.max(1, pool.size * TASKS_PER_WORKER);
  const store = LevelStore.in(staging.work, source.level).path;
  report.expect('features read', featureCount(source));
  const task = { source, shape, store, share, parts };
  const stored = await pool.run<typeof storeLevel>(TASKS.storeLevel, task, { rank: RANKS.read, bytes: 0 });
  report.advance('features read', stored.features);
  return stored;
}

/**
 * Begins to write the files of a level, or a share of them: those of the full geometry and pages at once, those that are
 * made of borders when the next level is read, others when their geometries are made. Of its stores only index, plan,
 * rings and labels remain.
 * @param below path of the store of the next level that has units, when it is filled; undefined if there is none
 * @returns when its labels are known, and the record files
 */
function writeLevel(
  { level, store, features, positions, checks, parts }: StoredLevel,
  below: (level: Level) => Promise<string | undefined>,
  { shape, staging, pool, report }: BuildContext,
): { labelled: Promise<void>; written: Promise<string[]> } {
  const files = new LevelStore(store);
  for (const { first, end } of parts) report.expect('files written', end - first);
  const made = geometryGroups(shape.geometries).map(async (geometries, i): Promise<void> => {
    const labels = i === 0 && shape.tiles !== undefined;
    if (features === 0 || (geometries.length === 0 && !labels)) return;
    const task = { store, precision: shape.precision, geometries, labels };
    const demand = { rank: RANKS.geometries, bytes: POSITION_BYTES.geometries * positions };
    await pool.run<typeof storeGeometries>(TASKS.storeGeometries, task, demand);
  });
  const written = parts.map(async (part) => {
    const group = groupOfStage(part.stage);
    if (group !== undefined) await elementAt(made, group);
    const records = files.file(`records-${part.first}`);
    const task = { level, shape, store, out: staging.release, records, part };
    if (isOfBorders(part.stage)) {
      const demand = { rank: RANKS.borders, bytes: POSITION_BYTES.borders * positions };
      await pool.run<typeof writeFiles>(TASKS.writeBorders, { ...task, below: await below(level) }, demand);
    } else await pool.run<typeof writeFiles>(TASKS.writeFiles, task, { rank: RANKS.files, bytes: 0 });
    report.advance('files written', part.end - part.first);
    return records;
  });
  const checked = checks.map((range) =>
    pool.run<typeof checkValidity>(TASKS.checkValidity, { store, ...range }, { rank: RANKS.files, bytes: 0 }),
  );
  const finish = async (): Promise<string[]> => {
    const [records, found] = await Promise.all([Promise.all(written), Promise.all(checked), Promise.all(made)]);
    const { invalid, listed, example } = found.reduce(joinValidity, NO_INVALID);
    files.writeInvalid('full', invalid);
    files.writeInvalidUnits({ count: listed, example: example?.position });
    files.removeFeatures();
    return records;
  };
  return { labelled: elementAt(made, 0), written: finish() };
}

/**
 * Writes a release: its overview, and each level's manifest, index and names once the level's files are written.
 * @param levels all six, ascending
 * @param recordsOf the record files of a level, when all its files are written
 * @param tilesOf the tasks that made the tiles of a level, when all have ended
 * @param areOfShards whether they are of shards
 */
export async function writeRelease<
  Stored extends Pick<StoredLevel, 'level' | 'store' | 'features' | 'about'> & Partial<Pick<StoredLevel, 'positions'>>,
>(
  about: ReleaseAbout,
  levels: readonly Stored[],
  recordsOf: (level: Stored) => readonly string[] | Promise<readonly string[]>,
  { staging: { release: out, sequence }, pool }: Pick<BuildContext, 'pool'> & { staging: SealedStaging },
  tilesOf: (level: Level) => readonly CutTilesTask[] | Promise<readonly CutTilesTask[]>,
  areOfShards = false,
): Promise<Release> {
  const { release, precision } = about;
  const shape = shapeOf(about);
  const units = levels.map(({ level, store, features }) => ({ level, store, features }));
  const shown = overviewLevels(units).map((level) => elementAt(levels, level).positions ?? 0);
  const overviewDemand = {
    rank: RANKS.overview,
    bytes: POSITION_BYTES.overview * shown.reduce((sum, positions) => sum + positions, 0),
  };
  const finalize = async (stored: Stored): Promise<FinalizedLevel> => {
    const { level, store } = stored;
    const relatives = relativesOf(level, units);
    const [records, zooms] = await Promise.all([recordsOf(stored), tilesOf(level)]);
    // The levels above look how they nest in this one. A shard has removed its own.
    for (const above of levels.slice(0, level)) await recordsOf(above);
    if (!areOfShards && !overviewLevels(units).includes(level)) new LevelStore(store).removeRings();
    const tiles = { zooms, attribution: about.attribution };
    const task = { release, level, about: stored.about, shape, store, relatives, records, tiles, areOfShards, out };
    return pool.run<typeof finalizeLevel>(TASKS.finalizeLevel, task, { rank: RANKS.files, bytes: 0 });
  };
  // The overview comes first: it is one long task, beside which the others run.
  const [overview, ...finalized] = await Promise.all([
    pool.run<typeof writeOverview>(TASKS.writeOverview, { units, precision, out }, overviewDemand),
    ...levels.map(finalize),
  ]);
  return sealRelease(out, about, sequence, finalized, overview);
}
