// Pages of a level: which features, which bytes have them, which headers say so. No file is read before the content is
// sent.
import { FRAME_DATA } from '../../../format/gzip.ts';
import { pagePath } from '../../../format/layout.ts';
import { PAGE_CAPS } from '../../../format/page-caps.ts';
import type { Answer } from '../../bodies/answer.ts';
import { codedAnswer, fixedHeaders } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import { Slice } from '../../bodies/slice.ts';
import { type StoredBytes, storedFile } from '../../bodies/stored-file.ts';
import { filtersOf, GID_FILTERS } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { type Listing, type ListingFilter, listingRow } from './listing.ts';
import { matchedAnd, nextUrl } from './next-link.ts';
import { PAGE_SIZE, STARTS_AT } from './page-parameters.ts';
import type { FeaturesEndpoint } from './page-paths.ts';
import { type Resolution, resolve } from './resolve.ts';

/** Answers with a page of a listing that is empty. */
export type AnswerEmpty = (listing: Listing, slice: Slice) => Answer | Promise<Answer>;

/** The row of an endpoint. @param filters,answerEmpty what capabilities bring */
export function pageRow(endpoint: FeaturesEndpoint, filters: readonly ListingFilter[], answerEmpty: AnswerEmpty): Row {
  // Filters of deeper levels are known, so that their message says what is wrong.
  const rules = queryRules(endpoint.level, endpoint.parameters, GID_FILTERS);
  return listingRow({
    endpoint,
    filters,
    headers: fixedHeaders(endpoint.mediaType),
    parse: ({ query }) => parseQuery(query, rules),
    named: (query) => STARTS_AT.of(query)?.cursor,
    respond: (listing) => answerPage(listing, answerEmpty),
  });
}

/** The answer with a page. Reading its body throws OriginError if stored bytes do not match the index. */
function answerPage(listing: Listing, answerEmpty: AnswerEmpty): Answer | Promise<Answer> {
  const { endpoint, query, sets, level, source, representation, fixed } = listing;
  const { format, path } = endpoint;
  const selection = { filters: filtersOf(query), sets, start: STARTS_AT.of(query), size: PAGE_SIZE.of(query) };
  const resolution = resolve(level.index, format, selection, source.geometry);
  const { positions, first, count } = resolution;
  const slice = new Slice([source], FRAME_DATA[format], format, positions.slice(first, count));
  const member = storedPage(listing, resolution) ?? slice;
  const next = nextUrl(listing, positions, first + count);
  if (positions.count === 0) return answerEmpty(listing, slice);
  return codedAnswer(fixed, representation, member, slice, path, matchedAnd(positions, next));
}

/** The stored page with exactly these features, if there is one. */
function storedPage({ endpoint, level }: Listing, { listing, first, page }: Resolution): StoredBytes | undefined {
  if (page === undefined) return undefined;
  const { index } = level;
  const { format } = endpoint;
  const path = pagePath(index.level, format, index.listingKey(listing), first / PAGE_CAPS[format][index.level]);
  return storedFile(`${level.folder}/${path}`, page.bytes, index.pageDigest(format, page.number));
}
