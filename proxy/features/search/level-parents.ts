// Which units of the levels above the units of a level are inside: units name their parents by GIDs, which are looked
// up among those of the levels above once.
import { elementAt } from '../../../format/element-at.ts';
import type { GidColumn } from '../../../format/gid-column.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { Steps } from '../../../format/steps.ts';
import type { Part } from '../../data/loaded-release.ts';

/** GIDs that are compared in a step: some 100 microseconds. */
const STEP_GIDS = 2048;

/** What is looked at of a level's index. */
export type LevelColumns = Pick<LevelIndex, 'level' | 'columns' | 'features'>;

/** The parents of a level's units. */
export class LevelParents {
  readonly #index: LevelColumns;
  /** By level, those that were asked for. */
  readonly #levels: (ParentNumbers | undefined)[] = [];

  constructor(index: LevelColumns) {
    this.#index = index;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#levels.reduce((sum, own) => sum + (own?.numbers.byteLength ?? 0), 0);
  }

  /**
   * Of each unit the number that the GID of its parent has in the column of a level above, in steps; the number of GIDs
   * there if it has no parent there.
   */
  *numbersOf({ level, columns }: LevelColumns): Steps<Uint32Array> {
    const [column, above] = [elementAt(this.#index.columns, level), elementAt(columns, level)];
    const known = this.#levels[level] ?? new ParentNumbers(column, above, this.#index.features);
    this.#levels[level] = known;
    // Whoever asks meanwhile goes on with the same.
    while (known.goOn()) yield;
    return known.numbers;
  }
}

/** Two columns of GIDs that are gone through side by side: both ascend. */
class ParentNumbers {
  readonly numbers: Uint32Array;
  readonly #column: GidColumn;
  readonly #above: GidColumn;
  #number = 0;
  #numberAbove = 0;

  constructor(column: GidColumn, above: GidColumn, features: number) {
    this.numbers = new Uint32Array(features).fill(above.size);
    this.#column = column;
    this.#above = above;
  }

  /** Takes a step. @returns false if there is none left */
  goOn(): boolean {
    const [column, above] = [this.#column, this.#above];
    for (let i = 0; i < STEP_GIDS; i++) {
      if (this.#number === column.size || this.#numberAbove === above.size) return false;
      const order = column.compare(this.#number, above, this.#numberAbove);
      if (order === 0) {
        const positions = column.positionsAt(this.#number);
        for (let run = 0; run < positions.runs; run++)
          this.numbers.fill(this.#numberAbove, positions.firstOf(run), positions.endOf(run));
      }
      if (order <= 0) this.#number++;
      if (order >= 0) this.#numberAbove++;
    }
    return true;
  }
}

/** They are looked up when a search asks for words of parents. */
export const PARENTS: Part<LevelParents> = {
  name: 'parents',
  type: LevelParents,
  load: async ({ index }) => new LevelParents(index),
};
