// The filters by place that listings have: features in a box, and those that contain a point.
import { Positions, positionsOfEach } from '../../../format/positions.ts';
import type { ListingFilter } from '../pages/listing.ts';
import { findInBox, findInBoxNow } from './find-in-box.ts';
import { BOXES, CELLS, hasExactBoxes, pointOf, unitsAt } from './level-places.ts';
import { BBOX, CONTAINS } from './parameters.ts';

export const BOX_FILTER: ListingFilter = {
  parameter: BBOX,
  positions(query, level, needs) {
    const box = BBOX.of(query);
    const boxes = needs.part(level, BOXES);
    if (box === undefined || boxes === undefined) return undefined;
    if (!hasExactBoxes(level.summary, needs.release.quality)) return boxes.touching(box.rounded);
    const cells = needs.part(level, CELLS);
    if (cells === undefined) return undefined;
    const key = box.decimals.join();
    const { found } = boxes;
    const remembered = (positions: Positions | undefined) => positions && found.remember(key, positions);
    return needs.found({
      key: `${level.index.level} ${key}`,
      type: Positions,
      known: (reads) => found.get(key) ?? remembered(findInBoxNow(box, boxes, cells, reads)),
      find: (reads, principal) =>
        found.find(key, reads, principal, (client) => findInBox(box, boxes, cells, reads.withoutQueue, client)),
    });
  },
};

export const POINT_FILTER: ListingFilter = {
  parameter: CONTAINS,
  positions(query, level, needs) {
    const contains = CONTAINS.of(query);
    const units = contains && unitsAt(level, pointOf(level, contains), needs);
    return units && positionsOfEach(units);
  },
};
