// The filters by place that listings have: features in a box, and those that contain a point.
import { NO_POSITIONS, positionsOfEach } from '../../../format/positions.ts';
import { withLoaded } from '../../data/loads.ts';
import type { ListingFilter } from '../pages/listing.ts';
import { findingInBox } from './find-in-box.ts';
import { BOXES, CELLS, hasExactBoxes, pointOf, unitsAt } from './level-places.ts';
import { BBOX, CONTAINS } from './place-parameters.ts';

export const BOX_FILTER: ListingFilter = {
  parameter: BBOX,
  positions(query, level, loads) {
    const box = BBOX.of(query);
    if (box === undefined) return NO_POSITIONS;
    return withLoaded(loads.part(level, BOXES), (boxes) => {
      if (!hasExactBoxes(level.summary, level.quality)) return boxes.touching(box.rounded);
      const key = box.decimals.join();
      return withLoaded(loads.part(level, CELLS), (cells) =>
        boxes.found.find(key, loads, (reads, client) => findingInBox(box, boxes, cells, reads, client)),
      );
    });
  },
};

export const POINT_FILTER: ListingFilter = {
  parameter: CONTAINS,
  positions(query, level, loads) {
    const contains = CONTAINS.of(query);
    if (contains === undefined) return NO_POSITIONS;
    return withLoaded(unitsAt(level, pointOf(level, contains), loads), positionsOfEach);
  },
};
