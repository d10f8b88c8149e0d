// The responses in the OpenAPI document: headers, bodies, and each problem with an example.
import { CHANGE_CLASSES, CHANGE_COLUMNS } from '../../../format/changes.ts';
import type { Audience } from '../../bodies/headers.ts';
import {
  featureSchema,
  GEOMETRY_SCHEMA,
  objectSchema,
  ogcSchemas,
  schemaReference,
} from '../../features/ogc/schemas.ts';
import type { ProblemCode } from '../../http/problem.ts';
import { PROBLEMS, problemToJson } from '../../http/problem.ts';
import { PROBLEM_DETAILS, PROBLEM_REQUESTS } from './problems.ts';

const HEADERS = {
  Link: '`<URL>; rel="next"` with an absolute URL, if and only if more features match. Its cursor stays on the release of the first page. Of an empty page of a GID that is gone up to five `rel="successor-version"`; `rel="alternate"` where the numbers of a point exchanged, or GIDs in capital letters, match.',
  ETag: 'Strong; different for gzip and plain text. A page or file with unchanged bytes keeps its ETag in the next release.',
  Vary: 'Always `Accept-Encoding`.',
  'Cache-Control':
    'With a cursor immutable for one year, without one `no-cache` (revalidate on each use); always private. Of a service without tokens public, and without a cursor fresh for 60 seconds.',
  'Boundaries-Release': 'Id of the release that the page or file comes from.',
  'Boundaries-Matched':
    'Total number of features that match the filters; of a file with names, the number of its units.',
} as const;

/** The name of a response header of a page. */
export type HeaderName = keyof typeof HEADERS;

/** The response headers of a page, by name. */
export function headerComponents() {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [
      name,
      {
        description,
        required: name !== 'Link',
        schema: name === 'Boundaries-Matched' ? { type: 'integer', minimum: 0 } : { type: 'string' },
      },
    ]),
  );
}

/** References to these headers. */
export function responseHeaders(without: readonly HeaderName[] = []) {
  const names = Object.keys(HEADERS).filter((name) => !without.some((absent) => absent === name));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One response per status, with an example of each problem that has this status. */
export function problemResponses(audience: Audience = 'private') {
  const all = Object.keys(PROBLEMS).filter(isProblemCode);
  const codes = audience === 'private' ? all : all.filter((code) => !OF_TOKENS.has(code));
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => PROBLEMS[code].status === status);
      const examples = Object.fromEntries(ofStatus.map((code) => [code, problemExample(code)]));
      const content = { 'application/problem+json': { schema: schemaReference('Problem'), examples } };
      const description = ofStatus.map((code) => `${PROBLEMS[code].title}.`).join(' ');
      return [`problem-${status}`, { description, headers: problemHeaders(status), content }];
    }),
  );
}

/** What a service without tokens never says. */
const OF_TOKENS: ReadonlySet<ProblemCode> = new Set([
  'token-missing',
  'token-invalid',
  'scope-missing',
  'keys-unavailable',
]);

const TEXT = { type: 'string' } as const;
/** Of anything: generators of clients want to know that, too. */
const LIST = { type: 'array', items: {} } as const;
const TEXT_OR_NULL = { type: ['string', 'null'] } as const;

/** The schemas of response bodies. */
export function bodySchemas() {
  const feature = featureSchema({ const: 'Feature' }, { oneOf: [schemaReference('Geometry'), { type: 'null' }] });
  return {
    Feature: feature,
    FeatureCollection: objectSchema(['type', 'features'], {
      type: { const: 'FeatureCollection' },
      features: { type: 'array', items: schemaReference('Feature') },
    }),
    Units: objectSchema(['type', 'features', 'levels', 'gids', 'names'], {
      type: { const: 'FeatureCollection' },
      features: { type: 'array', items: schemaReference('Feature') },
      levels: { type: 'array', items: TEXT, description: 'The level of each feature, such as lv0.' },
      gids: { type: 'array', items: TEXT_OR_NULL, description: 'The GID of each feature; null if it has none.' },
      names: { type: 'array', items: TEXT_OR_NULL, description: 'The name of each feature; null if it has none.' },
    }),
    Service: serviceSchema(),
    FeatureLines: {
      ...TEXT,
      description: 'Each line is the JSON text of a Feature and ends with a line feed. Empty if no feature matches.',
    },
    GzipFile: { ...TEXT, contentMediaType: 'application/gzip', description: 'One gzip member (RFC 1952).' },
    CellsFile: {
      ...TEXT,
      contentMediaType: 'application/octet-stream',
      description: 'Cells, as the specification of releases has them.',
    },
    Tile: {
      ...TEXT,
      contentMediaType: 'application/vnd.mapbox-vector-tile',
      description: 'Mapbox Vector Tile 2.1.',
    },
    TilesFile: { ...TEXT, contentMediaType: 'application/vnd.pmtiles', description: 'PMTiles 3.' },
    TileJson: objectSchema(['tilejson', 'tiles', 'vector_layers', 'minzoom', 'maxzoom'], {
      tilejson: { const: '3.0.0' },
      name: TEXT,
      tiles: { type: 'array', items: TEXT, description: 'One address, with {z}, {x} and {y}, of this release.' },
      vector_layers: LIST,
      minzoom: { type: 'integer' },
      maxzoom: { type: 'integer' },
      bounds: { type: 'array', items: { type: 'number' } },
      center: { type: 'array', items: { type: 'number' } },
      attribution: TEXT,
    }),
    Geometry: GEOMETRY_SCHEMA,
    NameLines: {
      ...TEXT,
      description:
        'Each line is a JSON array and ends with a line feed. The first has the names of the columns: fid, gid, name, type, parent, children, view, inside.',
    },
    ChangesList: objectSchema(['changes'], {
      changes: { type: 'array', items: changesSchema(), description: 'Oldest first.' },
    }),
    ChangesFile: {
      ...TEXT,
      description: `CSV (RFC 4180) with the columns ${CHANGE_COLUMNS.join(', ')}. Classes: ${CHANGE_CLASSES.join(', ')}. Shares are of area. What stayed the same has no row.`,
    },
    Problem: objectSchema(
      ['type', 'title', 'status', 'detail', 'code'],
      {
        type: { ...TEXT, format: 'uri' },
        title: TEXT,
        status: { type: 'integer' },
        detail: { ...TEXT, description: 'What is wrong, and what is allowed.' },
        code: { enum: Object.keys(PROBLEMS), description: 'Stable: clients may rely on it.' },
      },
      'An error (RFC 9457). Caches must not store it (`Cache-Control: no-store`).',
    ),
    ...ogcSchemas(feature),
  };
}

/** A pair of releases. */
function changesSchema() {
  const counts = {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'Numbers of rows by class.',
  };
  const members = { from: TEXT, to: TEXT, counts, href: { ...TEXT, format: 'uri', description: 'Of the CSV.' } };
  return objectSchema(Object.keys(members), members);
}

/** What GET /api/v1/ answers (features/service/service.ts). */
function serviceSchema() {
  const texts = { type: 'array', items: TEXT };
  const flag = { type: 'boolean' };
  const column = { ...TEXT_OR_NULL, description: 'The name of the property; null where there is none.' };
  const columns = { gid: column, name: column, type: column, parents: { type: 'array', items: TEXT_OR_NULL } };
  const level = {
    level: { ...TEXT, description: 'Such as lv0.' },
    features: { type: 'integer', minimum: 1 },
    bbox: { enum: ['exact', 'boxes'], description: 'What `bbox` compares: geometries, or their bounding boxes.' },
    extent: {
      type: ['array', 'null'],
      items: { type: 'number' },
      description: 'West, south, east, north of all units.',
    },
    columns: objectSchema(Object.keys(columns), columns, 'parents: the GIDs of the levels above, from 0.'),
    caps: { type: 'object', additionalProperties: { type: 'integer' }, description: 'By format and light geometry.' },
    attribution: { ...texts, description: 'Credits to show with the data of this level.' },
    typeName: { type: 'string', description: 'Type of the units that have none in columns.type, if there is one.' },
    nesting: { type: ['number', 'null'], description: 'Share of its borders that the next level has; null: unknown.' },
  };
  const source = {
    name: { ...TEXT, description: 'Of the file, or of the database.' },
    bytes: { type: ['integer', 'null'], minimum: 0 },
    sha256: { ...TEXT_OR_NULL, description: 'Null, as bytes is, where it is not known, as of a database.' },
  };
  const finding = {
    level: level.level,
    kind: { ...TEXT, description: 'Such as invalid-polygons.' },
    count: { type: 'integer', minimum: 1 },
    example: { ...TEXT, description: 'Where the first one is, for people.' },
  };
  const members = {
    release: TEXT,
    digest: { ...TEXT, description: 'SHA-256 of release.json: with the same one all files have the same bytes.' },
    date: { ...TEXT_OR_NULL, format: 'date' },
    releases: { ...texts, description: 'Ids of the hosted releases, the current one first.' },
    attribution: { ...texts, description: 'Credits to show with the data.' },
    license: { ...TEXT_OR_NULL, description: 'Of the data: an SPDX identifier or an address.' },
    citation: { ...TEXT, description: 'Names the data in a text: owners, release, date, licence, digest.' },
    sources: {
      type: 'array',
      items: objectSchema(Object.keys(source), source),
      description: 'What the release was made of, at most the first 100 files.',
    },
    quality: {
      type: 'array',
      items: objectSchema(Object.keys(finding), finding),
      description: 'What the build found in the data, by level and kind.',
    },
    geometries: texts,
    precision: { type: 'integer', description: 'Decimals of the coordinates.' },
    tiles: flag,
    changes: flag,
    levels: {
      type: 'array',
      items: objectSchema(
        Object.keys(level).filter((name) => name !== 'typeName'),
        level,
      ),
      description: 'Those that have units.',
    },
    links: { type: 'array', items: schemaReference('Link') },
  };
  return objectSchema(Object.keys(members), members);
}

function isProblemCode(text: string): text is ProblemCode {
  return text in PROBLEMS;
}

function problemExample(code: ProblemCode) {
  const request = PROBLEM_REQUESTS[code];
  const example = { summary: PROBLEMS[code].title, value: problemToJson(code, PROBLEM_DETAILS[code]) };
  return { ...example, ...(request === undefined ? {} : { 'x-request': request }) };
}

function problemHeaders(status: number) {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  if (status === 401 || status === 403) return { 'WWW-Authenticate': text('The challenge (RFC 6750).') };
  if (status === 416) return { 'Content-Range': text('`bytes */<length of the file>`.') };
  if (status === 405) return { Allow: text('The allowed methods.') };
  if (status === 429)
    return {
      'Retry-After': text('When to retry, in seconds.'),
      'RateLimit-Policy': text('The limits of a client (draft-ietf-httpapi-ratelimit-headers).'),
      RateLimit: text('What remains of the rate limit, and the seconds until it is reset.'),
    };
  if (status === 503) return { 'Retry-After': text('When to retry, in seconds.') };
  return {};
}
