// Where an empty page leads: to the units that took the place of one that is gone, or to the same request without a
// usual mistake.
import { positionsOfEach } from '../../../format/positions.ts';
import { type Answer, tagOf } from '../../bodies/answer.ts';
import { codedAnswer, MATCHED } from '../../bodies/headers.ts';
import type { Slice } from '../../bodies/slice.ts';
import { Filter, filtersOf, type Given, type Query } from '../../query/parameter.ts';
import { urlOf } from '../../query/parse.ts';
import { newSuccessorLinks } from '../changes/successors.ts';
import type { Listing } from '../pages/listing.ts';
import type { AnswerEmpty } from '../pages/pages.ts';
import { matching } from '../pages/resolve.ts';
import { exchanged, withExchanged } from '../places/exchanged.ts';
import { pointOf, unitsAt } from '../places/level-places.ts';
import { CONTAINS } from '../places/parameters.ts';

/** Answers with the empty page, and with links to where it leads. */
export function newAnswerEmpty(): AnswerEmpty {
  const successors = newSuccessorLinks();
  return (listing, slice) => {
    const links = successors(listing);
    const other = withOtherPoint(listing);
    if (links === undefined || other === undefined) return undefined;
    const url = listing.representation.base + listing.endpoint.path;
    const alternates = [...withCapitals(listing), ...other].map(
      (query) => `<${urlOf(url, query, undefined)}>; rel="alternate"`,
    );
    return answerWithLinks(listing, slice, [...links, ...alternates].join(', '));
  };
}

/** The query with GIDs in capital letters, if there are such, and features that match. */
function withCapitals({ level: { index }, query, sets }: Listing): Query[] {
  const capitals = (one: Given): Given => {
    if (!(one.value instanceof Filter)) return one;
    const { column, gid } = one.value;
    if (index.columns[column]?.find(gid) !== -1) return one;
    const text = gid.toUpperCase();
    return { ...one, text, value: new Filter(column, text) };
  };
  const given = query.given.map(capitals);
  const filters = filtersOf({ given });
  return filters.length > 0 && matching(index, filters, sets).count > 0 ? [{ given }] : [];
}

/**
 * The query with the numbers of its point exchanged, if features are there; undefined if something is not in memory.
 * Beside a box or a neighbour nobody knows which of them is wrong.
 */
function withOtherPoint({ level, query, sets, needs }: Listing): Query[] | undefined {
  const point = CONTAINS.of(query);
  const other = point && exchanged(point);
  if (point === undefined || other === undefined || sets.length > 1) return [];
  const units = unitsAt(level, pointOf(level, other), needs);
  if (units === undefined) return undefined;
  return matching(level.index, filtersOf(query), [positionsOfEach(units)]).count > 0
    ? [withExchanged(query, point)]
    : [];
}

/** The response cache does not keep it: there may be other successors without a new release. */
function answerWithLinks({ endpoint, fixed, representation }: Listing, slice: Slice, links: string): Answer {
  const [tag, more] = links === '' ? [slice.tag, []] : [`${slice.tag}-${tagOf(links)}`, ['Link', links]];
  const member = { bytes: slice.bytes, tag, read: slice.read.bind(slice) };
  const answer = codedAnswer(fixed, representation, member, slice, endpoint.path, [MATCHED, '0', ...more]);
  return { ...answer, representation: undefined };
}
