// Listings: the features of a level that a request selects. One way for pages, downloads and the items of OGC API -
// Features: which release and level, which filters, which table, before the capability makes the answer.
import type { Positions } from '../../../format/positions.ts';
import type { Answer, HeaderList, Representation } from '../../bodies/answer.ts';
import type { AudienceHeaders, FixedHeaders } from '../../bodies/headers.ts';
import { MATCHED } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import { gather, type Needs } from '../../data/needs.ts';
import type { LoadedLevel, LoadedTable } from '../../data/release.ts';
import type { NamedRelease, Releases } from '../../data/releases.ts';
import type { HttpRequest } from '../../http/request.ts';
import { geometryOf, type Parameter, type Query } from '../../query/parameter.ts';
import { urlOf } from '../../query/parse.ts';
import type { FeaturesEndpoint, LevelEndpoint } from './endpoints.ts';

/** A filter that a capability brings. */
export interface ListingFilter {
  readonly parameter: Parameter<unknown>;
  /**
   * The features of a level that meet what a query says of it; undefined if something is not in memory.
   * @throws Problem
   */
  positions(query: Query, level: LoadedLevel, needs: Needs): Positions | undefined;
}

/** A request for features, and what it is answered from. */
export interface Listing<Endpoint extends LevelEndpoint = FeaturesEndpoint> {
  endpoint: Endpoint;
  request: HttpRequest;
  query: Query;
  fixed: FixedHeaders;
  /** The features that meet each filter of `filters` that is asked for. */
  sets: readonly Positions[];
  level: LoadedLevel;
  /** The feature files with the geometry that is asked for. */
  source: LoadedTable;
  representation: Representation;
  /** Of the release and of what is in memory. */
  needs: Needs;
  releases: Releases;
}

/** A path with features of a level. */
export interface ListingPath<Endpoint extends LevelEndpoint> {
  endpoint: Endpoint;
  headers: AudienceHeaders;
  /** The filters that capabilities bring. */
  filters: readonly ListingFilter[];
  /** @throws Problem */
  parse(request: HttpRequest): Query;
  /** The release that a query names; undefined for the current one. */
  named(query: Query): NamedRelease | undefined;
  /** Makes the answer; undefined if it needs something else that is not in memory. @throws Problem */
  respond(listing: Listing<Endpoint>): Answer | undefined;
}

/** The row of a path with features: it answers from what is in memory, or after that has been brought there. */
export function listingRow<Endpoint extends LevelEndpoint>(path: ListingPath<Endpoint>): Row {
  const { endpoint, headers, filters, parse, named, respond } = path;
  return {
    path: endpoint.path,
    answer(sources, request, { base, coding }) {
      const query = parse(request);
      const fixed = headers[sources.audience];
      const pinned = named(query);
      return gather(sources, request, pinned, (needs) => {
        const { release } = needs;
        const level = needs.level(endpoint.level);
        if (level === undefined) return undefined;
        const source = needs.table(level, geometryOf(query, release.geometries));
        const sets = setsOf(filters, query, level, needs);
        if (source === undefined || sets === undefined) return undefined;
        const { releases } = sources;
        const representation = { release, base, coding, isPinned: pinned !== undefined };
        return respond({ endpoint, request, query, fixed, sets, level, source, representation, needs, releases });
      });
    },
  };
}

const NO_SETS: readonly Positions[] = [];

/** The features that meet each filter that is asked for; undefined if something is not in memory. */
function setsOf(
  filters: readonly ListingFilter[],
  query: Query,
  level: LoadedLevel,
  needs: Needs,
): readonly Positions[] | undefined {
  if (query.given.length === 0) return NO_SETS;
  let sets: readonly Positions[] | undefined = NO_SETS;
  for (const filter of filters) {
    if (filter.parameter.of(query) === undefined) continue;
    const set = filter.positions(query, level, needs);
    // All of them note what they miss, so that it is brought in side by side.
    sets = set && sets && [...sets, set];
  }
  return sets;
}

/** The URL of the features from a rank on; undefined if there are none. */
export function nextUrl({ endpoint, query, level, representation }: Listing, positions: Positions, rank: number) {
  if (rank >= positions.count) return undefined;
  return urlOf(representation.base + endpoint.path, query, level.cursors.write(positions.at(rank)));
}

/** The headers with the number of features and the link to the next ones. */
export function matchedAnd({ count }: Positions, next: string | undefined): HeaderList {
  if (next === undefined) return [MATCHED, String(count)];
  return [MATCHED, String(count), 'Link', `<${next}>; rel="next"`];
}
