// The content of a unit's text without its fid: `diff` compares units with different fids by it.
import { createHash } from 'node:crypto';
import { EMPTY_SUM, joinSums, sumOf, type TextSum } from '../../format/crc32.ts';
import { featureFrom, parsedToJson } from '../reader/parse-feature.ts';

// Within a string of a feature's text, each of these would have a backslash before its quotation marks.
const PROPERTIES_MARK = Buffer.from('"properties":{"fid":');
const GEOMETRY_MARK = Buffer.from('},"geometry":');
const NO_GEOMETRY = Buffer.from('null}\n');

/**
 * The sum of a feature's text after its fid is replaced.
 * @param text its JSON and a line feed, as the generator writes it
 */
export function sumWithFid(text: Buffer, fid: number, other: number): TextSum {
  const begin = Buffer.from(`{"type":"Feature","id":${fid}`).length;
  const properties = text.indexOf(PROPERTIES_MARK) + PROPERTIES_MARK.length;
  const parts = [
    Buffer.from(`{"type":"Feature","id":${other}`),
    text.subarray(begin, properties),
    Buffer.from(String(other)),
    text.subarray(properties + String(fid).length),
  ];
  return parts.map(sumOf).reduce(joinSums, EMPTY_SUM);
}

/**
 * Hashes a feature's geometry and its properties without the fid, whatever their order.
 * @param text its JSON and a line feed
 * @throws FileError if the text is not a feature
 */
export function unitHash(text: Buffer): string {
  // The geometry is hashed without parsing, which would take most of the time.
  const at = text.indexOf(GEOMETRY_MARK) + GEOMETRY_MARK.length;
  const { properties } = featureFrom(Buffer.concat([text.subarray(0, at), NO_GEOMETRY]));
  const values = Object.entries(properties)
    .filter(([name]) => name !== 'fid')
    .map(([name, value]) => [name, parsedToJson(value)] as const);
  const sorted = JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(sorted).update(text.subarray(at)).digest('base64url');
}
