// Listings: the features of a level that a request selects. One way for pages, downloads and the items of OGC API -
// Features: which release and level, which filters, which table, before the capability makes the answer.
import type { Positions } from '../../../format/positions.ts';
import type { Answer, Representation } from '../../bodies/answer.ts';
import type { AudienceHeaders, FixedHeaders } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import type { NamedRelease, Releases } from '../../data/hosted-releases.ts';
import type { LoadedLevel, LoadedTable } from '../../data/loaded-release.ts';
import { Loads, loadEach, together, withLoaded } from '../../data/loads.ts';
import type { HttpRequest } from '../../http/request.ts';
import { geometryOf, type Parameter, type Query } from '../../query/parameter.ts';
import type { FeaturesEndpoint, LevelEndpoint } from './page-paths.ts';

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
