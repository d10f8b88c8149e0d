// Whole listings as one gzip file. Used by rows.ts.
import { LRUCache } from 'lru-cache';
import { FRAME_DATA } from '../../../format/gzip.ts';
import type { Answer } from '../../bodies/answer.ts';
import type { Row } from '../../bodies/row.ts';
import { Slice } from '../../bodies/slice.ts';
import type { Part } from '../../data/release.ts';
import { filtersOf, GEOMETRY } from '../../query/parameter.ts';
import type { Listing, ListingFilter } from '../pages/listing.ts';
import { resolve } from '../pages/resolve.ts';
import { type DownloadEndpoint, RELEASE } from './endpoints.ts';
import { answerSaved, savedRow } from './saved.ts';

/** Size of the listings that are kept for each level. */
const LISTINGS_MAX_BYTES = 4 * 1024 * 1024;
/** Upper estimate of the size of a listing that is kept, and of each of its runs: three numbers in arrays that grew. */
const ENTRY_BYTES = 1024;
const RUN_BYTES = 36;

/**
 * Listings of a level that were downloaded, with length, tag and CRC, by what was asked for: a client that reads one in
 * ranges asks again and again.
 */
class Listings {
  readonly #slices = new LRUCache<string, Slice>({ maxSize: LISTINGS_MAX_BYTES });

  get bytes(): number {
    return this.#slices.calculatedSize;
  }

  get(key: string): Slice | undefined {
    return this.#slices.get(key);
  }

  set(key: string, slice: Slice, runs: number): void {
    this.#slices.set(key, slice, { size: ENTRY_BYTES + 2 * key.length + RUN_BYTES * runs });
  }
}

const LISTINGS: Part<Listings> = { name: 'listings', type: Listings, load: async () => new Listings() };

/** The row of an endpoint. @param filters those that capabilities bring */
export function downloadRow(endpoint: DownloadEndpoint, filters: readonly ListingFilter[]): Row {
  return savedRow(endpoint, filters, answerDownload);
}

/**
 * The answer with a listing as a file, whole or a range: 206. Reading its body throws OriginError if stored bytes do
 * not match the index.
 * @throws Problem range-not-satisfiable
 */
function answerDownload(listing: Listing<DownloadEndpoint>): Answer | undefined {
  const { endpoint, query, sets, level, source, needs } = listing;
  const { format } = endpoint;
  const listings = needs.part(level, LISTINGS);
  if (listings === undefined) return undefined;
  const selecting = query.given.filter(({ parameter }) => parameter !== RELEASE && parameter !== GEOMETRY);
  const key = JSON.stringify([format, source.geometry, ...selecting.map(({ name, text }) => [name, text])]);
  const known = listings.get(key);
  if (known !== undefined) return answerSaved(listing, known, known.features);
  const selection = { filters: filtersOf(query), sets, start: undefined, size: undefined };
  const { positions } = resolve(level.index, format, selection, source.geometry);
  const slice = new Slice([source], FRAME_DATA[format], format, positions.slice(0, positions.count));
  listings.set(key, slice, positions.runs);
  return answerSaved(listing, slice, positions.count);
}
