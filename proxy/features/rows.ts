// The assembly: every path of the API with what answers it, from the capabilities in features/, which the core does not
// know. It alone imports them, and gives listings the filters that some of them bring.
import { LEVELS, levelName } from '../../format/levels.ts';
import { type Answer, type Representation, tagOf } from '../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, fixedHeaders, MATCHED } from '../bodies/headers.ts';
import type { Row, Rows, Sources } from '../bodies/row.ts';
import { together } from '../data/loads.ts';
import type { Parameter } from '../query/parameter.ts';
import { parseQuery, queryRules, urlOf } from '../query/parse.ts';
import { answerChanges, CHANGES_ENDPOINT, CHANGES_FILES, CHANGES_FILES_ROW } from './changes/changes.ts';
import { newSuccessorLinks, withCapitals } from './changes/successors.ts';
import { cellsRow } from './downloads/cells.ts';
import { downloadRow } from './downloads/downloads.ts';
import { CELLS_ENDPOINTS, downloadEndpoints } from './downloads/endpoints.ts';
import { answerFile, FILE_ENDPOINTS } from './files/files.ts';
import { COLLECTIONS_PATH, ITEM_ENDPOINTS, ITEMS_ENDPOINTS, OGC_PATH } from './items/endpoints.ts';
import { everyBox } from './items/every-box.ts';
import { itemRow, itemsRow } from './items/items.ts';
import { TABLE_ENDPOINTS, tableRow } from './neighbours/table.ts';
import { TOUCHES_FILTER } from './neighbours/touches.ts';
import { answerDocument } from './ogc/documents.ts';
import { DOCUMENT_ENDPOINTS } from './ogc/endpoints.ts';
import { pageEndpoints } from './pages/endpoints.ts';
import type { ListingFilter } from './pages/listing.ts';
import { type AnswerEmpty, pageRow } from './pages/pages.ts';
import { AT_ROW } from './places/at.ts';
import { withOtherPoint } from './places/exchanged.ts';
import { BOX_FILTER, POINT_FILTER } from './places/filters.ts';
import { SEARCH_ROW } from './search/search.ts';
import { answerService, SERVICE_ENDPOINT } from './service/service.ts';
import { archiveRow } from './tiles/archive.ts';
import { ARCHIVE_ENDPOINTS, TILE_ENDPOINTS, TILE_JSON_ENDPOINTS, TILES_PATH } from './tiles/endpoints.ts';
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
function newAnswerEmpty(): AnswerEmpty {
  const successors = newSuccessorLinks();
  return async (listing, slice) => {
    const { endpoint, fixed, representation } = listing;
    const [links, other] = await together(successors(listing), withOtherPoint(listing));
    const url = representation.base + endpoint.path;
    const alternates = [...withCapitals(listing), ...other].map(
      (query) => `<${urlOf(url, query, undefined)}>; rel="alternate"`,
    );
    const text = [...links, ...alternates].join(', ');
    const [tag, more] = text === '' ? [slice.tag, []] : [`${slice.tag}-${tagOf(text)}`, ['Link', text]];
    const member = { bytes: slice.bytes, tag, read: slice.read.bind(slice) };
    const answer = codedAnswer(fixed, representation, member, slice, endpoint.path, [MATCHED, '0', ...more]);
    return { ...answer, representation: undefined };
  };
}

/** The rows of a service. What is new in the interface is a row here. */
export function apiRows(): Rows {
  const answerEmpty = newAnswerEmpty();
  const rows = [
    ...PAGE_ENDPOINTS.map((endpoint) => pageRow(endpoint, FILTERS, answerEmpty)),
    ...DOWNLOAD_ENDPOINTS.map((endpoint) => downloadRow(endpoint, FILTERS)),
    ...CELLS_ENDPOINTS.map(cellsRow),
    ...TABLE_ENDPOINTS.map(tableRow),
    ...ARCHIVE_ENDPOINTS.map(archiveRow),
    ...TILE_JSON_ENDPOINTS.map((endpoint) => releaseRow(endpoint, answerTileJson)),
    ...TILE_ENDPOINTS.map(tileRow),
    releaseRow(SERVICE_ENDPOINT, answerService),
    AT_ROW,
    ...FILE_ENDPOINTS.map((endpoint) => releaseRow(endpoint, answerFile)),
    SEARCH_ROW,
    releaseRow(CHANGES_ENDPOINT, answerChanges),
    CHANGES_FILES_ROW,
    ...DOCUMENT_ENDPOINTS.map((endpoint) => releaseRow(endpoint, answerDocument, '+')),
    ...ITEMS_ENDPOINTS.map((endpoint) => itemsRow(endpoint, ITEMS_FILTERS)),
    ...ITEM_ENDPOINTS.map(itemRow),
  ];
  const byPath = new Map<string, Row>(rows.map((row) => [row.path, row]));
  return { of: (path) => rowOf(byPath, path), all: rows, rule: RULE };
}

/** How long the path of a level's tiles is up to the zoom. */
const TILE_PATH_CHARS = `${TILES_PATH}lv0/`.length;

/**
 * The row of a request path. That of one feature has paths that go on with a fid, that of tiles with their place;
 * clients also ask `{root}/`.
 */
function rowOf(byPath: ReadonlyMap<string, Row>, path: string): Row | undefined {
  if (path === `${OGC_PATH}/`) return byPath.get(OGC_PATH);
  if (path.startsWith(TILES_PATH)) return byPath.get(path.slice(0, TILE_PATH_CHARS)) ?? byPath.get(path);
  const known = byPath.get(path);
  if (known === undefined && path.startsWith(CHANGES_FILES.path)) return CHANGES_FILES_ROW;
  if (known !== undefined || !path.startsWith(COLLECTIONS_PATH)) return known;
  return byPath.get(path.slice(0, path.lastIndexOf('/') + 1));
}

/** The paths, for messages. */
const RULE = `/api/v1/, /api/v1/geojsonl/<LEVEL>, /api/v1/fc/<LEVEL>, /api/v1/at, /api/v1/search, /api/v1/download/<LEVEL>.geojsonl.gz, /api/v1/download/<LEVEL>.geojson.gz, /api/v1/download/<LEVEL>.cells, /api/v1/download/<LEVEL>.neighbours.csv.gz, /api/v1/download/<LEVEL>.pmtiles, /api/v1/tiles/<LEVEL>.json, /api/v1/tiles/<LEVEL>/{z}/{x}/{y}.mvt, /api/v1/changes and /api/v1/names/<LEVEL>, LEVEL one of ${LEVELS.map(levelName).join(' ')}; OGC API - Features at ${OGC_PATH}`;
