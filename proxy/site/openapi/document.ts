// The document of the interface (OpenAPI 3.1), made from the tables that the parser, the router and the problems use.
import type { Format } from '../../../format/levels.ts';
import { FORMATS, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import type { JsonObject } from '../../../format/parse.ts';
import { ENDPOINTS } from '../../pages/routes.ts';
import { parameterComponents, parameterReferences } from './parameters.ts';
import { headerComponents, problemResponses, responseHeaders, schemas } from './responses.ts';

/** Of the interface, not of the program. */
const INTERFACE_VERSION = '1.0.0';

const DESCRIPTION = `Administrative boundaries, page by page, in two formats and six levels.

Every request under \`/api/\` needs a bearer token. Features come in ascending order of fid; a page that is not the last
has a \`Link\` header with \`rel="next"\`, and following it to the end gives every matching feature exactly once, all of
one release. HEAD is answered like GET, without a body; OPTIONS answers CORS preflights. An unknown parameter is refused.`;

const FORMAT_WORDS = {
  geojsonl: 'newline-delimited GeoJSON, one Feature a line',
  fc: 'one GeoJSON FeatureCollection',
} as const;

/**
 * The document.
 * @param publicUrl how clients reach the service; undefined leaves them to where they got the document
 */
export function openapiDocument(publicUrl: string | undefined): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Administrative boundaries',
      version: INTERFACE_VERSION,
      summary: 'Administrative boundaries, page by page',
      description: DESCRIPTION,
    },
    ...(publicUrl === undefined ? {} : { servers: [{ url: publicUrl }] }),
    security: [{ bearer: [] }],
    tags: [
      ...FORMATS.map((format) => ({ name: format, description: `Pages as ${FORMAT_WORDS[format]}.` })),
      { name: 'health', description: 'For whoever watches the process; without a token.' },
    ],
    paths: { ...pagePaths(), ...healthPaths() },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A JWT of the configured issuer, in the header only; in the query string it is refused.',
        },
      },
      parameters: parameterComponents(),
      headers: headerComponents(),
      responses: problemResponses(),
      schemas: schemas(),
    },
  };
}

/** A path for each format and level: their caps differ, and so do the filters that they take. */
function pagePaths(): JsonObject {
  return Object.fromEntries(
    [...ENDPOINTS.values()].map(({ path, format, level }) => {
      const operation = {
        operationId: `${format}-${levelName(level)}`,
        tags: [format],
        summary: `Units of level ${level} as ${FORMAT_WORDS[format]}`,
        parameters: parameterReferences(format, level),
        responses: {
          200: { description: 'A page.', headers: responseHeaders(), content: contentOf(path, format) },
          304: { description: 'The copy that If-None-Match names is still good.', headers: responseHeaders() },
          ...problemReferences(),
        },
      };
      return [path, { get: operation }];
    }),
  );
}

/** The body of a page, with the one example that holds whatever the data is. */
function contentOf(path: string, format: Format): JsonObject {
  const examples = {
    nothing: {
      summary: 'Nothing matches',
      value: format === 'fc' ? { type: 'FeatureCollection', features: [] } : '',
      'x-request': `GET ${path}?gid-0=no-such-unit HTTP/1.1\nHost: boundaries.example.org\nAuthorization: Bearer $TOKEN`,
    },
  };
  const schema = format === 'fc' ? 'FeatureCollection' : 'FeatureLines';
  return { [MEDIA_TYPES[format]]: { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
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
        summary: 'Is the process up?',
        security: [],
        responses: { 200: ok('It is.') },
      },
    },
    '/readyz': {
      get: {
        operationId: 'readyz',
        tags: ['health'],
        summary: 'Can it answer?',
        security: [],
        responses: { 200: ok('It can.'), 503: { $ref: '#/components/responses/problem-503' } },
      },
    },
  };
}
