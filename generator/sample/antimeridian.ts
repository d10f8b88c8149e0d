// Cuts polygons that cross the antimeridian in two or more (RFC 7946, section 3.1.9), for datasets made here.
import type { Position } from 'geojson';
import { elementAt } from '../../format/element-at.ts';

const HALF_TURN = 180;
const TURN = 360;
const POLE = 90;

/**
 * The parts of a polygon whose edges go the short way round (a step of more than 180 degrees of longitude crosses the
 * antimeridian), each between -180 and 180. A ring around a pole is extended along the antimeridian to the pole.
 * @param polygon rings, exterior first; longitudes may lie beyond 180
 * @returns polygons; the given one if it does not cross
 */
export function cutAtAntimeridian(polygon: readonly (readonly Position[])[]): readonly (readonly Position[])[][] {
  if (polygon.every((ring) => !crosses(ring))) return [[...polygon]];
  const [exterior, ...holes] = polygon.map((ring) => aroundPole(unwrap(ring)));
  if (exterior === undefined) return [];
  const middle = middleOf(exterior);
  const aligned = holes.map((hole) => shift(hole, TURN * Math.round((middle - middleOf(hole)) / TURN)));
  const parts: Point[][][] = [];
  let rest: Point[][][] = [[exterior, ...aligned]];
  const [west, east] = spanOf(exterior);
  const first = Math.ceil((west - HALF_TURN) / TURN) * TURN + HALF_TURN;
  for (let meridian = first; meridian < east; meridian += TURN) {
    parts.push(...rest.flatMap((part) => sideOf(part, meridian, -1)));
    rest = rest.flatMap((part) => sideOf(part, meridian, 1));
  }
  return [...parts, ...rest].map(intoRange);
}

function crosses(ring: readonly Position[]): boolean {
  return ring.some(([x = 0], i) => Math.abs(x) > HALF_TURN || Math.abs(x - (ring[i - 1]?.[0] ?? x)) > HALF_TURN);
}

/** Makes longitudes continuous and removes repeated positions. */
function unwrap(ring: readonly Position[]): Point[] {
  const points: Point[] = [];
  for (const [x = 0, y = 0] of ring) {
    const last = points.at(-1);
    const near = last === undefined ? x : x - TURN * Math.round((x - last[0]) / TURN);
    if (last === undefined || near !== last[0] || y !== last[1]) points.push([near, y]);
  }
  return points;
}

/** Closes a ring whose end is 360 degrees from its start: by way of the pole of its hemisphere. */
function aroundPole(ring: Point[]): Point[] {
  const first = ring[0];
  const last = ring.at(-1);
  if (first === undefined || last === undefined || Math.abs(last[0] - first[0]) < HALF_TURN) return ring;
  const pole = Math.sign(ring.reduce((sum, [, y]) => sum + y, 0)) * POLE;
  const turn = last[0] - first[0];
  // The ring is rotated to start at the antimeridian, so that the way to the pole and back follows it.
  const laps = [...ring, ...ring.slice(1).map(([x, y]): Point => [x + turn, y])];
  const crossing = laps.findIndex(([x], i) => i > 0 && isBetween(x, laps[i - 1]?.[0] ?? x));
  const before = laps[crossing - 1] ?? first;
  const after = laps[crossing] ?? last;
  const meridian = Math.floor((Math.max(before[0], after[0]) - HALF_TURN) / TURN) * TURN + HALF_TURN;
  const start = pointAt(before, after, meridian);
  const end: Point = [start[0] + turn, start[1]];
  return [start, ...laps.slice(crossing, crossing + ring.length - 1), end, [end[0], pole], [start[0], pole], start];
}

/** Does an antimeridian lie between the two longitudes? */
function isBetween(a: number, b: number): boolean {
  return Math.floor((a - HALF_TURN) / TURN) !== Math.floor((b - HALF_TURN) / TURN);
}

function intoRange(polygon: readonly Point[][]): Position[][] {
  const turns = Math.round(middleOf(polygon[0] ?? []) / TURN);
  return polygon.map((ring) => shift(ring, -turns * TURN).map(([x, y]) => [x, y]));
}

function shift(ring: readonly Point[], degrees: number): Point[] {
  return ring.map(([x, y]) => [x + degrees, y]);
}

function middleOf(ring: readonly Point[]): number {
  const [west, east] = spanOf(ring);
  return (west + east) / 2;
}

/** Westernmost and easternmost longitude. */
function spanOf(ring: readonly Point[]): [number, number] {
  let west = Number.POSITIVE_INFINITY;
  let east = Number.NEGATIVE_INFINITY;
  for (const [x] of ring) {
    west = Math.min(west, x);
    east = Math.max(east, x);
  }
  return [west, east];
}

/** Longitude and latitude in degrees. */
export type Point = readonly [number, number];

/** West or east of a meridian. */
type Side = -1 | 1;

/**
 * The part of a polygon on one side of a meridian.
 * @param polygon closed rings, exterior first, in any direction
 * @param side -1 for west, 1 for east
 * @returns polygons; empty if nothing lies on that side
 */
function sideOf(polygon: readonly Point[][], meridian: number, side: Side): Point[][][] {
  const whole: Point[][] = [];
  const chains: Chain[] = [];
  for (const ring of polygon) {
    const cut = chainsOf(ring, meridian, side);
    if (cut === 'whole') whole.push(ring);
    else chains.push(...cut);
  }
  if (chains.length === 0) return whole.length === 0 ? [] : [whole];
  // The rings of a cut polygon that are not cut themselves are holes.
  const exteriors = joinChains(chains, side).map((ring) => [ring]);
  for (const hole of whole) {
    const point = hole.find(([x]) => x !== meridian);
    exteriors.find(([ring]) => ring !== undefined && isInside(point, ring))?.push(hole);
  }
  return exteriors;
}

/** A part of a ring on one side of a meridian; both ends are on the meridian. */
interface Chain {
  points: Point[];
  /** Where along the meridian it starts and ends. */
  ends: [End, End];
}

/** Where an edge meets the meridian. The slope orders edges that meet in one point. */
interface End {
  y: number;
  /** Degrees of latitude for each degree of longitude. */
  slope: number;
}

/** The parts of a ring on one side; `whole` if it touches the meridian in at most one point. */
function chainsOf(ring: readonly Point[], meridian: number, side: Side): 'whole' | Chain[] {
  const within = ring.map(([x]) => (x - meridian) * side > 0);
  if (within.every((is) => is)) return 'whole';
  const start = within.indexOf(false);
  const edges = ring.length - 1;
  const chains: Chain[] = [];
  let points: Point[] = [];
  let entry: End = { y: 0, slope: 0 };
  for (let step = 0; step < edges; step++) {
    const i = (start + step) % edges;
    const from = ring[i];
    const to = ring[i + 1];
    if (from === undefined || to === undefined) break;
    const end = { y: pointAt(from, to, meridian)[1], slope: (to[1] - from[1]) / (to[0] - from[0]) };
    if (!within[i] && within[i + 1]) {
      points = [[meridian, end.y]];
      entry = end;
    }
    if (within[i + 1]) points.push(to);
    if (within[i] && !within[i + 1]) {
      points.push([meridian, end.y]);
      chains.push({ points, ends: [entry, end] });
    }
  }
  const [only] = chains;
  const touches = ring.every(([x], i) => within[i] || x === meridian);
  return touches && chains.length === 1 && only?.ends[0].y === only?.ends[1].y ? 'whole' : chains;
}

/** Where the edge meets the meridian. */
function pointAt(from: Point, to: Point, meridian: number): Point {
  // A position on the meridian is returned unchanged, without rounding errors.
  if (from[0] === meridian) return from;
  if (to[0] === meridian) return to;
  const part = (meridian - from[0]) / (to[0] - from[0]);
  return [meridian, from[1] + (to[1] - from[1]) * part];
}

/**
 * Joins chains along the meridian into rings. Going up the meridian, every second stretch between ends lies inside the
 * polygon: the first to the second end, the third to the fourth, in any ring direction. Ends in one point have the order
 * of their edges beside the meridian.
 */
function joinChains(chains: readonly Chain[], side: Side): Point[][] {
  // Ends have two numbers per chain: an even one at its start, an odd one at its end.
  const ends = chains.flatMap((chain) => chain.ends);
  const order = [...ends.entries()].sort(([, a], [, b]) => a.y - b.y || (a.slope - b.slope) * side).map(([end]) => end);
  const partner = new Map(order.map((end, i) => [end, elementAt(order, i ^ 1)]));
  const used = new Set<number>();
  const rings: Point[][] = [];
  for (let first = 0; first < chains.length; first++) {
    const ring: Point[] = [];
    let end = first * 2;
    while (!used.has(end >> 1)) {
      used.add(end >> 1);
      const { points } = elementAt(chains, end >> 1);
      for (const point of end % 2 === 0 ? points : points.toReversed()) ring.push(point);
      end = partner.get(end ^ 1) ?? end;
    }
    const start = ring[0];
    if (start !== undefined) rings.push(withoutRepeats([...ring, start]));
  }
  return rings;
}

function withoutRepeats(ring: readonly Point[]): Point[] {
  return ring.filter(([x, y], i) => x !== ring[i - 1]?.[0] || y !== ring[i - 1]?.[1]);
}

/** Is the point inside the ring? Even-odd rule. */
function isInside(point: Point | undefined, ring: readonly Point[]): boolean {
  if (point === undefined) return false;
  const [x, y] = point;
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = ring[i - 1] ?? point;
    const [bx, by] = ring[i] ?? point;
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}
