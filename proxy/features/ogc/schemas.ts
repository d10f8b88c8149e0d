// The schemas of what OGC API - Features answers, written so that they mean the same in OpenAPI 3.0 and 3.1; of a
// feature, whose geometry may be null, each version is given its own.
import { COUNT, objectSchema, schemaReference, TEXT } from '../../query/describe.ts';
import { featureSchema, GEOMETRY_SCHEMA } from '../pages/description.ts';

const ADDRESS = { type: 'string', format: 'uri' } as const;
/** A feature in OpenAPI 3.0. */
export const FEATURE_3_0 = featureSchema({ type: 'string', enum: ['Feature'] }, { ...GEOMETRY_SCHEMA, nullable: true });

/** The answers, by the names that the paths use. @param feature the schema of a feature */
export function ogcSchemas(feature: ReturnType<typeof featureSchema>) {
  const links = { type: 'array', items: schemaReference('Link') };
  const attribution = { ...TEXT, description: 'Credits to show with the data.' };
  const spatial = objectSchema(['bbox', 'crs'], {
    bbox: { type: 'array', items: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 }, minItems: 1 },
    crs: ADDRESS,
  });
  return {
    Link: objectSchema(['href', 'rel', 'type'], { href: ADDRESS, rel: TEXT, type: TEXT, title: TEXT }),
    Landing: objectSchema(['title', 'description', 'links'], { title: TEXT, description: TEXT, attribution, links }),
    Conformance: objectSchema(['conformsTo'], { conformsTo: { type: 'array', items: ADDRESS } }),
    OpenApi: {
      ...objectSchema(['openapi', 'info', 'paths'], {
        openapi: TEXT,
        info: { type: 'object' },
        paths: { type: 'object' },
      }),
      additionalProperties: true,
    },
    Collections: objectSchema(['links', 'collections'], {
      attribution,
      links,
      collections: { type: 'array', items: schemaReference('Collection') },
    }),
    Collection: objectSchema(['id', 'title', 'links', 'itemType', 'itemCount'], {
      id: { ...TEXT, description: 'Such as lv0.' },
      title: TEXT,
      attribution,
      links,
      extent: objectSchema(['spatial'], { spatial }, 'Of all units; absent where none has a geometry.'),
      itemType: { type: 'string', enum: ['feature'] },
      itemCount: COUNT,
    }),
    Columns: objectSchema(
      ['$schema', '$id', 'type', 'title', 'properties', 'additionalProperties'],
      {
        $schema: ADDRESS,
        $id: ADDRESS,
        type: { type: 'string', enum: ['object'] },
        title: TEXT,
        properties: { type: 'object', additionalProperties: { type: 'object' } },
        additionalProperties: { type: 'boolean' },
      },
      'A JSON Schema.',
    ),
    Items: objectSchema(['type', 'features', 'numberMatched', 'numberReturned', 'links'], {
      type: { type: 'string', enum: ['FeatureCollection'] },
      features: { type: 'array', items: schemaReference('Feature') },
      numberMatched: { ...COUNT, description: 'How many features match in all.' },
      numberReturned: COUNT,
      links,
    }),
    Item: { ...feature, required: [...feature.required, 'links'], properties: { ...feature.properties, links } },
  };
}

/** The name of such an answer. */
export type OgcSchema = keyof ReturnType<typeof ogcSchemas>;
