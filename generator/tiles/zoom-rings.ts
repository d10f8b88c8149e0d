// The rings of a level at a zoom, made of its arcs: which of them stay, and of which units each arc is then.
import { f64At, i32At } from '../../format/element-at.ts';
import { type OpenPolygon, OpenPolygons } from '../rings/open-rings.ts';
import { turn } from '../rings/predicates.ts';
import { arcNumber } from '../topology/arcs.ts';
import { endBefore } from '../topology/level-rings.ts';
import type { SharedArcs } from '../topology/shared-arcs.ts';
import type { ZoomArcs } from './simplify-zoom.ts';

/** Which arcs the rings of all levels are made of. */
export type TileRings = Pick<SharedArcs, 'arcs' | 'ringEnds' | 'holes' | 'unitEnds'>;

/** Rings with less go: twice 16 square units, a quarter of a pixel of 512. */
const DOUBLED_AREA_MIN = 32;

/** No unit. */
export const NO_UNIT = -1;

/** The first two units that have each arc, or NO_UNIT. */
export class ArcOwners {
  readonly first: Int32Array;
  readonly second: Int32Array;

  /** @param arcs how many there are */
  constructor(arcs: number) {
    [this.first, this.second] = [new Int32Array(arcs).fill(NO_UNIT), new Int32Array(arcs).fill(NO_UNIT)];
  }

  /** Adds a unit that has an arc, in whichever direction. */
  add(directed: number, unit: number): void {
    const arc = arcNumber(directed);
    if (this.first[arc] === NO_UNIT) this.first[arc] = unit;
    else if (this.first[arc] !== unit && this.second[arc] === NO_UNIT) this.second[arc] = unit;
  }
}

/** The polygons of a level at a zoom. */
export interface ZoomRings {
  /** The polygons of a unit of the level; exterior rings have a positive area, y from north to south. */
  polygons(unit: number): OpenPolygon[];
  /** The units that have each arc in a ring that stays. */
  owners: ArcOwners;
}

/**
 * Decides which rings of a level stay.
 * @param first index of its first unit, of those of all levels
 * @param units how many it has
 * @param isDeepest at the deepest zoom the largest ring of a unit stays whatever its area is, unless it is 0
 */
export function zoomRings(
  rings: TileRings,
  zoom: ZoomArcs,
  first: number,
  units: number,
  isDeepest: boolean,
): ZoomRings {
  const areaOf = newRingAreas(rings, zoom);
  const owners = new ArcOwners(zoom.arcEnds.length);
  const stays = new Uint8Array(rings.ringEnds.length);
  const arcsOf = (ring: number): Int32Array =>
    rings.arcs.subarray(endBefore(rings.ringEnds, ring), i32At(rings.ringEnds, ring));
  const keep = (ring: number, unit: number): void => {
    stays[ring] = 1;
    for (const arc of arcsOf(ring)) owners.add(arc, unit);
  };
  /** The first ring of a unit, and the one after its last. */
  const ringsOf = (unit: number): [first: number, end: number] => {
    return [endBefore(rings.unitEnds, first + unit), i32At(rings.unitEnds, first + unit)];
  };
  for (let unit = 0; unit < units; unit++) {
    let [largest, most] = [-1, 0];
    for (let [ring, end] = ringsOf(unit); ring < end; ring++) {
      if (rings.holes[ring] === 1) continue;
      const area = areaOf(ring);
      if (area > most) [largest, most] = [ring, area];
      if (area >= DOUBLED_AREA_MIN) keep(ring, unit);
    }
    if (isDeepest && largest !== -1 && stays[largest] === 0) keep(largest, unit);
  }
  // A hole also stays where another unit is in it: their common edges would be of one of them alone.
  let exterior = -1;
  const isShared = (hole: number, unit: number): boolean =>
    arcsOf(hole).some((arc) =>
      [owners.first, owners.second].some((units) => ![NO_UNIT, unit].includes(i32At(units, arcNumber(arc)))),
    );
  const holes: [ring: number, unit: number][] = [];
  for (let unit = 0; unit < units; unit++)
    for (let [ring, end] = ringsOf(unit); ring < end; ring++) {
      if (rings.holes[ring] === 0) exterior = ring;
      else if (stays[exterior] === 1) {
        const area = -areaOf(ring);
        if (area >= DOUBLED_AREA_MIN || (area > 0 && isShared(ring, unit))) holes.push([ring, unit]);
      }
    }
  for (const [ring, unit] of holes) keep(ring, unit);
  return {
    owners,
    polygons(unit) {
      const polygons = new OpenPolygons();
      for (let [ring, end] = ringsOf(unit); ring < end; ring++)
        if (stays[ring] === 1) polygons.add(ringOf(arcsOf(ring), zoom), rings.holes[ring] === 1);
      return polygons.take();
    },
  };
}

/** Makes a function that returns twice the area of a ring, as MVT counts it: positive for what is an exterior ring. */
function newRingAreas({ arcs, ringEnds }: TileRings, { x, y, arcEnds }: ZoomArcs): (ring: number) => number {
  const doubledTriangle = (a: number, b: number, c: number): number =>
    turn(i32At(x, a), i32At(y, a), i32At(x, b), i32At(y, b), i32At(x, c), i32At(y, c));
  // Of each arc with the chord that closes it.
  const ofArcs = new Float64Array(arcEnds.length);
  for (let arc = 0; arc < ofArcs.length; arc++) {
    const begin = endBefore(arcEnds, arc);
    let area = 0;
    for (let i = begin + 1; i + 1 < i32At(arcEnds, arc); i++) area += doubledTriangle(begin, i, i + 1);
    ofArcs[arc] = area;
  }
  return (ring) => {
    const begin = endBefore(ringEnds, ring);
    const end = i32At(ringEnds, ring);
    const startOf = (arc: number): number => (arc < 0 ? i32At(arcEnds, ~arc) - 1 : endBefore(arcEnds, arc));
    let area = 0;
    for (let i = begin; i < end; i++) {
      const arc = i32At(arcs, i);
      area += arc < 0 ? -f64At(ofArcs, ~arc) : f64At(ofArcs, arc);
      if (i > begin + 1)
        area += doubledTriangle(startOf(i32At(arcs, begin)), startOf(i32At(arcs, i - 1)), startOf(arc));
    }
    // The rings of the globe run the other way where y runs from north to south.
    return -area;
  };
}

/** The places of a ring, the other way round than its arcs have it: as MVT asks. */
function ringOf(arcs: Int32Array, { x, y, arcEnds }: ZoomArcs): number[] {
  const ring: number[] = [];
  const put = (i: number): void => {
    const [column, row] = [i32At(x, i), i32At(y, i)];
    if (ring.length > 0 && ring.at(-2) === column && ring.at(-1) === row) return;
    ring.push(column, row);
  };
  for (let k = arcs.length - 1; k >= 0; k--) {
    const arc = i32At(arcs, k);
    const [begin, end] = [endBefore(arcEnds, arcNumber(arc)), i32At(arcEnds, arcNumber(arc))];
    if (arc < 0) for (let i = begin; i < end; i++) put(i);
    else for (let i = end - 1; i >= begin; i--) put(i);
  }
  if (ring.length > 2 && ring[0] === ring.at(-2) && ring[1] === ring.at(-1)) ring.length -= 2;
  // An array that has grown keeps room for more: those of all rings are held together.
  return ring.slice();
}
