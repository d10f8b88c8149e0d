// What documents say of pages: their parameters, schemas, and examples of the sample release.
import type { Format } from '../../../format/levels.ts';
import { MEDIA_TYPES } from '../../../format/levels.ts';
import { API_PATH } from '../../http/request.ts';
import {
  COUNT,
  LIST,
  objectSchema,
  PAGE_HEADERS,
  type PathDescription,
  schemaReference,
} from '../../query/describe.ts';
import type { Parameter } from '../../query/parameter.ts';

/** The formats in words. */
export const FORMAT_NAMES = {
  geojsonl: 'newline-delimited GeoJSON, one Feature per line',
  fc: 'one GeoJSON FeatureCollection',
} as const;

/** The path of the pages of a format. @param parameters those of the deepest level */
export function pageDescription(format: Format, parameters: readonly Parameter<unknown>[]): PathDescription {
  const path = `${API_PATH}/${format}/{level}`;
  return {
    path,
    operationId: format,
    tag: 'pages',
    summary: `A page of the units of a level, as ${FORMAT_NAMES[format]}`,
    parameters,
    format,
    answer: {
      description: 'A page.',
      mediaType: MEDIA_TYPES[format],
      schema: format === 'fc' ? 'FeatureCollection' : 'FeatureLines',
      examples: pageExamples(path, format),
    },
    schemas: {
      Geometry: GEOMETRY_SCHEMA,
      Feature: FEATURE_SCHEMA,
      ...(format === 'fc'
        ? {
            FeatureCollection: objectSchema(['type', 'features'], {
              type: { const: 'FeatureCollection' },
              features: { type: 'array', items: schemaReference('Feature') },
            }),
          }
        : {
            FeatureLines: {
              type: 'string',
              description:
                'Each line is the JSON text of a Feature and ends with a line feed. Empty if no feature matches.',
            },
          }),
    },
    headers: PAGE_HEADERS,
    namesRelease: true,
  };
}

/** A geometry. */
export const GEOMETRY_SCHEMA = objectSchema(
  ['type'],
  { type: { type: 'string' }, coordinates: LIST, geometries: LIST },
  'RFC 7946: WGS 84, longitude first, exterior rings counter-clockwise.',
);

/**
 * A feature.
 * @param type the schema of the one value that `type` has
 * @param geometry the schema of a geometry or null
 */
export function featureSchema(type: object, geometry: object) {
  const bboxMeaning = 'West, south, east, north; west > east when the unit crosses the antimeridian (RFC 7946).';
  const columns = objectSchema(
    ['fid'],
    { fid: COUNT },
    'fid first, then the columns of the source under their original names.',
  );
  return objectSchema(['type', 'id', 'properties', 'geometry'], {
    type,
    id: { ...COUNT, description: 'The fid.' },
    bbox: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4, description: bboxMeaning },
    properties: { ...columns, additionalProperties: true },
    geometry,
  });
}

/** A feature in OpenAPI 3.1. */
export const FEATURE_SCHEMA = featureSchema(
  { const: 'Feature' },
  { oneOf: [schemaReference('Geometry'), { type: 'null' }] },
);

/**
 * Real features for examples: a unit of each of the first levels of the sample release, as the service sends it, with
 * what the sample says of its origin. The tests compare them with the sample.
 */
const UNITS: readonly { summary: string; feature: string }[] = [
  {
    summary: 'Monaco: made with Natural Earth, public domain',
    feature:
      '{"type":"Feature","id":133,"bbox":[7.3674737,43.7178226,7.4358744,43.7634142],"properties":{"fid":133,"GID_0":"MCO","COUNTRY":"Monaco","ISO_A2":"MC","NAME_AR":"موناكو","NAME_ES":"Mónaco","NAME_FR":"Monaco"},"geometry":{"type":"MultiPolygon","coordinates":[[[[7.4358744,43.7431512],[7.4250743,43.7549713],[7.4070741,43.7634142],[7.3890739,43.7583484],[7.3710737,43.7465284],[7.3674737,43.7347083],[7.3674737,43.7228883],[7.3818738,43.7195111],[7.403474,43.7178226],[7.4178742,43.7313312],[7.4322743,43.7397741],[7.4358744,43.7431512]]]]}}',
  },
  {
    summary: 'Hormigueros in Puerto Rico: U.S. Census Bureau, public domain',
    feature:
      '{"type":"Feature","id":62,"bbox":[-67.1613674,18.1063233,-67.0859922,18.1535715],"properties":{"fid":62,"GID_1":"PRI.35_1","GID_0":"PRI","COUNTRY":"Puerto Rico","NAME_1":"Hormigueros","TYPE_1":"Municipio","ENGTYPE_1":"Municipality","CC_1":"72067","FIPS_1":"72067","INE_1":null},"geometry":{"type":"MultiPolygon","coordinates":[[[[-67.1613674,18.1535715],[-67.1003494,18.1063233],[-67.0859922,18.1501353],[-67.1613674,18.1535715]]]]}}',
  },
  {
    summary: 'Clay County in Iowa: U.S. Census Bureau, public domain',
    feature:
      '{"type":"Feature","id":862,"bbox":[-95.3875754,42.9099537,-94.9137886,43.2552957],"properties":{"fid":862,"GID_2":"USA.16.21_1","GID_0":"USA","COUNTRY":"United States of America","GID_1":"USA.16_1","NAME_1":"Iowa","NAME_2":"Clay","VARNAME_2":"NA","TYPE_2":"County","ENGTYPE_2":"County","CC_2":"19041","FIPS_2":"19041","INE_2":null},"geometry":{"type":"MultiPolygon","coordinates":[[[[-95.3875754,43.2552957],[-95.3875754,42.9099537],[-94.9137886,42.9099537],[-94.9137886,43.2552957],[-95.3875754,43.2552957]]]]}}',
  },
];

/** The examples of a page: no feature, which any data has, and units of the sample. */
function pageExamples(path: string, format: Format) {
  const nothing = {
    summary: 'No feature matches',
    value: format === 'fc' ? { type: 'FeatureCollection', features: [] } : '',
    'x-request': requestFor(`${path.replace('{level}', 'lv0')}?gid-0=no-such-unit`),
  };
  // One format shows those of all levels, which is enough.
  const units = UNITS.slice(0, format === 'fc' ? UNITS.length : 1).map(({ summary, feature }, level) => {
    const parsed = JSON.parse(feature);
    const value = format === 'fc' ? { type: 'FeatureCollection', features: [parsed] } : `${feature}\n`;
    const target = `${path.replace('{level}', `lv${level}`)}?gid-${level}=${parsed.properties[`GID_${level}`]}`;
    return [`lv${level}`, { summary, value, 'x-request': requestFor(target) }] as const;
  });
  return { ...Object.fromEntries(units), nothing };
}

function requestFor(target: string): string {
  return `GET ${target} HTTP/1.1\nHost: boundaries.example.org\nAuthorization: Bearer $TOKEN`;
}
