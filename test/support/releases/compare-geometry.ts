// Is a published geometry GDAL's GeoJSON of the source geometry? Coordinates may be rounded to the decimals of the
// release; heights, empty parts and rings of fewer than four positions are left out; rings may run in the other
// direction; open rings are closed; positions of rings with an area that repeat the one before are left out. Anything else is a difference.
import { isObject, listOf } from './exact-json.ts';

/** A GeoJSON geometry with unchecked members. */
type JsonGeometry = Readonly<Record<string, unknown>>;

/** Tolerance beyond half a unit of the last decimal: GDAL's JSON is rounded too. */
const SLACK_DEGREES = 1e-9;
const MIN_RING_POSITIONS = 4;

/** Levels of arrays around a position, by type. */
const DEPTHS: Readonly<Record<string, number>> = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
};

/** @param precision decimals of what is published */
export function isPublishedAs(published: unknown, source: unknown, precision: number): boolean {
  const scale = 10 ** precision;
  return isAlike(published, isObject(source) ? filled(source, scale) : null, 0.5 / scale + SLACK_DEGREES);
}

function isAlike(got: unknown, want: JsonGeometry | null, tolerance: number): boolean {
  if (!isObject(got) || want === null) return got === want;
  if (got['type'] !== want['type']) return false;
  if (want['type'] === 'GeometryCollection')
    return areAlike(got['geometries'], want['geometries'], (a, b) => isAlike(a, isObject(b) ? b : null, tolerance));
  return isNear(got['coordinates'], want['coordinates'], tolerance, hasRings(want) ? depthOf(want) - 1 : undefined);
}

/** Compares coordinates. @param aboveRing how many levels of arrays are around the next ring; undefined without rings */
function isNear(got: unknown, want: unknown, tolerance: number, aboveRing: number | undefined): boolean {
  if (typeof got === 'number' && typeof want === 'number') return Math.abs(got - want) <= tolerance;
  const inner = aboveRing === undefined || aboveRing === 0 ? undefined : aboveRing - 1;
  const isSame = (other: unknown): boolean => areAlike(got, other, (a, b) => isNear(a, b, tolerance, inner));
  if (aboveRing !== 0) return isSame(want);
  const ring = listOf(got);
  const isClosed = JSON.stringify(ring[0]) === JSON.stringify(ring.at(-1));
  return isClosed && (isSame(want) || isSame(listOf(want).toReversed()));
}

function areAlike(got: unknown, want: unknown, isPart: (got: unknown, want: unknown) => boolean): boolean {
  if (!Array.isArray(got) || !Array.isArray(want)) return false;
  return got.length === want.length && got.every((part, i) => isPart(part, want[i]));
}

/** The geometry as it is published, but for its decimals; null if nothing is left. */
function filled(geometry: JsonGeometry, scale: number): JsonGeometry | null {
  const { type } = geometry;
  if (type === 'GeometryCollection') {
    const members = listOf(geometry['geometries']).filter(isObject);
    const geometries = members.map((member) => filled(member, scale)).filter((member) => member !== null);
    return geometries.length === 0 ? null : { type, geometries };
  }
  const coordinates = filledCoordinates(geometry['coordinates'], depthOf(geometry), hasRings(geometry), scale);
  return coordinates === null ? null : { type, coordinates };
}

function filledCoordinates(value: unknown, depth: number, isRings: boolean, scale: number): readonly unknown[] | null {
  const list = listOf(value);
  if (depth === 0) return list.every(Number.isFinite) && list.length > 0 ? list.slice(0, 2) : null;
  const members = list.map((member) => filledCoordinates(member, depth - 1, isRings, scale));
  // A polygon that loses its first ring, the exterior, has lost all.
  if (depth === 2 && isRings && members[0] === null) return null;
  const left = members.filter((member) => member !== null);
  if (depth > 1 || !isRings) return left.length === 0 ? null : left;
  const rounded = left.map((position) => position.map((degrees) => BigInt(Math.round(Number(degrees) * scale))));
  const places = rounded.map((position) => position.join());
  const isClosed = places[0] === places.at(-1);
  const ring = isClosed ? left : [...left, left[0]];
  if (ring.length < MIN_RING_POSITIONS) return null;
  const area = rounded.reduce((sum, [x = 0n, y = 0n], i) => {
    const [nextX = 0n, nextY = 0n] = rounded[(i + 1) % rounded.length] ?? [];
    return sum + x * nextY - nextX * y;
  }, 0n);
  // Of a ring with an area, positions that repeat the one before are left out.
  return area === 0n ? ring : ring.filter((_, i) => i === 0 || places[i % places.length] !== places[i - 1]);
}

function depthOf(geometry: JsonGeometry): number {
  return DEPTHS[String(geometry['type'])] ?? 0;
}

function hasRings(geometry: JsonGeometry): boolean {
  return String(geometry['type']).endsWith('Polygon');
}
