// A published unit as `diff` needs it: what it is called, and a hash of what is said of it.
import { createHash } from 'node:crypto';
import { featureFrom, gidFrom } from './published.ts';

/** A unit. */
export interface HashedUnit {
  /** Null where it has none. */
  gid: string | null;
  /** Of its geometry and of its properties without the fid, whatever their order. */
  hash: string;
}

/**
 * The unit that a line of a geojsonl page holds.
 * @param column the name of the column of its own GID
 * @throws PageError where the line is no feature
 */
export function unitOf(line: Buffer, column: string): HashedUnit {
  const { properties, geometry } = takeApart(line);
  return { gid: gidFrom(properties[column]), hash: hashOf(properties, geometry) };
}

// Nowhere else in a feature's text: within a string, the quotation mark would end it.
const GEOMETRY_MARK = Buffer.from('},"geometry":');
const NO_GEOMETRY = Buffer.from('null}\n');

/** A feature's properties, parsed, and the rest of its line from its geometry on, as it is: parsing that takes longest. */
function takeApart(line: Buffer): { properties: Readonly<Record<string, unknown>>; geometry: Buffer } {
  const at = line.indexOf(GEOMETRY_MARK) + GEOMETRY_MARK.length;
  const { properties } = featureFrom(Buffer.concat([line.subarray(0, at), NO_GEOMETRY]));
  return { properties, geometry: line.subarray(at) };
}

function hashOf(properties: Readonly<Record<string, unknown>>, geometry: Buffer): string {
  const values = Object.entries(properties).filter(([name]) => name !== 'fid');
  const text = JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).update(geometry).digest('base64url');
}
