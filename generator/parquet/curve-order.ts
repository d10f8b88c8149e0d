// The order of units in a table: along a Hilbert curve, so that readers of a box read few of its groups.
import { boxAt, FULL_TURN } from '../../format/boxes.ts';
import { f64At } from '../../format/element-at.ts';
import { tileIdOf } from '../../format/pmtiles.ts';
import type { StoreIndex } from '../store/store-index.ts';

/** The curve passes 2^16 cells on each side. */
const DEPTH = 16;
const SIDE = 2 ** DEPTH;

/** The positions of units by the middle of their boxes; those without geometry last; those of one cell by fid. */
export function curveOrder({ features, boxes }: Pick<StoreIndex, 'features' | 'boxes'>): Uint32Array {
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
