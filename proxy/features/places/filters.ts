// The filters by place that listings have: features in a box, and those that contain a point. Used by rows.ts.
import { positionsOf } from '../../../format/positions.ts';
import type { ListingFilter } from '../pages/listing.ts';
import { BOXES, pointOf, unitsAt } from './level-places.ts';
import { BBOX, CONTAINS } from './parameters.ts';

export const BOX_FILTER: ListingFilter = {
  parameter: BBOX,
  positions(query, level, needs) {
    const box = BBOX.of(query);
    return box && needs.part(level, BOXES)?.touching(box);
  },
};

export const POINT_FILTER: ListingFilter = {
  parameter: CONTAINS,
  positions(query, level, needs) {
    const contains = CONTAINS.of(query);
    const units = contains && unitsAt(level, pointOf(level, contains), needs);
    return units && positionsOf(units.flatMap((unit) => [unit, unit + 1]));
  },
};
