// The assembly: every path of the API with what answers it, from the capabilities in features/, which the core does not
// know. It alone imports them, and gives listings the filters that some of them bring.
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { type Answer, type Representation, tagOf } from '../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, fixedHeaders, MATCHED } from '../bodies/headers.ts';
import type { Row, Rows, Sources } from '../bodies/row.ts';
import { together, withLoaded } from '../data/loads.ts';
import type { ApiPath, PathDescription } from '../query/describe.ts';
import type { Parameter } from '../query/parameter.ts';
import { parseQuery, queryRules, urlOf } from '../query/parse.ts';
import { answerChanges, CHANGES_ENDPOINT, CHANGES_FILES_ROW } from './changes/changes.ts';
import { CHANGES_DESCRIPTION, CHANGES_FILE_DESCRIPTION } from './changes/description.ts';
import { type FindSuccessors, newSuccessors, successorLinks, withCapitals } from './changes/successors.ts';
import { childrenRow } from './children/children.ts';
import { CHILDREN_DESCRIPTION } from './children/description.ts';
import { CELLS_PATH } from './downloads/cells.ts';
import { downloadDescription } from './downloads/description.ts';
import { downloadEndpoints } from './downloads/download-paths.ts';
import { answerDownload } from './downloads/downloads.ts';
import { PARQUET_PATH } from './downloads/parquet.ts';
import { savedRow } from './downloads/saved.ts';
import { NAMES_DESCRIPTION } from './files/description.ts';
import { answerFile, FILE_ENDPOINTS } from './files/files.ts';
import { everyBox } from './items/every-box.ts';
import { ITEM_ENDPOINTS, ITEMS_ENDPOINTS, OGC_PATH } from './items/item-paths.ts';
import { itemRow, itemsRow } from './items/items.ts';
import { Languages } from './names/languages.ts';
import { TABLE_PATH } from './neighbours/table.ts';
import { TOUCHES_FILTER } from './neighbours/touches.ts';
import { ITEM_DESCRIPTION, ITEMS_DESCRIPTION, OGC_DESCRIPTIONS } from './ogc/description.ts';
import { answerDocument } from './ogc/documents.ts';
import { pageDescription } from './pages/description.ts';
import type { ListingFilter } from './pages/listing.ts';
import { pageEndpoints } from './pages/page-paths.ts';
import { type AnswerEmpty, pageRow } from './pages/pages.ts';
import { atRow } from './places/at.ts';
import { AT_DESCRIPTION } from './places/description.ts';
import { withOtherPoint } from './places/exchanged.ts';
import { BOX_FILTER, POINT_FILTER } from './places/filters.ts';
import { SEARCH_DESCRIPTION } from './search/description.ts';
import { searchRow } from './search/search.ts';
import { SERVICE_DESCRIPTION } from './service/description.ts';
import { answerService, SERVICE_ENDPOINT } from './service/service.ts';
import { ARCHIVE_PATH } from './tiles/archive.ts';
import { TILE_DESCRIPTION, TILE_JSON_DESCRIPTION } from './tiles/description.ts';
import { TILE_ENDPOINTS, TILE_JSON_ENDPOINTS } from './tiles/tile-paths.ts';
import { answerTileJson, tileRow } from './tiles/tiles.ts';

/** What features of a level may be filtered by, besides GIDs. */
const FILTERS: readonly ListingFilter[] = [BOX_FILTER, POINT_FILTER, TOUCHES_FILTER];
/** And items, as the standard has them. */
const ITEMS_FILTERS: readonly ListingFilter[] = [everyBox(BOX_FILTER), TOUCHES_FILTER];
const FILTER_PARAMETERS = FILTERS.map(({ parameter }) => parameter);

/** The endpoints that return pages. */
export const PAGE_ENDPOINTS = pageEndpoints(FILTER_PARAMETERS);
/** The endpoints that return whole listings. */
export const DOWNLOAD_ENDPOINTS = downloadEndpoints(FILTER_PARAMETERS);

/** A path that is answered from the current release, whatever its parameters say. */
function releaseRow<
  Endpoint extends { path: string; mediaType: string; parameters?: readonly Parameter<unknown>[]; allowed?: string },
>(
  endpoint: Endpoint,
  respond: (endpoint: Endpoint, fixed: FixedHeaders, representation: Representation, sources: Sources) => Answer,
  plus: ' ' | '+' = ' ',
): Row {
  const headers = fixedHeaders(endpoint.mediaType);
  const known = queryRules(0, endpoint.parameters ?? []);
  const rules = { ...known, allowed: endpoint.allowed ?? known.allowed, plus };
  return {
    path: endpoint.path,
    answer(sources, request, { base, coding }) {
      parseQuery(request.query, rules);
      const representation = { release: sources.releases.requireCurrent(), base, coding, isPinned: false };
      return respond(endpoint, headers[sources.audience], representation, sources);
    },
  };
}

/**
 * Answers with an empty page, and with links to where it leads: to the units that took the place of one that is gone,
 * or to the same request without a usual mistake. The response cache does not keep it: there may be other successors
 * without a new release.
 */
function newAnswerEmpty(successors: FindSuccessors): AnswerEmpty {
  return (listing, slice) => {
    const { endpoint, fixed, representation } = listing;
    // This first: it can fail at once, and then nothing else has begun.
    const elsewhere = withOtherPoint(listing);
    return withLoaded(together(successorLinks(successors, listing), elsewhere), ([links, other]) => {
      const url = representation.base + endpoint.path;
      const alternates = [...withCapitals(listing), ...other].map(
        (query) => `<${urlOf(url, query, undefined)}>; rel="alternate"`,
      );
      const text = [...links, ...alternates].join(', ');
      const [tag, more] = text === '' ? [slice.tag, []] : [`${slice.tag}-${tagOf(text)}`, ['Link', text]];
      const member = { bytes: slice.bytes, tag, read: slice.read.bind(slice) };
      const answer = codedAnswer(fixed, representation, member, slice, endpoint.path, [MATCHED, '0', ...more]);
      return { ...answer, representation: undefined };
    });
  };
}

/** The paths of a service, in the order of the documentation. What is new in the interface is a line here. */
export function apiPaths(): readonly ApiPath[] {
  const successors = newSuccessors();
  const answerEmpty = newAnswerEmpty(successors);
  const languages = new Languages();
  const path = (description: PathDescription, ...rows: readonly Row[]): ApiPath => ({ description, rows });
  const ofLevels = <Endpoint>(
    description: PathDescription,
    endpoints: readonly Endpoint[],
    rowOf: (endpoint: Endpoint) => Row,
  ): ApiPath => ({ description, rows: endpoints.map(rowOf) });
  return [
    path(SERVICE_DESCRIPTION, releaseRow(SERVICE_ENDPOINT, answerService)),
    ...FORMATS.map((format) => {
      const endpoints = PAGE_ENDPOINTS.filter((endpoint) => endpoint.format === format);
      return ofLevels(pageDescription(format, deepest(endpoints).parameters), endpoints, (endpoint) =>
        pageRow(endpoint, FILTERS, answerEmpty),
      );
    }),
    path(AT_DESCRIPTION, atRow(languages)),
    path(SEARCH_DESCRIPTION, searchRow(languages)),
    path(CHILDREN_DESCRIPTION, childrenRow(languages, successors)),
    ...FORMATS.map((format) => {
      const endpoints = DOWNLOAD_ENDPOINTS.filter((endpoint) => endpoint.format === format);
      return ofLevels(downloadDescription(format, deepest(endpoints).parameters), endpoints, (endpoint) =>
        savedRow(endpoint, FILTERS, answerDownload),
      );
    }),
    CELLS_PATH,
    TABLE_PATH,
    PARQUET_PATH,
    ARCHIVE_PATH,
    ofLevels(TILE_JSON_DESCRIPTION, TILE_JSON_ENDPOINTS, (endpoint) => releaseRow(endpoint, answerTileJson)),
    ofLevels(TILE_DESCRIPTION, TILE_ENDPOINTS, tileRow),
    ofLevels(NAMES_DESCRIPTION, FILE_ENDPOINTS, (endpoint) => releaseRow(endpoint, answerFile)),
    path(CHANGES_DESCRIPTION, releaseRow(CHANGES_ENDPOINT, answerChanges)),
    path(CHANGES_FILE_DESCRIPTION, CHANGES_FILES_ROW),
    ...OGC_DESCRIPTIONS.map(({ endpoints, description }) =>
      ofLevels(description, endpoints, (endpoint) => releaseRow(endpoint, answerDocument, '+')),
    ),
    ofLevels(ITEMS_DESCRIPTION, ITEMS_ENDPOINTS, (endpoint) => itemsRow(endpoint, ITEMS_FILTERS)),
    ofLevels(ITEM_DESCRIPTION, ITEM_ENDPOINTS, itemRow),
  ];
}

/** That of the deepest level, which has the parameters of all. */
function deepest<Endpoint>(endpoints: readonly Endpoint[]): Endpoint {
  return elementAt(endpoints, endpoints.length - 1);
}

/** The rows of a service. */
export function apiRows(): Rows {
  const paths = apiPaths();
  const rows = paths.flatMap((path) => path.rows);
  const byPath = new Map(rows.map((row) => [row.path, row]));
  // Those whose paths go on in the request, as documents have them: with a place, a fid, a pair of releases.
  const longer = paths.flatMap(({ description, rows }) => (/\{(?!level\})/.test(description.path) ? rows : []));
  return {
    of: (path) => byPath.get(path) ?? longer.find((row) => path.startsWith(row.path)),
    all: rows,
    rule: ruleOf(paths),
  };
}

/** The paths in a message: of OGC API - Features, which has links to its others, the first. */
function ruleOf(paths: readonly ApiPath[]): string {
  const known = paths.map(({ description }) => description.path).filter((path) => !path.startsWith(`${OGC_PATH}/`));
  return `${known.join(', ')}; {level} is one of ${LEVELS.map(levelName).join(' ')}`;
}
