// Property values: as JSON (verbatim, dates as ISO 8601), and as GIDs.
import { elementAt } from '../../format/element-at.ts';
import type { Column, ColumnType, LayerSource } from '../source/level-source.ts';

/** A JSON value of a property. */
export type PropertyValue = string | number | bigint | boolean | null | readonly (string | number)[];

/** A value that has no JSON form. */
export class ValueError extends Error {
  /** What to do; undefined if only the source can be changed. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** A 64-bit integer beyond 2^53, read as a double: it has to be read as text. */
export class InexactInteger extends ValueError {}

/**
 * Converts a value of gdal-async to a JSON value; a 64-bit integer that was read as text becomes a bigint.
 * @throws InexactInteger for a 64-bit integer that may have lost digits
 * @throws ValueError for a value that has no JSON form
 */
export function valueToJson(value: unknown, type: ColumnType): PropertyValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (type === 'boolean') return value !== 0;
    // NaN and infinity have no JSON form; GDAL's own GeoJSON writer writes null as well.
    if (!Number.isFinite(value)) return null;
    if (type === 'integer64' && !Number.isSafeInteger(value))
      throw new InexactInteger(`${value} is beyond 2^53 and may have lost digits`);
    return value;
  }
  if (typeof value === 'string') {
    if (type === 'integer64') return BigInt(value);
    // Where units are united, a list is JSON.
    return type === 'other' ? valueToJson(JSON.parse(value), type) : value;
  }
  if (Array.isArray(value)) return listToJson(value);
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (typeof value === 'object') return dateToIso(value as Readonly<Record<string, number>>, type);
  throw new ValueError(`a value of type ${typeof value} has no JSON form`);
}

/** @throws ValueError for a list with a whole number beyond 2^53, which may have lost digits */
function listToJson(list: readonly (string | number)[]): readonly (string | number)[] {
  const inexact = list.find((item) => Number.isInteger(item) && !Number.isSafeInteger(item));
  if (inexact === undefined) return list;
  throw new ValueError(
    `a list has ${inexact}, which is beyond 2^53 and may have lost digits`,
    'change the column to text',
  );
}

const UTC_FLAG = 100;
const MINUTES_PER_STEP = 15;

// GDAL's time zone flag: 0 unknown, 1 local, 100 UTC, other values quarters of an hour from 100.
function dateToIso(parts: Readonly<Record<string, number>>, type: ColumnType): string {
  const two = (member: string): string => String(Math.floor(parts[member] ?? 0)).padStart(2, '0');
  const date = `${String(parts['year'] ?? 0).padStart(4, '0')}-${two('month')}-${two('day')}`;
  const time = `${two('hour')}:${two('minute')}:${two('second')}`;
  if (type === 'date') return date;
  if (type === 'time') return time;
  const flag = parts['timezone'] ?? 0;
  if (flag <= 1) return `${date}T${time}`;
  if (flag === UTC_FLAG) return `${date}T${time}Z`;
  const minutes = Math.abs(flag - UTC_FLAG) * MINUTES_PER_STEP;
  const offset = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return `${date}T${time}${flag < UTC_FLAG ? '-' : '+'}${offset}`;
}

/** A layer's fields, by whose types their values are read. */
type Fields = Pick<LayerSource, 'fields'>;

/**
 * The value of a column: that of its only field, or those of several, joined to a GID.
 * @throws ValueError for a value that has no JSON form
 */
export function columnToJson(values: readonly unknown[], { fields }: Column, layer: Fields): PropertyValue {
  const own = (at: number): PropertyValue => valueToJson(values[at], elementAt(layer.fields, at).type);
  if (fields.length === 1) return own(elementAt(fields, 0));
  // An integer that may have lost digits is refused here; a GID takes it as it is.
  fields.forEach(own);
  return gidFrom(values, fields, layer);
}

/** The GID in some fields, joined with dots; null if one of them is empty, or there are none. */
export function gidFrom(values: readonly unknown[], own: readonly number[], { fields }: Fields): string | null {
  const parts = own.map((at) => {
    const [value, { type }] = [values[at], elementAt(fields, at)];
    // An integer that may have lost digits is refused where it is published, not where a message names a unit.
    return valueToText(valueToJson(value, type === 'integer64' && typeof value === 'number' ? 'real' : type));
  });
  return parts.includes(null) || parts.length === 0 ? null : parts.join('.');
}

/** A property value as the text of a name: null if there is none. */
export function valueToText(value: PropertyValue): string | null {
  if (value === null || value === '') return null;
  return typeof value === 'string' ? value : jsonOf(value);
}

/** A property value as JSON text. */
export function jsonOf(value: PropertyValue): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** GADM's columns of names and types. */
const GADM_COLUMNS = /^(NAME|TYPE|ENGTYPE|VARNAME|NL_NAME)_[0-5]$/i;

/** Does a text of a column stand for no name? GADM writes `NA` where a unit has no name or type. */
export function isNoName(text: string, column: string): boolean {
  return text === 'NA' && GADM_COLUMNS.test(column);
}
