// The filters by place that listings have: features in a box, and those that contain a point.
import { NO_POSITIONS, positionsOfEach } from '../../../format/positions.ts';
import type { ListingFilter } from '../pages/listing.ts';
import { findingInBox } from './find-in-box.ts';
import { BOXES, CELLS, hasExactBoxes, pointOf, unitsAt } from './level-places.ts';
import { BBOX, CONTAINS } from './parameters.ts';

export const BOX_FILTER: ListingFilter = {
  parameter: BBOX,
  async positions(query, level, loads) {
    const box = BBOX.of(query);
    const boxes = await loads.part(level, BOXES);
    if (box === undefined) return NO_POSITIONS;
    if (!hasExactBoxes(level.summary, level.quality)) return boxes.touching(box.rounded);
    const cells = await loads.part(level, CELLS);
    const key = box.decimals.join();
    return boxes.found.find(key, loads, (reads, client) => findingInBox(box, boxes, cells, reads, client));
  },
};

export const POINT_FILTER: ListingFilter = {
  parameter: CONTAINS,
  async positions(query, level, loads) {
    const contains = CONTAINS.of(query);
    return contains === undefined
      ? NO_POSITIONS
      : positionsOfEach(await unitsAt(level, pointOf(level, contains), loads));
  },
};
