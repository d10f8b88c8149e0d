// The area of a ring on the ellipsoid WGS 84: between two positions it is the straight line of longitude and latitude,
// as for points that are looked up.
import { type Coordinates, unrolled } from './coordinates.ts';

const SEMI_MAJOR_KM = 6378.137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY = Math.sqrt(FLATTENING * (2 - FLATTENING));
const SEMI_MINOR_KM = SEMI_MAJOR_KM * (1 - FLATTENING);
const RADIANS = Math.PI / 180;

/** Edges are divided so that none has more degrees of latitude: then Simpson's rule is right to ten digits. */
const LONGEST_DEGREES = 10;

/** The area of a closed ring in km2, however it is wound. @param scale scaled units per degree */
export function ringAreaKm2(positions: Coordinates, scale: number): number {
  const ring = positions.jumps(scale) ? unrolled(positions, 360 * scale) : positions;
  let area = 0;
  let [x1, y1] = [ring.x(0), ring.y(0)];
  let zone1 = zoneTo(y1 / scale);
  for (let i = 1; i < ring.count; i++) {
    const [x2, y2] = [ring.x(i), ring.y(i)];
    const zone2 = y1 === y2 ? zone1 : zoneTo(y2 / scale);
    area += (x2 - x1) * meanZone(y1 / scale, zone1, y2 / scale, zone2);
    [x1, y1, zone1] = [x2, y2, zone2];
  }
  return Math.abs((area / scale) * RADIANS);
}

/** The mean of `zoneTo` along an edge. @param from,to in degrees, with their zones */
function meanZone(from: number, zoneFrom: number, to: number, zoneOfTo: number): number {
  if (from === to) return zoneFrom;
  const pieces = Math.max(1, Math.ceil(Math.abs(to - from) / LONGEST_DEGREES));
  let [sum, zone] = [0, zoneFrom];
  for (let i = 1; i <= pieces; i++) {
    const next = i === pieces ? zoneOfTo : zoneTo(from + ((to - from) * i) / pieces);
    sum += zone + 4 * zoneTo(from + ((to - from) * (i - 0.5)) / pieces) + next;
    zone = next;
  }
  return sum / (6 * pieces);
}

/** The area in km2 between the equator and a latitude in degrees, for a radian of longitude. */
function zoneTo(latitude: number): number {
  const sine = Math.sin(latitude * RADIANS);
  const flat = ECCENTRICITY * sine;
  return (SEMI_MINOR_KM ** 2 / 2) * (sine / (1 - flat * flat) + Math.atanh(flat) / ECCENTRICITY);
}
