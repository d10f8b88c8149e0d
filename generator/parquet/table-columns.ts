// The columns of a table: their names, which differ without regard to case, their types in Parquet, and their values.

import type { ColumnKind, LevelColumn } from '../../format/level-json.ts';
import type { Geometry } from '../../format/levels.ts';
import { isDate } from '../../format/release-json.ts';

/** A value as the writer of Parquet takes it. */
export type TableValue = bigint | number | boolean | string | null;

/** A column with a property of the units. */
export interface PropertyColumn extends LevelColumn {
  /** The name of the property. */
  property: string;
}

/** The names of the columns with geometries. */
export const GEOMETRY_COLUMNS: Readonly<Partial<Record<Geometry, string>>> = {
  full: 'geometry',
  medium: 'geometry_medium',
  low: 'geometry_low',
  point: 'geometry_point',
};
export const BBOX_COLUMN = 'bbox';

/** What no property but the first, which is the fid, is called. */
const RESERVED = ['fid', BBOX_COLUMN, ...Object.values(GEOMETRY_COLUMNS)];

/**
 * The columns with properties. A name that a table has already, in whatever case, gets `_2`, `_3` ..., the first that
 * is free.
 * @param columns as release.json has them, `fid` first
 */
export function propertyColumns(columns: readonly LevelColumn[]): PropertyColumn[] {
  const taken = new Set(RESERVED);
  return columns.map(({ name: property, type }, at) => {
    const wanted = property === '' ? 'column' : property;
    let name = wanted;
    for (let n = 2; at > 0 && taken.has(name.toLowerCase()); n++) name = `${wanted}_${n}`;
    taken.add(name.toLowerCase());
    return { name, type, property };
  });
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

/** How a kind of values is stored. */
export const PARQUET_TYPES = {
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  string: TEXT,
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  json: TEXT,
} as const satisfies Record<ColumnKind, object>;

const DAY_MS = 86_400_000;

/**
 * A property of a feature, where it has it, as a value of its column; null for a date that no calendar has.
 * @throws TypeError for a value of another kind
 */
export function tableValue(value: unknown, kind: ColumnKind): TableValue {
  if (value === null || value === undefined) return null;
  if (kind === 'json') return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (kind === 'int64') return BigInt(value);
    if (kind === 'double') return Number(value);
  }
  if (typeof value === 'string') {
    if (kind === 'date') return isDate(value) ? Date.parse(value) / DAY_MS : null;
    if (kind === 'string') return value;
  }
  if (typeof value === 'boolean' && kind === 'boolean') return value;
  throw new TypeError(`${String(value)}: expected ${kind}`);
}
