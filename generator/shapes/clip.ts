// Cuts rings and lines at a column or a row, in whole units: where an edge meets it is computed from its ends in one
// order, so that both units of a border get the same place. Used by quarter-tiles.ts.
import { numberAt } from '../../format/element-at.ts';
import type { OpenRing } from './assemble-polygons.ts';

/** A side of a column (axis 0) or of a row (axis 1): what is at most `at`, or at least. */
export interface HalfPlane {
  axis: 0 | 1;
  at: number;
  isBelow: boolean;
}

/** Is a whole ring or line on one side (1), on the other (-1), or on both (0)? What is on the line is on the side. */
function sideOfAll(places: OpenRing, { axis, at, isBelow }: HalfPlane): -1 | 0 | 1 {
  let [inside, outside] = [false, false];
  for (let i = axis; i < places.length; i += 2) {
    const value = numberAt(places, i);
    if (isBelow ? value <= at : value >= at) inside = true;
    else outside = true;
  }
  return inside && outside ? 0 : inside ? 1 : -1;
}

/** The part of a ring on a side (Sutherland and Hodgman 1974): the ring itself if it is all of it; may be empty. */
export function clipRing(ring: OpenRing, half: HalfPlane): OpenRing {
  const side = sideOfAll(ring, half);
  if (side !== 0) return side === 1 ? ring : [];
  const { axis, at, isBelow } = half;
  const part: number[] = [];
  const put = (x: number, y: number): void => {
    if (part.length > 0 && part.at(-2) === x && part.at(-1) === y) return;
    // Three on the cut: the middle one is none.
    if (part.length > 2) {
      const [a, b] = [part.length - 4 + axis, part.length - 2 + axis];
      if (part[a] === at && part[b] === at && (axis === 0 ? x : y) === at) part.length -= 2;
    }
    part.push(x, y);
  };
  const count = ring.length;
  let [x1, y1] = [numberAt(ring, count - 2), numberAt(ring, count - 1)];
  let wasInside = isBelow ? (axis === 0 ? x1 : y1) <= at : (axis === 0 ? x1 : y1) >= at;
  for (let i = 0; i < count; i += 2) {
    const [x2, y2] = [numberAt(ring, i), numberAt(ring, i + 1)];
    const value = axis === 0 ? x2 : y2;
    const isInside = isBelow ? value <= at : value >= at;
    if (isInside !== wasInside) {
      const across = crossingAt(x1, y1, x2, y2, axis, at);
      if (axis === 0) put(at, across);
      else put(across, at);
    }
    if (isInside) put(x2, y2);
    [x1, y1, wasInside] = [x2, y2, isInside];
  }
  if (part.length > 2 && part[0] === part.at(-2) && part[1] === part.at(-1)) part.length -= 2;
  return part.length < 6 ? [] : part;
}

/** The parts of a line on a side; those without length are none. */
export function clipLine(line: OpenRing, half: HalfPlane): OpenRing[] {
  const side = sideOfAll(line, half);
  if (side !== 0) return side === 1 ? [line] : [];
  const { axis, at, isBelow } = half;
  const parts: number[][] = [];
  let part: number[] = [];
  const put = (x: number, y: number): void => {
    if (part.at(-2) !== x || part.at(-1) !== y) part.push(x, y);
  };
  const end = (): void => {
    if (part.length > 2) parts.push(part);
    part = [];
  };
  let [x1, y1, wasInside] = [NaN, NaN, false];
  for (let i = 0; i < line.length; i += 2) {
    const [x2, y2] = [numberAt(line, i), numberAt(line, i + 1)];
    const value = axis === 0 ? x2 : y2;
    const isInside = isBelow ? value <= at : value >= at;
    if (i > 0 && isInside !== wasInside) {
      const across = crossingAt(x1, y1, x2, y2, axis, at);
      if (axis === 0) put(at, across);
      else put(across, at);
    }
    if (isInside) put(x2, y2);
    else end();
    [x1, y1, wasInside] = [x2, y2, isInside];
  }
  end();
  return parts;
}

/** Where an edge meets a column or a row, rounded: the same whichever way it runs. */
function crossingAt(x1: number, y1: number, x2: number, y2: number, axis: 0 | 1, at: number): number {
  const [a1, b1, a2, b2] = axis === 0 ? [x1, y1, x2, y2] : [y1, x1, y2, x2];
  const [a, b, c, d] = a1 < a2 ? [a1, b1, a2, b2] : [a2, b2, a1, b1];
  return Math.round(b + ((at - a) / (c - a)) * (d - b));
}
