// Reads the levels of a dataset and writes the files of a release, in the tasks of the child processes: used by
// `build`, its shards and `seal`.
import { elementAt } from '../../format/element-at.ts';
import { type Geometry, LEVELS, type Level } from '../../format/levels.ts';
import type { LevelAbout, Release, ReleaseAbout, ReleaseShape } from '../../format/release.ts';
import type { Share } from '../plan/divide-work.ts';
import { shapeOf } from '../plan/plan.ts';
import type { StoredLevel, storeLevel } from '../read/store-level.ts';
import type { SealedStaging, Staging } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import { NESTING_MIN, type nestingShare } from '../shapes/nesting.ts';
import type { SimplifiedName } from '../shapes/simplified-geometry.ts';
import type { simplifyLevels, storeGeometries } from '../shapes/store-geometries.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import type { Pool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
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

/** Geometries that are made together of a simplified one: a point is found in the medium geometry. */
interface GeometryGroup {
  name: SimplifiedName;
  geometries: readonly Geometry[];
}

/** `none` is made when a level is read. */
const GROUPS: readonly GeometryGroup[] = [
  { name: 'medium', geometries: ['medium', 'point'] },
  { name: 'low', geometries: ['low'] },
];

/** The geometries to make for a release with these, for each task. */
export function geometryGroups(geometries: readonly Geometry[]): GeometryGroup[] {
  return GROUPS.map(({ name, geometries: all }) => ({
    name,
    geometries: all.filter((geometry) => geometries.includes(geometry)),
  })).filter((group) => group.geometries.length > 0);
}

/** Reads every level into its store. */
export function readLevels(
  sources: readonly LevelSource[],
  { shape, staging, pool, report, share }: BuildContext,
): Promise<StoredLevel[]> {
  const parts = Math.max(1, pool.size * TASKS_PER_WORKER);
  return Promise.all(
    LEVELS.map(async (level) => {
      const source = sources.find((candidate) => candidate.level === level) ?? { level, layers: [] };
      const store = LevelStore.in(staging.work, level).path;
      report.expect('features read', featureCount(source));
      const task = { source, shape, store, share, parts };
      const stored = await pool.run<typeof storeLevel>(TASKS.storeLevel, task);
      report.advance('features read', stored.features);
      return stored;
    }),
  );
}

/** Waits until a level is simplified. */
export type Simplified = (level: Level) => Promise<void>;

/** Simplifies the levels, those that nest together. */
export function simplify(stored: readonly StoredLevel[], { shape, pool }: BuildContext): Simplified {
  const { precision } = shape;
  const names = geometryGroups(shape.geometries).map(({ name }) => name);
  const groups = names.length === 0 ? Promise.resolve([]) : nestingGroups(stored, pool);
  const done = groups.then((all) =>
    all.map((group) => ({
      group,
      done: pool.run<typeof simplifyLevels>(TASKS.simplifyLevels, {
        stores: group.map(({ store }) => store),
        names,
        precision,
      }),
    })),
  );
  return async (level) => {
    for (const { group, done: isDone } of await done) if (group.some((own) => own.level === level)) await isDone;
  };
}

/** The levels that have features, in runs of those that nest. */
async function nestingGroups(stored: readonly StoredLevel[], pool: Pool): Promise<StoredLevel[][]> {
  const levels = stored.filter(({ features }) => features > 0);
  const shares = await Promise.all(
    levels
      .slice(1)
      .map(({ store: lower }, i) =>
        pool.run<typeof nestingShare>(TASKS.nestingShare, { upper: elementAt(levels, i).store, lower }),
      ),
  );
  const groups: StoredLevel[][] = [];
  for (const [i, level] of levels.entries())
    if (i > 0 && (shares[i - 1] ?? 0) >= NESTING_MIN) groups.at(-1)?.push(level);
    else groups.push([level]);
  return groups;
}

/**
 * Writes the files of a level, or a share of them. Of its stores only index, plan and rings remain.
 * @returns the record files
 */
export async function writeLevel(
  { level, store, features, parts }: StoredLevel,
  simplified: Simplified,
  { shape, staging, pool, report }: BuildContext,
): Promise<string[]> {
  const files = new LevelStore(store);
  for (const { first, end } of parts) report.expect('files written', end - first);
  if (features > 0) {
    await simplified(level);
    await Promise.all(
      geometryGroups(shape.geometries).map((group) =>
        pool.run<typeof storeGeometries>(TASKS.storeGeometries, { store, precision: shape.precision, ...group }),
      ),
    );
  }
  const written = parts.map(async (part) => {
    const records = files.file(`records-${part.first}`);
    const task = { level, shape, store, out: staging.release, records, part };
    await pool.run<typeof writeFiles>(TASKS.writeFiles, task);
    report.advance('files written', part.end - part.first);
    return records;
  });
  const records = await Promise.all(written);
  files.removeFeatures();
  return records;
}

/**
 * Writes a release: its overview, and each level's manifest, index and names once the level's files are written.
 * @param levels all six, ascending
 * @param recordsOf the record files of a level, when all its files are written
 * @param areOfShards whether they are of shards
 */
export async function writeRelease<Stored extends { level: Level; store: string; features: number; about: LevelAbout }>(
  about: ReleaseAbout,
  levels: readonly Stored[],
  recordsOf: (level: Stored) => readonly string[] | Promise<readonly string[]>,
  { staging: { release: out, sequence }, pool }: Pick<BuildContext, 'pool'> & { staging: SealedStaging },
  areOfShards = false,
): Promise<Release> {
  const { release, precision } = about;
  const shape = shapeOf(about);
  const units = levels.map(({ level, store, features }) => ({ level, store, features }));
  const finalize = async (stored: Stored): Promise<FinalizedLevel> => {
    const { level, store } = stored;
    const relatives = relativesOf(level, units);
    const records = await recordsOf(stored);
    const task = { release, level, about: stored.about, shape, store, relatives, records, areOfShards, out };
    return pool.run<typeof finalizeLevel>(TASKS.finalizeLevel, task);
  };
  // The overview comes first: it is one long task, beside which the others run.
  const [overview, ...finalized] = await Promise.all([
    pool.run<typeof writeOverview>(TASKS.writeOverview, { units, precision, out }),
    ...levels.map(finalize),
  ]);
  return sealRelease(out, about, sequence, finalized, overview);
}
