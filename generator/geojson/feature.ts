// Serialises one feature as a line of GeoJSON: the same bytes in every page that holds it.

import type { Box } from '../rings/bbox.ts';
import type { RingSink } from '../rings/coordinates.ts';
import type { LayerSource } from '../source/level-source.ts';
import { newText, writeScaled } from './byte-writer.ts';
import { type GeometryQuality, GeometryWriter } from './geometry.ts';
import { columnToJson, jsonOf, ValueError } from './property-values.ts';

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
  /** The same without its geometry. */
  withoutGeometry: readonly Buffer[];
  /** Its bounding box in scaled degrees; undefined without geometry. */
  box: Box | undefined;
  quality: GeometryQuality;
}

/** What is written of a layer. */
type FeatureColumns = Pick<LayerSource, 'columns' | 'fields'>;

/** The geometry of a feature without one. */
export const NO_GEOMETRY = Buffer.from('null');
const END = Buffer.from('}\n');

/** The text of a feature with another geometry. @param withoutGeometry its text without one */
export function withGeometry(withoutGeometry: Buffer, geometry: readonly Buffer[]): Buffer {
  return Buffer.concat([withoutGeometry.subarray(0, -NO_GEOMETRY.length - END.length), ...geometry, END]);
}

/** The geometry in the text of a feature. @param withoutGeometry its text without one */
export function geometryIn(text: Buffer, withoutGeometry: Buffer): Buffer {
  return text.subarray(withoutGeometry.length - NO_GEOMETRY.length - END.length, -END.length);
}

/**
 * Makes a writer of a layer's features.
 * @param precision decimals of the coordinates
 * @param rings receives the rings of all polygons
 * @returns a function that throws GeometryError and ValueError
 */
export function newFeatureWriter(layer: FeatureColumns, precision: number, rings?: RingSink): FeatureWriter {
  const geometry = new GeometryWriter(precision, rings);
  const scale = 10 ** precision;
  const number = newText();
  const keys = layer.columns.map((column) => JSON.stringify(column.name));

  function numberToJson(scaled: number): string {
    number.length = 0;
    writeScaled(number, scaled, scale, precision);
    return number.bytes.toString('latin1', 0, number.length);
  }

  return (fid, values, wkb) => {
    if (!Number.isSafeInteger(fid) || fid < 0) throw new ValueError(`fid ${fid} is not between 0 and 2^53 - 1`);
    const properties = propertiesToJson(fid, layer, keys, values);
    const { json, box, quality } = geometry.write(wkb);
    const bbox = box === undefined ? '' : `"bbox":[${box.map(numberToJson).join()}],`;
    const head = Buffer.from(`{"type":"Feature","id":${fid},${bbox}"properties":${properties},"geometry":`);
    return { text: [head, json ?? NO_GEOMETRY, END], withoutGeometry: [head, NO_GEOMETRY, END], box, quality };
  };
}

/** Concatenates the members: JSON.stringify of an object would move names like "2020" to the front. */
function propertiesToJson(
  fid: number,
  layer: FeatureColumns,
  keys: readonly string[],
  values: readonly unknown[],
): string {
  let json = `{"fid":${fid}`;
  for (const [i, column] of layer.columns.entries()) {
    const value = columnToJson(values, column, layer);
    json += `,${keys[i]}:${jsonOf(value)}`;
  }
  return `${json}}`;
}
