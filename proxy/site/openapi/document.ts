// The OpenAPI 3.1 document, generated from the tables of routes, parameters and problems that the handler uses.
import { FORMATS, type Format, LEVELS, type Level, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import type { Audience } from '../../bodies/headers.ts';
import { CHANGES_ENDPOINT, CHANGES_FILES } from '../../features/changes/changes.ts';
import { CELLS_ENDPOINTS } from '../../features/downloads/endpoints.ts';
import { FILE_ENDPOINTS } from '../../features/files/files.ts';
import { OGC_PATH } from '../../features/items/endpoints.ts';
import { TABLE_ENDPOINTS } from '../../features/neighbours/table.ts';
import { COLUMNS_PARAMETER, itemsParameters, ogcPaths, TITLE } from '../../features/ogc/openapi.ts';
import { schemaReference } from '../../features/ogc/schemas.ts';
import { AT_ENDPOINT } from '../../features/places/at.ts';
import { DOWNLOAD_ENDPOINTS, PAGE_ENDPOINTS } from '../../features/rows.ts';
import { SEARCH_ENDPOINT } from '../../features/search/search.ts';
import { SERVICE_ENDPOINT } from '../../features/service/service.ts';
import { parameterComponents, parameterReferences, unitsComponents } from './parameters.ts';
import { bodySchemas, type HeaderName, headerComponents, problemResponses, responseHeaders } from './responses.ts';
import { PLACE_COMPONENTS, tilePaths } from './tiles.ts';

/** What is said of tokens, and what of a public service. */
const NEEDS = {
  private: 'Every request under `/api/` needs a bearer token.',
  public: 'No request needs a token.',
} as const;

/** What the interface is, in Markdown. */
export const descriptionFor = (
  audience: Audience,
): string => `Administrative boundaries in pages, in two formats and six levels.

${NEEDS[audience]} Features are in ascending order of fid. Every page except the last has a
\`Link\` header with \`rel="next"\`; following it to the end returns every matching feature exactly once, from one release.
HEAD is supported, OPTIONS responds to CORS preflights, and unknown parameters are refused.

\`GET /api/v1/\` says what is served, and which columns of the units have GIDs and names. Answers with units of all levels have
\`levels\`, \`gids\` and \`names\` beside their features, whatever the columns of the data are called.

A search finds units of all levels by the beginning of a word of their names, or by their GID; where the whole text is
found nowhere, up to four words at its end may be of parents (\`toledo spain\`).

A download is a whole listing as one gzip file: every feature that matches the filters, without pages. A download that broke
off is continued with a range request.

Maps are drawn from vector tiles: a tileset for each level, described by a TileJSON, also as one PMTiles archive. Units, borders
and labels are cut from one set of borders, which stay shared at every zoom.

Changes say what became of the units between two releases, by shape: merged, split, recoded and others, with shares of area.
A unit that is gone has an empty listing, whose \`Link\` headers with \`rel="successor-version"\` lead to what took its place.

For each level a file has the names of its units.`;

/** What the interface is. The version is also that of the program: package.json has the same. */
export const INFO = {
  title: TITLE,
  version: '2.0.0-dev',
  summary: 'Administrative boundaries in pages',
  // The document is made before a release is known.
  license: { name: 'Of the data: what GET /api/v1/ says' },
} as const;

const NOT_MODIFIED = 'Not modified: If-None-Match has the current ETag.';

const FORMAT_NAMES = {
  geojsonl: 'newline-delimited GeoJSON, one Feature per line',
  fc: 'one GeoJSON FeatureCollection',
} as const;

/** What describes a service as a whole. */
export interface DescribedService {
  /** Its base URL; if undefined, clients use the URL that the document came from. */
  publicUrl?: string | undefined;
  /** What it is called, if that is configured. */
  title?: string | undefined;
  /** Does it want tokens, or is it public? */
  audience: Audience;
}

/** The document. */
export function openapiDocument(service: DescribedService): object {
  const document = documentWithTokens(service);
  return service.audience === 'private' ? document : withoutTokens(document);
}

/**
 * The document of a public service: no security, which is said, no refusals of tokens, no token in requests of
 * examples.
 */
function withoutTokens({ security: _security, paths, components, ...document }: TokenDocument): object {
  const { securitySchemes: _schemes, ...others } = components;
  const text = JSON.stringify({ ...document, security: [], paths, components: others }).replaceAll(TOKEN_LINE, '');
  return JSON.parse(text, (name, value: unknown) =>
    // Only responses have such names.
    name === '401' || name === '403' ? undefined : value,
  );
}

type TokenDocument = ReturnType<typeof documentWithTokens>;

/** In the JSON of a request; a request that has it twice shows what becomes of that. */
const TOKEN_LINE = /(?<!TOKEN)\\nAuthorization: Bearer \$TOKEN(?!\\nAuthorization)/g;

function documentWithTokens({ publicUrl, title = TITLE, audience }: DescribedService) {
  return {
    openapi: '3.1.1',
    info: { ...INFO, title, description: descriptionFor(audience) },
    // By default relative to the URL of the document.
    servers: [{ url: publicUrl ?? '/' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'service', description: 'What is served.' },
      ...FORMATS.map((format) => ({ name: format, description: `Pages as ${FORMAT_NAMES[format]}.` })),
      { name: 'units', description: 'Units of all levels in one answer.' },
      {
        name: 'downloads',
        description: 'Whole listings, each as one gzip file, and the cells, neighbours and tiles of a level.',
      },
      { name: 'tiles', description: 'Vector tiles, for maps.' },
      { name: 'files', description: 'Whole files of the current release.' },
      { name: 'changes', description: 'What became of the units between two releases.' },
      { name: 'ogc', description: 'OGC API - Features, for QGIS, GDAL and other clients of this standard.' },
      { name: 'health', description: 'Health checks; no token required.' },
    ],
    paths: {
      ...servicePath(),
      ...pagePaths(),
      ...atPath(),
      ...downloadPaths(),
      ...cellsPaths(),
      ...neighboursPaths(),
      ...tilePaths({ notModified: NOT_MODIFIED, problems: problemReferences, saved: savedResponses }),
      ...filePaths(),
      ...changesPaths(),
      ...searchPath(),
      ...featuresPaths(),
      ...healthPaths(audience),
    },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A JWT of a configured issuer, in the Authorization header; tokens in the query string are refused.',
        },
      },
      parameters: {
        ...parameterComponents(),
        ...unitsComponents(),
        ...PLACE_COMPONENTS,
        ...changesParameters(),
        ...featuresParameters(),
      },
      headers: headerComponents(),
      responses: problemResponses(audience),
      schemas: bodySchemas(),
    },
  };
}

/** What is served. */
function servicePath() {
  const { path, mediaType } = SERVICE_ENDPOINT;
  const headers = responseHeaders(['Link', 'Boundaries-Matched']);
  const content = { [mediaType]: { schema: schemaReference('Service') } };
  const operation = {
    operationId: 'service',
    tags: ['service'],
    summary: 'What is served: releases, levels, the columns of their units, caps',
    responses: {
      200: { description: 'The description.', headers, content },
      304: { description: NOT_MODIFIED, headers },
      ...problemReferences(410, 416),
    },
  };
  return { [path]: { get: operation } };
}

/** One path per format and level: page caps and accepted filters differ. */
function pagePaths() {
  return Object.fromEntries(
    PAGE_ENDPOINTS.map((endpoint) => {
      const { path, format, level } = endpoint;
      const operation = {
        operationId: `${format}-${levelName(level)}`,
        tags: [format],
        summary: `Units of level ${level} as ${FORMAT_NAMES[format]}`,
        parameters: parameterReferences(endpoint),
        responses: {
          200: { description: 'A page.', headers: responseHeaders(), content: pageContent(path, format, level) },
          304: { description: NOT_MODIFIED, headers: responseHeaders() },
          ...problemReferences(416),
        },
      };
      return [path, { get: operation }];
    }),
  );
}

/** The body of a page. */
function pageContent(path: string, format: Format, level: Level) {
  const schema = format === 'fc' ? 'FeatureCollection' : 'FeatureLines';
  const examples = pageExamples(path, format, level);
  return { [MEDIA_TYPES[format]]: { schema: schemaReference(schema), examples } };
}

/** What is at a point, of all levels. */
function atPath() {
  const { path, mediaType } = AT_ENDPOINT;
  const headers = responseHeaders();
  const ok = { description: 'The units.', headers, content: { [mediaType]: { schema: schemaReference('Units') } } };
  const operation = {
    operationId: 'at',
    tags: ['units'],
    summary: 'The units of all levels that contain a point, from the country down',
    description:
      'Each level is looked up by itself. Where levels come from different sources, they may contradict each other near a border: the parents of the deepest unit are in its properties, too.',
    parameters: parameterReferences(AT_ENDPOINT),
    responses: { 200: ok, 304: { description: NOT_MODIFIED, headers }, ...problemReferences(410, 416) },
  };
  return { [path]: { get: operation } };
}

/** One path per format and level. */
function downloadPaths() {
  return Object.fromEntries(
    DOWNLOAD_ENDPOINTS.map((endpoint) => {
      const { path, format, level, mediaType } = endpoint;
      const operation = {
        operationId: `download-${format}-${levelName(level)}`,
        tags: ['downloads'],
        summary: `All units of level ${level} in one gzip file, as ${FORMAT_NAMES[format]}`,
        parameters: parameterReferences(endpoint),
        responses: savedResponses(mediaType, 'GzipFile'),
      };
      return [path, { get: operation }];
    }),
  );
}

/** One path per level. */
function cellsPaths() {
  return Object.fromEntries(
    CELLS_ENDPOINTS.map((endpoint) => {
      const { path, level, mediaType } = endpoint;
      const operation = {
        operationId: `download-cells-${levelName(level)}`,
        tags: ['downloads'],
        summary: `Which units of level ${level} are at a point, as a file: with the names of the level points can be looked up without the service`,
        parameters: parameterReferences(endpoint),
        responses: savedResponses(mediaType, 'CellsFile'),
      };
      return [path, { get: operation }];
    }),
  );
}

/** One path per level. */
function neighboursPaths() {
  return Object.fromEntries(
    TABLE_ENDPOINTS.map((endpoint) => {
      const { path, level, mediaType } = endpoint;
      const operation = {
        operationId: `download-neighbours-${levelName(level)}`,
        tags: ['downloads'],
        summary: `Which units of level ${level} share a border, and for how many metres: a CSV file in one gzip file`,
        parameters: parameterReferences(endpoint),
        responses: savedResponses(mediaType, 'GzipFile'),
      };
      return [path, { get: operation }];
    }),
  );
}

/** The responses of a path with a file that is saved. */
function savedResponses(mediaType: string, schema: string) {
  const headers = responseHeaders(['Link', 'Vary']);
  const content = { [mediaType]: { schema: schemaReference(schema) } };
  return {
    200: { description: 'The file.', headers, content },
    206: { description: 'The range of the file that Range asks for.', headers, content },
    304: { description: NOT_MODIFIED, headers },
    ...problemReferences(),
  };
}

/** The path that finds units by their names. */
function searchPath() {
  const { path, mediaType } = SEARCH_ENDPOINT;
  const headers = responseHeaders(['Link']);
  const operation = {
    operationId: 'search',
    tags: ['units'],
    summary: 'Units of all levels whose name has a word that begins with a text, or whose GID it is',
    parameters: parameterReferences(SEARCH_ENDPOINT),
    responses: {
      200: { description: 'The units.', headers, content: { [mediaType]: { schema: schemaReference('Units') } } },
      304: { description: NOT_MODIFIED, headers },
      ...problemReferences(410, 416),
    },
  };
  return { [path]: { get: operation } };
}

/** One path per level, for its names. */
function filePaths() {
  return Object.fromEntries(
    FILE_ENDPOINTS.map(({ path, mediaType, level }) => {
      const [operationId, summary] = [`names-${levelName(level)}`, `Names of the units of level ${level}`];
      const headers = responseHeaders(['Link']);
      const content = { [mediaType]: { schema: schemaReference('NameLines') } };
      const ok = { description: 'The file.', headers, content };
      const responses = { 200: ok, 304: { description: NOT_MODIFIED, headers }, ...problemReferences(410, 416) };
      return [path, { get: { operationId, tags: ['files'], summary, responses } }];
    }),
  );
}

/** The list of pairs of releases, and the file of each. */
function changesPaths() {
  const answer = (absent: readonly HeaderName[], description: string, mediaType: string, schema: string) => {
    const headers = responseHeaders(absent);
    return {
      200: { description, headers, content: { [mediaType]: { schema: schemaReference(schema) } } },
      304: { description: NOT_MODIFIED, headers },
      ...problemReferences(410, 416),
    };
  };
  const absent = ['Link', 'Boundaries-Matched'] as const;
  const list = {
    operationId: 'changes',
    tags: ['changes'],
    summary: 'The pairs of releases whose changes are published, with numbers of rows by class',
    responses: answer(absent, 'The pairs.', CHANGES_ENDPOINT.mediaType, 'ChangesList'),
  };
  const file = {
    operationId: 'changes-file',
    tags: ['changes'],
    summary: 'What became of the units of one release in another: classes, and shares of area',
    parameters: Object.keys(changesParameters()).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: answer(absent, 'A row for each pair of units.', CHANGES_FILES.mediaType, 'ChangesFile'),
  };
  return { [CHANGES_ENDPOINT.path]: { get: list }, [`${CHANGES_FILES.path}{from}..{to}.csv`]: { get: file } };
}

function changesParameters() {
  const idOf = (name: string, which: string, example: string) => {
    const description = `Id of the ${which} release, which the list names.`;
    return { name, in: 'path', required: true, schema: { type: 'string' }, description, example };
  };
  return { 'changes-from': idOf('from', 'old', '2025-11'), 'changes-to': idOf('to', 'new', '2026-11') };
}

/** The paths of OGC API - Features, which has an own document of a release with its columns. */
function featuresPaths() {
  return ogcPaths({
    prefix: OGC_PATH,
    levels: LEVELS,
    others: { 304: { description: NOT_MODIFIED }, ...problemReferences(416) },
    reference: (name) => `#/components/parameters/ogc-${name}`,
    columnsOf: () => [{ $ref: `#/components/parameters/ogc-${COLUMNS_PARAMETER.name}` }],
  });
}

function featuresParameters() {
  const parameters = [...itemsParameters(), COLUMNS_PARAMETER];
  return Object.fromEntries(parameters.map((parameter) => [`ogc-${parameter.name}`, parameter]));
}

/** @param without statuses that the path never has: without a cursor no release can be gone, without Range no range */
function problemReferences(...without: number[]) {
  const responses = Object.keys(problemResponses()).map(
    (name) => [name.slice('problem-'.length), { $ref: `#/components/responses/${name}` }] as const,
  );
  return Object.fromEntries(responses.filter(([status]) => !without.includes(Number(status))));
}

function healthPaths(audience: Audience) {
  const path = (operationId: string, summary: string, description: string, problems: object, text = 'ok\n') => {
    const content = { 'text/plain': { schema: { type: 'string', const: text } } };
    const responses = { 200: { description, content }, ...problems };
    return { get: { operationId, tags: ['health'], summary, security: [], responses } };
  };
  return {
    '/healthz': path('healthz', 'Liveness: the process runs', 'The process runs.', {}),
    '/readyz': path(
      'readyz',
      'Readiness: a release and keys are loaded',
      'The service can respond.',
      { 503: { $ref: '#/components/responses/problem-503' } },
      audience === 'public' ? 'ok, public\n' : 'ok\n',
    ),
  };
}

/**
 * Real features for examples: a unit of each level of the sample release, as the service sends it, with what the sample
 * says of its origin; it has no levels 4 and 5. The tests compare them with the sample.
 */
const UNITS: readonly { summary: string; feature: string }[] = [
  {
    summary: 'Monaco: made with Natural Earth, public domain',
    feature:
      '{"type":"Feature","id":133,"bbox":[7.3674737,43.7178226,7.4358744,43.7634142],"properties":{"fid":133,"GID_0":"MCO","COUNTRY":"Monaco"},"geometry":{"type":"MultiPolygon","coordinates":[[[[7.4358744,43.7431512],[7.4250743,43.7549713],[7.4070741,43.7634142],[7.3890739,43.7583484],[7.3710737,43.7465284],[7.3674737,43.7347083],[7.3674737,43.7228883],[7.3818738,43.7195111],[7.403474,43.7178226],[7.4178742,43.7313312],[7.4322743,43.7397741],[7.4358744,43.7431512]]]]}}',
  },
  {
    summary: 'Hormigueros in Puerto Rico: U.S. Census Bureau, public domain',
    feature:
      '{"type":"Feature","id":62,"bbox":[-67.1613674,18.1063233,-67.0859922,18.1535715],"properties":{"fid":62,"GID_1":"PRI.35_1","GID_0":"PRI","COUNTRY":"Puerto Rico","NAME_1":"Hormigueros","TYPE_1":"Municipio","ENGTYPE_1":"Municipality","CC_1":"72067"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-67.1613674,18.1535715],[-67.1003494,18.1063233],[-67.0859922,18.1501353],[-67.1613674,18.1535715]]]]}}',
  },
  {
    summary: 'Clay County in Iowa: U.S. Census Bureau, public domain',
    feature:
      '{"type":"Feature","id":862,"bbox":[-95.3875754,42.9099537,-94.9137886,43.2552957],"properties":{"fid":862,"GID_2":"USA.16.21_1","GID_0":"USA","COUNTRY":"United States of America","GID_1":"USA.16_1","NAME_1":"Iowa","NAME_2":"Clay","TYPE_2":"County","ENGTYPE_2":"County","CC_2":"19041"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-95.3875754,43.2552957],[-95.3875754,42.9099537],[-94.9137886,42.9099537],[-94.9137886,43.2552957],[-95.3875754,43.2552957]]]]}}',
  },
  {
    summary: 'Abla in Andalusia: derived from boundaries CC BY 4.0 Instituto Geográfico Nacional de España (ign.es)',
    feature:
      '{"type":"Feature","id":1,"bbox":[-2.7884356,37.085911,-2.7434532,37.2458581],"properties":{"fid":1,"GID_3":"ESP.1.1.1_1","GID_0":"ESP","COUNTRY":"Spain","GID_1":"ESP.1_1","NAME_1":"Andalucía","GID_2":"ESP.1.1_1","NAME_2":"Almería","NAME_3":"Abla","TYPE_3":"Municipio","ENGTYPE_3":"Municipality","CC_3":"04001"},"geometry":{"type":"MultiPolygon","coordinates":[[[[-2.7839374,37.0939892],[-2.7569479,37.085911],[-2.7479514,37.1101455],[-2.7569479,37.1246861],[-2.7434532,37.1634611],[-2.7524497,37.1666924],[-2.7479514,37.1893112],[-2.759197,37.2264706],[-2.7749409,37.2458581],[-2.77719,37.23778],[-2.7794391,37.1973893],[-2.7884356,37.1376111],[-2.7704426,37.1182236],[-2.7839374,37.0939892]]]]}}',
  },
];

/** The examples of a page: no feature, which any data has, and where there is one a unit of the sample. */
export function pageExamples(path: string, format: Format, level: Level) {
  const unit = UNITS[level];
  const nothing = {
    summary: 'No feature matches',
    value: format === 'fc' ? { type: 'FeatureCollection', features: [] } : '',
    'x-request': requestFor(`${path}?gid-0=no-such-unit`),
  };
  if (unit === undefined) return { nothing };
  const { summary, feature } = unit;
  const parsed = JSON.parse(feature);
  const value = format === 'fc' ? { type: 'FeatureCollection', features: [parsed] } : `${feature}\n`;
  return {
    unit: { summary, value, 'x-request': requestFor(`${path}?gid-${level}=${parsed.properties[`GID_${level}`]}`) },
    nothing,
  };
}

function requestFor(target: string): string {
  return `GET ${target} HTTP/1.1\nHost: boundaries.example.org\nAuthorization: Bearer $TOKEN`;
}
