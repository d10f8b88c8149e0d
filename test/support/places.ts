// Where features are, from their stored text and by none of the program's own code: the model for `bbox` and
// `contains`.
import type { Geometry, Position } from 'geojson';
import { elementAt } from '../../format/element-at.ts';
import { decimalOf, type EvenOdd, evenOdd, oddEdges, type Ring, scaled } from './even-odd.ts';

/** The features of a level as they were published. */
export interface PlacedLevel {
  /** West, south, east, north in parts of a degree, of which there are 10^DECIMALS; undefined without geometry. */
  boxes: readonly (readonly bigint[] | undefined)[];
  /** Decimals of the coordinates. */
  precision: number;
  /** Are all geometries polygons with an area? Otherwise boxes are compared. */
  isExact: boolean;
  /** Rings in units of the last decimal. */
  rings: readonly (readonly Ring[])[];
  /** Those of their edges that a feature has an odd number of times, likewise. */
  edges: readonly (readonly Edge[])[];
  /** The positions of the features that contain a point. */
  containing: EvenOdd;
}

type Edge = readonly [x1: number, y1: number, x2: number, y2: number];

/** Decimals of the boxes, the points and whatever is asked for. */
export const DECIMALS = 15;

/** @param lines the features' text with their full geometry @param precision decimals of their coordinates */
export function placedLevel(lines: readonly string[], precision: number): PlacedLevel {
  const features = lines.map((line) => JSON.parse(line) as { bbox?: number[]; geometry: Geometry | null });
  const whole = (value: number): number => Math.round(value * 10 ** precision);
  const ringOf = (positions: readonly Position[]): Ring =>
    positions.map((position) => [whole(elementAt(position, 0)), whole(elementAt(position, 1))]);
  const ringsOf = (geometry: Geometry | null): Ring[] => {
    if (geometry?.type === 'Polygon') return geometry.coordinates.map(ringOf);
    if (geometry?.type === 'GeometryCollection') return geometry.geometries.flatMap(ringsOf);
    return geometry?.type === 'MultiPolygon' ? geometry.coordinates.flat().map(ringOf) : [];
  };
  const rings = features.map(({ geometry }) => ringsOf(geometry));
  // A number of JSON is the nearest one to its decimals.
  const exact = (value: number): bigint => scaled(value.toFixed(precision), DECIMALS);
  const boxes = features.map(({ bbox }) => bbox?.map(exact));
  const edges = rings.map((own) => oddEdges(own, precision));
  const isExact = features.every(
    ({ geometry }, i) => geometry === null || (/Polygon$/.test(geometry.type) && elementAt(edges, i).length > 0),
  );
  return { boxes, rings, edges, precision, isExact, containing: evenOdd(rings, precision, DECIMALS) };
}

const FULL = 360n * 10n ** BigInt(DECIMALS);

/** The positions of the features whose box touches a box. @param decimals west,south,east,north */
function touching({ boxes }: PlacedLevel, decimals: string): number[] {
  const [west = 0n, south = 0n, east = 0n, north = 0n] = decimals.split(',').map((text) => scaled(text, DECIMALS));
  return [...boxes.keys()].filter((position) => {
    const [w = 0n, s = 1n, e = 0n, n = 0n] = boxes[position] ?? [];
    return s <= north && n >= south && s <= n && (isOnArc(w, west, east) || isOnArc(west, w, e));
  });
}

/**
 * The positions of the features that have a point in a box, its border included: an edge has one, or its south-western
 * corner is in the feature. On a level with other geometries those whose box touches it.
 * @param decimals west,south,east,north
 */
export function inBox(level: PlacedLevel, decimals: string): number[] {
  const { precision, isExact } = level;
  if (!isExact) return touching(level, decimals);
  const [west = '', south = ''] = decimals.split(',');
  const atCorner = new Set(level.containing(west, south));
  const box = decimals.split(',').map((text) => scaled(text, DECIMALS));
  const parts = 10n ** BigInt(DECIMALS - precision);
  // No other edge comes near its latitudes: most need no exact comparison.
  const [low = NaN, high = NaN] = [box[1], box[3]].map((value) => Number(value) / Number(parts));
  const isNear = ([, y1, , y2]: Edge): boolean => Math.max(y1, y2) >= low - 1 && Math.min(y1, y2) <= high + 1;
  return touching(level, decimals).filter((position) => {
    if (atCorner.has(position)) return true;
    const isMet = (edge: Edge): boolean =>
      meetsBox(
        edge.map((value) => BigInt(value) * parts),
        box,
      );
    return elementAt(level.edges, position).some((edge) => isNear(edge) && isMet(edge));
  });
}

/** Has an edge a point in a box, in any turn of its longitudes? What is left of it after each side has cut it. */
function meetsBox([x1 = 0n, y1 = 0n, x2 = 0n, y2 = 0n]: readonly bigint[], box: readonly bigint[]): boolean {
  const [west = 0n, south = 0n, to = 0n, north = 0n] = box;
  const east = west > to ? to + FULL : to;
  return [-2n, -1n, 0n, 1n, 2n].some((turn) => {
    const [from, dx, dy] = [x1 + turn * FULL, x2 - x1, y2 - y1];
    // The edge is (from, y1) + t (dx, dy); each side allows t with step * t <= room.
    const sides = [
      [-dx, from - west],
      [dx, east - from],
      [-dy, y1 - south],
      [dy, north - y1],
    ] as const;
    // First and last t that are allowed, as fractions with denominators above 0.
    let [first, firstOf, last, lastOf] = [0n, 1n, 1n, 1n];
    for (const [step, room] of sides) {
      if (step === 0n && room < 0n) return false;
      if (step > 0n && room * lastOf < last * step) [last, lastOf] = [room, step];
      if (step < 0n && -room * firstOf > first * -step) [first, firstOf] = [-room, -step];
    }
    return first * lastOf <= last * firstOf;
  });
}

/** Is a meridian between two others, eastward from the first? */
function isOnArc(meridian: bigint, west: bigint, east: bigint): boolean {
  const turned = (value: bigint): bigint => ((value % FULL) + FULL) % FULL;
  return east - west === FULL || turned(meridian - west) <= turned(east - west);
}

/** A decimal that is a few parts of a degree more or less than one with `DECIMALS`, in the range of its kind. */
export function nearTo(value: bigint, parts: bigint, most: 180 | 90): string {
  const limit = BigInt(most) * 10n ** BigInt(DECIMALS);
  const moved = value + parts;
  return decimalOf(moved > limit ? limit : moved < -limit ? -limit : moved, DECIMALS);
}
