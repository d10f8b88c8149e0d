// Serialises one feature: the bytes that every page which holds it will have, ending in a line feed.

import type { Column } from '../source/columns.ts';
import { COMMA, NUMBER_BYTES, newText, reserve, writeScaled } from './byte-writer.ts';
import { newGeometryWriter } from './geometry.ts';
import { ValueError, valueToJson } from './property-values.ts';

/**
 * Writes one feature.
 * @param values the columns' values as GDAL gives them
 * @param wkb little-endian ISO WKB in WGS 84, longitude first; null for a feature without geometry
 */
export type FeatureWriter = (fid: number, values: readonly unknown[], wkb: Buffer | null) => WrittenFeature;

/** What was written. */
export interface WrittenFeature {
  /** The text in pieces, valid until the next feature is written. */
  text: readonly Buffer[];
  /** Rings that have no area at this precision. */
  collapsed: number;
  /** Is nothing of the geometry left at this precision? */
  isCollapsed: boolean;
}

const NO_GEOMETRY = Buffer.from('null');
const END = Buffer.from('}\n');

/**
 * Makes a writer for a layer with these columns.
 * @param precision decimals of the coordinates
 * @returns a function that throws GeometryError and ValueError
 */
export function newFeatureWriter(columns: readonly Column[], precision: number): FeatureWriter {
  const writeGeometry = newGeometryWriter(precision);
  const scale = 10 ** precision;
  const box = newText();
  const keys = columns.map((column) => JSON.stringify(column.name));

  function boxToJson(corners: readonly number[]): string {
    box.length = 0;
    reserve(box, corners.length * (NUMBER_BYTES + 1));
    for (const [i, corner] of corners.entries()) {
      if (i > 0) box.bytes[box.length++] = COMMA;
      writeScaled(box, corner, scale, precision);
    }
    return box.bytes.toString('latin1', 0, box.length);
  }

  return (fid, values, wkb) => {
    if (!Number.isSafeInteger(fid) || fid < 0) throw new ValueError(`fid ${fid} is not between 0 and 2^53 - 1`);
    const properties = propertiesToJson(fid, columns, keys, values);
    const written = wkb === null ? undefined : writeGeometry(wkb);
    const bbox = written?.box ? `"bbox":[${boxToJson(written.box)}],` : '';
    const head = `{"type":"Feature","id":${fid},${bbox}"properties":${properties},"geometry":`;
    const text = [Buffer.from(head), written?.json ?? NO_GEOMETRY, END];
    return { text, collapsed: written?.collapsed ?? 0, isCollapsed: written?.isCollapsed ?? false };
  };
}

// Joined by hand: an object would move columns with names like "2020" to the front.
function propertiesToJson(
  fid: number,
  columns: readonly Column[],
  keys: readonly string[],
  values: readonly unknown[],
): string {
  let json = `{"fid":${fid}`;
  for (const [i, column] of columns.entries()) {
    const value = valueToJson(values[i], column.type);
    if (column.name === 'fid') {
      if (value === fid) continue;
      throw new ValueError(`the column fid says ${JSON.stringify(value)}; rename it, properties.fid is the feature id`);
    }
    json += `,${keys[i]}:${JSON.stringify(value)}`;
  }
  return `${json}}`;
}
