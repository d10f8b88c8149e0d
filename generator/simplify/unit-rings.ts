// The rings of all units of one or several levels on arcs that are cut: gives the polygons of a unit, and changes arcs
// until a unit keeps its shape and is valid. Used to simplify levels.
//
// Why its loops end: each round refines an arc (or stops), refining only halves the tolerance of pieces, and a piece is
// halved at most HALVINGS_MAX times (simplify-arcs.ts), or has no more points that could come back. `mend` may also
// leave out a point, which could make room for refining again: who calls it counts the rounds (simplify-level.ts,
// ROUNDS_MAX).
import { f64At, i32At, numberAt } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';
import { doubledArea, nestRings, type OpenPolygon, type OpenRing, retrace } from '../topology/assemble-polygons.ts';
import { endBefore } from '../topology/level-rings.ts';
import type { Grid, SharedArcs } from '../topology/shared-arcs.ts';
import { areTangled, type Crossing, crossingsOf } from './crossings.ts';
import type { SimplifiedArcs } from './simplify-arcs.ts';

/** A border with more loops than these leaves out the small ones. */
const LOOPS_MAX = 100;

/** Fewest edges of a unit that is tangled. */
const TANGLED_EDGES = 20_000;

/** Fewest positions of a ring that is not closed. */
const RING_POSITIONS_MIN = 3;

/** The ways from a point of an arc to those beside it. */
type Steps = Pick<SimplifiedArcs, 'next' | 'previous'>;

/** The arcs before they are simplified. */
const EVERY_POINT: Steps = { next: (at) => at + 1, previous: (at) => at - 1 };

/** The rings of all units. */
export class UnitRings {
  readonly units: number;
  readonly #shared: SharedArcs;
  readonly #cut: SimplifiedArcs;
  readonly #grid: Grid;
  readonly #limit: number;
  /** Twice the area of each ring before it was cut. */
  readonly #areas: Float64Array;
  /** 1 for an arc that is a small ring, or a loop of one: it goes from all rings that have it. */
  readonly #isGone: Uint8Array;
  /** 1 for a unit whose rings have come to lie on the wrong sides of others. */
  readonly #nested: Uint8Array;

  /**
   * @param grid on which polygons are; arcs may be of a finer one
   * @param limit the area, in cells of the grid at the equator, below which islands and holes go
   */
  constructor(shared: SharedArcs, cut: SimplifiedArcs, grid: Grid, limit: number) {
    this.#shared = shared;
    this.#cut = cut;
    this.#grid = grid;
    this.#limit = limit;
    this.units = shared.unitEnds.length;
    this.#areas = new Float64Array(shared.ringEnds.length);
    this.#isGone = new Uint8Array(shared.arcEnds.length);
    this.#nested = new Uint8Array(this.units);
    for (let ring = 0; ring < this.#areas.length; ring++)
      this.#areas[ring] = areaOf(this.#positionsOf(this.#arcsOf(ring), EVERY_POINT));
    for (let arc = 0; arc < this.#isGone.length; arc++)
      if (this.#isLoop(arc) && this.#isBelowLimit(areaOf(this.#positionsOf([arc], EVERY_POINT)), arc))
        this.#isGone[arc] = 1;
  }

  /**
   * Takes the borders of rings that stay at half the tolerance until they keep their shapes; those of small ones, which
   * have neighbours, until they do not run the other way round.
   * @param change the most by which the area of a ring may change, as a share of it
   */
  keepShapes(change: number): void {
    const isLargest = new Uint8Array(this.#areas.length);
    for (let unit = 0; unit < this.units; unit++) {
      const largest = this.#largestRing(unit);
      if (largest === undefined) continue;
      // The largest ring of a unit stays, however small.
      for (const arc of this.#arcsOf(largest)) this.#isGone[arcNumber(arc)] = 0;
      isLargest[largest] = 1;
    }
    const isKept = (ring: number): boolean => {
      const share = areaOf(this.#positionsOf(this.#arcsOf(ring))) / f64At(this.#areas, ring);
      return isLargest[ring] === 1 || !this.#isSmall(ring) ? Math.abs(share - 1) < change : share >= 0;
    };
    const rings = Array.from(this.#areas.keys()).filter((ring) => this.#areas[ring] !== 0);
    // A border that comes back changes the ring on its other side, too. This ends, as in each round but the last one an
    // arc is refined: none is for ever, and no point goes here.
    let ringsOf: ((arc: number) => Int32Array) | undefined;
    for (let changed: readonly number[] = rings; changed.length > 0; ) {
      const refined = new Set<number>();
      for (const ring of changed) this.#refineUntil(ring, isKept, refined);
      const next = new Set<number>();
      if (refined.size > 0) ringsOf ??= this.#ringsByArc(rings);
      for (const arc of refined) for (const ring of ringsOf?.(arc) ?? []) next.add(ring);
      changed = [...next].sort((a, b) => a - b);
    }
  }

  /** @param rings ascending @returns a function that gives those of them that have an arc */
  #ringsByArc(rings: readonly number[]): (arc: number) => Int32Array {
    // The rings of all arcs one after the other: first counted, then put in place from the end.
    const begins = new Int32Array(this.#shared.arcEnds.length + 1);
    const each = (visit: (arc: number, ring: number) => void): void => {
      for (const ring of rings) for (const arc of this.#arcsOf(ring)) visit(arcNumber(arc), ring);
    };
    each((arc) => {
      begins[arc] = i32At(begins, arc) + 1;
    });
    for (let arc = 1; arc < begins.length; arc++) begins[arc] = i32At(begins, arc) + i32At(begins, arc - 1);
    const all = new Int32Array(i32At(begins, begins.length - 1));
    each((arc, ring) => {
      const place = i32At(begins, arc) - 1;
      begins[arc] = place;
      all[place] = ring;
    });
    return (arc) => all.subarray(i32At(begins, arc), i32At(begins, arc + 1));
  }

  #refineUntil(ring: number, isKept: (ring: number) => boolean, refined: Set<number>): void {
    for (let isRefined = true; isRefined && !isKept(ring); ) {
      isRefined = false;
      for (const arc of this.#arcsOf(ring)) {
        if (!this.#cut.refineArc(arcNumber(arc))) continue;
        refined.add(arcNumber(arc));
        isRefined = true;
      }
    }
  }

  /** The polygons of a unit; empty if none has an area. */
  polygons(unit: number): OpenPolygon[] {
    const polygons: OpenPolygon[] = [];
    const open: OpenRing[] = [];
    const touching = new Set<number>();
    /** The last ring that was at a place. */
    const met = new Map<number, number>();
    let isExteriorLost = false;
    for (let ring = endBefore(this.#shared.unitEnds, unit); ring < i32At(this.#shared.unitEnds, unit); ring++) {
      const isHole = i32At(this.#shared.holes, ring) === 1;
      if (isHole && isExteriorLost) continue;
      const positions = this.#positionsOf(this.#arcsOf(ring));
      const area = areaOf(positions);
      const isLost = isHole ? area >= 0 : area <= 0;
      if (!isHole) isExteriorLost = isLost;
      if (isLost) continue;
      const own = open.push(positions) - 1;
      for (let i = 0; i < positions.length; i += 2) {
        const place = placeOf(numberAt(positions, i), numberAt(positions, i + 1));
        const other = met.get(place);
        if (other !== undefined) touching.add(other).add(own);
        met.set(place, own);
      }
      if (isHole) polygons.at(-1)?.push(positions);
      else polygons.push([positions]);
    }
    if (touching.size === 0) return this.#nested[unit] === 1 ? nestRings(open) : polygons;
    const isTouching = (_: OpenRing, i: number): boolean => touching.has(i);
    const retraced = retrace(open.filter(isTouching));
    return nestRings([...this.#largeLoops(retraced), ...open.filter((ring, i) => !isTouching(ring, i))]);
  }

  /** Of a border that touches itself everywhere, the loops that are no smaller than an island that stays. */
  #largeLoops(loops: readonly OpenRing[]): readonly OpenRing[] {
    if (loops.length <= LOOPS_MAX) return loops;
    const areas = loops.map((loop) => Math.abs(doubledArea(loop)));
    const least = Math.min(
      2 * this.#limit,
      areas.reduce((a, b) => Math.max(a, b)),
    );
    return loops.filter((_, i) => numberAt(areas, i) >= least);
  }

  /** Is a unit a scribble? */
  isTangled(unit: number): boolean {
    if (this.#pointsOf(unit) <= TANGLED_EDGES) return false;
    const { edges, begins } = this.#edgesOf(unit);
    return begins.length > TANGLED_EDGES && areTangled(edges.values());
  }

  /** The points of the arcs of a unit before they were simplified. */
  #pointsOf(unit: number): number {
    const { arcs, arcEnds, ringEnds, unitEnds } = this.#shared;
    const begin = endBefore(ringEnds, endBefore(unitEnds, unit));
    const own = arcs.subarray(begin, endBefore(ringEnds, i32At(unitEnds, unit))).map(arcNumber);
    return own.reduce((sum, arc) => sum + i32At(arcEnds, arc) - endBefore(arcEnds, arc), 0);
  }

  /**
   * Changes what makes a unit invalid: edges that cross, or else rings on the wrong side of others, or else anything.
   * @param refined the arcs that have changed, to which its are added
   * @returns false if nothing can be changed
   */
  mend(unit: number, refined: Set<number>): boolean {
    const areCrossingsMended = this.#mendCrossings(unit, refined);
    if (areCrossingsMended === true) return true;
    if (this.#nested[unit] === 0) {
      this.#nested[unit] = 1;
      return true;
    }
    return areCrossingsMended === undefined && this.#refine(unit, refined);
  }

  /**
   * Refines the edges of a unit that cross. Where no point can come back, as rounding made them cross, one goes.
   * @returns false if nothing has changed, or too much crosses; undefined if none cross
   */
  #mendCrossings(unit: number, refined: Set<number>): boolean | undefined {
    const { edges, begins, arcs } = this.#edgesOf(unit);
    const changed = new Map<number, boolean>();
    const refine = (begin: number): boolean => {
      const known = changed.get(begin) ?? this.#cut.refine(begin);
      changed.set(begin, known);
      return known;
    };
    const crossings = crossingsOf(edges.values());
    if (crossings === undefined) return false;
    let isMended = crossings.length === 0 ? undefined : false;
    for (const { edges: crossing, ends } of crossings) {
      const isRefined = crossing.map((edge) => refine(begins.at(edge))).includes(true);
      const isGone = ([edge, isSecond]: Crossing['ends'][number], isAny: boolean): boolean => {
        const begin = begins.at(edge);
        const at = isSecond ? this.#cut.next(begin) : begin;
        return (isAny || this.#isWithinLimit(at, arcs.at(edge))) && this.#cut.leaveOut(at, arcs.at(edge));
      };
      const isLeftOut =
        !isRefined &&
        (ends.some((end) => isGone(end, true)) ||
          // Borders may meet at all of them. Then one goes that had come back.
          crossing.some((edge) => [false, true].some((isSecond) => isGone([edge, isSecond], false))));
      if (!isRefined && !isLeftOut) continue;
      for (const edge of crossing) refined.add(arcs.at(edge));
      isMended = true;
    }
    return isMended;
  }

  /** Is a point's triangle with its neighbours in the arc so small that the point may go? */
  #isWithinLimit(at: number, arc: number): boolean {
    const { arcEnds } = this.#shared;
    if (at === endBefore(arcEnds, arc) || at === i32At(arcEnds, arc) - 1) return false;
    const triangle = [this.#cut.previous(at), at, this.#cut.next(at)];
    return Math.abs(doubledArea(triangle.flatMap((i) => [this.#xAt(i), this.#yAt(i)]))) < 2 * this.#limit;
  }

  /** The edges of a unit, and of each the arc and the place in it where it begins. */
  #edgesOf(unit: number): {
    edges: NumberList<Int32Array>;
    begins: NumberList<Int32Array>;
    arcs: NumberList<Int32Array>;
  } {
    const edges = new NumberList(Int32Array);
    const begins = new NumberList(Int32Array);
    const arcs = new NumberList(Int32Array);
    for (let ring = endBefore(this.#shared.unitEnds, unit); ring < i32At(this.#shared.unitEnds, unit); ring++)
      for (const arc of this.#arcsOf(ring)) {
        const number = arcNumber(arc);
        if (this.#isGone[number] === 1) continue;
        const last = i32At(this.#shared.arcEnds, number) - 1;
        for (let at = endBefore(this.#shared.arcEnds, number); at < last; ) {
          const to = this.#cut.next(at);
          const ends = [this.#xAt(at), this.#yAt(at), this.#xAt(to), this.#yAt(to)] as const;
          // Both may have come to the same place.
          if (ends[0] !== ends[2] || ends[1] !== ends[3]) {
            for (const end of ends) edges.push(end);
            begins.push(at);
            arcs.push(number);
          }
          at = to;
        }
      }
    return { edges, begins, arcs };
  }

  /** Refines all borders of a unit. @returns false if none can be */
  #refine(unit: number, refined: Set<number>): boolean {
    let isRefined = false;
    for (let ring = endBefore(this.#shared.unitEnds, unit); ring < i32At(this.#shared.unitEnds, unit); ring++)
      for (const arc of this.#arcsOf(ring)) {
        if (!this.#cut.refineArc(arcNumber(arc))) continue;
        refined.add(arcNumber(arc));
        isRefined = true;
      }
    return isRefined;
  }

  /** The units that have one of the arcs, and others, ascending. */
  unitsWith(arcs: ReadonlySet<number>, others: ReadonlySet<number>): number[] {
    const units: number[] = [];
    if (arcs.size === 0 && others.size === 0) return units;
    for (let unit = 0, arc = 0, ring = 0; unit < this.units; unit++) {
      let isIn = others.has(unit);
      ring = i32At(this.#shared.unitEnds, unit);
      const end = endBefore(this.#shared.ringEnds, ring);
      for (; arc < end; arc++) isIn ||= arcs.has(arcNumber(i32At(this.#shared.arcs, arc)));
      if (isIn) units.push(unit);
    }
    return units;
  }

  #arcsOf(ring: number): Int32Array {
    const { arcs, ringEnds } = this.#shared;
    return arcs.subarray(endBefore(ringEnds, ring), i32At(ringEnds, ring));
  }

  /** The exterior ring of most area. */
  #largestRing(unit: number): number | undefined {
    let largest: number | undefined;
    let most = 0;
    for (let ring = endBefore(this.#shared.unitEnds, unit); ring < i32At(this.#shared.unitEnds, unit); ring++) {
      if (f64At(this.#areas, ring) <= 0) continue;
      const area = f64At(this.#areas, ring) * this.#squeezeAt(arcNumber(i32At(this.#arcsOf(ring), 0)));
      if (area > most) [largest, most] = [ring, area];
    }
    return largest;
  }

  /** Is a ring smaller than what stays of islands and holes? */
  #isSmall(ring: number): boolean {
    const [arc] = this.#arcsOf(ring);
    return arc === undefined || this.#isBelowLimit(f64At(this.#areas, ring), arcNumber(arc));
  }

  /** Is twice an area, at the latitude of an arc, below the limit? */
  #isBelowLimit(area: number, arc: number): boolean {
    return area === 0 || Math.abs(area) * this.#squeezeAt(arc) < 2 * this.#limit;
  }

  /** Does an arc begin and end with the same point? */
  #isLoop(arc: number): boolean {
    const { points, arcEnds } = this.#shared;
    return points[endBefore(arcEnds, arc)] === points[i32At(arcEnds, arc) - 1];
  }

  /** How much narrower a degree of longitude is at an arc than at the equator. */
  #squeezeAt(arc: number): number {
    const row = this.#yAt(endBefore(this.#shared.arcEnds, arc));
    return Math.cos((((row + this.#grid.bottom) * this.#grid.cell) / this.#grid.scale / 180) * Math.PI);
  }

  /** The place of a point of an arc on the grid, from its left. */
  #xAt(index: number): number {
    return Math.round(i32At(this.#shared.x, i32At(this.#shared.points, index)) / this.#grid.cell) - this.#grid.left;
  }

  #yAt(index: number): number {
    return Math.round(i32At(this.#shared.y, i32At(this.#shared.points, index)) / this.#grid.cell) - this.#grid.bottom;
  }

  /** The points of arcs that follow one another, as indexes of `points`, given to a function. */
  #eachPoint(arcs: Iterable<number>, take: (index: number) => void, { next, previous }: Steps = this.#cut): void {
    const { arcEnds } = this.#shared;
    for (const arc of arcs) {
      if (this.#isGone[arcNumber(arc)] === 1) continue;
      const [begin, last] = [endBefore(arcEnds, arcNumber(arc)), i32At(arcEnds, arcNumber(arc)) - 1];
      // Without the last one, with which the next arc begins.
      if (arc >= 0) for (let at = begin; at < last; at = next(at)) take(at);
      else for (let at = last; at > begin; at = previous(at)) take(at);
    }
  }

  /** The places of a ring of arcs, none of which follows itself; empty if fewer than three are left. */
  #positionsOf(arcs: Iterable<number>, steps: Steps = this.#cut): OpenRing {
    const open: number[] = [];
    this.#eachPoint(
      arcs,
      (index) => {
        const [x, y] = [this.#xAt(index), this.#yAt(index)];
        if (open.at(-2) !== x || open.at(-1) !== y) open.push(x, y);
      },
      steps,
    );
    while (open.length > 2 && open.at(-2) === open[0] && open.at(-1) === open[1]) open.length -= 2;
    return open.length < 2 * RING_POSITIONS_MIN ? [] : open;
  }
}

/** Twice the area of a ring, which may be empty. */
function areaOf(ring: OpenRing): number {
  return ring.length === 0 ? 0 : doubledArea(ring);
}

/** A place on a grid as one number: exact, as places are below 2^25. */
function placeOf(x: number, y: number): number {
  return x * 2 ** 26 + y;
}

function arcNumber(arc: number): number {
  return arc < 0 ? ~arc : arc;
}
