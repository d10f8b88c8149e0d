// Parses a feature of a release.
import { isUtf8 } from 'node:buffer';
import { isObject } from '../../format/parse.ts';
import { FileError } from './file-error.ts';

/** A parsed feature; a whole number that a double cannot hold exactly is a bigint. */
export interface JsonFeature {
  id: unknown;
  properties: Readonly<Record<string, unknown>>;
  geometry: Readonly<Record<string, unknown>> | null;
}

/**
 * Parses a feature's text.
 * @throws FileError if it is not a GeoJSON feature
 */
export function featureFrom(line: Buffer): JsonFeature {
  if (!isUtf8(line)) throw new FileError('its text is not UTF-8');
  const feature = jsonFrom(line.toString());
  if (!isObject(feature) || feature['type'] !== 'Feature') throw new FileError('its text is not a GeoJSON feature');
  const { id, properties, geometry } = feature;
  if (!isObject(properties)) throw new FileError('has no properties');
  if (geometry !== null && !isObject(geometry)) throw new FileError('has no geometry');
  return { id, properties, geometry };
}

/** A member whose value is a whole number of so many digits that a double may not hold it exactly. */
const LONG_INTEGER = /:-?\d{16,}[,}]/;

/** A string, or such a value. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<=:)(-?\d{16,})(?=[,}])/g;

/** Text that replaces such a value for JSON.parse: a NUL, which no source has in its text, and the digits. */
const EXACT_INTEGER = /^\0-?\d+$/;

function jsonFrom(text: string): unknown {
  try {
    return LONG_INTEGER.test(text) ? parseExactly(text) : JSON.parse(text);
  } catch {
    throw new FileError(`its text is not JSON: ${text.slice(0, 60)}`);
  }
}

/** JSON.parse, with a bigint for each member that is a whole number beyond 2^53. */
function parseExactly(text: string): unknown {
  const marked = text.replaceAll(STRING_OR_LONG_INTEGER, (token, digits?: string) =>
    digits === undefined || Number.isSafeInteger(Number(digits)) ? token : `"\\u0000${digits}"`,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && EXACT_INTEGER.test(value) ? BigInt(value.slice(1)) : value,
  );
}

/** A parsed value as a list; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
