// The parameters in the OpenAPI document: one component each, and for page-size one per page cap.
import type { Geometry, Level } from '../../../format/levels.ts';
import { GEOMETRIES, LEVELS, LIGHT_CAPS, levelName, PAGE_CAPS } from '../../../format/levels.ts';
import type { FeaturesEndpoint } from '../../api/endpoints.ts';
import {
  BBOX,
  CONTAINS,
  DOWNLOAD_ENDPOINTS,
  FID_MAX,
  FILTERS,
  GEOMETRY,
  PAGE_ENDPOINTS,
  PAGE_SIZE,
  PAGE_SIZE_MIN,
  POINT,
  RELEASE,
  SEARCH_ENDPOINT,
  SEARCH_LIMIT,
  START_AFTER,
  START_AT,
} from '../../api/endpoints.ts';

/** Valid for any data: an unknown GID gives an empty page. */
const EXAMPLE_GIDS = ['ESP', 'ESP.1_1', 'ESP.1.2_1', 'ESP.1.2.3_1', 'ESP.1.2.3.4_1', 'ESP.1.2.3.4.5_1'] as const;
const EXAMPLE_FID = 1;
/** The default, which every release has. */
const FULL: Geometry = 'full';
/** The caps of the geometries that are small, in words. */
const SMALL_CAPS = Object.entries(LIGHT_CAPS)
  .map(([geometry, cap]) => `${cap} with geometry=${geometry}`)
  .join(', ');

const DECIMALS = '(\\.\\d{1,40})?';
const NONE = '(\\.0{1,40})?';
const LONGITUDE = `-?(180${NONE}|(1[0-7]\\d|0?\\d{1,2})${DECIMALS})`;
const LATITUDE = `-?(0?90${NONE}|0?[0-8]?\\d${DECIMALS})`;

/** The parameters that select by place. Longitude comes first, as in GeoJSON. */
const PLACES: Readonly<Record<string, { description: string; schema: object; example: string }>> = {
  [BBOX]: {
    description:
      'Only features whose bounding box touches this one: west,south,east,north in degrees; west > east crosses the antimeridian (RFC 7946, section 5.2). Features without geometry never match.',
    schema: { type: 'string', pattern: `^${LONGITUDE},${LATITUDE},${LONGITUDE},${LATITUDE}$` },
    example: '-3.9,40.3,-3.5,40.6',
  },
  [CONTAINS]: {
    description:
      'Only features that contain this point: longitude,latitude in degrees. The full geometry decides, whatever geometry is asked for; a point on a border that two units share is in exactly one of them. A release may have been built without this.',
    schema: { type: 'string', pattern: `^${LONGITUDE},${LATITUDE}$` },
    example: '-3.7038,40.4168',
  },
};

/** For lv2 before lv10. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

/** The parameters of all endpoints, by component name. */
export function parameterComponents() {
  const entries = [...PAGE_ENDPOINTS, ...DOWNLOAD_ENDPOINTS].flatMap((endpoint) =>
    endpoint.parameters.map((name) => {
      const [description, example] = [parameterMeaning(name, endpoint.level), parameterExample(name)];
      const parameter = { name, in: 'query', description, schema: parameterSchema(name, endpoint), example };
      return [componentName(name, endpoint), parameter] as const;
    }),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => COLLATOR.compare(a, b)));
}

/** References to the parameters of an endpoint. */
export function parameterReferences(endpoint: FeaturesEndpoint) {
  return endpoint.parameters.map((name) => ({
    $ref: `#/components/parameters/${componentName(name, endpoint)}`,
  }));
}

const LEVEL_NAMES = LEVELS.map(levelName);

/** The parameters of a search that no other path has, or that mean something else there. */
const SEARCH: Readonly<Record<string, { description: string; schema: object; example: string | number }>> = {
  q: {
    description:
      'The beginning of a name, or of a word in it; case, marks and punctuation do not matter. Or a GID, exactly. First come units whose GID it is, then those whose whole name it is, those whose name begins with it, and others; of each the higher level first. Where that is nothing, the text is cut at a space, the last one first: what is before it is of the name, each word after it begins a word of the name of one of the parents.',
    schema: { type: 'string', minLength: 1, maxLength: SEARCH_LIMIT.characters, pattern: '[\\p{L}\\p{N}]' },
    example: 'toledo',
  },
  limit: {
    description: 'Maximum number of units.',
    schema: { type: 'integer', minimum: 1, maximum: SEARCH_LIMIT.maximum, default: SEARCH_LIMIT.default },
    example: SEARCH_LIMIT.default,
  },
  level: {
    description:
      'Only units of these levels, with commas between them, each once; of all if absent. With gid-N none is above level N.',
    schema: { type: 'string', pattern: `^lv[0-5](,lv[0-5]){0,${LEVEL_NAMES.length - 1}}$` },
    example: 'lv2,lv3',
  },
  [GEOMETRY]: {
    description: 'Geometry of the units; that with the fewest bytes, none, if absent.',
    schema: { type: 'string', enum: GEOMETRIES, default: 'none' },
    example: 'none',
  },
};

/** The parameters of a search, by component name. */
export function searchComponents() {
  const entries = SEARCH_ENDPOINT.parameters.map((name) => {
    const inside = `Only the ${name.replace('gid-', 'lv')} unit with this GID, and units inside it.`;
    const filter = { description: inside, schema: { type: 'string', minLength: 1 } };
    const own = SEARCH[name] ?? { ...filter, example: parameterExample(name) };
    return [`search-${name}`, { name, in: 'query', ...(name === 'q' && { required: true }), ...own }] as const;
  });
  return Object.fromEntries(entries);
}

/** References to the parameters of a search. */
export function searchReferences() {
  return SEARCH_ENDPOINT.parameters.map((name) => ({ $ref: `#/components/parameters/search-${name}` }));
}

/** The parameters of what is at a point. */
export function atParameters() {
  const point = { type: 'string', pattern: `^${LONGITUDE},${LATITUDE}$` };
  const geometry = { type: 'string', enum: GEOMETRIES, default: 'none' };
  return [
    {
      name: POINT,
      in: 'query',
      required: true,
      description:
        'longitude,latitude in degrees. A point on a border is in exactly one of the units that share it. Where nothing is at the point but something at the exchanged numbers, Link leads there with rel="alternate".',
      schema: point,
      example: PLACES[CONTAINS]?.example,
    },
    {
      name: GEOMETRY,
      in: 'query',
      description: 'Geometry of the features, as of pages; none if absent. The full one decides what is at the point.',
      schema: geometry,
      example: 'none',
    },
  ];
}

/** The meaning of a filter depends on the level, that of page-size on the cap: each has its own component. */
function componentName(name: string, { format, level }: FeaturesEndpoint): string {
  if (name === PAGE_SIZE) return `${PAGE_SIZE}-${PAGE_CAPS[format][level]}`;
  if (isStart(name) || name === GEOMETRY || name === RELEASE || name in PLACES) return name;
  return `${name}-of-lv${level}`;
}

function parameterMeaning(name: string, level: Level): string {
  if (name === PAGE_SIZE)
    return `Number of features on the page. A larger number counts as the maximum, which is the default, or ${SMALL_CAPS}.`;
  if (name === GEOMETRY)
    return 'Geometry of the features: full (the default), simplified to about 100 m (medium) or 1 km (low), a point inside the unit, or none. Polygons that are not valid in the source are not valid in full, and may not be in medium and low; of others hardly any are not. All else is the same, bbox included. A release may have been built without some of them.';
  const place = PLACES[name];
  if (place !== undefined) return place.description;
  if (name === RELEASE)
    return 'Id of a hosted release, which a download that is continued stays on. The current one if absent.';
  if (name === START_AT)
    return 'Start of the page: the first feature with this fid or a larger one, or the position of a cursor.';
  if (name === START_AFTER)
    return 'Start of the page: the first feature with a larger fid, or the position of a cursor. Not together with start-at.';
  const column = filterColumn(name);
  if (column === level) return 'Only the unit with this GID.';
  return `Only units inside the ${levelName(column)} unit with this GID. Several filters are combined with AND.`;
}

function parameterSchema(name: string, { format, level }: FeaturesEndpoint) {
  // Without a maximum: a larger number is allowed, and counts as the cap.
  if (name === PAGE_SIZE) return { type: 'integer', minimum: PAGE_SIZE_MIN, default: PAGE_CAPS[format][level] };
  if (name === GEOMETRY) return { type: 'string', enum: GEOMETRIES, default: FULL };
  const place = PLACES[name];
  if (place !== undefined) return place.schema;
  if (!isStart(name)) return { type: 'string', minLength: 1 };
  return {
    oneOf: [
      { type: 'integer', minimum: 0, maximum: FID_MAX, description: 'A fid.' },
      { type: 'string', pattern: '^c_[A-Za-z0-9_-]+$', description: 'A cursor from a Link header; opaque.' },
    ],
  };
}

function parameterExample(name: string): number | string {
  if (name === PAGE_SIZE) return PAGE_SIZE_MIN;
  if (isStart(name)) return EXAMPLE_FID;
  if (name === GEOMETRY) return FULL;
  if (name === RELEASE) return 'sample';
  return PLACES[name]?.example ?? EXAMPLE_GIDS[filterColumn(name)];
}

/** The level of the unit that a filter names. */
function filterColumn(name: string): Level {
  const column = FILTERS.get(name);
  if (column === undefined) throw new RangeError(`${name} is not a filter`);
  return column;
}

function isStart(name: string): boolean {
  return name === START_AT || name === START_AFTER;
}
