// A box of the plane that cells divide (grid.ts), exactly as it was asked for, and whether an edge meets it: has a
// point in it, its border included.
import { DECIMAL } from './grid.ts';

/**
 * A coordinate in units, east of longitude -180 or north of latitude -90: exactly, and to the precision of a double.
 */
interface Coordinate {
  /** Whole units at or below it, and at or above it. */
  floor: number;
  ceil: number;
  /** What is left above `floor`, in parts of a unit. */
  fraction: bigint;
  near: number;
}

/** Columns and rows of the smallest cells, both ends among them. */
export interface CellRange {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** More than what rounding contributes to the sum of two products, each of a difference and an exact factor. */
const ROUNDING = 2e-15;

/** A box of the plane, its border included; it may have no width or no height. */
export class PlaneBox {
  readonly west: Coordinate;
  readonly south: Coordinate;
  readonly east: Coordinate;
  readonly north: Coordinate;
  /** Parts of a unit: an even number. */
  readonly parts: bigint;

  constructor(west: Coordinate, south: Coordinate, east: Coordinate, north: Coordinate, parts: bigint) {
    this.west = west;
    this.south = south;
    this.east = east;
    this.north = north;
    this.parts = parts;
  }

  /** Has an edge a point in the box? @param x1,y1,x2,y2 whole units */
  meets(x1: number, y1: number, x2: number, y2: number): boolean {
    const { west, south, east, north } = this;
    // An end is whole: it lies in the box if it does between the whole units there.
    if (x1 >= west.ceil && x1 <= east.floor && y1 >= south.ceil && y1 <= north.floor) return true;
    if (x2 >= west.ceil && x2 <= east.floor && y2 >= south.ceil && y2 <= north.floor) return true;
    if ((x1 < west.ceil && x2 < west.ceil) || (x1 > east.floor && x2 > east.floor)) return false;
    if ((y1 < south.ceil && y2 < south.ceil) || (y1 > north.floor && y2 > north.floor)) return false;
    // Then it passes the box if and only if all corners are strictly on one side of it.
    const side = this.#sideOf(x1, y1, x2, y2, west, south);
    if (side === 0) return true;
    return (
      this.#sideOf(x1, y1, x2, y2, west, north) !== side ||
      this.#sideOf(x1, y1, x2, y2, east, south) !== side ||
      this.#sideOf(x1, y1, x2, y2, east, north) !== side
    );
  }

  /** The smallest cells that it meets. @param finest units along a side of one */
  cells(finest: number): CellRange {
    // Borders of cells lie half a unit south-west of grid points.
    const half = this.parts / 2n;
    const cellOf = ({ floor, fraction }: Coordinate): number =>
      Math.floor((fraction < half ? floor : floor + 1) / finest);
    return {
      west: cellOf(this.west),
      south: cellOf(this.south),
      east: cellOf(this.east),
      north: cellOf(this.north),
    };
  }

  /** 1 if a corner is left of an edge, -1 if right, 0 if on its line. */
  #sideOf(x1: number, y1: number, x2: number, y2: number, x: Coordinate, y: Coordinate): number {
    const dx = x2 - x1;
    const dy = y2 - y1;
    const area = dx * (y.near - y1) - dy * (x.near - x1);
    const bound =
      ROUNDING * (Math.abs(dx) * (Math.abs(y.near) + Math.abs(y1)) + Math.abs(dy) * (Math.abs(x.near) + Math.abs(x1)));
    if (area > bound) return 1;
    if (area < -bound) return -1;
    const { parts } = this;
    const north = BigInt(y.floor - y1) * parts + y.fraction;
    const east = BigInt(x.floor - x1) * parts + x.fraction;
    const exact = BigInt(dx) * north - BigInt(dy) * east;
    if (exact === 0n) return 0;
    return exact > 0n ? 1 : -1;
  }
}

/**
 * The boxes of the plane that a box in degrees is: two where it crosses the antimeridian. 180 degrees east and west are
 * the same meridian, so a box that has one of them has the other one, too.
 * @param decimals west, south, east, north: plain decimals of degrees
 * @param precision decimals of the coordinates
 */
export function planeBoxes(decimals: readonly string[], precision: number): PlaneBox[] {
  const texts = decimals.map((text) => DECIMAL.exec(text));
  const places = Math.max(precision + 1, ...texts.map((text) => text?.[3]?.length ?? 0));
  const degree = 10n ** BigInt(places);
  const parts = 10n ** BigInt(places - precision);
  const at = (total: bigint): Coordinate => {
    const fraction = total % parts;
    const floor = Number(total / parts);
    return {
      floor,
      ceil: fraction === 0n ? floor : floor + 1,
      fraction,
      near: floor + Number(fraction) / Number(parts),
    };
  };
  const partsOf = (i: number, origin: bigint): bigint => {
    const [, minus, whole = '0', fraction = ''] = texts[i] ?? [];
    const value = BigInt(whole + fraction.padEnd(places, '0'));
    return (minus === '-' ? -value : value) + origin * degree;
  };
  const [west, south, east, north] = [partsOf(0, 180n), partsOf(1, 90n), partsOf(2, 180n), partsOf(3, 90n)];
  const full = 360n * degree;
  const spans: [bigint, bigint][] =
    west > east
      ? [
          [west, full],
          [0n, east],
        ]
      : [[west, east]];
  if (west <= east && east === full && west > 0n) spans.push([0n, 0n]);
  if (west === 0n && east < full) spans.push([full, full]);
  return spans.map(([from, to]) => new PlaneBox(at(from), at(south), at(to), at(north), parts));
}
