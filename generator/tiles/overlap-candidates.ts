// Finds the pairs of units of a level that may overlap: besides those whose borders meet, units that lie inside others,
// by a place on each arc and the even-odd rule along a straight line to the south.
import { i32At } from '../../format/element-at.ts';
import { NumberGroups } from '../rings/number-groups.ts';
import { NumberList } from '../rings/number-list.ts';
import { type Arcs, arcNumber, arcsOfUnit, firstFrom } from '../topology/arcs.ts';
import { endBefore } from '../topology/level-rings.ts';
import { eachArc, pairOf, sortedOnce, type UnitRange } from './adjacent-units.ts';
import type { UnitPairs } from './colours.ts';
import { ArcOwners, NO_UNIT, type TileRings } from './zoom-rings.ts';

/** The map has at most two to this power columns, by which edges find the places that they concern. */
const COLUMN_BITS = 16;

/** What a unit's edges say of a place that some of them cross the line of, an odd or an even number; 0 if none does. */
const [INSIDE, OUTSIDE] = [1, 2];

/**
 * The middle of an edge of each arc of a level, in halves of a unit of the grid: by column, then from north to south.
 */
interface Places {
  x: Int32Array;
  y: Int32Array;
  arc: Int32Array;
  /** Where the places of each column begin, and the last ones end. */
  begins: Int32Array;
  owners: ArcOwners;
  /** The shift that makes `x` the number of a column. */
  shift: number;
}

/**
 * The pairs that may overlap.
 * @param side of the map, in units of the grid
 * @param known those whose borders meet
 */
export function overlapCandidates(
  rings: TileRings,
  range: UnitRange,
  arcs: Arcs,
  side: number,
  known: UnitPairs,
): UnitPairs {
  const pairs = new NumberList(Float64Array);
  for (const pair of known) pairs.push(pair);
  const places = placesOf(rings, range, arcs, side);
  const { begins, shift, owners } = places;
  const isInside = new Uint8Array(places.arc.length);
  const met: number[] = [];
  /** Crosses the lines from places to the south by an edge. @param north of all edges of its unit */
  const cross = (edge: number, north: number): void => {
    const [x1, y1] = [2 * i32At(arcs.x, edge), 2 * i32At(arcs.y, edge)];
    const [x2, y2] = [2 * i32At(arcs.x, edge + 1), 2 * i32At(arcs.y, edge + 1)];
    const [west, east] = x1 < x2 ? [x1, x2] : [x2, x1];
    const south = Math.max(y1, y2);
    for (let column = west >> shift; column <= east >> shift && west < east; column++) {
      const end = i32At(begins, column + 1);
      for (let i = firstFrom(places.y, north, i32At(begins, column), end); i < end; i++) {
        const [x, y] = [i32At(places.x, i), i32At(places.y, i)];
        // Y runs from north to south.
        if (y >= south) break;
        if (x < west || x >= east || y >= y1 + ((x - x1) / (x2 - x1)) * (y2 - y1)) continue;
        const before = isInside[i] ?? 0;
        if (before === 0) met.push(i);
        isInside[i] = before === INSIDE ? OUTSIDE : INSIDE;
      }
    }
  };
  for (let unit = 0; unit < range.count; unit++) {
    const own = arcsOfUnit(rings, range.first + unit).map(arcNumber);
    met.length = 0;
    const north = 2 * northOf(own, arcs);
    for (const arc of own)
      for (let i = endBefore(arcs.arcEnds, arc); i < i32At(arcs.arcEnds, arc) - 1; i++) cross(i, north);
    for (const i of met) {
      const arc = i32At(places.arc, i);
      const others = [i32At(owners.first, arc), i32At(owners.second, arc)];
      if (isInside[i] === INSIDE && !others.includes(unit))
        for (const other of others) if (other !== NO_UNIT) pairs.push(pairOf(unit, other, range.count));
      isInside[i] = 0;
    }
  }
  return sortedOnce(pairs);
}

/** The least y of arcs. */
function northOf(own: Int32Array, { y, arcEnds }: Arcs): number {
  let north = Infinity;
  for (const arc of own)
    for (let i = endBefore(arcEnds, arc); i < i32At(arcEnds, arc); i++) north = Math.min(north, i32At(y, i));
  return north;
}

function placesOf(rings: TileRings, range: UnitRange, { x, y, arcEnds }: Arcs, side: number): Places {
  const owners = new ArcOwners(arcEnds.length);
  eachArc(rings, range, (arc, unit) => owners.add(arc, unit));
  const middle = (values: Int32Array, arc: number): number => {
    const at = endBefore(arcEnds, arc);
    return i32At(values, at) + i32At(values, at + 1);
  };
  let shift = 0;
  while ((2 * side) >> shift >= 1 << COLUMN_BITS) shift++;
  const southward = owners.first
    .map((unit, arc) => (unit === NO_UNIT ? -1 : arc))
    .filter((arc) => arc !== -1)
    .sort((a, b) => middle(y, a) - middle(y, b));
  const { begins, numbers: arc } = new NumberGroups(((2 * side) >> shift) + 1, (take) => {
    for (const own of southward) take(middle(x, own) >> shift, own);
  });
  const middles = (values: Int32Array): Int32Array => arc.map((own) => middle(values, own));
  return { x: middles(x), y: middles(y), arc, begins, owners, shift };
}
