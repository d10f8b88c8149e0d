// Makes edges of arcs that cross, or lie on one another, end where they do.
import { f64At, i32At } from '../../format/element-at.ts';
import { type Arcs, arcAt } from './arcs.ts';
import { crossingOf, type MeetingEdges, type Place } from './crossing-edges.ts';

type MeetingPairs = Pick<MeetingEdges, 'crossing' | 'overlapping'>;

/** Arcs, some of whose edges were not there before. */
export interface DividedArcs extends Arcs {
  /** For each edge 1 if it is new. */
  isNew: Uint8Array;
}

/** Arrays have room for the places of later rounds. */
export const ROOM = 1.25;

/**
 * Makes the rounded crossing of two edges a place of both, and the ends of an edge places of one that it lies on.
 * @param spare others that are not needed any more, whose memory is used if it has room: hundreds of megabytes
 */
export function divideEdges(arcs: Arcs, { crossing, overlapping }: MeetingPairs, spare?: Arcs): DividedArcs {
  const { x, y, arcEnds } = arcs;
  const places = placesOn(arcs, { crossing, overlapping });
  const most = x.length + crossing.length + overlapping.length / 2;
  const xs = roomFor(most, spare?.x);
  const ys = roomFor(most, spare?.y);
  const isNew = new Uint8Array(most);
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
  for (const { edge, on } of places) {
    // The first place of the edge is the last one of those before, if it has not become one with it.
    if (taken <= edge) takeTo(edge + 1);
    const before = length;
    const [column, row] = [i32At(x, edge), i32At(y, edge)];
    const distanceOf = (place: Place) => (place.x - column) ** 2 + (place.y - row) ** 2;
    for (const place of on.sort((a, b) => distanceOf(a) - distanceOf(b) || a.x - b.x || a.y - b.y)) {
      if (isLast(place.x, place.y)) continue;
      xs[length] = place.x;
      ys[length++] = place.y;
    }
    if (isLast(i32At(x, edge + 1), i32At(y, edge + 1))) taken++;
    if (length > before) isNew.fill(1, before - 1, length - (taken - edge - 1));
    const arc = arcAt(arcEnds, edge);
    more[arc] = i32At(more, arc) + length - before - (taken - edge - 1);
  }
  takeTo(x.length);
  const ends = new Int32Array(arcEnds.length);
  for (let arc = 0, added = 0; arc < ends.length; arc++) {
    added += i32At(more, arc);
    ends[arc] = i32At(arcEnds, arc) + added;
  }
  return { x: xs.subarray(0, length), y: ys.subarray(0, length), arcEnds: ends, isNew: isNew.subarray(0, length) };
}

/** An array, perhaps in the memory of another one, which grows from round to round: what is not used is not held. */
function roomFor(length: number, spare: Int32Array | undefined): Int32Array {
  const hasRoom = spare !== undefined && spare.buffer.byteLength >= length * spare.BYTES_PER_ELEMENT;
  return hasRoom ? new Int32Array(spare.buffer) : new Int32Array(Math.ceil(length * ROOM));
}

/** The places that edges get, edge by edge: there may be millions. */
function* placesOn(arcs: Arcs, { crossing, overlapping }: MeetingPairs): Generator<{ edge: number; on: Place[] }> {
  const count = crossing.length + overlapping.length / 2;
  // An edge and the index of what it meets as one number, so that a sort brings the edges together.
  const keys = new Float64Array(count);
  for (let i = 0; i < crossing.length; i++) keys[i] = i32At(crossing, i) * count + i;
  for (let i = crossing.length; i < count; i++) keys[i] = i32At(overlapping, 2 * (i - crossing.length)) * count + i;
  keys.sort();
  const placeOf = (i: number): Place => {
    if (i < crossing.length) return crossingOf(arcs, i32At(crossing, i & ~1), i32At(crossing, i | 1));
    const place = i32At(overlapping, 2 * (i - crossing.length) + 1);
    return { x: i32At(arcs.x, place), y: i32At(arcs.y, place) };
  };
  for (let at = 0; at < count; ) {
    const edge = Math.floor(f64At(keys, at) / count);
    const on: Place[] = [];
    for (; at < count && f64At(keys, at) < (edge + 1) * count; at++) on.push(placeOf(f64At(keys, at) - edge * count));
    yield { edge, on };
  }
}
