// The JSON Schemas of a collection of OGC API - Features: what one may filter by (queryables, part 3, OGC 19-079r2), and what
// is known of its columns. Used by ogc-documents.ts.
import { GEOMETRY } from './endpoints.ts';

/** What release.json says of a level's columns. */
interface Columns {
  layer: string;
  gidColumns: readonly string[];
  nameColumn: string;
  typeColumn: string;
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The columns of a level: as `queryables` those that are parameters of the items, and no other; as `schema` all that the
 * release names, with their roles. It records no types of columns, so values may be of any; units may have further columns.
 * @param id the address of the document
 */
export function columnsSchema(document: string, id: string, columns: Columns): object {
  const { layer, gidColumns, nameColumn, typeColumn } = columns;
  const frame = { $schema: DIALECT, $id: id, type: 'object', title: layer };
  const isThere = (name: string): boolean => name !== '';
  if (document === 'queryables') {
    const properties = gidColumns.filter(isThere).map((name) => [name, { title: name, type: 'string' }]);
    return { ...frame, properties: Object.fromEntries(properties), additionalProperties: false };
  }
  const own = gidColumns.length - 1;
  const titleOf = (name: string): string => {
    const level = gidColumns.indexOf(name);
    if (level === -1) return `${name}: the ${name === nameColumn ? 'name' : 'type'} of the unit`;
    return `${name}: the identifier of the unit${level === own ? '' : ` above it at level ${level}`}`;
  };
  const named = [...new Set([...gidColumns, nameColumn, typeColumn])].filter(isThere);
  const properties = [
    ['fid', { title: 'fid', type: 'integer', minimum: 0, readOnly: true, 'x-ogc-role': 'id' }],
    ...named.map((name) => [name, { title: titleOf(name) }]),
    [GEOMETRY, { format: 'geometry-polygon-or-multipolygon', 'x-ogc-role': 'primary-geometry' }],
  ];
  return { ...frame, properties: Object.fromEntries(properties), additionalProperties: true };
}
