// Parses a feature of a release.
import { isUtf8 } from 'node:buffer';
import { FileError } from './inflate.ts';

/** A parsed feature. */
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

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FileError(`its text is not JSON: ${text.slice(0, 60)}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
