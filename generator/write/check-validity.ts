// Counts the units of a level whose polygons are not valid as they are published, in a child process beside those that
// write its files: nothing waits for the answer but the description of the level.
import { elementAt } from '../../format/element-at.ts';
import { isValid } from '../gdal/valid-polygons.ts';
import { joinValidity, NO_INVALID, type Validity } from '../quality/validity-counts.ts';
import { OpenPolygons } from '../rings/open-rings.ts';
import { LevelStore } from '../store/level-store.ts';
import { isCollapsed } from '../store/store-index.ts';

/** Which units of a level to ask about: the positions `first` up to but not including `end`. Plain data. */
export interface ValidityTask {
  /** Path of the level's store. */
  store: string;
  first: number;
  end: number;
}

/** Asks about some units of a level. */
export function checkValidity({ first, end, ...task }: ValidityTask): Validity {
  const store = new LevelStore(task.store);
  const { kinds, offsets } = store.readIndex();
  const polygons = new OpenPolygons();
  let found = NO_INVALID;
  let position = first;
  const unit = (): void => {
    if (!isValid(polygons.take())) {
      const isListed = !isCollapsed(kinds, position);
      const example = { position, offset: elementAt(offsets, position) };
      found = joinValidity(found, { invalid: 1, listed: isListed ? 1 : 0, example: isListed ? example : undefined });
    }
    position++;
  };
  store.readRings(polygons, unit, [first, end]);
  return found;
}
