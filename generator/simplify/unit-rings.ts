// The rings of all units of one or several levels on simplified arcs: which of them stay, the polygons of a unit and its
// edges.
import { f64At, i32At, numberAt } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';
import { doubledArea, keyOf, type OpenPolygon, OpenPolygons, type OpenRing } from '../rings/open-rings.ts';
import { turn } from '../rings/predicates.ts';
import { type Arcs, arcNumber } from '../topology/arcs.ts';
import { endBefore } from '../topology/level-rings.ts';
import { nestRings } from '../topology/nest-rings.ts';
import { retrace } from '../topology/retrace.ts';
import type { Grid, SharedArcs } from '../topology/shared-arcs.ts';
import type { SimplifiedArcs } from './simplify-arcs.ts';

/** A border with more loops than these leaves out the small ones. */
const LOOPS_MAX = 100;

/** Fewest positions of a ring that is not closed. */
const RING_POSITIONS_MIN = 3;

/** The ways from a point of an arc to those beside it. */
type Steps = Pick<SimplifiedArcs, 'next' | 'previous'>;

/** The arcs before they are simplified. */
const EVERY_POINT: Steps = { next: (at) => at + 1, previous: (at) => at - 1 };

/** The edges of a unit. */
export interface UnitEdges {
  arcs: Arcs;
  /** Of each place the arc, and the point of it with which an edge begins there. */
  numbers: NumberList<Int32Array>;
  points: NumberList<Int32Array>;
}

/** The rings of all units. */
export class UnitRings {
  readonly units: number;
  readonly shared: SharedArcs;
  readonly simplified: SimplifiedArcs;
  readonly #grid: Grid;
  readonly #limit: number;
  /** Twice the area of each ring before it was simplified. */
  readonly #areas: Float64Array;
  /** 1 for an arc that is a small ring, or a loop of one: it goes from all rings that have it. */
  readonly #isGone: Uint8Array;
  /** 1 for a unit whose rings have come to lie on the wrong sides of others. */
  readonly #isNested: Uint8Array;

  /**
   * @param grid on which polygons are; arcs may be of a finer one
   * @param limit the area, in cells of the grid at the equator, below which islands and holes go
   */
  constructor(shared: SharedArcs, simplified: SimplifiedArcs, grid: Grid, limit: number) {
    this.shared = shared;
    this.simplified = simplified;
    this.#grid = grid;
    this.#limit = limit;
    this.units = shared.unitEnds.length;
    this.#areas = new Float64Array(shared.ringEnds.length);
    this.#isGone = new Uint8Array(shared.arcEnds.length);
    this.#isNested = new Uint8Array(this.units);
    for (let ring = 0; ring < this.#areas.length; ring++)
      this.#areas[ring] = doubledArea(this.#positionsOf(this.arcsOf(ring), EVERY_POINT));
    for (let arc = 0; arc < this.#isGone.length; arc++)
      if (this.#isLoop(arc) && this.#isBelowLimit(doubledArea(this.#positionsOf([arc], EVERY_POINT)), arc))
        this.#isGone[arc] = 1;
  }

  /** The arcs of a ring, by number, `~i` for arc i backwards. */
  arcsOf(ring: number): Int32Array {
    const { arcs, ringEnds } = this.shared;
    return arcs.subarray(endBefore(ringEnds, ring), i32At(ringEnds, ring));
  }

  /** The rings of a unit, by number: from the first to before the end. */
  ringsOf(unit: number): number[] {
    const first = endBefore(this.shared.unitEnds, unit);
    return Array.from({ length: i32At(this.shared.unitEnds, unit) - first }, (_, i) => first + i);
  }

  /** The rings that had an area before they were simplified. */
  ringsWithArea(): number[] {
    return Array.from(this.#areas.keys()).filter((ring) => this.#areas[ring] !== 0);
  }

  /** The area of a ring as a share of what it was. */
  shareLeft(ring: number): number {
    return doubledArea(this.#positionsOf(this.arcsOf(ring))) / f64At(this.#areas, ring);
  }

  /** Keeps the exterior ring of a unit that has most area, however small. @returns it; undefined if there is none */
  keepLargest(unit: number): number | undefined {
    let largest: number | undefined;
    let most = 0;
    for (const ring of this.ringsOf(unit)) {
      if (f64At(this.#areas, ring) <= 0) continue;
      const area = f64At(this.#areas, ring) * this.#squeezeAt(arcNumber(i32At(this.arcsOf(ring), 0)));
      if (area > most) [largest, most] = [ring, area];
    }
    if (largest !== undefined) for (const arc of this.arcsOf(largest)) this.#isGone[arcNumber(arc)] = 0;
    return largest;
  }

  /** Is a ring smaller than what stays of islands and holes? */
  isSmall(ring: number): boolean {
    const [arc] = this.arcsOf(ring);
    return arc === undefined || this.#isBelowLimit(f64At(this.#areas, ring), arcNumber(arc));
  }

  /** Nests the rings of a unit anew from now on. @returns false if they are already */
  nest(unit: number): boolean {
    if (this.#isNested[unit] === 1) return false;
    this.#isNested[unit] = 1;
    return true;
  }

  /** The polygons of a unit; empty if none has an area. */
  polygons(unit: number): OpenPolygon[] {
    const polygons = new OpenPolygons();
    const open: OpenRing[] = [];
    const touching = new Set<number>();
    /** The last ring that was at a place. */
    const met = new Map<number, number>();
    let isExteriorLost = false;
    for (const ring of this.ringsOf(unit)) {
      const isHole = i32At(this.shared.holes, ring) === 1;
      if (isHole && isExteriorLost) continue;
      const positions = this.#positionsOf(this.arcsOf(ring));
      const area = doubledArea(positions);
      const isLost = isHole ? area >= 0 : area <= 0;
      if (!isHole) isExteriorLost = isLost;
      if (isLost) continue;
      const own = open.push(positions) - 1;
      for (let i = 0; i < positions.length; i += 2) {
        const place = keyOf(numberAt(positions, i), numberAt(positions, i + 1));
        const other = met.get(place);
        if (other !== undefined) touching.add(other).add(own);
        met.set(place, own);
      }
      polygons.add(positions, isHole);
    }
    if (touching.size === 0) return this.#isNested[unit] === 1 ? nestRings(open) : polygons.take();
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

  /** The edges of a unit. Places that follow themselves are one. */
  edgesOf(unit: number): UnitEdges {
    const { arcEnds } = this.shared;
    const [x, y, ends] = [new NumberList(Int32Array), new NumberList(Int32Array), new NumberList(Int32Array)];
    const [numbers, points] = [new NumberList(Int32Array), new NumberList(Int32Array)];
    for (const number of this.ringsOf(unit).flatMap((ring) => Array.from(this.arcsOf(ring), arcNumber))) {
      if (this.#isGone[number] === 1) continue;
      const begin = x.length;
      for (let at = endBefore(arcEnds, number); at < i32At(arcEnds, number); at = this.simplified.next(at)) {
        const [column, row, last] = [this.#xAt(at), this.#yAt(at), x.length - 1];
        if (last >= begin && x.at(last) === column && y.at(last) === row) {
          points.set(last, at);
          continue;
        }
        x.push(column);
        y.push(row);
        numbers.push(number);
        points.push(at);
      }
      ends.push(x.length);
    }
    return { arcs: { x: x.values(), y: y.values(), arcEnds: ends.values() }, numbers, points };
  }

  /** Refines all borders of a ring. @param refined gets the arcs that have changed @returns false if none can be */
  refine(ring: number, refined: Set<number>): boolean {
    let isRefined = false;
    for (const arc of this.arcsOf(ring)) {
      if (!this.simplified.refineArc(arcNumber(arc))) continue;
      refined.add(arcNumber(arc));
      isRefined = true;
    }
    return isRefined;
  }

  /** Is a point's triangle with its neighbours in the arc so small that the point may go? */
  isWithinLimit(at: number, arc: number): boolean {
    const { arcEnds } = this.shared;
    if (at === endBefore(arcEnds, arc) || at === i32At(arcEnds, arc) - 1) return false;
    const [before, after] = [this.simplified.previous(at), this.simplified.next(at)];
    const [ax, ay, bx, by] = [this.#xAt(before), this.#yAt(before), this.#xAt(at), this.#yAt(at)];
    return Math.abs(turn(ax, ay, bx, by, this.#xAt(after), this.#yAt(after))) < 2 * this.#limit;
  }

  /** Is twice an area, at the latitude of an arc, below the limit? */
  #isBelowLimit(area: number, arc: number): boolean {
    return area === 0 || Math.abs(area) * this.#squeezeAt(arc) < 2 * this.#limit;
  }

  /** Does an arc begin and end with the same point? */
  #isLoop(arc: number): boolean {
    const { points, arcEnds } = this.shared;
    return points[endBefore(arcEnds, arc)] === points[i32At(arcEnds, arc) - 1];
  }

  /** How much narrower a degree of longitude is at an arc than at the equator. */
  #squeezeAt(arc: number): number {
    const row = this.#yAt(endBefore(this.shared.arcEnds, arc));
    return Math.cos((((row + this.#grid.bottom) * this.#grid.cell) / this.#grid.scale / 180) * Math.PI);
  }

  /** The place of a point of an arc on the grid, from its left. */
  #xAt(index: number): number {
    return Math.round(i32At(this.shared.x, i32At(this.shared.points, index)) / this.#grid.cell) - this.#grid.left;
  }

  #yAt(index: number): number {
    return Math.round(i32At(this.shared.y, i32At(this.shared.points, index)) / this.#grid.cell) - this.#grid.bottom;
  }

  /** The points of arcs that follow one another, as indexes of `points`, given to a function. */
  #eachPoint(arcs: Iterable<number>, take: (index: number) => void, { next, previous }: Steps = this.simplified): void {
    const { arcEnds } = this.shared;
    for (const arc of arcs) {
      if (this.#isGone[arcNumber(arc)] === 1) continue;
      const [begin, last] = [endBefore(arcEnds, arcNumber(arc)), i32At(arcEnds, arcNumber(arc)) - 1];
      // Without the last one, with which the next arc begins.
      if (arc >= 0) for (let at = begin; at < last; at = next(at)) take(at);
      else for (let at = last; at > begin; at = previous(at)) take(at);
    }
  }

  /** The places of a ring of arcs, none of which follows itself; empty if fewer than three are left. */
  #positionsOf(arcs: Iterable<number>, steps: Steps = this.simplified): OpenRing {
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
