// The arcs of a zoom: those points that weigh enough, rounded to its grid, and those that come back so that borders do
// not cross. What is done to an arc is done to all units that have it. Used by prepare-tiles.ts.
import { f64At, i32At } from '../../format/element-at.ts';
import { LEVELS } from '../../format/levels.ts';
import { type MeetingEdge, meetingEdges } from './crossing-edges.ts';
import type { SharedArcs } from './shared-arcs.ts';

/** The arcs of a zoom, in the order of the shared ones, in units of its grid. An arc may have one place only. */
export interface ZoomArcs {
  x: Int32Array;
  y: Int32Array;
  /** For each arc the index of its end in `x`. */
  arcEnds: Int32Array;
}

/** The same, with the point of the shared arcs that each place is, the first of several that have become one. */
interface CutArcs extends ZoomArcs {
  from: Int32Array;
}

/** Points with an effective area above half a pixel stay: square units, of 4,096 along 512 pixels. */
const WEIGHT_MIN = 32;

/**
 * How often points come back, and how often crossings become places of both edges, and what overlaps the same edges.
 */
const ROUNDS = { refined: 30, joined: 10 } as const;

/**
 * So many edges of a zoom are held apart. They are more where units are smaller than the grid, as villages are where a
 * tile is the world: edges of that level lie on one another by the dozen, and hardly any of it is drawn.
 */
const MEETING_MAX = 1_000_000;

/** The arcs of a zoom, and how many pairs of edges of a level still cross, of those that are held apart. */
export interface MendedArcs {
  arcs: ZoomArcs;
  crossings: number;
}

/**
 * Cuts the arcs of a zoom.
 * @param weights of all points, as `weighTileArcs` returns them
 * @param levels of each arc, a bit for each level that has it: only edges of one level are held apart
 * @param below how many zooms it is above the one whose grid the arcs are on
 * @param most how many edges are held apart: if more meet, those of the deepest levels are not
 */
export function cutArcs(
  shared: SharedArcs,
  weights: Float64Array,
  levels: Uint8Array,
  below: number,
  most = MEETING_MAX,
): MendedArcs {
  const kept = new Uint8Array(weights.length);
  const limit = WEIGHT_MIN * 4 ** below;
  for (let i = 0; i < kept.length; i++) if (below === 0 || f64At(weights, i) > limit) kept[i] = 1;
  let arcs = roundedArcs(shared, kept, below);
  let compared = levels;
  let meeting = meetingEdges(arcs, compared, most);
  for (let bit = 1 << (LEVELS.length - 1); meeting.isCut && bit > 1; bit >>= 1) {
    if (compared.every((bits) => (bits & bit) === 0)) continue;
    compared = compared.map((bits) => bits & (bit - 1));
    meeting = meetingEdges(arcs, compared, most);
  }
  let left = meeting;
  for (let round = 0; round < ROUNDS.refined && left.crossing.length > 0; round++) {
    const changed = refine(arcs, left.crossing, kept, weights);
    if (changed === undefined) break;
    arcs = roundedArcs(shared, kept, below);
    left = meetingEdges(arcs, compared, most, changed);
  }
  let joined: ZoomArcs = arcs;
  // Rounds looked only around what had changed: edges without points to bring back cross still elsewhere.
  if (left !== meeting) left = meetingEdges(joined, compared, most);
  for (let round = 0; round < ROUNDS.joined && left.crossing.length > 0; round++) {
    const edges = [...left.crossing, ...left.overlapping];
    const changed = new Uint8Array(levels.length);
    for (const { arc } of edges) changed[arc] = 1;
    joined = join(joined, edges);
    left = meetingEdges(joined, compared, most, changed);
  }
  // They lie where they lay: what did not cross does not now.
  joined = join(joined, left.overlapping);
  return { arcs: { x: joined.x, y: joined.y, arcEnds: joined.arcEnds }, crossings: left.crossing.length / 2 };
}

/** Rounds the points that are kept. A place that follows itself is one, and a way there and back is none. */
function roundedArcs({ x, y, points, arcEnds }: SharedArcs, kept: Uint8Array, below: number): CutArcs {
  const ends = new Int32Array(arcEnds.length);
  const xs = new Int32Array(points.length);
  const ys = new Int32Array(points.length);
  const from = new Int32Array(points.length);
  const half = below === 0 ? 0 : 1 << (below - 1);
  let length = 0;
  for (let arc = 0, i = 0; arc < ends.length; arc++) {
    const begin = length;
    for (const end = i32At(arcEnds, arc); i < end; i++) {
      if (kept[i] === 0) continue;
      const point = i32At(points, i);
      const [column, row] = [(i32At(x, point) + half) >> below, (i32At(y, point) + half) >> below];
      if (length > begin && xs[length - 1] === column && ys[length - 1] === row) continue;
      if (length > begin + 1 && xs[length - 2] === column && ys[length - 2] === row) {
        length--;
        continue;
      }
      xs[length] = column;
      ys[length] = row;
      from[length++] = i;
    }
    ends[arc] = length;
  }
  return { x: xs.slice(0, length), y: ys.slice(0, length), from: from.slice(0, length), arcEnds: ends };
}

/**
 * Brings a point back to each edge that crosses another one: the weightiest of those that it left out.
 * @returns for each arc 1 if it has changed; undefined if no edge has a point left
 */
function refine(
  { from, arcEnds }: CutArcs,
  edges: readonly MeetingEdge[],
  kept: Uint8Array,
  weights: Float64Array,
): Uint8Array | undefined {
  const changed = new Uint8Array(arcEnds.length);
  let isRefined = false;
  for (const { edge, arc } of edges) {
    let best = -1;
    for (let i = i32At(from, edge) + 1; i < i32At(from, edge + 1); i++)
      if (kept[i] === 0 && (best === -1 || f64At(weights, i) > f64At(weights, best))) best = i;
    if (best === -1) continue;
    kept[best] = 1;
    changed[arc] = 1;
    isRefined = true;
  }
  return isRefined ? changed : undefined;
}

/** Makes the rounded crossing of two edges a place of both, and the ends of an edge places of one that it lies on. */
function join({ x, y, arcEnds }: ZoomArcs, edges: readonly MeetingEdge[]): ZoomArcs {
  const places = new Map<number, { arc: number; on: { x: number; y: number }[] }>();
  for (const { edge, arc, at } of edges) {
    const own = places.get(edge);
    if (own === undefined) places.set(edge, { arc, on: [at] });
    else own.on.push(at);
  }
  const xs = new Int32Array(x.length + edges.length);
  const ys = new Int32Array(x.length + edges.length);
  /** How many places each arc gets. */
  const more = new Int32Array(arcEnds.length);
  let [length, taken] = [0, 0];
  const takeTo = (end: number): void => {
    xs.set(x.subarray(taken, end), length);
    ys.set(y.subarray(taken, end), length);
    length += end - taken;
    taken = end;
  };
  const isLast = (column: number, row: number): boolean => xs[length - 1] === column && ys[length - 1] === row;
  for (const [edge, { arc, on }] of [...places].sort(([a], [b]) => a - b)) {
    // The first place of the edge is the last one of those before, if it has not become one with it.
    if (taken <= edge) takeTo(edge + 1);
    const before = length;
    const [column, row] = [i32At(x, edge), i32At(y, edge)];
    const distanceOf = (place: { x: number; y: number }) => (place.x - column) ** 2 + (place.y - row) ** 2;
    for (const place of on.sort((a, b) => distanceOf(a) - distanceOf(b) || a.x - b.x || a.y - b.y)) {
      if (isLast(place.x, place.y)) continue;
      xs[length] = place.x;
      ys[length++] = place.y;
    }
    if (isLast(i32At(x, edge + 1), i32At(y, edge + 1))) taken++;
    more[arc] = i32At(more, arc) + length - before - (taken - edge - 1);
  }
  takeTo(x.length);
  const ends = new Int32Array(arcEnds.length);
  for (let arc = 0, added = 0; arc < ends.length; arc++) {
    added += i32At(more, arc);
    ends[arc] = i32At(arcEnds, arc) + added;
  }
  return { x: xs.slice(0, length), y: ys.slice(0, length), arcEnds: ends };
}
