// Which units of a level are neighbours on the grid of the deepest zoom: those that have an arc in common, and, as
// sources draw a border twice, those of which arcs cross or lie on one another.
import { f64At, i32At } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';
import { arcAt } from '../topology/arcs.ts';
import type { MeetingEdges } from '../topology/crossing-edges.ts';
import { endBefore } from '../topology/level-rings.ts';
import { COLOURS, type UnitPairs } from './colours.ts';
import type { TileRings } from './zoom-rings.ts';

/** The units of a level, of those of all levels. */
export interface UnitRange {
  /** Index of the first one. */
  first: number;
  count: number;
}

/** Pairs of arcs that meet, each once, ascending: the lower index times the number of arcs, plus the higher one. */
export type ArcPairs = Float64Array;

/** The arcs of which edges meet. @param arcEnds of the arcs whose edges these are */
export function meetingArcs(arcEnds: Int32Array, { crossing, overlapping }: MeetingEdges): ArcPairs {
  const pairs = new NumberList(Float64Array);
  for (const places of [crossing, overlapping])
    for (let i = 0; i < places.length; i += 2) {
      const [a, b] = [arcAt(arcEnds, i32At(places, i)), arcAt(arcEnds, i32At(places, i + 1))];
      if (a !== b) pairs.push(Math.min(a, b) * arcEnds.length + Math.max(a, b));
    }
  return sortedOnce(pairs);
}

/** Calls a function with each arc of each unit of a level, as rings have them: perhaps several times. */
export function eachArc(
  rings: TileRings,
  { first, count }: UnitRange,
  take: (arc: number, unit: number) => void,
): void {
  const { arcs, ringEnds, unitEnds } = rings;
  for (let unit = 0; unit < count; unit++) {
    const begin = endBefore(ringEnds, endBefore(unitEnds, first + unit));
    const end = endBefore(ringEnds, i32At(unitEnds, first + unit));
    for (let i = begin; i < end; i++) {
      const arc = i32At(arcs, i);
      take(arc < 0 ? ~arc : arc, unit);
    }
  }
}

/**
 * The pairs of units of a level that are neighbours. Of an arc that more units have than there are colours, its first
 * ones stand for all: they have all colours.
 * @param arcs how many there are
 */
export function adjacentUnits(rings: TileRings, range: UnitRange, arcs: number, meeting: ArcPairs): UnitPairs {
  const pairs = new NumberList(Float64Array);
  const add = (a: number, b: number): void => {
    if (a !== b) pairs.push(Math.min(a, b) * range.count + Math.max(a, b));
  };
  const begins = new Int32Array(arcs + 1);
  const ends = new Int32Array(arcs);
  eachArc(rings, range, (arc) => {
    ends[arc] = Math.min(i32At(ends, arc) + 1, COLOURS);
  });
  for (let arc = 0; arc < arcs; arc++) begins[arc + 1] = i32At(begins, arc) + i32At(ends, arc);
  ends.set(begins.subarray(0, arcs));
  const units = new Int32Array(i32At(begins, arcs));
  eachArc(rings, range, (arc, unit) => {
    const [begin, end] = [i32At(begins, arc), i32At(ends, arc)];
    for (let i = begin; i < end; i++) add(i32At(units, i), unit);
    if (end === i32At(begins, arc + 1) || (end > begin && units[end - 1] === unit)) return;
    units[end] = unit;
    ends[arc] = end + 1;
  });
  for (let i = 0; i < meeting.length; i++) {
    const a = Math.floor(f64At(meeting, i) / arcs);
    const b = f64At(meeting, i) - a * arcs;
    for (let m = i32At(begins, a); m < i32At(ends, a); m++)
      for (let n = i32At(begins, b); n < i32At(ends, b); n++) add(i32At(units, m), i32At(units, n));
  }
  return sortedOnce(pairs);
}

/** Numbers ascending, each once. */
function sortedOnce(numbers: NumberList<Float64Array>): Float64Array {
  const sorted = numbers.values().slice().sort();
  return sorted.filter((number, i) => i === 0 || number !== sorted[i - 1]);
}
