// The filters by place that listings have: features in a box, and those that contain a point. Used by rows.ts.
import { type Positions, positionsOfEach } from '../../../format/positions.ts';
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
    const remembered = (found: Positions | undefined) => found && boxes.remember(key, found);
    return needs.found({
      key: `${level.index.level} ${key}`,
      known: (reads) => boxes.known(key) ?? remembered(findInBoxNow(box, boxes, cells, reads)),
      async find(reads, principal) {
        // Whether or not the request that asks first stays: it is remembered.
        const client = { principal, isClosed: false, exchange: undefined };
        const task = () => findInBox(box, boxes, cells, reads.withoutQueue, client);
        return boxes.known(key) ?? boxes.remember(key, await reads.later(client, task));
      },
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
