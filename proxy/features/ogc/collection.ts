// A collection of OGC API - Features: its description, and its JSON Schemas: what one may filter by (queryables, part
// 3, OGC 19-079r2), and what is known of its columns.

import type { Finding } from '../../../format/findings.ts';
import type { ColumnKind, LevelSummary } from '../../../format/level-json.ts';
import { levelName } from '../../../format/levels.ts';
import type { LoadedRelease } from '../../data/loaded-release.ts';
import { GEOMETRY } from '../../query/parameter.ts';
import { COLLECTIONS_PATH, type Link, queryablesLink, RELATIONS, SCHEMA_TYPE } from '../items/item-paths.ts';

const JSON_TYPE = 'application/json';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A level as a collection. @param base URL of the service */
export function collectionDocument(
  { level, layer, features, extent, attribution }: LevelSummary,
  release: LoadedRelease,
  base: string,
) {
  const id = levelName(level);
  const href = `${base}${COLLECTIONS_PATH}/${id}`;
  const links: Link[] = [
    { href, rel: 'self', type: JSON_TYPE },
    { href: `${href}/items`, rel: 'items', type: 'application/geo+json', title: `The units of level ${level}` },
    queryablesLink(level, base),
    { href: `${href}/schema`, rel: `${RELATIONS}schema`, type: SCHEMA_TYPE, title: 'Columns' },
    ...licenceLinks(release),
  ];
  const spatial = { bbox: [extent], crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' };
  return {
    id,
    title: `Level ${level} (${layer})`,
    ...creditsOf({ attribution: attribution ?? release.attribution }),
    links,
    ...(extent !== undefined && { extent: { spatial } }),
    itemType: 'feature',
    itemCount: features,
  };
}

/**
 * The columns of a level: as `queryables` those that are parameters of the items, and no other; as `schema` all that
 * the units have, with their types and roles, as far as the release records them.
 * @param id the address of the document
 * @param quality of the release
 */
export function columnsSchema(
  document: string,
  id: string,
  columns: LevelSummary,
  quality: readonly Finding[],
): object {
  const { layer, gidColumns, nameColumn, typeColumn, columns: known = [] } = columns;
  const frame = { $schema: DIALECT, $id: id, type: 'object', title: layer };
  if (document === 'queryables') {
    const properties = gidColumns.filter((name) => name !== '').map((name) => [name, queryable(name)]);
    return { ...frame, properties: Object.fromEntries(properties), additionalProperties: false };
  }
  const own = gidColumns.length - 1;
  const titleOf = (name: string): string => {
    const level = gidColumns.indexOf(name);
    if (level === -1) {
      if (name === nameColumn) return `${name}: the name of the unit`;
      return name === typeColumn ? `${name}: the type of the unit` : name;
    }
    return `${name}: the identifier of the unit${level === own ? '' : ` above it at level ${level}`}`;
  };
  const hasOthers = quality.some(({ kind, level }) => kind === 'non-polygonal' && level === columns.level);
  const properties = [
    ...known.map(({ name, type }) => [name, { title: titleOf(name), ...SCHEMAS[type] }]),
    ['fid', { title: 'fid', type: 'integer', minimum: 0, readOnly: true, 'x-ogc-role': 'id' }],
    [
      GEOMETRY.name,
      { format: `geometry-${hasOthers ? 'any' : 'polygon-or-multipolygon'}`, 'x-ogc-role': 'primary-geometry' },
    ],
  ];
  return { ...frame, properties: Object.fromEntries(properties), additionalProperties: known.length === 0 };
}

/** What a schema says of the values of a column. */
const SCHEMAS: Readonly<Record<ColumnKind, object>> = {
  int64: { type: 'integer' },
  double: { type: 'number' },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  date: { type: 'string', format: 'date' },
  json: {},
};

/** The schema of a column to filter by, which is that of the parameter, too (OGC 19-079r2, requirement 6 C). */
export function queryable(name: string) {
  return { title: name, type: 'string', minLength: 1 };
}

/** The licence of the data: none if the release does not say where its text is. */
export function licenceLinks({ licence }: LoadedRelease): Link[] {
  if (licence === undefined || licence.startsWith('LicenseRef-')) return [];
  const href = URL.canParse(licence) ? licence : `https://spdx.org/licenses/${licence}.html`;
  return [{ href, rel: 'license', type: 'text/html', title: licence }];
}

/** The credits of the data. */
export function creditsOf({ attribution }: Pick<LoadedRelease, 'attribution'>): { attribution?: string } {
  return attribution.length > 0 ? { attribution: attribution.join('\n') } : {};
}
