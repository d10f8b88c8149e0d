// Whole listings as one gzip file.
import { FRAME_DATA } from '../../../format/gzip.ts';
import type { Steps } from '../../../format/steps.ts';
import type { Answer } from '../../bodies/answer.ts';
import { Slice } from '../../bodies/slice.ts';
import { Known } from '../../data/known.ts';
import type { Part } from '../../data/loaded-release.ts';
import { withLoaded } from '../../data/loads.ts';
import { filtersOf, GEOMETRY } from '../../query/parameter.ts';
import type { Listing } from '../pages/listing.ts';
import { resolve } from '../pages/resolve.ts';
import { type DownloadEndpoint, RELEASE } from './download-paths.ts';
import { answerSaved } from './saved.ts';

/** Size of the listings that are kept for each level. */
const LISTINGS_MAX_BYTES = 4 * 1024 * 1024;
/** Upper estimate of the size of a listing that is kept, and of each of its runs: three numbers in arrays that grew. */
const LISTING_BYTES = 1024;
const RUN_BYTES = 36;

/**
 * Listings of a level that were downloaded, with length, tag and CRC, by what was asked for: a client that reads one in
 * ranges asks again and again.
 */
class Listings extends Known<Slice> {
  constructor() {
    super(LISTINGS_MAX_BYTES, ({ runs }) => LISTING_BYTES + RUN_BYTES * runs.count);
  }
}

const LISTINGS: Part<Listings> = { name: 'listings', type: Listings, load: async () => new Listings() };

/**
 * The answer with a listing as a file, whole or a range: 206. Reading its body throws OriginError if stored bytes do
 * not match the index.
 * @throws Problem range-not-satisfiable
 */
export function answerDownload(listing: Listing<DownloadEndpoint>): Answer | Promise<Answer> {
  const { endpoint, query, level, source, loads } = listing;
  const { format } = endpoint;
  const selecting = query.given.filter(({ parameter }) => parameter !== RELEASE && parameter !== GEOMETRY);
  const key = JSON.stringify([format, source.geometry, ...selecting.map(({ name, text }) => [name, text])]);
  const slice = withLoaded(loads.part(level, LISTINGS), (listings) =>
    listings.find(key, loads, () => slicing(listing)),
  );
  return withLoaded(slice, (found) => answerSaved(listing, found, found.runs.features));
}

/** Finds what is asked for, and what it adds up to. */
function* slicing({ endpoint, query, sets, level, source }: Listing<DownloadEndpoint>): Steps<Slice> {
  const { format } = endpoint;
  const selection = { filters: filtersOf(query), sets, start: undefined, size: undefined };
  const { positions } = resolve(level.index, format, selection, source.geometry);
  const slice = new Slice([source], FRAME_DATA[format], format, []);
  yield* slice.runs.adding(positions);
  return slice;
}
