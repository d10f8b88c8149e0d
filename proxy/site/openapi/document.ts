// The OpenAPI 3.1 document, generated from the tables of routes, parameters and problems that the handler uses.
import type { Format, Level } from '../../../format/levels.ts';
import { FORMATS, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import type { JsonObject } from '../../../format/parse.ts';
import { FILE_ENDPOINTS, PAGE_ENDPOINTS } from '../../pages/endpoints.ts';
import { pageExamples } from './examples.ts';
import { parameterComponents, parameterReferences } from './parameters.ts';
import { bodySchemas, headerComponents, problemResponses, responseHeaders } from './responses.ts';

/** Version of the API, not of the program. */
const API_VERSION = '1.0.0';

/** The base URL, relative to that of the document. */
const SAME_HOST = '/';

const DESCRIPTION = `Administrative boundaries in pages, in two formats and six levels.

Every request under \`/api/\` needs a bearer token. Features are in ascending order of fid. Every page except the last has a
\`Link\` header with \`rel="next"\`; following it to the end returns every matching feature exactly once, from one release.
HEAD is supported, OPTIONS responds to CORS preflights, and unknown parameters are refused.

Two kinds of files describe a whole release: the overview has the simplified boundaries of the highest two
levels that have units, and for each level a file has the names of its units.`;

const NOT_MODIFIED = 'Not modified: If-None-Match has the current ETag.';

const FORMAT_NAMES = {
  geojsonl: 'newline-delimited GeoJSON, one Feature per line',
  fc: 'one GeoJSON FeatureCollection',
} as const;

/**
 * The document.
 * @param publicUrl base URL of the service; if undefined, clients use the URL that the document came from
 */
export function openapiDocument(publicUrl: string | undefined): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Administrative boundaries',
      version: API_VERSION,
      summary: 'Administrative boundaries in pages',
      description: DESCRIPTION,
    },
    servers: [{ url: publicUrl ?? SAME_HOST }],
    security: [{ bearer: [] }],
    tags: [
      ...FORMATS.map((format) => ({ name: format, description: `Pages as ${FORMAT_NAMES[format]}.` })),
      { name: 'files', description: 'Whole files of the current release.' },
      { name: 'health', description: 'Health checks; no token required.' },
    ],
    paths: { ...pagePaths(), ...filePaths(), ...healthPaths() },
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
      parameters: parameterComponents(),
      headers: headerComponents(),
      responses: problemResponses(),
      schemas: bodySchemas(),
    },
  };
}

/** One path per format and level: page caps and accepted filters differ. */
function pagePaths(): JsonObject {
  return Object.fromEntries(
    PAGE_ENDPOINTS.map(({ path, format, level }) => {
      const operation = {
        operationId: `${format}-${levelName(level)}`,
        tags: [format],
        summary: `Units of level ${level} as ${FORMAT_NAMES[format]}`,
        parameters: parameterReferences(format, level),
        responses: {
          200: { description: 'A page.', headers: responseHeaders(), content: pageContent(path, format, level) },
          304: { description: NOT_MODIFIED, headers: responseHeaders() },
          ...problemReferences(),
        },
      };
      return [path, { get: operation }];
    }),
  );
}

/** The body of a page. */
function pageContent(path: string, format: Format, level: Level): JsonObject {
  const schema = format === 'fc' ? 'FeatureCollection' : 'FeatureLines';
  const examples = pageExamples(path, format, level);
  return { [MEDIA_TYPES[format]]: { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
}

/** One path for the overview, and one per level for the names. */
function filePaths(): JsonObject {
  return Object.fromEntries(
    FILE_ENDPOINTS.map(({ path, mediaType, level }) => {
      const headers = responseHeaders(level === undefined ? ['Link', 'Boundaries-Matched'] : ['Link']);
      const schema = level === undefined ? 'Overview' : 'NameLines';
      // Without a cursor no release can be gone.
      const { 410: _gone, ...problems } = problemReferences();
      const operation = {
        operationId: level === undefined ? 'overview' : `names-${levelName(level)}`,
        tags: ['files'],
        summary:
          level === undefined
            ? 'The highest two levels, simplified, as TopoJSON'
            : `Names of the units of level ${level}`,
        responses: {
          200: {
            description: 'The file.',
            headers,
            content: { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` } } },
          },
          304: { description: NOT_MODIFIED, headers },
          ...problems,
        },
      };
      return [path, { get: operation }];
    }),
  );
}

function problemReferences(): JsonObject {
  return Object.fromEntries(
    Object.keys(problemResponses()).map((name) => [
      name.slice('problem-'.length),
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

function healthPaths(): JsonObject {
  const ok = (description: string): JsonObject => ({
    description,
    content: { 'text/plain': { schema: { type: 'string', const: 'ok\n' } } },
  });
  return {
    '/healthz': {
      get: {
        operationId: 'healthz',
        tags: ['health'],
        summary: 'Liveness: the process runs',
        security: [],
        responses: { 200: ok('The process runs.') },
      },
    },
    '/readyz': {
      get: {
        operationId: 'readyz',
        tags: ['health'],
        summary: 'Readiness: a release and keys are loaded',
        security: [],
        responses: { 200: ok('The service can respond.'), 503: { $ref: '#/components/responses/problem-503' } },
      },
    },
  };
}
