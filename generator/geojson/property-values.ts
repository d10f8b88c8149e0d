// Property values: as JSON (verbatim, dates as ISO 8601), and as GIDs.
import type { ColumnType } from '../source/columns.ts';

/** A JSON value of a property. */
export type PropertyValue = string | number | boolean | null | readonly (string | number)[];

/** A value that has no JSON form. */
export class ValueError extends Error {}

/**
 * Converts a value of gdal-async to a JSON value.
 * @throws ValueError for a whole number that may have lost digits
 */
export function valueToJson(value: unknown, type: ColumnType): PropertyValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (type === 'boolean') return value !== 0;
    // NaN and infinity have no JSON form; GDAL's own GeoJSON writer writes null as well.
    if (!Number.isFinite(value)) return null;
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) checkExact(value);
    return value;
  }
  if (typeof value === 'string' || Array.isArray(value)) return value;
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (typeof value === 'object') return dateToIso(value as Readonly<Record<string, number>>, type);
  throw new ValueError(`a value of type ${typeof value} has no JSON form`);
}

/** Rejects whole numbers beyond 2^53 that may come from a 64-bit integer: the double may differ from the source. */
function checkExact(value: number): void {
  if (Math.abs(value) < 2 ** 63)
    throw new ValueError(`${value} is beyond 2^53 and may have lost digits; change the column to text`);
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

/** A GID column's value as text; null if it is empty. */
export function gidFrom(value: unknown): string | null {
  return value === null || value === undefined || value === '' ? null : String(value);
}
