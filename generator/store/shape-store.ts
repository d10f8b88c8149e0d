// The simplified polygons of a level's units: levels are simplified in one process, and the features with a geometry are
// made of its polygons in others, when their files are written.
import { i32At } from '../../format/element-at.ts';
import type { Ranges } from '../../format/positions.ts';
import { NumberList } from '../geojson/number-list.ts';
import { createSideStore, openStore } from './feature-store.ts';

/** The polygons of a unit: of each its rings, x and y of whose positions are one after the other. */
type Polygons = readonly (readonly (readonly number[])[])[];

/** Creates a store of polygons. */
export function createShapeStore(file: string): { append(polygons: Polygons): void; close(): void } {
  const writer = createSideStore(file, Number.POSITIVE_INFINITY);
  const numbers = new NumberList(Int32Array);
  let position = 0;
  return {
    append(polygons) {
      numbers.length = 0;
      for (const rings of polygons) {
        numbers.push(rings.length);
        for (const ring of rings) {
          numbers.push(ring.length);
          for (const place of ring) numbers.push(place);
        }
      }
      // The store keeps the bytes until it writes them.
      writer.append(position++, [Buffer.from(numbers.values().slice().buffer)]);
    },
    close: () => void writer.close(),
  };
}

/** Reads polygons by position. */
export interface ShapeReader {
  /** Those of the units at some positions. */
  read(ranges: Ranges): Generator<number[][][]>;
  close(): void;
}

/** Opens a store of polygons. */
export function openShapeStore(file: string): ShapeReader {
  const reader = openStore(file);
  return {
    *read(ranges) {
      for (const { bytes } of reader.read(ranges)) yield polygonsIn(bytes);
    },
    close: () => reader.close(),
  };
}

function polygonsIn(bytes: Buffer): number[][][] {
  const numbers = new Int32Array(bytes.length / Int32Array.BYTES_PER_ELEMENT);
  new Uint8Array(numbers.buffer).set(bytes);
  const polygons: number[][][] = [];
  for (let at = 0; at < numbers.length; ) {
    const polygon = Array.from({ length: i32At(numbers, at++) }, (): number[] => {
      const begin = at + 1;
      at = begin + i32At(numbers, at);
      return Array.from(numbers.subarray(begin, at));
    });
    polygons.push(polygon);
  }
  return polygons;
}
