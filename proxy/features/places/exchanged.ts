// Numbers that were exchanged: latitude first is the most frequent mistake. Where nothing is at a point, a link leads
// to what is there.
import { isDecimal } from '../../../format/grid.ts';
import type { Given, Query } from '../../query/parameter.ts';
import type { Degrees } from './level-places.ts';
import { CONTAINS } from './parameters.ts';

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
