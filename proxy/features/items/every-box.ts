// Units without geometry: a box of items brings them, too (OGC 17-069r4, requirement 23 C), one of other listings does
// not.
import { i32At } from '../../../format/element-at.ts';
import { type Positions, positionsOf } from '../../../format/positions.ts';
import type { Part } from '../../data/loaded-release.ts';
import { together } from '../../data/loads.ts';
import type { ListingFilter } from '../pages/listing.ts';

/** First position and rank of a run of positions. */
const RUN_BYTES = 8;

/** The features of a level that have no geometry. */
class WithoutGeometry {
  readonly positions: Positions;

  /** @param boxes the array `box` of the level, which has their south above their north */
  constructor(boxes: Int32Array) {
    const ranges: number[] = [];
    for (let position = 0; 4 * position < boxes.length; position++)
      if (i32At(boxes, 4 * position + 1) > i32At(boxes, 4 * position + 3)) ranges.push(position, position + 1);
    this.positions = positionsOf(ranges);
  }

  get bytes(): number {
    return RUN_BYTES * this.positions.runs;
  }
}

const WITHOUT_GEOMETRY: Part<WithoutGeometry> = {
  name: 'units without geometry',
  type: WithoutGeometry,
  load: async ({ index }) => new WithoutGeometry(index.arrays.box),
};

/** A filter by place that units without geometry meet, too, whatever the place is. */
export function everyBox({ parameter, positions }: ListingFilter): ListingFilter {
  return {
    parameter,
    async positions(query, level, loads) {
      const [found, without] = await together(positions(query, level, loads), loads.part(level, WITHOUT_GEOMETRY));
      return union(found, without.positions);
    },
  };
}

/** The positions of two sets that have none in common. */
function union(a: Positions, b: Positions): Positions {
  if (b.count === 0) return a;
  const ranges: number[] = [];
  for (let [i, j] = [0, 0]; i < a.runs || j < b.runs; ) {
    const isFirst = j === b.runs || (i < a.runs && a.firstOf(i) < b.firstOf(j));
    if (isFirst) ranges.push(a.firstOf(i), a.endOf(i++));
    else ranges.push(b.firstOf(j), b.endOf(j++));
  }
  return positionsOf(ranges);
}
