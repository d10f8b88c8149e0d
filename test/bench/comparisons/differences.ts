// Why another program does not find the units at a point that the service finds, and which of the two is right: by
// exact arithmetic on the coordinates as published, and for what reads the source on those of the source.
import type { Geometry, Position } from 'geojson';
import { evenOdd, type Ring } from '../../support/even-odd.ts';

/** What explains a difference, the first that does. */
export const CAUSES = ['on a border', 'antimeridian', 'rounding of the source', 'other'] as const;

export type Cause = (typeof CAUSES)[number];

/** One unit that one of the two finds at a point and the other does not. */
export interface Difference {
  point: readonly [longitude: string, latitude: string];
  /** As published. */
  geometry: Geometry;
  /** As the other read it, if that is not what is published. */
  source?: Geometry | undefined;
  /** Has the service found it? */
  isOurs: boolean;
}

const PUBLISHED_DECIMALS = 7;
/** Of the numbers below; a double between 0.1 and 180 has more, which do not matter to points of nine decimals. */
const DECIMALS = 20;
const HALF_TURN = 180n * 10n ** BigInt(DECIMALS);

type ExactRing = readonly (readonly [x: bigint, y: bigint])[];

/** The cause, and whether the service has the exact answer for the coordinates as published. */
export function classify({ point, geometry, source, isOurs }: Difference): { cause: Cause; isOursRight: boolean } {
  const [x = 0n, y = 0n] = point.map((text) => exact(Number(text), 9));
  const rings = exactRings(geometry, PUBLISHED_DECIMALS);
  const whole = rings.map((ring): Ring => ring.map(([a, b]) => [inLastDecimal(a), inLastDecimal(b)]));
  const isInside = evenOdd([whole], PUBLISHED_DECIMALS, DECIMALS)(...point).length > 0;
  const isOursRight = isInside === isOurs;
  const inPlane = placeIn(rings, x, y);
  const jumps = rings.some((ring) => ring.some(([a], i) => distance(a, ring[i - 1]?.[0] ?? a) > HALF_TURN));
  const read = source === undefined ? undefined : placeIn(exactRings(source, DECIMALS), x, y);
  const isTheirs = (place: string | undefined): boolean => place === (isOurs ? 'out' : 'in');
  if (inPlane === 'border') return { cause: 'on a border', isOursRight };
  // The other takes the jump for a way around the world: what it says is true of the plane.
  if (jumps && isTheirs(read ?? inPlane)) return { cause: 'antimeridian', isOursRight };
  if (read === 'border' || isTheirs(read)) return { cause: 'rounding of the source', isOursRight };
  return { cause: 'other', isOursRight };
}

/** By the even-odd rule in the plane of longitude and latitude. */
function placeIn(rings: readonly ExactRing[], x: bigint, y: bigint): 'in' | 'out' | 'border' {
  let isIn = false;
  for (const ring of rings)
    for (const [i, [x2, y2]] of ring.entries()) {
      const [x1, y1] = ring[i - 1] ?? [x2, y2];
      const side = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
      if (side === 0n && isBetween(x, x1, x2) && isBetween(y, y1, y2)) return 'border';
      if (y1 > y !== y2 > y && side > 0n === y2 > y1) isIn = !isIn;
    }
  return isIn ? 'in' : 'out';
}

function isBetween(value: bigint, a: bigint, b: bigint): boolean {
  return a < b ? a <= value && value <= b : b <= value && value <= a;
}

function exactRings(geometry: Geometry, decimals: number): ExactRing[] {
  const ringOf = (ring: readonly Position[]): ExactRing =>
    ring.map(([x = NaN, y = NaN]) => [exact(x, decimals), exact(y, decimals)]);
  if (geometry.type === 'Polygon') return geometry.coordinates.map(ringOf);
  return geometry.type === 'MultiPolygon' ? geometry.coordinates.flat().map(ringOf) : [];
}

/** @param decimals those that the text of the number had */
function exact(value: number, decimals: number): bigint {
  return BigInt(value.toFixed(decimals).replace('.', '')) * 10n ** BigInt(DECIMALS - decimals);
}

function inLastDecimal(value: bigint): number {
  return Number(value / 10n ** BigInt(DECIMALS - PUBLISHED_DECIMALS));
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b;
}
