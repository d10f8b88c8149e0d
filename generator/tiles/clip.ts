// Cuts rings and lines at a column or a row, in whole units: where an edge meets it is computed from its ends in one
// order, so that both units of a border get the same place.
import { numberAt } from '../../format/element-at.ts';
import type { OpenRing } from '../rings/open-rings.ts';

/** A side of a column (axis 0) or of a row (axis 1): what is at most `at`, or at least. */
export interface HalfPlane {
  axis: 0 | 1;
  at: number;
  isBelow: boolean;
}

/** A ring or a line with its box, by which most are found to be on one side. */
export interface Boxed {
  places: OpenRing;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function boxed(places: OpenRing): Boxed {
  let [left, top] = [numberAt(places, 0), numberAt(places, 1)];
  let [right, bottom] = [left, top];
  for (let i = 2; i < places.length; i += 2) {
    const [x, y] = [numberAt(places, i), numberAt(places, i + 1)];
    if (x < left) left = x;
    else if (x > right) right = x;
    if (y < top) top = y;
    else if (y > bottom) bottom = y;
  }
  return { places, left, top, right, bottom };
}

/** Is a whole ring or line on one side (1), on the other (-1), or on both (0)? What is on the line is on the side. */
export function sideOfHalfPlane({ left, top, right, bottom }: Boxed, { axis, at, isBelow }: HalfPlane): -1 | 0 | 1 {
  const [least, greatest] = axis === 0 ? [left, right] : [top, bottom];
  if (isBelow) return greatest <= at ? 1 : least > at ? -1 : 0;
  return least >= at ? 1 : greatest < at ? -1 : 0;
}

/** Where parts are put together: arrays that grow leave much behind. */
const scratch: number[] = [];

/** The part of a ring on a side (Sutherland and Hodgman 1974): the ring itself if it is all of it. */
export function clipRing(ring: Boxed, half: HalfPlane): Boxed | undefined {
  const side = sideOfHalfPlane(ring, half);
  if (side !== 0) return side === 1 ? ring : undefined;
  const { places } = ring;
  const { axis, at, isBelow } = half;
  let length = 0;
  const put = (x: number, y: number): void => {
    if (length > 0 && scratch[length - 2] === x && scratch[length - 1] === y) return;
    // Three on the cut: the middle one is none.
    if (length > 2) {
      const [a, b] = [length - 4 + axis, length - 2 + axis];
      if (scratch[a] === at && scratch[b] === at && (axis === 0 ? x : y) === at) length -= 2;
    }
    scratch[length++] = x;
    scratch[length++] = y;
  };
  const count = places.length;
  let [x1, y1] = [numberAt(places, count - 2), numberAt(places, count - 1)];
  let wasInside = isBelow ? (axis === 0 ? x1 : y1) <= at : (axis === 0 ? x1 : y1) >= at;
  for (let i = 0; i < count; i += 2) {
    const [x2, y2] = [numberAt(places, i), numberAt(places, i + 1)];
    const value = axis === 0 ? x2 : y2;
    const isInside = isBelow ? value <= at : value >= at;
    if (isInside !== wasInside) {
      if (axis === 0) put(at, crossingAt(x1, y1, x2, y2, at));
      else put(crossingAt(y1, x1, y2, x2, at), at);
    }
    if (isInside) put(x2, y2);
    [x1, y1, wasInside] = [x2, y2, isInside];
  }
  if (length > 2 && scratch[0] === scratch[length - 2] && scratch[1] === scratch[length - 1]) length -= 2;
  return length < 6 ? undefined : boxed(scratch.slice(0, length));
}

/** The parts on a side of a line that is on both; those without length are none. */
export function clipLine({ places }: Boxed, half: HalfPlane): Boxed[] {
  const { axis, at, isBelow } = half;
  const parts: Boxed[] = [];
  let length = 0;
  const put = (x: number, y: number): void => {
    if (length > 0 && scratch[length - 2] === x && scratch[length - 1] === y) return;
    scratch[length++] = x;
    scratch[length++] = y;
  };
  const end = (): void => {
    if (length > 2) parts.push(boxed(scratch.slice(0, length)));
    length = 0;
  };
  let [x1, y1, wasInside] = [NaN, NaN, false];
  for (let i = 0; i < places.length; i += 2) {
    const [x2, y2] = [numberAt(places, i), numberAt(places, i + 1)];
    const value = axis === 0 ? x2 : y2;
    const isInside = isBelow ? value <= at : value >= at;
    if (i > 0 && isInside !== wasInside) {
      if (axis === 0) put(at, crossingAt(x1, y1, x2, y2, at));
      else put(crossingAt(y1, x1, y2, x2, at), at);
    }
    if (isInside) put(x2, y2);
    else end();
    [x1, y1, wasInside] = [x2, y2, isInside];
  }
  end();
  return parts;
}

/** Where an edge from (a1, b1) to (a2, b2) has `a` in common with `at`: its b, rounded, the same whichever way it runs. */
function crossingAt(a1: number, b1: number, a2: number, b2: number, at: number): number {
  const b = a1 < a2 ? b1 + ((at - a1) / (a2 - a1)) * (b2 - b1) : b2 + ((at - a2) / (a1 - a2)) * (b1 - b2);
  // Not -0: arrays of whole numbers take less.
  return Math.round(b) + 0;
}
