// Makes simplified polygons valid (OGC 06-103r4): what crosses is taken at half the tolerance, and again, and its
// neighbours with it.
//
// Why it ends: refining only halves the tolerance of pieces, and a piece is halved at most HALVINGS_MAX times
// (simplify-arcs.ts), or has no more points that could come back. A point may also be left out, which could make room
// for refining again: so the rounds are counted.

import { i32At } from '../../format/element-at.ts';
import { isValid } from '../gdal/valid-polygons.ts';
import { arcNumber } from '../topology/arcs.ts';
import { endBefore } from '../topology/level-rings.ts';
import { areTangled, type Crossing, crossingsOf } from './crossings.ts';
import type { UnitRings } from './unit-rings.ts';

/** How often invalid units are tried again. */
const ROUNDS_MAX = 8;

/** Fewest edges of a unit that is tangled. */
const TANGLED_EDGES = 20_000;

/**
 * Refines what makes units invalid until they are valid.
 * @param isTried is a unit valid in the source?
 * @returns the units that are not, tried or not, ascending
 */
export function mendUnits(rings: UnitRings, isTried: (unit: number) => boolean): number[] {
  /** The units that are tried and not valid now; and those that are not tried. */
  const invalid = new Set<number>();
  const accepted = new Set<number>();
  let pending = Array.from({ length: rings.units }, (_, unit) => unit);
  for (let round = 0; round < ROUNDS_MAX && pending.length > 0; round++) {
    const refined = new Set<number>();
    const again = new Set<number>();
    for (const unit of pending) {
      if (accepted.has(unit)) continue;
      if (isTangled(rings, unit)) invalid.add(unit);
      else if (isValid(rings.polygons(unit))) invalid.delete(unit);
      else if (invalid.has(unit) || isTried(unit)) {
        invalid.add(unit);
        if (mend(rings, unit, refined)) again.add(unit);
      } else accepted.add(unit);
    }
    pending = unitsWith(rings, refined, again);
  }
  // What was changed last, or beside what was not tried, is looked at once more.
  const doubtful = new Set([...pending, ...invalid, ...accepted]);
  return [...doubtful].filter((unit) => isTangled(rings, unit) || !isValid(rings.polygons(unit))).sort((a, b) => a - b);
}

/** Is a unit a scribble? */
function isTangled(rings: UnitRings, unit: number): boolean {
  const { arcEnds } = rings.shared;
  const pointsOf = (arc: number): number => i32At(arcEnds, arcNumber(arc)) - endBefore(arcEnds, arcNumber(arc));
  let points = 0;
  for (const ring of rings.ringsOf(unit)) for (const arc of rings.arcsOf(ring)) points += pointsOf(arc);
  if (points <= TANGLED_EDGES) return false;
  const { arcs } = rings.edgesOf(unit);
  return arcs.x.length - arcs.arcEnds.length > TANGLED_EDGES && areTangled(arcs);
}

/**
 * Changes what makes a unit invalid: edges that cross, or else rings on the wrong side of others, or else anything.
 * @param refined the arcs that have changed, to which its are added
 * @returns false if nothing can be changed
 */
function mend(rings: UnitRings, unit: number, refined: Set<number>): boolean {
  const areCrossingsMended = mendCrossings(rings, unit, refined);
  if (areCrossingsMended === true || rings.nest(unit)) return true;
  return (
    areCrossingsMended === undefined &&
    rings
      .ringsOf(unit)
      .map((ring) => rings.refine(ring, refined))
      .includes(true)
  );
}

/**
 * Refines the edges of a unit that cross. Where no point can come back, as rounding made them cross, one goes.
 * @returns false if nothing has changed, or too much crosses; undefined if none cross
 */
function mendCrossings(rings: UnitRings, unit: number, refined: Set<number>): boolean | undefined {
  const { arcs, numbers, points } = rings.edgesOf(unit);
  const changed = new Map<number, boolean>();
  const refine = (begin: number): boolean => {
    const known = changed.get(begin) ?? rings.simplified.refine(begin);
    changed.set(begin, known);
    return known;
  };
  const crossings = crossingsOf(arcs);
  if (crossings === undefined) return false;
  let isMended = crossings.length === 0 ? undefined : false;
  for (const { edges, ends } of crossings) {
    const isRefined = edges.map((edge) => refine(points.at(edge))).includes(true);
    const isGone = ([edge, isSecond]: Crossing['ends'][number], isAny: boolean): boolean => {
      const begin = points.at(edge);
      const [at, arc] = [isSecond ? rings.simplified.next(begin) : begin, numbers.at(edge)];
      return (isAny || rings.isWithinLimit(at, arc)) && rings.simplified.leaveOut(at, arc);
    };
    const isLeftOut =
      !isRefined &&
      (ends.some((end) => isGone(end, true)) ||
        // Borders may meet at all of them. Then one goes that had come back.
        edges.some((edge) => [false, true].some((isSecond) => isGone([edge, isSecond], false))));
    if (!isRefined && !isLeftOut) continue;
    for (const edge of edges) refined.add(numbers.at(edge));
    isMended = true;
  }
  return isMended;
}

/** The units that have one of the arcs, and others, ascending. */
function unitsWith(rings: UnitRings, arcs: ReadonlySet<number>, others: ReadonlySet<number>): number[] {
  if (arcs.size + others.size === 0) return [];
  const hasOne = (ring: number): boolean => rings.arcsOf(ring).some((arc) => arcs.has(arcNumber(arc)));
  return Array.from({ length: rings.units }, (_, unit) => unit).filter(
    (unit) => others.has(unit) || rings.ringsOf(unit).some(hasOne),
  );
}
