// Finds edges of arcs that cross or lie on one another, of all levels at once, by a grid of squares. Exact for whole
// numbers below 2^25. Used by cut-arcs.ts.
import { i32At } from '../../format/element-at.ts';
import { NumberList } from '../geojson/number-list.ts';
import { endBefore } from './level-rings.ts';

/** An edge that meets another one. */
export interface MeetingEdge {
  /** The index of its first place. */
  edge: number;
  arc: number;
  /** Where they cross, rounded; or where the other one, which lies on it, begins or ends. */
  at: { x: number; y: number };
}

/** Edges that meet others of the same level. */
export interface MeetingEdges {
  /** Those that cross another one elsewhere than at an end of either, each beside the one that it crosses. */
  crossing: MeetingEdge[];
  /** Those in which another one that lies on them begins or ends. */
  overlapping: MeetingEdge[];
  /** Are these not all, as there are more than were asked for, or too many to be compared? */
  isCut: boolean;
}

interface Arcs {
  x: Int32Array;
  y: Int32Array;
  arcEnds: Int32Array;
}

/** Squares have a side of 2 to at least this power, and of about the mean edge: in larger ones too many edges meet. */
const SQUARE_BITS_MIN = 1;
/** So many pairs of edges are compared, in some ten seconds: where thousands lie in one square, all would take hours. */
const PAIRS_MAX = 1_000_000_000;
/** In a square with so many edges those that are equal are looked for: in others comparing all takes less. */
const CROWDED = 256;
/** Squares are told apart by as many bits of a hash. */
const HASH_BITS = 20;

/**
 * The edges that cross others, or have a part in common with one that is another.
 * @param levels of each arc, a bit for each level: edges of one level are compared, those of none are not
 * @param most how many are kept: each takes some 400 bytes
 * @param changed for each arc 1 if it is to be looked at, with those around it; all if there is none
 */
export function meetingEdges(arcs: Arcs, levels: Uint8Array, most: number, changed?: Uint8Array): MeetingEdges {
  const { x, y, arcEnds } = arcs;
  const arcOf = new Int32Array(x.length).fill(-1);
  for (let arc = 0; arc < arcEnds.length; arc++)
    if (levels[arc] !== 0) for (let i = endBefore(arcEnds, arc); i < i32At(arcEnds, arc) - 1; i++) arcOf[i] = arc;
  const bits = squareBits(arcs, arcOf);
  const found = new NumberList(Int32Array);
  const putSquares = (edge: number): void =>
    findSquares(i32At(x, edge), i32At(y, edge), i32At(x, edge + 1), i32At(y, edge + 1), bits, found);
  const asked = new Uint8Array(1 << HASH_BITS).fill(changed === undefined ? 1 : 0);
  if (changed !== undefined)
    for (let i = 0; i < x.length; i++) {
      if (arcOf[i] === -1 || changed[i32At(arcOf, i)] === 0) continue;
      putSquares(i);
      for (let at = 0; at < found.length; at++) asked[found.at(at)] = 1;
    }
  // Each edge with each of its squares; then the edges of each square, one square after the other.
  const [edgeList, squareList] = [new NumberList(Int32Array), new NumberList(Int32Array)];
  const ends = new Int32Array((1 << HASH_BITS) + 1);
  for (let i = 0; i < x.length; i++) {
    if (arcOf[i] === -1) continue;
    putSquares(i);
    for (let at = 0; at < found.length; at++) {
      const square = found.at(at);
      if (asked[square] === 0) continue;
      edgeList.push(i);
      squareList.push(square);
      ends[square + 1] = i32At(ends, square + 1) + 1;
    }
  }
  for (let square = 0; square < 1 << HASH_BITS; square++)
    ends[square + 1] = i32At(ends, square + 1) + i32At(ends, square);
  const [edges, squares] = [edgeList.values(), squareList.values()];
  const slots = new Int32Array(edges.length);
  const next = ends.slice(0, -1);
  for (let i = 0; i < edges.length; i++) {
    const square = i32At(squares, i);
    const slot = i32At(next, square);
    slots[slot] = i32At(edges, i);
    next[square] = slot + 1;
  }
  const crossing = new Map<string, [MeetingEdge, MeetingEdge]>();
  const overlapping = new Map<string, MeetingEdge>();
  let pairs = 0;
  const isFull = (): boolean => crossing.size + overlapping.size >= most || pairs > PAIRS_MAX;
  const keep = (one: number, other: number): void => {
    const [a, b] = one < other ? [one, other] : [other, one];
    const [arcA, arcB] = [i32At(arcOf, a), i32At(arcOf, b)];
    if (((levels[arcA] ?? 0) & (levels[arcB] ?? 0)) === 0) return;
    if (sideOf(arcs, a, b) !== 0) {
      const at = crossingOf(arcs, a, b);
      crossing.set(`${a} ${b}`, [
        { edge: a, arc: arcA, at },
        { edge: b, arc: arcB, at },
      ]);
      return;
    }
    for (const place of [b, b + 1].filter((own) => isWithin(arcs, a, own)))
      overlapping.set(`${a} ${place}`, { edge: a, arc: arcA, at: { x: i32At(x, place), y: i32At(y, place) } });
    for (const place of [a, a + 1].filter((own) => isWithin(arcs, b, own)))
      overlapping.set(`${b} ${place}`, { edge: b, arc: arcB, at: { x: i32At(x, place), y: i32At(y, place) } });
  };
  const begins = new NumberList(Int32Array);
  for (let square = 0; square < 1 << HASH_BITS; square++) {
    const [from, to] = [i32At(ends, square), i32At(ends, square + 1)];
    if (to - from < 2) continue;
    findGroups(arcs, slots, from, to, begins);
    for (let i = 0; i < begins.length - 2 && !isFull(); i++) {
      const [a, endA] = [begins.at(i), begins.at(i + 1)];
      pairs += begins.length - 2 - i;
      for (let k = i + 1; k < begins.length - 1; k++) {
        const b = begins.at(k);
        if (!doMeet(arcs, i32At(slots, a), i32At(slots, b))) continue;
        for (let one = a; one < endA && !isFull(); one++)
          for (let other = b; other < begins.at(k + 1); other++) keep(i32At(slots, one), i32At(slots, other));
      }
    }
  }
  return {
    crossing: [...crossing.values()].sort(([a, b], [c, d]) => a.edge - c.edge || b.edge - d.edge).flat(),
    overlapping: [...overlapping.values()].sort((a, b) => a.edge - b.edge || a.at.x - b.at.x || a.at.y - b.at.y),
    isCut: isFull(),
  };
}

/** So large that all edges together meet a few squares each. */
function squareBits({ x, y }: Arcs, arcOf: Int32Array): number {
  let [length, edges] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    if (arcOf[i] === -1) continue;
    length += Math.abs(i32At(x, i + 1) - i32At(x, i)) + Math.abs(i32At(y, i + 1) - i32At(y, i));
    edges++;
  }
  let bits = SQUARE_BITS_MIN;
  while (edges * 2 ** bits < length) bits++;
  return bits;
}

/** Finds the squares that an edge meets, by hash, row by row; perhaps one more at each side. */
function findSquares(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  bits: number,
  found: NumberList<Int32Array>,
): void {
  found.length = 0;
  const [top, bottom] = y1 < y2 ? [y1 >> bits, y2 >> bits] : [y2 >> bits, y1 >> bits];
  const [left, right] = x1 < x2 ? [x1 >> bits, x2 >> bits] : [x2 >> bits, x1 >> bits];
  for (let row = top; row <= bottom; row++) {
    let [first, last] = [left, right];
    if (top !== bottom && left !== right) {
      const slope = (x2 - x1) / (y2 - y1);
      const a = x1 + ((row << bits) - y1) * slope;
      const b = x1 + (((row + 1) << bits) - y1) * slope;
      first = Math.max(left, (Math.min(a, b) - 1) >> bits);
      last = Math.min(right, (Math.max(a, b) + 1) >> bits);
    }
    for (let column = first; column <= last; column++) {
      const mixed = Math.imul(Math.imul(column, 0x9e3779b1) ^ row, 0x85ebca6b);
      found.push((mixed ^ (mixed >>> 15)) & ((1 << HASH_BITS) - 1));
    }
  }
}

/**
 * Puts edges of a square that have the same two ends, and so do not meet, beside one another; where there are few, each
 * is a group of its own.
 * @param slots the edges of all squares; its own are those from `from` to before `to`
 * @param begins gets where each group begins, and where the last one ends
 */
function findGroups(arcs: Arcs, slots: Int32Array, from: number, to: number, begins: NumberList<Int32Array>): void {
  const isCrowded = to - from >= CROWDED;
  if (isCrowded) slots.subarray(from, to).sort((a, b) => compareEnds(arcs, a, b));
  begins.length = 0;
  for (let i = from; i < to; i++)
    if (i === from || !isCrowded || compareEnds(arcs, i32At(slots, i - 1), i32At(slots, i)) !== 0) begins.push(i);
  begins.push(to);
}

/** An order of edges, by their ends: 0 for those with the same two, in either direction. */
function compareEnds(arcs: Arcs, a: number, b: number): number {
  const { x, y } = arcs;
  const [c, d] = [firstEnd(arcs, a), firstEnd(arcs, b)];
  const [e, f] = [2 * a + 1 - c, 2 * b + 1 - d];
  return (
    i32At(x, c) - i32At(x, d) || i32At(y, c) - i32At(y, d) || i32At(x, e) - i32At(x, f) || i32At(y, e) - i32At(y, f)
  );
}

/** The place of the end of an edge that is farther west, or else north. */
function firstEnd({ x, y }: Arcs, edge: number): number {
  const [from, to] = [i32At(x, edge), i32At(x, edge + 1)];
  return from < to || (from === to && i32At(y, edge) < i32At(y, edge + 1)) ? edge : edge + 1;
}

/** Do two edges cross elsewhere than at an end, or does one that lies on the other begin or end in it? */
function doMeet(arcs: Arcs, a: number, b: number): boolean {
  if (areApart(arcs, a, b)) return false;
  const [begin, end] = [sideOf(arcs, a, b), sideOf(arcs, a, b + 1)];
  if (begin === 0 && end === 0)
    return isWithin(arcs, a, b) || isWithin(arcs, a, b + 1) || isWithin(arcs, b, a) || isWithin(arcs, b, a + 1);
  return begin * end < 0 && sideOf(arcs, b, a) * sideOf(arcs, b, a + 1) < 0;
}

/** Do the extents of two edges not meet? */
function areApart({ x, y }: Arcs, a: number, b: number): boolean {
  const [ax, ay, bx, by] = [i32At(x, a), i32At(y, a), i32At(x, a + 1), i32At(y, a + 1)];
  const [cx, cy, dx, dy] = [i32At(x, b), i32At(y, b), i32At(x, b + 1), i32At(y, b + 1)];
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.max(cx, dx) < Math.min(ax, bx)) return true;
  return Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by);
}

/** On which side of an edge a place is: -1 or 1, or 0 for in line with it. */
function sideOf({ x, y }: Arcs, edge: number, place: number): number {
  const [ax, ay, bx, by] = [i32At(x, edge), i32At(y, edge), i32At(x, edge + 1), i32At(y, edge + 1)];
  return Math.sign(turn(ax, ay, bx, by, i32At(x, place), i32At(y, place)));
}

/** Does a place in line with an edge lie between its ends? */
function isWithin({ x, y }: Arcs, edge: number, place: number): boolean {
  const isBetween = (values: Int32Array): boolean => {
    const [from, to, own] = [i32At(values, edge), i32At(values, edge + 1), i32At(values, place)];
    return from === to ? own === from : own > Math.min(from, to) && own < Math.max(from, to);
  };
  return isBetween(x) && isBetween(y);
}

/** Twice the area of a triangle, with the sign of its turn: exact below 2^25. */
export function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
}

function crossingOf({ x, y }: Arcs, a: number, b: number): { x: number; y: number } {
  const [ax, ay, bx, by] = [i32At(x, a), i32At(y, a), i32At(x, a + 1), i32At(y, a + 1)];
  const [cx, cy, dx, dy] = [i32At(x, b), i32At(y, b), i32At(x, b + 1), i32At(y, b + 1)];
  const from = turn(cx, cy, dx, dy, ax, ay);
  const share = from / (from - turn(cx, cy, dx, dy, bx, by));
  return { x: Math.round(ax + share * (bx - ax)), y: Math.round(ay + share * (by - ay)) };
}
