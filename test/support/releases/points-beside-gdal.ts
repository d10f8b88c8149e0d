// Points by the borders of a release's units and away from them, and the units that contain one: for the proxy without
// HTTP, and for GDAL from the published text.
import { elementAt } from '../../../format/element-at.ts';
import { LEVELS, type Level } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { Loads } from '../../../proxy/data/loads.ts';
import { CELLS, pointOf, unitsAt } from '../../../proxy/features/places/level-places.ts';
import { NO_TURNS } from '../../../proxy/http/guards.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { QueuedReads } from '../../../proxy/origin/origin.ts';
import { dice } from '../dice.ts';
import { receivedRequest } from '../http/received-request.ts';
import { placedLevel } from '../places.ts';

/** Positions of the units of a level that contain a point: decimals of degrees. */
export type LookUp = (level: Level, longitude: string, latitude: string) => Promise<readonly number[]>;

/** As the proxy looks them up, in the current release of a folder. */
export async function proxyLookUp(folder: string): Promise<LookUp> {
  // Its clock stands still, so that no read is slow: all are made at once.
  const origin = directoryOrigin(folder, () => 0);
  const releases = new Releases(origin);
  await releases.refresh();
  const reads = new QueuedReads(origin);
  await Promise.all(LEVELS.map((level) => releases.requireCurrent().get(level)?.load(CELLS)));
  const loads = new Loads({ turns: NO_TURNS, reads }, receivedRequest('/'));
  return async (number, longitude, latitude) => {
    const level = await loads.level(releases.requireCurrent(), number);
    return unitsAt(level, pointOf(level, { longitude, latitude }), loads);
  };
}

/** The geometries of a level's features; null of those that have none. */
export function geometriesOf(lines: readonly string[]): (ReturnType<typeof gdal.Geometry.fromWKT> | null)[] {
  return lines.map((line) => {
    const { geometry } = JSON.parse(line);
    return geometry === null ? null : gdal.Geometry.fromGeoJson(geometry);
  });
}

/**
 * As GDAL finds them: undefined by a geometry that is not valid.
 * @param lines the features' text with their full geometry
 */
export function gdalLookUp(lines: readonly string[]): (longitude: string, latitude: string) => number[] | undefined {
  const geometries = geometriesOf(lines);
  const envelopes = geometries.map((geometry) => geometry?.getEnvelope());
  return (longitude, latitude) => {
    const point = new gdal.Point(Number(longitude), Number(latitude));
    const near = [...geometries.entries()].filter(([i]) => {
      const { minX = NaN, minY = NaN, maxX = NaN, maxY = NaN } = envelopes[i] ?? {};
      return point.x >= minX && point.x <= maxX && point.y >= minY && point.y <= maxY;
    });
    if (near.some(([, geometry]) => geometry?.isValid() === false)) return undefined;
    return near.filter(([, geometry]) => geometry?.contains(point)).map(([i]) => i);
  };
}

/** Nearer to an edge, in parts of 1e-9 degrees, the doubles of GDAL decide. */
const NEAREST = 0.01;

/**
 * Points within a millionth of a degree of an edge, and in turn within a tenth; not exactly on it.
 * @param lines the features' text with their full geometry
 */
export function* pointsOf(
  lines: readonly string[],
  seed: number,
): Generator<[longitude: string, latitude: string], never> {
  const roll = dice(seed);
  const rings = placedLevel(lines, 7).rings.filter((unit) => unit.length > 0);
  for (let i = 0; ; i++) {
    const unit = elementAt(rings, roll(rings.length));
    const ring = elementAt(unit, roll(unit.length));
    const vertex = roll(ring.length - 1);
    const [[x1, y1], [x2, y2]] = [elementAt(ring, vertex), elementAt(ring, vertex + 1)];
    const [along, off] = [roll(1000) / 1000, (i % 2 === 0 ? 10 : 1e6) * (0.1 + roll(900) / 1000)];
    // In parts of 1e-9 degrees, from the beginning of the edge.
    const x = Math.round(100 * (along * (x2 - x1) + (roll(2) === 0 ? off : -off)));
    const y = Math.round(100 * (along * (y2 - y1) + (roll(2) === 0 ? off : -off)));
    const [dx, dy] = [x2 - x1, y2 - y1];
    if (Math.abs(dx * y - dy * x) <= NEAREST * Math.hypot(dx, dy)) continue;
    const [longitude, latitude] = [(100 * x1 + x) / 1e9, (100 * y1 + y) / 1e9];
    if (Math.abs(longitude) < 180 && Math.abs(latitude) < 90) yield [longitude.toFixed(9), latitude.toFixed(9)];
  }
}
