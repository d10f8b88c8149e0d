// The shapes of units for `changes`: how much area the units of two releases have in common. Runs in child processes.
// Shapes are projected to a cylinder of equal areas (Lambert, in metres), cut at the antimeridian and made valid.
import { join } from 'node:path';
import type { Geometry as GdalGeometry } from 'gdal-async';
import { LRUCache } from 'lru-cache';
import { INDEX_SCALE } from '../../format/boxes.ts';
import { elementAt } from '../../format/element-at.ts';
import { indexPath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { SPHERE_METRES } from '../../format/neighbours.ts';
import { isObject } from '../../format/parse.ts';
import { areaOf, madeValid, sharedArea } from '../gdal/valid-polygons.ts';
import { featureFrom, listOf } from '../release-reader/parse-feature.ts';
import { openFeatures, readLevel, readTable } from '../release-reader/read-level.ts';
import { Coordinates } from '../rings/coordinates.ts';
import { radians, toEqualArea } from '../rings/equal-area.ts';
import { eachEdge, type OpenPolygon } from '../rings/open-rings.ts';
import { newRingCollector, unitPolygons } from '../topology/level-rings.ts';
import { reading, unitText } from './compared-release.ts';

/** A level of a release to read. */
export interface Side {
  /** The release's folder, and its id. */
  root: string;
  release: string;
  /** Decimals of its coordinates. */
  precision: number;
}

/** Pairs of units, each as the positions of all that has its GID. Plain data, like the result. */
export interface SharedTask {
  level: Level;
  from: Side;
  to: Side;
  pairs: readonly (readonly [from: readonly number[], to: readonly number[]])[];
}

/** Two units: areas in square metres, lengths of borders in metres. */
export interface Shared {
  from: number;
  to: number;
  common: number;
  fromBorder: number;
  toBorder: number;
}

/** What was measured, in the order of the pairs. */
export interface SharedResult {
  shared: Shared[];
  /** Positions of units that had to be made valid, in the old and in the new release. */
  invalid: [from: number[], to: number[]];
}

/** Units below this area, in square metres, are compared in full. */
const SMALL_AREA = 1e8;
/** Vertices of the shapes that are kept in memory: the next unit is often beside the last one. */
const KEPT_VERTICES = 1_000_000;

interface Shape {
  geometry: GdalGeometry;
  area: number;
  border: number;
  vertices: number;
}

/**
 * Measures pairs of units: on `medium` where both releases have it, on the full geometry where one of the two is small.
 */
export function measureShared({ level, from, to, pairs }: SharedTask): SharedResult {
  const sides = [openShapes(level, from), openShapes(level, to)] as const;
  const isSimple = sides.every(({ hasMedium }) => hasMedium);
  const shared = pairs.map((positions): Shared => {
    const shapesWith = (isFull: boolean): [Shape, Shape] => [
      sides[0].shapeOf(positions[0], isFull),
      sides[1].shapeOf(positions[1], isFull),
    ];
    // Most small units are known by their boxes, before they are read.
    const isFull = !isSimple || sides.some((side, i) => side.boxAreaOf(elementAt(positions, i)) < SMALL_AREA);
    let [a, b] = shapesWith(isFull);
    if (!isFull && Math.min(a.area, b.area) < SMALL_AREA) [a, b] = shapesWith(true);
    const common = a.area === 0 || b.area === 0 ? 0 : sharedArea(a.geometry, b.geometry);
    return { from: a.area, to: b.area, common, fromBorder: a.border, toBorder: b.border };
  });
  for (const side of sides) side.close();
  return { shared, invalid: [[...sides[0].invalid], [...sides[1].invalid]] };
}

/** The shapes of a level of one release. */
function openShapes(level: Level, { root, release, precision }: Side) {
  const index = readLevel(root, release, level);
  const hasMedium = index.geometries.includes('medium');
  const full = openFeatures(root, index);
  const path = join(root, indexPath(level, 'medium'));
  const medium = hasMedium
    ? openFeatures(
        root,
        reading(release, path, () => readTable(root, index, 'medium')),
        'medium',
      )
    : full;
  const kept = new LRUCache<string, Shape>({
    maxSize: KEPT_VERTICES,
    // A larger one is kept alone.
    sizeCalculation: ({ vertices }) => Math.max(1, Math.min(vertices, KEPT_VERTICES)),
  });
  const invalid = new Set<number>();

  function read(positions: readonly number[], isFull: boolean): Shape {
    const parts = positions.map((position) => {
      const features = isFull ? full : medium;
      const text = unitText({ root, release }, { features, index }, position);
      const { geometry } = reading(release, join(root, features.pathOf(position)), () => featureFrom(text));
      const polygons = polygonsOf(geometry, precision);
      const { geometry: valid, wasInvalid } = madeValid(polygons.map((polygon) => polygon.map(toEqualArea)));
      if (wasInvalid) invalid.add(position);
      return { polygons, valid };
    });
    const rings = parts.flatMap(({ polygons }) => polygons.flat());
    const [first, ...others] = parts.map(({ valid }) => valid);
    if (first === undefined) throw new RangeError(`no positions on ${indexPath(level)}`);
    const geometry = others.reduce((sum, other) => sum.union(other), first);
    return {
      geometry,
      area: areaOf(geometry),
      border: rings.reduce((sum, ring) => sum + lengthOf(ring), 0),
      vertices: rings.reduce((sum, ring) => sum + ring.length / 2, 0),
    };
  }

  function shapeOf(positions: readonly number[], isFull: boolean): Shape {
    const key = `${isFull} ${positions.join()}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const shape = read(positions, isFull);
    kept.set(key, shape);
    return shape;
  }

  /** The area of the boxes of some units, in square metres: theirs is no larger. Infinity across the antimeridian. */
  function boxAreaOf(positions: readonly number[]): number {
    return positions.reduce((sum, position) => {
      const degrees = Array.from(
        index.arrays.box.subarray(4 * position, 4 * position + 4),
        (value) => value / INDEX_SCALE,
      );
      const [west = 0, south = 0, east = 0, north = 0] = degrees.map(radians);
      return sum + (west > east ? Infinity : SPHERE_METRES ** 2 * (east - west) * (Math.sin(north) - Math.sin(south)));
    }, 0);
  }

  const close = (): void => {
    full.close();
    if (hasMedium) medium.close();
  };
  return { hasMedium, shapeOf, boxAreaOf, invalid, close };
}

/** The polygons of a GeoJSON geometry, in degrees. */
function polygonsOf(geometry: Readonly<Record<string, unknown>> | null, precision: number): OpenPolygon[] {
  const scale = 10 ** precision;
  const collector = newRingCollector(precision);
  const positions = new Coordinates();
  const addRing = (ring: unknown, i: number): void => {
    const list = listOf(ring);
    positions.resize(list.length);
    for (const [at, position] of list.entries()) {
      const [x, y] = listOf(position);
      positions.set(at, Math.round(Number(x) * scale), Math.round(Number(y) * scale));
    }
    positions.close();
    collector.ring(positions, i > 0, positions.signedArea());
  };
  const add = (part: Readonly<Record<string, unknown>>): void => {
    if (part['type'] === 'GeometryCollection')
      for (const member of listOf(part['geometries']).filter(isObject)) add(member);
    if (part['type'] === 'Polygon') listOf(part['coordinates']).forEach(addRing);
    if (part['type'] === 'MultiPolygon')
      for (const polygon of listOf(part['coordinates'])) listOf(polygon).forEach(addRing);
  };
  if (geometry !== null) add(geometry);
  const rings = collector.unit();
  return unitPolygons(rings).map((polygon) => polygon.map((ring) => ring.map((value) => value / rings.scale)));
}

/** The length of a ring of degrees, in metres. */
function lengthOf(ring: readonly number[]): number {
  let length = 0;
  eachEdge(ring, (x1, y1, x2, y2) => {
    length += SPHERE_METRES * Math.hypot(radians(x2 - x1) * Math.cos(radians((y1 + y2) / 2)), radians(y2 - y1));
  });
  return length;
}
