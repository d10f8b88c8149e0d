// The boxes of arcs and units at a zoom: which of them may lie in a square is known without their shapes. Used by
// cut-tiles.ts.
import { i32At } from '../../format/element-at.ts';
import type { Arcs } from './edge-squares.ts';
import { endBefore } from './level-rings.ts';
import type { SquareBox } from './quarter-tiles.ts';
import type { TileRings } from './zoom-rings.ts';

/** West, north, east, south of each. */
export type Boxes = Int32Array;

/** Of what has no place. */
const NOWHERE = [0x7fffffff, 0x7fffffff, -0x80000000, -0x80000000] as const;

export function boxesOfArcs({ x, y, arcEnds }: Arcs): Boxes {
  const boxes = new Int32Array(4 * arcEnds.length);
  for (let arc = 0, i = 0; arc < arcEnds.length; arc++) {
    let [west, north, east, south]: [number, number, number, number] = [...NOWHERE];
    for (const end = i32At(arcEnds, arc); i < end; i++) {
      west = Math.min(west, i32At(x, i));
      north = Math.min(north, i32At(y, i));
      east = Math.max(east, i32At(x, i));
      south = Math.max(south, i32At(y, i));
    }
    boxes.set([west, north, east, south], 4 * arc);
  }
  return boxes;
}

/**
 * The boxes of units, of all their rings.
 * @param ofArcs the boxes of the arcs
 * @param first index of the first unit, of those of all levels
 * @param count how many units
 */
export function boxesOfUnits(rings: TileRings, ofArcs: Boxes, first: number, count: number): Boxes {
  const boxes = new Int32Array(4 * count);
  for (let unit = 0; unit < count; unit++) {
    let [west, north, east, south]: [number, number, number, number] = [...NOWHERE];
    const begin = endBefore(rings.ringEnds, endBefore(rings.unitEnds, first + unit));
    const end = endBefore(rings.ringEnds, i32At(rings.unitEnds, first + unit));
    for (let i = begin; i < end; i++) {
      const arc = i32At(rings.arcs, i);
      const at = 4 * (arc < 0 ? ~arc : arc);
      west = Math.min(west, i32At(ofArcs, at));
      north = Math.min(north, i32At(ofArcs, at + 1));
      east = Math.max(east, i32At(ofArcs, at + 2));
      south = Math.max(south, i32At(ofArcs, at + 3));
    }
    boxes.set([west, north, east, south], 4 * unit);
  }
  return boxes;
}

/** Has a box a point in another one? @param number of the box */
export function meets(boxes: Boxes, number: number, { west, north, east, south }: SquareBox): boolean {
  const at = 4 * number;
  const isInColumns = i32At(boxes, at) <= east && i32At(boxes, at + 2) >= west;
  return isInColumns && i32At(boxes, at + 1) <= south && i32At(boxes, at + 3) >= north;
}
