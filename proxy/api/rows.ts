// The rows: each path of the API with what it answers. What is new in the interface is a row here. Used by handler.ts.
import type { Answer, Basis } from '../bodies/answer.ts';
import { Problem, quote } from '../http/problem.ts';
import type { HttpRequest } from '../http/request.ts';
import {
  AT_ENDPOINT,
  CELLS_ENDPOINTS,
  COLLECTIONS_PATH,
  DOCUMENT_ENDPOINTS,
  DOWNLOAD_ENDPOINTS,
  type DocumentEndpoint,
  type FeaturesEndpoint,
  FID_MAX,
  FILE_ENDPOINTS,
  FILTERS,
  ITEM_ENDPOINTS,
  ITEMS_ENDPOINTS,
  type LevelEndpoint,
  OGC_PATH,
  PAGE_ENDPOINTS,
  type SavedEndpoint,
  SEARCH_ENDPOINT,
  SERVICE_ENDPOINT,
} from './endpoints.ts';
import { answerCells, answerDownload, answerFile } from './files.ts';
import { downloadHeaders, type FixedHeaders, fixedHeaders } from './headers.ts';
import type { FeaturesRequest, Sources } from './listing.ts';
import { answerFeatures, answerItem, answerItems, answerPage } from './listing.ts';
import { answerDocument } from './ogc-documents.ts';
import { isDigits, OGC_PARAMETERS, PARAMETERS, type Parameter, type Params, SEARCH_PARAMETERS } from './parameters.ts';
import { parseQuery, type QueryRules } from './query.ts';
import { answerSearch } from './search.ts';
import { answerService } from './service.ts';
import { type AskedUnits, answerAt } from './units.ts';

type OgcPath = Pick<DocumentEndpoint, 'level' | 'parameters'>;

/** How the answer is to be. */
export type View = Pick<Basis, 'base' | 'coding'>;

/** A path of the API. */
export interface Row {
  /** As in the request; of one feature up to its fid. */
  readonly path: string;
  /**
   * The answer, a promise if something must be brought into memory first.
   * @throws Problem, LoadError
   */
  answer(sources: Sources, request: HttpRequest, view: View): Answer | Promise<Answer>;
}

const NO_PARAMETERS: QueryRules = { level: 0, parameters: new Map(), allowed: 'none', hasColumns: false, plus: ' ' };

/** A path with features. */
function featuresRow<Endpoint extends LevelEndpoint>(
  endpoint: Endpoint,
  parse: (request: HttpRequest) => Params,
  respond: (request: FeaturesRequest<Endpoint>) => Answer,
  headers = fixedHeaders(endpoint.mediaType),
): Row {
  return {
    path: endpoint.path,
    answer(sources, request, { base, coding }) {
      const fixed = headers[sources.audience];
      return answerFeatures(sources, { endpoint, request, params: parse(request), fixed, base, coding }, respond);
    },
  };
}

/** A path with a file that is saved. */
function savedRow<Endpoint extends SavedEndpoint>(
  endpoint: Endpoint,
  respond: (request: FeaturesRequest<Endpoint>) => Answer,
): Row {
  return featuresRow(endpoint, queryOf(endpoint), respond, downloadHeaders(endpoint.mediaType));
}

/** A path with units of all levels. */
function unitsRow(
  { path, mediaType, parameters }: typeof AT_ENDPOINT | typeof SEARCH_ENDPOINT,
  known: ReadonlyMap<string, Parameter>,
  respond: (sources: Sources, asked: AskedUnits) => Answer | Promise<Answer>,
): Row {
  const headers = fixedHeaders(mediaType);
  const rules = { ...NO_PARAMETERS, level: 5, parameters: known, allowed: parameters.join(', ') } as const;
  return {
    path,
    answer(sources, request, view) {
      const params = parseQuery(request.query, rules);
      return respond(sources, { path, request, params, fixed: headers[sources.audience], ...view });
    },
  };
}

function parametersOf(names: readonly string[]): ReadonlyMap<string, Parameter> {
  return new Map([...PARAMETERS].filter(([name]) => names.includes(name)));
}

/** The query of a path with features. Filters of deeper levels are known, so that their message says what is wrong. */
function queryOf({ level, parameters }: LevelEndpoint): (request: HttpRequest) => Params {
  const hasFilters = parameters.some((name) => FILTERS.has(name));
  const known = [...PARAMETERS].filter(([name]) => parameters.includes(name) || (hasFilters && FILTERS.has(name)));
  const rules = { ...NO_PARAMETERS, level, parameters: new Map(known), allowed: parameters.join(', ') };
  return ({ query }) => parseQuery(query, rules);
}

/** That of OGC API - Features, whose templates leave a plus as it is. */
function ogcQueryOf({ level = 0, parameters }: OgcPath, hasColumns: boolean): (request: HttpRequest) => Params {
  const known = new Map([...OGC_PARAMETERS].filter(([name]) => parameters.includes(name)));
  const rules = { level, parameters: known, allowed: parameters.join(', '), hasColumns, plus: '+' } as const;
  return ({ query }) => parseQuery(query, rules);
}

/** That of one feature, and the fid that its path ends with. */
function itemQueryOf(endpoint: FeaturesEndpoint): (request: HttpRequest) => Params {
  const parse = ogcQueryOf(endpoint, false);
  return (request) => {
    const text = request.path.slice(endpoint.path.length);
    const fid = isDigits(text) && String(Number(text)) === text ? Number(text) : Number.NaN;
    if (!(fid <= FID_MAX)) throw new Problem('not-found', `${quote(text)} is not the fid of a feature.`);
    return { ...parse(request), fid };
  };
}

/** A path that is answered from the current release, whatever its parameters say. */
function releaseRow<Endpoint extends { path: string; mediaType: string }>(
  endpoint: Endpoint,
  respond: (endpoint: Endpoint, fixed: FixedHeaders, basis: Basis, sources: Sources) => Answer,
  parse = ({ query }: HttpRequest) => parseQuery(query, NO_PARAMETERS),
): Row {
  const headers = fixedHeaders(endpoint.mediaType);
  return {
    path: endpoint.path,
    answer(sources, request, { base, coding }) {
      parse(request);
      const basis = { release: sources.releases.requireCurrent(), base, coding, isPinned: false };
      return respond(endpoint, headers[sources.audience], basis, sources);
    },
  };
}

/** The rows by path. A request path is looked up byte by byte: it is not decoded, joined or normalised. */
export const ROWS: ReadonlyMap<string, Row> = new Map(
  [
    ...PAGE_ENDPOINTS.map((endpoint) => featuresRow(endpoint, queryOf(endpoint), answerPage)),
    ...DOWNLOAD_ENDPOINTS.map((endpoint) => savedRow(endpoint, answerDownload)),
    ...CELLS_ENDPOINTS.map((endpoint) => savedRow(endpoint, answerCells)),
    releaseRow(SERVICE_ENDPOINT, answerService),
    unitsRow(AT_ENDPOINT, parametersOf(AT_ENDPOINT.parameters), answerAt),
    ...FILE_ENDPOINTS.map((endpoint) => releaseRow(endpoint, answerFile)),
    unitsRow(SEARCH_ENDPOINT, SEARCH_PARAMETERS, answerSearch),
    ...DOCUMENT_ENDPOINTS.map((endpoint) => releaseRow(endpoint, answerDocument, ogcQueryOf(endpoint, false))),
    ...ITEMS_ENDPOINTS.map((endpoint) => featuresRow(endpoint, ogcQueryOf(endpoint, true), answerItems)),
    ...ITEM_ENDPOINTS.map((endpoint) => featuresRow(endpoint, itemQueryOf(endpoint), answerItem)),
  ].map((row) => [row.path, row]),
);

/** The row of a request path. That of one feature has paths that go on with a fid; clients also ask `{root}/`. */
export function rowOf(path: string): Row | undefined {
  if (path === `${OGC_PATH}/`) return ROWS.get(OGC_PATH);
  const known = ROWS.get(path);
  if (known !== undefined || !path.startsWith(COLLECTIONS_PATH)) return known;
  return ROWS.get(path.slice(0, path.lastIndexOf('/') + 1));
}
