// The OpenAPI 3.1 document, generated from the tables of routes, parameters and problems that the handler uses.
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { Audience } from '../../bodies/headers.ts';
import { apiPaths } from '../../features/all-paths.ts';
import { TITLE } from '../../features/ogc/openapi.ts';
import {
  HEADERS,
  type HeaderName,
  type PathDescription,
  pathParameter,
  schemaReference,
} from '../../query/describe.ts';
import type { Parameter } from '../../query/parameter.ts';
import { headerComponents, PROBLEM_SCHEMA, problemResponses } from './responses.ts';

/** What is said of tokens, and what of a public service. */
const NEEDS = {
  private: 'Every request under `/api/` needs a bearer token.',
  public: 'No request needs a token.',
} as const;

/** What the interface is, in Markdown. */
export const descriptionFor = (
  audience: Audience,
): string => `Administrative boundaries of six levels, from countries (lv0) down, in pages and as files.

${NEEDS[audience]} HEAD works wherever GET does; OPTIONS answers CORS preflights. Unknown parameters are refused.

**Pages.** Features are in ascending order of fid. Every page except the last has a \`Link\` header with \`rel="next"\`. Follow it to
the end: you get every matching feature exactly once, all from one release.

**What is served.** \`GET /api/v1/\` says which levels there are, and which columns have GIDs and names. Answers with units of
all levels have \`levels\`, \`gids\` and \`names\` beside their features, so that clients need no names of columns.

**What to store.** Store the GID of a unit and the id of the release (\`Boundaries-Release\`), both as text. Never store the
fid: another release may give it to another unit. When a new release comes, changes say what to replace. Official codes are
columns of the data: \`columns.codes\` of \`GET /api/v1/\` names them.

**Search.** A search finds units by the beginning of a word of their name, by their GID, or by a code. If nothing matches,
words at the end are matched against names of parents (\`toledo spain\`).

**Downloads.** A download is a whole listing as one gzip file. A range request continues one that broke off.

**Maps.** Each level has vector tiles, described by a TileJSON, also as one PMTiles archive. Units that share a border still
share it at every zoom.

**Changes.** Changes say what became of the units between two releases: merged, split, recoded and others, with shares of area.
The listing of a GID that is gone is empty; its \`Link\` headers with \`rel="successor-version"\` lead to what took its place.`;

/** What the interface is. The version is also that of the program: package.json has the same. */
export const INFO = {
  title: TITLE,
  version: '2.0.0-dev',
  summary: 'Administrative boundaries in pages',
  // The document is made before a release is known.
  license: { name: 'Of the data: what GET /api/v1/ says' },
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
      { name: 'pages', description: 'Units of a level, a page at a time, in two formats.' },
      { name: 'units', description: 'Units of all levels in one answer.' },
      {
        name: 'downloads',
        description: 'Whole listings, each as one gzip file, and the cells, neighbours, tables and tiles of a level.',
      },
      { name: 'tiles', description: 'Vector tiles, for maps.' },
      { name: 'files', description: 'Whole files of the current release.' },
      { name: 'changes', description: 'What became of the units between two releases.' },
      { name: 'ogc', description: 'OGC API - Features, for QGIS, GDAL and other clients of this standard.' },
      { name: 'health', description: 'Health checks; no token required.' },
    ],
    paths: {
      ...apiOperations(),
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
      parameters: parameterComponents(),
      headers: headerComponents(),
      responses: { 'not-modified': NOT_MODIFIED, ...problemResponses(audience) },
      schemas: { ...Object.assign({}, ...DESCRIPTIONS.map(({ schemas }) => schemas)), Problem: PROBLEM_SCHEMA },
    },
  };
}

/** What is said of each path of the API, in order. */
export const DESCRIPTIONS = apiPaths().map(({ description }) => description);

/** What documents say of each path, by path. */
function apiOperations() {
  return Object.fromEntries(DESCRIPTIONS.map((about) => [about.path, { get: operationOf(about) }]));
}

function operationOf(about: PathDescription) {
  const { operationId, tag, summary, description, answer, others = {}, hasRanges, namesRelease, nothing } = about;
  const headers = about.headers.length > 0 && { headers: headerReferences(about.headers) };
  const { mediaType, schema, examples } = answer;
  const content = { [mediaType]: { schema: schemaReference(schema), ...(examples && { examples }) } };
  const inPath = about.path.includes(`{${LEVEL.name}}`) ? [LEVEL.name] : [];
  const components = [
    ...inPath,
    ...Object.keys(others),
    ...about.parameters.map((parameter) => parameter.document(about).component),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(components.length > 0 && {
      parameters: components.map((component) => ({ $ref: `#/components/parameters/${component}` })),
    }),
    responses: {
      200: { description: answer.description, ...headers, content },
      ...(nothing && { 204: { description: nothing } }),
      ...(hasRanges && {
        206: { ...PART, content },
      }),
      304: { $ref: '#/components/responses/not-modified' },
      ...problemReferences(...OF_OTHERS, ...(hasRanges ? [] : [416]), ...(namesRelease ? [] : [410])),
    },
  };
}

const PART = {
  description: 'The range of the file that Range asks for, with the headers of 200.',
  headers: {
    'Content-Range': { description: '`bytes <first>-<last>/<length of the file>`.', schema: { type: 'string' } },
  },
};

/** The level in a path. */
const LEVEL = pathParameter(
  'level',
  'The level: lv0 has countries, deeper levels what is inside them.',
  { type: 'string', enum: LEVELS.map(levelName) },
  'lv0',
);

const NOT_MODIFIED = {
  description: 'Not modified: If-None-Match has the current ETag.',
  headers: headerReferences(['ETag', 'Cache-Control', 'Boundaries-Release']),
};

/** References to headers, in the order of the table. */
function headerReferences(headers: readonly HeaderName[]) {
  const names = Object.keys(HEADERS).filter((name) => headers.some((own) => own === name));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every parameter by the name of its component. */
function parameterComponents() {
  const entries = DESCRIPTIONS.flatMap((about) => [
    ...Object.entries(about.others ?? {}),
    ...about.parameters.map((parameter) => componentOf(parameter, about)),
  ]);
  return { [LEVEL.name]: LEVEL, ...Object.fromEntries(entries) };
}

function componentOf(parameter: Parameter<unknown>, about: PathDescription) {
  const { component, required, description, schema, example, explode } = parameter.document(about);
  const list = explode === undefined ? {} : { style: 'form', explode };
  const named = { name: parameter.name, in: 'query', ...(required && { required }), description };
  return [component, { ...named, ...list, schema, example }] as const;
}

/** Statuses that no GET has: its method is allowed, and it has arrived. */
const OF_OTHERS: readonly number[] = [405, 408];

/** @param without statuses that the path never has: without a cursor no release can be gone, without Range no range */
function problemReferences(...without: readonly number[]) {
  const statuses = Object.keys(problemResponses()).filter((status) => !without.includes(Number(status)));
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

function healthPaths(audience: Audience) {
  const path = (operationId: string, summary: string, description: string, problems: object, text = 'ok\n') => {
    const content = { 'text/plain': { schema: { type: 'string', const: text } } };
    const headers = { 'Cache-Control': { description: 'It is not stored.', schema: { const: 'no-store' } } };
    const responses = { 200: { description, headers, content }, ...problems };
    return { get: { operationId, tags: ['health'], summary, security: [], responses } };
  };
  return {
    '/healthz': path('healthz', 'Liveness: the process runs', 'The process runs.', {}),
    '/readyz': path(
      'readyz',
      'Readiness: a release and keys are loaded',
      'The service can respond.',
      { 503: { $ref: '#/components/responses/503' } },
      audience === 'public' ? 'ok, public\n' : 'ok\n',
    ),
  };
}
