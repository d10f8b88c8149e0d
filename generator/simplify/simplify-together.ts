// Measures how the levels of a dataset nest, and simplifies them, those that nest together, in tasks of the child
// processes that begin when all are read: what their features with a geometry are made of.
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { geometryGroups } from '../plan/plan.ts';
import type { StoredLevel } from '../read/store-level.ts';
import { LevelStore } from '../store/level-store.ts';
import { NESTING_MIN, type Nesting, type nestingOf } from '../topology/nesting.ts';
import { askedBytes } from '../workers/memory.ts';
import type { Pool } from '../workers/pool.ts';
import { RANKS, TASKS } from '../workers/tasks.ts';
import type { simplifyLevels } from './store-geometries.ts';

/** Bytes of memory that simplification holds for each distinct position, as measured. */
const POSITION_BYTES = 45;

/**
 * Bytes that it takes to measure how a level nests, as measured: for each position of the upper level, whose edges are a
 * sample above a number, and for each unit of both, whose indexes are read.
 */
const NESTING_BYTES = { position: 100, most: 130e6, unit: 200 } as const;

type SimplifiedLevel = Pick<StoredLevel, 'level' | 'store' | 'positions'>;

/** Levels that are simplified together. */
interface LevelGroup {
  levels: SimplifiedLevel[];
  /** At least as many as their distinct positions. */
  positions: number;
}

/** Resolves when all levels are measured and a level is simplified. */
export type Simplified = (level: Level) => Promise<void>;

/** Measures and simplifies levels when all of them are read. @param reads all six, ascending */
export function simplifyWhenRead(
  reads: readonly Promise<StoredLevel>[],
  contents: ReleaseContents,
  pool: Pool,
): Simplified {
  const names = geometryGroups(contents).map(({ name }) => name);
  const simplify = async (): Promise<Map<Level, Promise<void>>> => {
    const stored = await Promise.all(reads);
    const groups = await nestingGroups(stored, pool);
    if (names.length === 0) return new Map();
    return new Map(
      groups.flatMap(({ levels, positions }) => {
        const task = { stores: levels.map(({ store }) => store), names, precision: contents.precision };
        const demand = { rank: RANKS.geometries, bytes: askedBytes(POSITION_BYTES * positions) };
        const done = pool.run<typeof simplifyLevels>(TASKS.simplifyLevels, task, demand);
        return levels.map(({ level }) => [level, done] as const);
      }),
    );
  };
  const begun = simplify();
  // Whoever waits for a level gets the error.
  begun.catch(() => {});
  return async (level) => (await begun).get(level);
}

/** The levels that have features, by how they nest, which is written to their stores. */
async function nestingGroups(stored: readonly StoredLevel[], pool: Pool): Promise<LevelGroup[]> {
  const levels = stored.filter(({ features }) => features > 0);
  const nestings = await Promise.all(
    levels.slice(1).map(async (lower, i) => {
      const upper = elementAt(levels, i);
      const edges = Math.min(NESTING_BYTES.position * upper.positions, NESTING_BYTES.most);
      const bytes = askedBytes(edges + NESTING_BYTES.unit * (upper.features + lower.features));
      const task = { upper: upper.store, lower: lower.store };
      const nesting = await pool.run<typeof nestingOf>(TASKS.nestingOf, task, { rank: RANKS.nesting, bytes });
      new LevelStore(upper.store).writeNote('nesting', nesting.share);
      return nesting;
    }),
  );
  return groupsOf(levels, nestings);
}

/** Divides levels into runs of those that nest. @param nestings of each level in the next one */
export function groupsOf(levels: readonly SimplifiedLevel[], nestings: readonly Nesting[]): LevelGroup[] {
  const groups: LevelGroup[] = [];
  for (const [i, level] of levels.entries()) {
    const group = groups.at(-1);
    const { share, own } = nestings[i - 1] ?? { share: null, own: 0 };
    if (group === undefined || share === null || share < NESTING_MIN)
      groups.push({ levels: [level], positions: level.positions });
    else {
      // What the next level has, too, is counted there.
      group.positions += own - elementAt(levels, i - 1).positions + level.positions;
      group.levels.push(level);
    }
  }
  return groups;
}
