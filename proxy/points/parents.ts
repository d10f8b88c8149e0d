// Where levels contradict each other: a point is in a unit whose parent is not at the point, as levels of several
// sources are drawn apart.
import { elementAt } from '../../format/element-at.ts';
import { levelName } from '../../format/levels.ts';
import { StartError } from '../config/start-error.ts';
import type { LevelUnits } from './level-units.ts';
import { NOWHERE } from './look-up.ts';

/** Contradictions that are told in words. */
const TOLD_MAX = 3;

/** The rows whose levels contradict each other. */
export interface Contradictions {
  count: number;
  /** The first of them, for people. */
  examples: readonly string[];
}

/** Follows the parents of the deepest unit at each point, by the names of the levels that are looked up. */
export class ParentChains {
  count = 0;
  readonly examples: string[] = [];
  readonly #levels: readonly LevelUnits[];
  /** For each level, by position, the position of the parent in the level before; `NOWHERE` if it is not there. */
  readonly #parents: readonly Int32Array[];

  /** @param levels ascending */
  constructor(levels: readonly LevelUnits[]) {
    this.#levels = levels;
    this.#parents = levels.map(({ parents }, n) => {
      const above = levels[n - 1];
      const positions = new Map(above?.gids.map((gid, position) => [gid, position]));
      return Int32Array.from(parents, (gid) => (gid === null ? NOWHERE : (positions.get(gid) ?? NOWHERE)));
    });
  }

  /** @throws StartError if units have parents that are in no level that is looked up, so that chains would end there */
  requireParents(): void {
    for (const [n, { level, parents, gids }] of this.#levels.entries()) {
      const known = elementAt(this.#parents, n);
      if (gids.length === 0 || parents.every((gid) => gid === null) || known.some((at) => at !== NOWHERE)) continue;
      throw new StartError(
        `the parents of ${levelName(level)} are not among the levels`,
        '--parents',
        'name the levels above it with --levels, or omit --levels',
      );
    }
  }

  /**
   * Compares a row's units with the parents of its deepest one.
   * @param found for each level the positions of the units of all rows
   * @param takes whether the parents take the place of what was found
   */
  follow(found: readonly Int32Array[], row: number, line: number, takes: boolean): void {
    let n = found.findLastIndex((first) => first[row] !== NOWHERE);
    let isCounted = false;
    for (let at = found[n]?.[row] ?? NOWHERE; n > 0; n--) {
      const child = at;
      at = elementAt(this.#parents, n)[at] ?? NOWHERE;
      if (at === NOWHERE) return;
      const first = elementAt(found, n - 1);
      const other = first[row] ?? NOWHERE;
      const { gids } = elementAt(this.#levels, n - 1);
      if (other !== NOWHERE && gids[other] === gids[at]) continue;
      if (!isCounted && this.count++ < TOLD_MAX) {
        const own = `${levelName(elementAt(this.#levels, n).level)} ${elementAt(this.#levels, n).gids[child]}`;
        const there = other === NOWHERE ? 'no unit' : gids[other];
        this.examples.push(`line ${line} (${own} belongs to ${gids[at]}, the point is in ${there})`);
      }
      isCounted = true;
      if (takes) first[row] = at;
    }
  }
}
