// Which units of a level are neighbours on the grid of the deepest zoom: those that have an arc in common, and, as
// sources draw a border twice, those of which arcs cross or lie on one another.
import { f64At, i32At } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';
import { arcAt, arcNumber, arcsOfUnit } from '../topology/arcs.ts';
import type { MeetingEdges } from '../topology/crossing-edges.ts';
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
      if (a !== b) pairs.push(pairOf(a, b, arcEnds.length));
    }
  return sortedOnce(pairs);
}

/** Calls a function with each arc of each unit of a level, as rings have them: `~i` for arc i backwards. */
export function eachArc(
  rings: TileRings,
  { first, count }: UnitRange,
  take: (arc: number, unit: number) => void,
): void {
  for (let unit = 0; unit < count; unit++) for (const arc of arcsOfUnit(rings, first + unit)) take(arc, unit);
}

/** What of the units of a level meets. */
export interface AdjacentUnits {
  /** Those that have an arc in common, or arcs that meet. */
  neighbours: UnitPairs;
  /** Those of them that may have an area in common: their arcs meet, or both are on the same side of one. */
  candidates: UnitPairs;
}

/**
 * The pairs of units of a level that are neighbours. Of an arc that more units have than there are colours, its first
 * ones stand for all: they have all colours.
 * @param arcs how many there are
 */
export function adjacentUnits(rings: TileRings, range: UnitRange, arcs: number, meeting: ArcPairs): AdjacentUnits {
  const [neighbours, candidates] = [new NumberList(Float64Array), new NumberList(Float64Array)];
  const add = (list: NumberList<Float64Array>, a: number, b: number): void => {
    if (a !== b) list.push(pairOf(a, b, range.count));
  };
  const begins = new Int32Array(arcs + 1);
  const ends = new Int32Array(arcs);
  eachArc(rings, range, (directed) => {
    const arc = arcNumber(directed);
    ends[arc] = Math.min(i32At(ends, arc) + 1, COLOURS);
  });
  for (let arc = 0; arc < arcs; arc++) begins[arc + 1] = i32At(begins, arc) + i32At(ends, arc);
  ends.set(begins.subarray(0, arcs));
  const units = new Int32Array(i32At(begins, arcs));
  const areBackwards = new Uint8Array(units.length);
  eachArc(rings, range, (directed, unit) => {
    const arc = arcNumber(directed);
    const isBackwards = directed < 0 ? 1 : 0;
    const [begin, end] = [i32At(begins, arc), i32At(ends, arc)];
    for (let i = begin; i < end; i++) {
      add(neighbours, i32At(units, i), unit);
      if (areBackwards[i] === isBackwards) add(candidates, i32At(units, i), unit);
    }
    if (end === i32At(begins, arc + 1) || (end > begin && units[end - 1] === unit)) return;
    units[end] = unit;
    areBackwards[end] = isBackwards;
    ends[arc] = end + 1;
  });
  for (let i = 0; i < meeting.length; i++) {
    const a = Math.floor(f64At(meeting, i) / arcs);
    const b = f64At(meeting, i) - a * arcs;
    for (let m = i32At(begins, a); m < i32At(ends, a); m++)
      for (let n = i32At(begins, b); n < i32At(ends, b); n++)
        for (const list of [neighbours, candidates]) add(list, i32At(units, m), i32At(units, n));
  }
  return { neighbours: sortedOnce(neighbours), candidates: sortedOnce(candidates) };
}

/** A pair as a number, whichever comes first. @param count of all that it may be of */
export function pairOf(a: number, b: number, count: number): number {
  return Math.min(a, b) * count + Math.max(a, b);
}

/** Numbers ascending, each once. */
export function sortedOnce(numbers: NumberList<Float64Array>): Float64Array {
  const sorted = numbers.values().slice().sort();
  return sorted.filter((number, i) => i === 0 || number !== sorted[i - 1]);
}
