// Finds the edges of a unit that cross or overlap others of it: the borders at which simplification has to try again.
// Exact for whole numbers below 2^25.
import { elementAt, i32At } from '../../format/element-at.ts';
import { type Box, grow, newBox } from '../rings/bbox.ts';

/** Edges in the order of their rings: x and y of both ends of each. */
export type Edges = Int32Array;

/** Two edges that cross or overlap. */
export interface Crossing {
  edges: readonly [number, number];
  /** Their ends beside the other edge, the nearest first: of which edge, and whether it is its second one. */
  ends: readonly (readonly [edge: number, isSecond: boolean])[];
}

/** Edges of a leaf of the tree, at most. */
const LEAF_EDGES = 8;

/** The extents of runs of edges, halved again and again in an order in which neighbours are neighbours on the map. */
interface Node {
  /** Of the run in a leaf. */
  begin: number;
  end: number;
  /** Number of leaves. */
  leaves: number;
  box: Box;
  halves: readonly [Node, Node] | undefined;
}

/** Pairs of leaves that are compared for each edge, at most: a border has few neighbours, a scribble has all of it. */
const PAIRS_MAX = 4;

/** The pairs of edges that meet elsewhere than at a common end; undefined if they are tangled. */
export function crossingsOf(edges: Edges): Crossing[] | undefined {
  const found: Crossing[] = [];
  const areAll = eachPairOfLeaves(edges, (a, b) => {
    const [first, second] = a.begin <= b.begin ? [a, b] : [b, a];
    for (let i = first.begin; i < first.end; i++)
      for (let k = Math.max(second.begin, i + 1); k < second.end; k++)
        if (areNear(edges, i, k) && isCrossing(edges, i, k))
          found.push({ edges: [i, k], ends: nearestEnds(edges, i, k) });
  });
  return areAll ? found.sort((a, b) => a.edges[0] - b.edges[0] || a.edges[1] - b.edges[1]) : undefined;
}

/** Do so many edges lie near each other that it would take minutes to tell them apart? */
export function areTangled(edges: Edges): boolean {
  return !eachPairOfLeaves(edges, () => {});
}

/**
 * Takes the pairs of leaves whose extents meet, each once.
 * @returns false if there are too many, of which some are taken
 */
function eachPairOfLeaves(edges: Edges, take: (a: Node, b: Node) => void): boolean {
  let pairs = (PAIRS_MAX * edges.length) / 4;
  const compare = (a: Node, b: Node): void => {
    if (pairs < 0 || !overlap(a.box, b.box)) return;
    if (a.halves === undefined && b.halves === undefined) {
      pairs--;
      take(a, b);
    } else if (a === b && a.halves !== undefined) {
      const [left, right] = a.halves;
      compare(left, left);
      compare(left, right);
      compare(right, right);
    } else if (a.halves !== undefined && (b.halves === undefined || a.leaves >= b.leaves))
      for (const half of a.halves) compare(half, b);
    else for (const half of b.halves ?? []) compare(a, half);
  };
  const leaves = leavesOf(edges);
  if (leaves.length > 0) {
    const root = nodeOf(leaves, 0, leaves.length);
    compare(root, root);
  }
  return pairs >= 0;
}

/** Do the extents of two edges meet? */
function areNear(edges: Edges, i: number, k: number): boolean {
  for (const axis of [0, 1]) {
    const [a, b, c, d] = [4 * i + axis, 4 * i + axis + 2, 4 * k + axis, 4 * k + axis + 2];
    if (Math.max(i32At(edges, a), i32At(edges, b)) < Math.min(i32At(edges, c), i32At(edges, d))) return false;
    if (Math.max(i32At(edges, c), i32At(edges, d)) < Math.min(i32At(edges, a), i32At(edges, b))) return false;
  }
  return true;
}

function nodeOf(leaves: readonly Node[], from: number, to: number): Node {
  if (to - from === 1) return elementAt(leaves, from);
  const middle = (from + to) >> 1;
  const [left, right] = [nodeOf(leaves, from, middle), nodeOf(leaves, middle, to)];
  const [a, b] = [left.box, right.box];
  const box: Box = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
  return { begin: left.begin, end: right.end, leaves: to - from, box, halves: [left, right] };
}

/** The runs of edges, those of islands that are neighbours one after another: along a curve that fills the map. */
function leavesOf(edges: Edges): Node[] {
  const leaves: Node[] = [];
  const all = newBox();
  const count = edges.length / 4;
  // A run ends with its ring: the next one may be far away.
  const goesOn = (edge: number): boolean =>
    i32At(edges, 4 * edge) === i32At(edges, 4 * edge - 2) && i32At(edges, 4 * edge + 1) === i32At(edges, 4 * edge - 1);
  for (let begin = 0, end = 0; begin < count; begin = end) {
    end = begin + 1;
    while (end < count && end - begin < LEAF_EDGES && goesOn(end)) end++;
    const box = newBox();
    for (let i = 4 * begin; i < 4 * end; i += 2) grow(box, i32At(edges, i), i32At(edges, i + 1));
    grow(all, box[0], box[1]);
    grow(all, box[2], box[3]);
    leaves.push({ begin, end, leaves: 1, box, halves: undefined });
  }
  const unit = Math.max(all[2] - all[0], all[3] - all[1], 1) / CURVE_CELLS;
  const codeOf = ({ box }: Node): number =>
    curveCode(((box[0] + box[2]) / 2 - all[0]) / unit, ((box[1] + box[3]) / 2 - all[1]) / unit);
  return leaves
    .map((leaf) => ({ leaf, code: codeOf(leaf) }))
    .sort((a, b) => a.code - b.code || a.leaf.begin - b.leaf.begin)
    .map(({ leaf }) => leaf);
}

/** Cells of the curve along each side: their codes have 30 bits. */
const CURVE_CELLS = 2 ** 15 - 1;

/** The place of a cell on Morton's curve: the bits of both numbers in turn. */
function curveCode(x: number, y: number): number {
  return spread(x) | (spread(y) << 1);
}

/** A whole number of 15 bits with a 0 before each bit. */
function spread(value: number): number {
  let bits = value & 0x7fff;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}

function overlap(a: Box, b: Box): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

type Position = readonly [x: number, y: number];

function positionOf(edges: Edges, edge: number, isSecond: boolean): Position {
  const at = 4 * edge + (isSecond ? 2 : 0);
  return [i32At(edges, at), i32At(edges, at + 1)];
}

function nearestEnds(edges: Edges, i: number, k: number): Crossing['ends'] {
  const ends = [
    [i, false, k],
    [i, true, k],
    [k, false, i],
    [k, true, i],
  ] as const;
  return ends
    .map(([edge, isSecond, other]) => {
      const position = positionOf(edges, edge, isSecond);
      const distance = distanceTo(positionOf(edges, other, false), positionOf(edges, other, true), position);
      return { end: [edge, isSecond] as const, distance };
    })
    .filter(({ distance }) => distance <= 1)
    .sort((a, b) => a.distance - b.distance)
    .map(({ end }) => end);
}

/** How far a position is from an edge, squared. */
function distanceTo([x1, y1]: Position, [x2, y2]: Position, [x, y]: Position): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy);
  const share = Math.max(0, Math.min(along, 1));
  return (x1 + share * dx - x) ** 2 + (y1 + share * dy - y) ** 2;
}

function isCrossing(edges: Edges, i: number, k: number): boolean {
  const [a, b] = [positionOf(edges, i, false), positionOf(edges, i, true)];
  const [c, d] = [positionOf(edges, k, false), positionOf(edges, k, true)];
  if (isSame(a, c)) return isSame(b, d) || isAlong(a, b, d);
  if (isSame(b, d)) return isAlong(b, a, c);
  // An edge there and back is none.
  if (isSame(a, d)) return !isSame(b, c) && isAlong(a, b, c);
  if (isSame(b, c)) return isAlong(b, a, d);
  const [c1, d1, a1, b1] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (c1 * d1 < 0 && a1 * b1 < 0) return true;
  return (
    (c1 === 0 && isBetween(a, b, c)) ||
    (d1 === 0 && isBetween(a, b, d)) ||
    (a1 === 0 && isBetween(c, d, a)) ||
    (b1 === 0 && isBetween(c, d, b))
  );
}

function isSame(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Do the edges from a position to two others lie on one another? */
function isAlong(from: Position, a: Position, b: Position): boolean {
  if (turn(from, a, b) !== 0) return false;
  return (a[0] - from[0]) * (b[0] - from[0]) + (a[1] - from[1]) * (b[1] - from[1]) > 0;
}

/** Is a position in line with two others between them? */
function isBetween(a: Position, b: Position, position: Position): boolean {
  const [x, y] = position;
  return (
    Math.min(a[0], b[0]) <= x && x <= Math.max(a[0], b[0]) && Math.min(a[1], b[1]) <= y && y <= Math.max(a[1], b[1])
  );
}

/** The side of a line on which a position is: positive on the left. */
function turn(a: Position, b: Position, position: Position): number {
  return Math.sign((b[0] - a[0]) * (position[1] - a[1]) - (position[0] - a[0]) * (b[1] - a[1]));
}
