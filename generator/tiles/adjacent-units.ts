// Which units of a level are neighbours on the grid of the deepest zoom: those that have an arc in common, and, as
// sources draw a border twice, those of which arcs cross or lie on one another.
import { f64At, i32At } from '../../format/element-at.ts';
import { NumberGroups } from '../rings/number-groups.ts';
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
  const add = (list: NumberList<Float64Array>, a: Side, b: Side): void => {
    if (unitOf(a) !== unitOf(b)) list.push(pairOf(unitOf(a), unitOf(b), range.count));
  };
  const sides = new NumberGroups(arcs, (take) =>
    eachArc(rings, range, (arc, unit) => take(arcNumber(arc), arc < 0 ? ~unit : unit)),
  );
  const meetAtArc = (one: Side, other: Side): void => {
    add(neighbours, one, other);
    if (one < 0 === other < 0) add(candidates, one, other);
  };
  for (let arc = 0; arc < arcs; arc++) firstOf(sides.of(arc), meetAtArc);
  for (let i = 0; i < meeting.length; i++) {
    const a = Math.floor(f64At(meeting, i) / arcs);
    const b = f64At(meeting, i) - a * arcs;
    for (const one of firstOf(sides.of(a)))
      for (const other of firstOf(sides.of(b))) for (const list of [neighbours, candidates]) add(list, one, other);
  }
  return { neighbours: sortedOnce(neighbours), candidates: sortedOnce(candidates) };
}

/** A unit that has an arc, or `~unit` if it has the arc backwards. */
type Side = number;

function unitOf(side: Side): number {
  return side < 0 ? ~side : side;
}

/** The first sides of an arc, which stand for all. @param meet gets each side with those of them that came before */
function firstOf(sides: Int32Array, meet?: (one: Side, other: Side) => void): Side[] {
  const first: Side[] = [];
  for (const one of sides) {
    if (meet !== undefined) for (const other of first) meet(one, other);
    const last = first.at(-1);
    if (first.length < COLOURS && (last === undefined || unitOf(last) !== unitOf(one))) first.push(one);
  }
  return first;
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
