// Arcs on a grid, as files, too, and the boxes of these and of units that are made of them: what may lie in a part of
// the map is known without its shape.
import { readFileSync, writeFileSync } from 'node:fs';
import { elementAt, i32At } from '../../format/element-at.ts';
import { type Box, grow, newBox } from '../rings/bbox.ts';
import { endBefore } from './level-rings.ts';
import type { SharedArcs } from './shared-arcs.ts';

/** Arcs on a grid. An edge is the index of its first place. */
export interface Arcs {
  x: Int32Array;
  y: Int32Array;
  /** For each arc the index of its end in `x`. */
  arcEnds: Int32Array;
}

/** Least x and y, greatest x and y of each; 0 of what has no place. */
export type Boxes = Int32Array;

/** The arc that a place is of. @param arcEnds for each arc the index of the end of its places */
export function arcAt(arcEnds: Int32Array, place: number): number {
  return firstFrom(arcEnds, place + 1, 0, arcEnds.length);
}

/** The index of the first of some ascending values that is not below one; `end` if all are. */
export function firstFrom(values: Int32Array, least: number, begin: number, end: number): number {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (i32At(values, middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function boxesOfArcs({ x, y, arcEnds }: Arcs): Boxes {
  const boxes = new Int32Array(4 * arcEnds.length);
  for (let arc = 0, i = 0; arc < arcEnds.length; arc++) {
    const end = i32At(arcEnds, arc);
    if (i === end) continue;
    let [left, top] = [i32At(x, i), i32At(y, i)];
    let [right, bottom] = [left, top];
    for (i++; i < end; i++) {
      const [column, row] = [i32At(x, i), i32At(y, i)];
      if (column < left) left = column;
      else if (column > right) right = column;
      if (row < top) top = row;
      else if (row > bottom) bottom = row;
    }
    const at = 4 * arc;
    boxes[at] = left;
    boxes[at + 1] = top;
    boxes[at + 2] = right;
    boxes[at + 3] = bottom;
  }
  return boxes;
}

/** The arcs of a unit, of those of all levels, as its rings have them: `~i` for arc i backwards. */
export function arcsOfUnit(
  { arcs, ringEnds, unitEnds }: Pick<SharedArcs, 'arcs' | 'ringEnds' | 'unitEnds'>,
  unit: number,
): Int32Array {
  return arcs.subarray(endBefore(ringEnds, endBefore(unitEnds, unit)), endBefore(ringEnds, i32At(unitEnds, unit)));
}

/** The number of an arc, in whichever direction a ring has it. */
export function arcNumber(directed: number): number {
  return directed < 0 ? ~directed : directed;
}

/**
 * The boxes of units, of all their rings.
 * @param ofArcs the boxes of the arcs
 * @param first index of the first unit, of those of all levels
 * @param count how many units
 */
export function boxesOfUnits(
  rings: Pick<SharedArcs, 'arcs' | 'ringEnds' | 'unitEnds'>,
  ofArcs: Boxes,
  first: number,
  count: number,
): Boxes {
  const boxes = new Int32Array(4 * count);
  for (let unit = 0; unit < count; unit++) {
    const box = newBox();
    for (const arc of arcsOfUnit(rings, first + unit)) {
      const at = 4 * arcNumber(arc);
      grow(box, i32At(ofArcs, at), i32At(ofArcs, at + 1));
      grow(box, i32At(ofArcs, at + 2), i32At(ofArcs, at + 3));
    }
    boxes.set(box, 4 * unit);
  }
  return boxes;
}

/** Has a box a point in another one? @param number of the box */
export function meets(boxes: Boxes, number: number, [left, top, right, bottom]: Box): boolean {
  const at = 4 * number;
  const isInColumns = i32At(boxes, at) <= right && i32At(boxes, at + 2) >= left;
  return isInColumns && i32At(boxes, at + 1) <= bottom && i32At(boxes, at + 3) >= top;
}

/**
 * Writes arcs without a copy in memory, as there may be millions: how many arcs and places there are, then the numbers,
 * in the byte order of the machine.
 */
export function writeArcs(path: string, { x, y, arcEnds }: Arcs): void {
  writeFileSync(path, Int32Array.of(arcEnds.length, x.length));
  for (const numbers of [arcEnds, x, y]) writeFileSync(path, numbers, { flag: 'a' });
}

/** Reads arcs. @throws RangeError if the file is too short */
export function readArcs(path: string): Arcs {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const numbers = new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
  const [arcs, places] = [elementAt(numbers, 0), elementAt(numbers, 1)];
  if (numbers.length !== 2 + arcs + 2 * places) throw new RangeError(`${path} ends early`);
  const begin = 2 + arcs;
  return {
    arcEnds: numbers.subarray(2, begin),
    x: numbers.subarray(begin, begin + places),
    y: numbers.subarray(begin + places, begin + 2 * places),
  };
}
