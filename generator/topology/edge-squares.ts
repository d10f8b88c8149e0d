// Puts the edges of arcs into squares, so that those that lie near one another are found: a band of rows of squares at
// a time, so that memory is for a part of the map.
import { i32At } from '../../format/element-at.ts';
import { hashOf } from '../rings/edge-table.ts';
import { NumberGroups } from '../rings/number-groups.ts';
import { NumberList } from '../rings/number-list.ts';
import { type Arcs, boxesOfArcs } from './arcs.ts';
import { endBefore } from './level-rings.ts';

/** The edges of squares, those of each that are new first. */
export interface Squares {
  edges: NumberGroups;
  /** How many of each square are new. */
  newCounts: Int32Array;
}

/** Rows of squares. */
interface Band {
  /** The first one, and the one after the last. */
  from: number;
  to: number;
  /** How many edges begin in it. */
  edges: number;
}

/** The rows that each arc meets, the first and the last one; none if its edges are not wanted. */
interface ArcRows {
  tops: Int32Array;
  bottoms: Int32Array;
}

/** Squares have a side of 2 to at least this power, and of about the mean edge: in larger ones too many edges meet. */
const SQUARE_BITS_MIN = 1;
/** So many edges begin in a band, if it has several rows. */
const BAND_EDGES = 1_000_000;
/** Squares of a band are told apart by so many bits of a hash: about one for each edge. */
const HASH_BITS = { min: 8, max: 20 } as const;

/**
 * The edges of all squares that new ones meet.
 * @param levels of each arc: edges of those that have none are left out
 * @param isNew for each edge 1 if it is new; all are if there is none
 */
export function* squaresOf(arcs: Arcs, levels: Uint8Array, isNew: Uint8Array | undefined): Generator<Squares> {
  const { arcEnds } = arcs;
  const bits = squareBits(arcs, levels);
  const rows = rowsOf(arcs, levels, bits);
  const met = new NumberList(Int32Array);
  const [edges, squares] = [new NumberList(Int32Array), new NumberList(Int32Array)];
  for (const band of bandsOf(arcs, rows, bits)) {
    const count = 1 << Math.min(Math.max(32 - Math.clz32(band.edges), HASH_BITS.min), HASH_BITS.max);
    const newCounts = new Int32Array(count);
    [edges.length, squares.length] = [0, 0];
    /** Takes the new edges with all their squares, or others with squares of these. */
    const take = (areNew: boolean): void => {
      for (let arc = 0; arc < arcEnds.length; arc++) {
        if (i32At(rows.tops, arc) >= band.to || i32At(rows.bottoms, arc) < band.from) continue;
        for (let edge = endBefore(arcEnds, arc); edge < i32At(arcEnds, arc) - 1; edge++) {
          if ((isNew === undefined || isNew[edge] === 1) !== areNew) continue;
          findSquares(arcs, edge, bits, band, count, met);
          for (let at = 0; at < met.length; at++) {
            const square = met.at(at);
            if (areNew) newCounts[square] = i32At(newCounts, square) + 1;
            else if (newCounts[square] === 0) continue;
            edges.push(edge);
            squares.push(square);
          }
        }
      }
    };
    take(true);
    if (isNew !== undefined) take(false);
    const grouped = new NumberGroups(count, (put) => {
      for (let i = 0; i < edges.length; i++) put(squares.at(i), edges.at(i));
    });
    yield { edges: grouped, newCounts };
  }
}

/** So large that all edges together meet a few squares each. */
function squareBits({ x, y, arcEnds }: Arcs, levels: Uint8Array): number {
  let [length, edges] = [0, 0];
  for (let arc = 0; arc < arcEnds.length; arc++) {
    if (levels[arc] === 0) continue;
    for (let i = endBefore(arcEnds, arc); i < i32At(arcEnds, arc) - 1; i++) {
      length += Math.abs(i32At(x, i + 1) - i32At(x, i)) + Math.abs(i32At(y, i + 1) - i32At(y, i));
      edges++;
    }
  }
  let bits = SQUARE_BITS_MIN;
  while (edges * 2 ** bits < length) bits++;
  return bits;
}

function rowsOf(arcs: Arcs, levels: Uint8Array, bits: number): ArcRows {
  const boxes = boxesOfArcs(arcs);
  const tops = new Int32Array(levels.length).fill(0x7fffffff);
  const bottoms = new Int32Array(levels.length).fill(-0x80000000);
  for (let arc = 0; arc < levels.length; arc++) {
    if (levels[arc] === 0 || i32At(arcs.arcEnds, arc) - endBefore(arcs.arcEnds, arc) < 2) continue;
    tops[arc] = i32At(boxes, 4 * arc + 1) >> bits;
    bottoms[arc] = i32At(boxes, 4 * arc + 3) >> bits;
  }
  return { tops, bottoms };
}

/** The rows that edges meet, in bands in which about as many edges begin each. */
function bandsOf({ y, arcEnds }: Arcs, { tops, bottoms }: ArcRows, bits: number): Band[] {
  let [first, last] = [Infinity, -Infinity];
  for (let arc = 0; arc < arcEnds.length; arc++) {
    if (i32At(tops, arc) > i32At(bottoms, arc)) continue;
    first = Math.min(first, i32At(tops, arc));
    last = Math.max(last, i32At(bottoms, arc));
  }
  if (first > last) return [];
  const begun = new Int32Array(last - first + 1);
  for (let arc = 0; arc < arcEnds.length; arc++) {
    if (i32At(tops, arc) > i32At(bottoms, arc)) continue;
    for (let i = endBefore(arcEnds, arc); i < i32At(arcEnds, arc) - 1; i++) {
      const row = (i32At(y, i) >> bits) - first;
      begun[row] = i32At(begun, row) + 1;
    }
  }
  const bands: Band[] = [];
  let band: Band = { from: first, to: first, edges: 0 };
  for (const edges of begun) {
    if (band.to > band.from && band.edges + edges > BAND_EDGES) {
      bands.push(band);
      band = { from: band.to, to: band.to, edges: 0 };
    }
    band.to++;
    band.edges += edges;
  }
  return [...bands, band];
}

/** Finds the squares of a band that an edge meets, by hash, row by row; perhaps one more at each side. */
function findSquares(
  { x, y }: Arcs,
  edge: number,
  bits: number,
  { from, to }: Band,
  count: number,
  found: NumberList<Int32Array>,
): void {
  found.length = 0;
  const [x1, y1, x2, y2] = [i32At(x, edge), i32At(y, edge), i32At(x, edge + 1), i32At(y, edge + 1)];
  const [top, bottom] = y1 < y2 ? [y1 >> bits, y2 >> bits] : [y2 >> bits, y1 >> bits];
  const [left, right] = x1 < x2 ? [x1 >> bits, x2 >> bits] : [x2 >> bits, x1 >> bits];
  for (let row = Math.max(top, from); row <= Math.min(bottom, to - 1); row++) {
    let [first, last] = [left, right];
    if (top !== bottom && left !== right) {
      const slope = (x2 - x1) / (y2 - y1);
      const a = x1 + ((row << bits) - y1) * slope;
      const b = x1 + (((row + 1) << bits) - y1) * slope;
      first = Math.max(left, (Math.min(a, b) - 1) >> bits);
      last = Math.min(right, (Math.max(a, b) + 1) >> bits);
    }
    for (let column = first; column <= last; column++) found.push(hashOf(column, row) & (count - 1));
  }
}
