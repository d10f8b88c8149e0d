// Hashes the shapes of units and measures what pairs of them have in common, in tasks over the pool: for `changes`.
import { elementAt } from '../../format/element-at.ts';
import { grouped } from '../../format/grouped.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { Report } from '../report/progress.ts';
import { type Pool, taskCount } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { hashShapes } from './hash-shapes.ts';
import type { Link } from './match-units.ts';
import type { measureShared, Shared, Side } from './unit-shapes.ts';

/** Fewest units of a task, or old units of a task of pairs. */
const TASK_UNITS_MIN = 500;

/** A unit of a release: all that has its GID. */
interface Positioned {
  positions: readonly number[];
}

/** A unit of the old release and one of the new release, by their numbers in lists. */
export interface UnitPair {
  from: number;
  to: number;
}

/** The hash of the shape of each unit; empty for none. */
export async function hashesOf(
  level: Level,
  { root, release }: Side,
  units: readonly Positioned[],
  pool: Pool,
  report: Report,
): Promise<string[]> {
  report.expect('units read', units.length);
  const parts = chunksOf(units, pool).map(async (part) => {
    const positions = part.flatMap((unit) => unit.positions);
    const hashes = await pool.run<typeof hashShapes>(TASKS.hashShapes, { root, release, level, positions });
    report.advance('units read', part.length);
    let at = 0;
    return part.map(({ positions: { length } }) => {
      const own = hashes.slice(at, at + length).sort();
      at += length;
      return own.every((hash) => hash === '') ? '' : own.join();
    });
  });
  return (await Promise.all(parts)).flat();
}

/** Pairs of units with equal shapes, each of them once; those with the same GID are done. */
export function equalShapes(
  oldHashes: readonly string[],
  newHashes: readonly string[],
  doneFrom: ReadonlySet<number>,
  doneTo: ReadonlySet<number>,
): Link[] {
  const open = [...newHashes.keys()].filter((j) => newHashes[j] !== '' && !doneTo.has(j));
  const free = grouped(open.reverse(), (j) => newHashes[j]);
  return oldHashes.flatMap((shape, i) => {
    const to = doneFrom.has(i) ? undefined : free.get(shape)?.pop();
    return to === undefined ? [] : [{ from: i, to, shareOfFrom: 1, shareOfTo: 1 }];
  });
}

/**
 * Returns a function that measures pairs of units, in tasks, and notes how many units had to be made valid.
 * @param level of both releases
 */
export function newMeasure(level: Level, before: Side, after: Side, pool: Pool, report: Report) {
  const sideOf = ({ root, release, precision }: Side): Side => ({ root, release, precision });
  const noted = [new Set<number>(), new Set<number>()] as const;
  return async (
    pairs: readonly UnitPair[],
    from: readonly Positioned[],
    to: readonly Positioned[],
  ): Promise<Shared[]> => {
    report.expect('pairs compared', pairs.length);
    const parts = tasksOf(pairs, pool).map(async (part) => {
      const result = await pool.run<typeof measureShared>(TASKS.measureShared, {
        level,
        from: sideOf(before),
        to: sideOf(after),
        pairs: part.map((pair) => [elementAt(from, pair.from).positions, elementAt(to, pair.to).positions] as const),
      });
      report.advance('pairs compared', part.length);
      return result;
    });
    const results = await Promise.all(parts);
    for (const [i, side] of [before, after].entries()) {
      const all = elementAt(noted, i);
      const had = all.size;
      for (const { invalid } of results) for (const position of elementAt(invalid, i)) all.add(position);
      if (all.size > had)
        report.note(`${levelName(level)} of ${side.release}: ${all.size} invalid units were made valid to be compared`);
    }
    return results.flatMap(({ shared }) => shared);
  };
}

/**
 * The pairs of a task: all of some old units, so that each of these is read once, and those around them seldom again.
 */
function tasksOf(pairs: readonly UnitPair[], pool: Pool): UnitPair[][] {
  const byUnit: UnitPair[][] = [];
  for (const pair of pairs) {
    const last = byUnit.at(-1);
    if (last?.[0]?.from === pair.from) last.push(pair);
    else byUnit.push([pair]);
  }
  return chunksOf(byUnit, pool).map((units) => units.flat());
}

/** Parts of a list, one for each task: as few as the pool needs, as each task reads the index of the level. */
function chunksOf<T>(list: readonly T[], pool: Pool): T[][] {
  const length = Math.max(TASK_UNITS_MIN, Math.ceil(list.length / taskCount(pool)));
  return Array.from({ length: Math.ceil(list.length / length) }, (_, i) => list.slice(i * length, (i + 1) * length));
}
