// Serialises one feature as a line of GeoJSON: the same bytes in every page that holds it.

import type { Column } from '../source/columns.ts';
import { COMMA, NUMBER_BYTES, newText, reserve, writeScaled } from './byte-writer.ts';
import { newGeometryWriter } from './geometry.ts';
import { ValueError, valueToJson } from './property-values.ts';

/**
 * Writes one feature.
 * @param values the values of the columns, as gdal-async returns them
 * @param wkb little-endian ISO WKB in WGS 84, longitude first; null for a feature without geometry
 */
export type FeatureWriter = (fid: number, values: readonly unknown[], wkb: Buffer | null) => WrittenFeature;

/** A written feature. */
export interface WrittenFeature {
  /** The text in pieces, valid until the next feature is written. */
  text: readonly Buffer[];
  /** Number of rings without area at this precision. */
  collapsed: number;
  /** Has the geometry rings, none of them with an area at this precision? */
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

/** Concatenates the members: JSON.stringify of an object would move names like "2020" to the front. */
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
      throw new ValueError(`column fid is ${JSON.stringify(value)}, expected the feature id ${fid}; rename the column`);
    }
    json += `,${keys[i]}:${JSON.stringify(value)}`;
  }
  return `${json}}`;
}
