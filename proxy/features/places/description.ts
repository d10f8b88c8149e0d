// What documents say of `/at`, and of every answer with units of all levels.
import { objectSchema, PAGE_HEADERS, type PathDescription, schemaReference } from '../../query/describe.ts';
import { AT_ENDPOINT } from './at.ts';

const TEXTS = { type: 'array', items: { type: 'string' } } as const;
const TEXTS_OR_NULL = { type: 'array', items: { type: ['string', 'null'] } } as const;

/** The answer with units of all levels. @param more the schemas of further members that it always has */
export function unitsSchema(more: Readonly<Record<string, object>> = {}) {
  return objectSchema(['type', 'features', 'levels', 'gids', 'names', ...Object.keys(more)], {
    type: { const: 'FeatureCollection' },
    features: { type: 'array', items: schemaReference('Feature') },
    levels: { ...TEXTS, description: 'The level of each feature, such as lv0.' },
    gids: { ...TEXTS_OR_NULL, description: 'The GID of each feature; null if it has none.' },
    names: { ...TEXTS_OR_NULL, description: 'The name of each feature, in the language of lang; null if it has none.' },
    ...more,
  });
}

/** The path. */
export const AT_DESCRIPTION: PathDescription = {
  path: AT_ENDPOINT.path,
  operationId: 'at',
  tag: 'units',
  summary: 'Reverse geocoding: the units of all levels that contain a point, from the country down',
  description:
    'Each level is looked up by itself. If levels come from different sources, they may contradict each other near a border. The parents of the deepest unit are also in its properties.',
  parameters: AT_ENDPOINT.parameters,
  answer: { description: 'The units.', mediaType: AT_ENDPOINT.mediaType, schema: 'Units' },
  schemas: { Units: unitsSchema() },
  headers: PAGE_HEADERS,
};
