// Compares a published geometry with GDAL's GeoJSON of the source geometry at full precision. Changes that publishing
// may make are tolerated; anything else is a difference.
import { isObject, listOf } from '../../../generator/reader/parse-feature.ts';

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

/**
 * How the published geometry differs from the source's; undefined if it does not. Coordinates may be rounded to
 * `precision` decimals; heights, empty parts and rings of fewer than four positions are left out; rings may run in the
 * other direction; open rings are closed.
 */
export function geometryDifference(published: unknown, source: unknown, precision: number): string | undefined {
  const scale = 10 ** precision;
  const tolerance = 0.5 / scale + SLACK_DEGREES;

  function difference(got: unknown, want: JsonGeometry | null): string | undefined {
    if (want === null) return got === null ? undefined : 'has a geometry; the source has none';
    if (!isObject(got)) return `has no geometry; the source has a ${want['type']}`;
    if (got['type'] !== want['type']) return `is a ${got['type']}, the source has a ${want['type']}`;
    if (want['type'] !== 'GeometryCollection') {
      const [depth, isRings] = [DEPTHS[String(want['type'])] ?? 0, hasRings(want)];
      return coordinatesDifference(got['coordinates'], want['coordinates'], depth, isRings);
    }
    return listDifference(got['geometries'], want['geometries'], (a, b) => difference(a, isObject(b) ? b : null));
  }

  function coordinatesDifference(got: unknown, want: unknown, depth: number, isRings: boolean): string | undefined {
    if (depth === 0) return isNear(got, want) ? undefined : unlike(got, want);
    if (depth === 1 && isRings) return ringDifference(got, want);
    return listDifference(got, want, (a, b) => coordinatesDifference(a, b, depth - 1, isRings));
  }

  function ringDifference(got: unknown, want: unknown): string | undefined {
    if (!Array.isArray(got) || !Array.isArray(want)) return 'has no ring where the source has one';
    const closed = got.length === want.length + 1 ? [...want, want[0]] : want;
    if (got.length !== closed.length) return `has a ring of ${got.length} positions, the source of ${want.length}`;
    if (JSON.stringify(got[0]) !== JSON.stringify(got.at(-1))) return 'has a ring that is not closed';
    const attempts = [closed, closed.toReversed()].map((ring) => ({
      ring,
      at: got.findIndex((position, i) => !isNear(position, ring[i])),
    }));
    if (attempts.some(({ at }) => at === -1)) return undefined;
    // The ring has the direction in which more positions agree.
    const { ring, at } = attempts.reduce((a, b) => (b.at > a.at ? b : a));
    return unlike(got[at], ring[at]);
  }

  function isNear(got: unknown, want: unknown): boolean {
    if (!Array.isArray(got) || !Array.isArray(want) || got.length !== 2) return false;
    return Math.abs(got[0] - want[0]) <= tolerance && Math.abs(got[1] - want[1]) <= tolerance;
  }

  const expected = isObject(source) ? filled(source, scale) : null;
  return difference(published, expected);
}

/** The geometry without empty parts and rings that have no GeoJSON form; null if nothing is left. */
function filled(geometry: JsonGeometry, scale: number): JsonGeometry | null {
  const { type } = geometry;
  if (type === 'GeometryCollection') {
    const members = listOf(geometry['geometries']).filter(isObject);
    const geometries = members.map((member) => filled(member, scale)).filter((member) => member !== null);
    return geometries.length === 0 ? null : { type, geometries };
  }
  const coordinates = filledCoordinates(geometry['coordinates'], DEPTHS[String(type)] ?? 0, hasRings(geometry), scale);
  return coordinates === null ? null : { type, coordinates };
}

function filledCoordinates(value: unknown, depth: number, isRings: boolean, scale: number): readonly unknown[] | null {
  const list = listOf(value);
  if (depth === 0) return list.every(Number.isFinite) && list.length > 0 ? list : null;
  if (depth === 1) return list.length > 0 && (!isRings || isRing(list, scale)) ? list : null;
  const members = list.map((member) => filledCoordinates(member, depth - 1, isRings, scale));
  // A polygon that loses its first ring, the exterior, has lost all.
  if (depth === 2 && isRings && members[0] === null) return null;
  const left = members.filter((member) => member !== null);
  return left.length === 0 ? null : left;
}

/** Has the ring four positions once it is rounded and closed? */
function isRing(positions: readonly unknown[], scale: number): boolean {
  const [first, last] = [positions[0], positions.at(-1)].map((position) =>
    listOf(position)
      .slice(0, 2)
      .map((degrees) => Math.round(Number(degrees) * scale)),
  );
  const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1];
  return positions.length + (isClosed ? 0 : 1) >= MIN_RING_POSITIONS;
}

function listDifference(
  got: unknown,
  want: unknown,
  difference: (got: unknown, want: unknown) => string | undefined,
): string | undefined {
  const [mine, theirs] = [listOf(got), listOf(want)];
  if (mine.length !== theirs.length) return `its geometry has ${mine.length} parts, the source's ${theirs.length}`;
  for (const [i, part] of mine.entries()) {
    const found = difference(part, theirs[i]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unlike(got: unknown, want: unknown): string {
  return `a position is ${JSON.stringify(got)}, the source has ${JSON.stringify(want)}`;
}

function hasRings(geometry: JsonGeometry): boolean {
  return String(geometry['type']).endsWith('Polygon');
}
