// What documents say of the path that says what is served.
import {
  objectSchema,
  type PathDescription,
  RELEASE_HEADERS,
  schemaReference,
  TEXT,
  TEXT_OR_NULL,
} from '../../query/describe.ts';
import { SERVICE_ENDPOINT } from './service.ts';

/** What GET /api/v1/ answers (features/service/service.ts). */
function serviceSchema() {
  const texts = { type: 'array', items: TEXT };
  const flag = { type: 'boolean' };
  const column = { ...TEXT_OR_NULL, description: 'The name of the property; null if there is none.' };
  const byKey = { type: 'object', additionalProperties: TEXT };
  const columns = {
    gid: column,
    name: column,
    type: column,
    parents: { type: 'array', items: TEXT_OR_NULL },
    names: { ...byKey, description: 'Those with names in a language, by its tag.' },
    codes: { ...byKey, description: 'Those with official codes, by their key.' },
  };
  const level = {
    level: { ...TEXT, description: 'Such as lv0.' },
    features: { type: 'integer', minimum: 1 },
    orphans: {
      type: 'integer',
      minimum: 0,
      description: 'Units without a GID of any level above. They are children of no unit.',
    },
    bbox: { enum: ['exact', 'boxes'], description: 'What `bbox` compares: geometries, or their bounding boxes.' },
    extent: {
      type: ['array', 'null'],
      items: { type: 'number' },
      description: 'West, south, east, north of all units.',
    },
    columns: objectSchema(
      Object.keys(columns),
      columns,
      'Names of properties. parents: those with the GIDs of the levels above, from lv0.',
    ),
    caps: {
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Caps of page-size, by format and by light geometry.',
    },
    attribution: { ...texts, description: 'Credits to show with the data of this level.' },
    typeName: { type: 'string', description: 'The type of units without a value in columns.type, if there is one.' },
    nesting: {
      type: ['number', 'null'],
      description: 'The share of its borders that the next level has, too; null if unknown.',
    },
  };
  const source = {
    name: { ...TEXT, description: 'The name of the file or of the database.' },
    bytes: { type: ['integer', 'null'], minimum: 0 },
    sha256: { ...TEXT_OR_NULL, description: 'Null, like bytes, if it is not known, such as of a database.' },
  };
  const finding = {
    level: level.level,
    kind: { ...TEXT, description: 'Such as invalid-polygons.' },
    count: { type: 'integer', minimum: 1 },
    example: { ...TEXT, description: 'Where the first one is, as text for people.' },
  };
  const members = {
    release: TEXT,
    digest: { ...TEXT, description: 'SHA-256 of release.json. If it is the same, all files have the same bytes.' },
    date: { ...TEXT_OR_NULL, format: 'date' },
    releases: { ...texts, description: 'Ids of the hosted releases, the current one first.' },
    attribution: { ...texts, description: 'Credits to show with the data.' },
    license: { ...TEXT_OR_NULL, description: 'The licence of the data: an SPDX identifier or an address.' },
    citation: { ...TEXT, description: 'How to name the data in a text: owners, release, date, licence, digest.' },
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
    languages: { ...texts, description: 'The languages in which units have names: the values of `lang`.' },
    levels: {
      type: 'array',
      items: objectSchema(
        Object.keys(level).filter((name) => name !== 'typeName'),
        level,
      ),
      description: 'The levels that have units.',
    },
    links: { type: 'array', items: schemaReference('Link') },
  };
  return objectSchema(Object.keys(members), members);
}

/** The path. */
export const SERVICE_DESCRIPTION: PathDescription = {
  path: SERVICE_ENDPOINT.path,
  operationId: 'service',
  tag: 'service',
  summary: 'What is served: the release, its levels, the columns of their units, and caps',
  parameters: [],
  answer: { description: 'The description.', mediaType: SERVICE_ENDPOINT.mediaType, schema: 'Service' },
  schemas: { Service: serviceSchema() },
  headers: RELEASE_HEADERS,
};
