// Counts the units of a level whose polygons are not valid as they are published, in a child process beside those that
// write its files: nothing waits for the answer but the description of the level.
import { elementAt } from '../../format/element-at.ts';
import { UnitPolygons } from '../read/unit-polygons.ts';
import { LevelStore } from '../store/level-store.ts';
import { isCollapsed } from '../store/store-index.ts';

/** Which units of a level to ask about: the positions `first` up to but not including `end`. Plain data. */
export interface ValidityTask {
  /** Path of the level's store. */
  store: string;
  first: number;
  end: number;
}

/** What was found. */
export interface Validity {
  /** Units that are not valid. */
  invalid: number;
  /** Those among them that have an area: the others are found as such. */
  listed: number;
  /** The one of these that was read first: its position, and the offset of its text. */
  example: { position: number; offset: number } | undefined;
}

/** Asks about some units of a level. */
export function checkValidity({ first, end, ...task }: ValidityTask): Validity {
  const store = new LevelStore(task.store);
  const { shapes, offsets } = store.readIndex();
  const polygons = new UnitPolygons();
  let found = NO_INVALID;
  let position = first;
  const unit = (): void => {
    if (!polygons.areValid()) {
      const isListed = !isCollapsed(elementAt(shapes, position));
      const example = { position, offset: elementAt(offsets, position) };
      found = joinValidity(found, { invalid: 1, listed: isListed ? 1 : 0, example: isListed ? example : undefined });
    }
    position++;
  };
  store.readRings(polygons, unit, first, end);
  return found;
}

export const NO_INVALID: Validity = { invalid: 0, listed: 0, example: undefined };

/** What was found of two parts of a level. */
export function joinValidity(one: Validity, other: Validity): Validity {
  const [a, b] = [one.example, other.example];
  return {
    invalid: one.invalid + other.invalid,
    listed: one.listed + other.listed,
    example: a === undefined || (b !== undefined && b.offset < a.offset) ? b : a,
  };
}
