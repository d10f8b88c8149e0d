// Why another program does not find the units at a point that the service finds, and which of the two is right: by
// exact arithmetic on the coordinates as published, and for what reads the source on those of the source.
import type { Geometry, Position } from 'geojson';
import { elementAt } from '../../../format/element-at.ts';
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
const POINT_DECIMALS = 9;
/** Of exact numbers; a double has more, which do not matter to points of nine decimals. */
const DECIMALS = 20;
/** Edges so far above or below a point, in degrees, do not matter to it. */
const FAR = 1e-6;

/** The cause, and whether the service has the exact answer for the coordinates as published. */
export function classify({ point, geometry, source, isOurs }: Difference): { cause: Cause; isOursRight: boolean } {
  const rings = ringsOf(geometry);
  const scale = 10 ** PUBLISHED_DECIMALS;
  const whole = rings.map(
    (ring): Ring => ring.map(([x = NaN, y = NaN]) => [Math.round(x * scale), Math.round(y * scale)]),
  );
  const isInside = evenOdd([whole], PUBLISHED_DECIMALS, DECIMALS)(...point).length > 0;
  const isOursRight = isInside === isOurs;
  const published = placeIn(rings, PUBLISHED_DECIMALS, point);
  const read = source === undefined ? published : placeIn(ringsOf(source), DECIMALS, point);
  const theirs = isOurs ? 'out' : 'in';
  if (published === 'border') return { cause: 'on a border', isOursRight };
  // The other takes the jump for a way around the world: what it says is true of the plane.
  const jumps = rings.some((ring) => ring.some(([x = NaN], i) => Math.abs(x - (ring[i - 1]?.[0] ?? x)) > 180));
  if (jumps && read === theirs) return { cause: 'antimeridian', isOursRight };
  if (source !== undefined && (read === 'border' || read === theirs))
    return { cause: 'rounding of the source', isOursRight };
  return { cause: 'other', isOursRight };
}

/** By the even-odd rule in the plane of longitude and latitude. @param decimals of the coordinates */
function placeIn(rings: readonly Position[][], decimals: number, point: Difference['point']): 'in' | 'out' | 'border' {
  const [x = 0n, y = 0n] = point.map((text) => exact(Number(text), POINT_DECIMALS));
  const latitude = Number(point[1]);
  let isIn = false;
  for (const ring of rings)
    for (const [i, to] of ring.entries()) {
      const from = ring[i - 1] ?? to;
      const [south, north] = [
        Math.min(elementAt(from, 1), elementAt(to, 1)),
        Math.max(elementAt(from, 1), elementAt(to, 1)),
      ];
      if (south > latitude + FAR || north < latitude - FAR) continue;
      const [x1 = 0n, y1 = 0n, x2 = 0n, y2 = 0n] = [from, to].flatMap(([a = NaN, b = NaN]) => [
        exact(a, decimals),
        exact(b, decimals),
      ]);
      const side = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
      if (side === 0n && isBetween(x, x1, x2) && isBetween(y, y1, y2)) return 'border';
      if (y1 > y !== y2 > y && side > 0n === y2 > y1) isIn = !isIn;
    }
  return isIn ? 'in' : 'out';
}

function isBetween(value: bigint, a: bigint, b: bigint): boolean {
  return a < b ? a <= value && value <= b : b <= value && value <= a;
}

function ringsOf(geometry: Geometry): Position[][] {
  if (geometry.type === 'Polygon') return geometry.coordinates;
  return geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : [];
}

/** @param decimals those that the text of the number had */
function exact(value: number, decimals: number): bigint {
  return BigInt(value.toFixed(decimals).replace('.', '')) * 10n ** BigInt(DECIMALS - decimals);
}
