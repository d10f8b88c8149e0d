// Listings: the features of a level that a request selects. One way for pages, downloads and the items of OGC API -
// Features: which release and level, which filters, which table, before the capability makes the answer.
import type { Positions } from '../../../format/positions.ts';
import type { Answer, HeaderList, Representation } from '../../bodies/answer.ts';
import type { AudienceHeaders, FixedHeaders } from '../../bodies/headers.ts';
import { MATCHED } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import { Loads, loadEach, together, withLoaded } from '../../data/loads.ts';
import type { LoadedLevel, LoadedTable } from '../../data/release.ts';
import type { NamedRelease, Releases } from '../../data/releases.ts';
import type { HttpRequest } from '../../http/request.ts';
import { geometryOf, type Parameter, type Query } from '../../query/parameter.ts';
import { urlOf } from '../../query/parse.ts';
import type { FeaturesEndpoint, LevelEndpoint } from './endpoints.ts';

/** A filter that a capability brings. */
export interface ListingFilter {
  readonly parameter: Parameter<unknown>;
  /** The features of a level that meet what a query says of it. @throws Problem, OriginError, FormatError */
  positions(query: Query, level: LoadedLevel, loads: Loads): Positions | Promise<Positions>;
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
  loads: Loads;
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
  /** @throws Problem, OriginError, FormatError */
  respond(listing: Listing<Endpoint>): Answer | Promise<Answer>;
}

/** The row of a path with features. */
export function listingRow<Endpoint extends LevelEndpoint>(path: ListingPath<Endpoint>): Row {
  const { endpoint, headers, filters, parse, named, respond } = path;
  return {
    path: endpoint.path,
    answer(sources, request, { base, coding }) {
      const query = parse(request);
      const pinned = named(query);
      const loads = new Loads(sources, request);
      const { audience, releases } = sources;
      return withLoaded(loads.release(releases, pinned), (release) =>
        withLoaded(loads.level(release, endpoint.level), (level) => {
          const asked = filters.filter(({ parameter }) => parameter.of(query) !== undefined);
          const table = loads.table(level, geometryOf(query, release.geometries));
          const found = loadEach(asked, (filter) => filter.positions(query, level, loads));
          return withLoaded(together(table, found), ([source, sets]) => {
            const fixed = headers[audience];
            const representation = { release, base, coding, isPinned: pinned !== undefined };
            return respond({ endpoint, request, query, fixed, sets, level, source, representation, loads, releases });
          });
        }),
      );
    },
  };
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
