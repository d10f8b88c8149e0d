// Cuts polygons that cross the antimeridian in two or more (RFC 7946, section 3.1.9), for datasets made here.
import type { Position } from 'geojson';
import { type Point, pointAt, sideOf } from './split-at-meridian.ts';

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
