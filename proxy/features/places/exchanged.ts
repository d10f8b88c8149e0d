// Numbers that were exchanged: latitude first is the most frequent mistake. Where nothing is at a point, a link leads
// to what is there.
import { isDecimal } from '../../../format/grid.ts';
import { positionsOfEach } from '../../../format/positions.ts';
import { withLoaded } from '../../data/loads.ts';
import { filtersOf, type Given, type Query } from '../../query/parameter.ts';
import type { Listing } from '../pages/listing.ts';
import { matching } from '../pages/resolve.ts';
import { type Degrees, pointOf, unitsAt } from './level-places.ts';
import { CONTAINS } from './place-parameters.ts';

/** The point whose latitude comes first, if it is one. */
export function exchanged({ longitude, latitude }: Degrees): Degrees | undefined {
  return isDecimal(longitude, 90) ? { longitude: latitude, latitude: longitude } : undefined;
}

/** The query with the numbers of its point exchanged. */
export function withExchanged({ given }: Query, { latitude, longitude }: Degrees): Query {
  const exchange = (one: Given): Given =>
    one.parameter?.root === CONTAINS ? { ...one, text: `${latitude},${longitude}` } : one;
  return { given: given.map(exchange) };
}

/**
 * The query of an empty listing with the numbers of its point exchanged, if features are there. Beside a box or a
 * neighbour nobody knows which of them is wrong.
 */
export function withOtherPoint({ level, query, sets, loads }: Listing): Query[] | Promise<Query[]> {
  const point = CONTAINS.of(query);
  const other = point && exchanged(point);
  if (point === undefined || other === undefined || sets.length > 1) return [];
  return withLoaded(unitsAt(level, pointOf(level, other), loads), (units) =>
    matching(level.index, filtersOf(query), [positionsOfEach(units)]).count > 0 ? [withExchanged(query, point)] : [],
  );
}
