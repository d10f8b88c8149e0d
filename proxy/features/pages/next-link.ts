// The link of a page to the next one.
import type { Positions } from '../../../format/positions.ts';
import type { HeaderList } from '../../bodies/answer.ts';
import { MATCHED } from '../../bodies/headers.ts';
import { urlOf } from '../../query/parse.ts';
import type { Listing } from './listing.ts';

/** The URL of the features from a rank on; undefined if there are none. */
export function nextUrl({ endpoint, query, level, representation }: Listing, positions: Positions, rank: number) {
  if (rank >= positions.count) return undefined;
  return urlOf(representation.base + endpoint.path, query, level.cursors.write(positions.at(rank)));
}

/** The headers with the number of features and the link to the next ones. */
export function matchedAnd({ count }: Pick<Positions, 'count'>, next: string | undefined): HeaderList {
  if (next === undefined) return [MATCHED, String(count)];
  return [MATCHED, String(count), 'Link', `<${next}>; rel="next"`];
}
