// The order of units along a Hilbert curve: those near each other on the map are near each other in it.
import { boxAt, FULL_TURN } from '../../format/boxes.ts';
import { f64At } from '../../format/element-at.ts';
import { tileIdOf } from '../../format/pmtiles.ts';

/** The curve passes 2^16 cells on each side. */
const DEPTH = 16;
const SIDE = 2 ** DEPTH;

/**
 * The positions of units by the middle of their boxes; those without geometry last; those of one cell ascending.
 * @param boxes as the index of a level has them
 */
export function curveOrder(boxes: Int32Array): Uint32Array {
  const features = boxes.length / 4;
  const cells = Float64Array.from({ length: features }, (_, position) => {
    const { west, south, east, north } = boxAt(boxes, 4 * position);
    if (south > north) return Number.POSITIVE_INFINITY;
    // Across 180 degrees the middle may lie east of it.
    const turn = (((west + east) / 2 + FULL_TURN / 2) % FULL_TURN) / FULL_TURN;
    const height = (FULL_TURN / 4 - (south + north) / 2) / (FULL_TURN / 2);
    return tileIdOf(DEPTH, cellOf(turn), cellOf(height));
  });
  return Uint32Array.from({ length: features }, (_, position) => position).sort((a, b) => {
    const [one, other] = [f64At(cells, a), f64At(cells, b)];
    return one === other ? a - b : one - other;
  });
}

function cellOf(share: number): number {
  return Math.min(Math.max(Math.floor(share * SIDE), 0), SIDE - 1);
}
