// Measures how much area units of a level have in common, of the pairs that may overlap, on their published shapes.
// Runs in a child process for each level.
import type { Geometry as GdalGeometry } from 'gdal-async';
import { LRUCache } from 'lru-cache';
import { f64At } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { SPHERE_METRES } from '../../format/neighbours.ts';
import { commonOf, inPieces, type Piece } from '../gdal/pieces.ts';
import { areaOf, madeValid, polygonParts } from '../gdal/valid-polygons.ts';
import { radians, toEqualArea } from '../rings/equal-area.ts';
import { LevelStore, type Overlap } from '../store/level-store.ts';
import { openUnitRings, type RingsByUnit, unitPolygons } from '../topology/level-rings.ts';
import { readFoundInTiles } from './prepare-tiles.ts';

/** The level to measure. Plain data: it is sent to a child process. */
export interface MeasureOverlapsTask {
  level: Level;
  /** Path of its store. */
  store: string;
  /** Decimals of the coordinates. */
  precision: number;
  /** The work folder, with what `prepareTiles` wrote. */
  work: string;
}

const SQUARE_METRES = 1e6;
/** Vertices of the shapes that are kept in memory: pairs ascend, so most units are in the next pair, too. */
const KEPT_VERTICES = 500_000;

/**
 * Writes the pairs of units that have an area in common, of at least a square metre and wider, on average, than the
 * last decimal of the coordinates: less is what rounding makes of a common border.
 */
export function measureOverlaps({ level, store: path, precision, work }: MeasureOverlapsTask): void {
  const store = new LevelStore(path);
  const { candidates } = readFoundInTiles(work, level);
  const rings = openUnitRings(store, precision);
  const shapeOf = newShapes(rings);
  const step = SPHERE_METRES * radians(10 ** -precision);
  const overlaps: Overlap[] = [];
  for (let i = 0; i < candidates.length; i++) {
    const one = Math.floor(f64At(candidates, i) / rings.count);
    const other = f64At(candidates, i) - one * rings.count;
    const common = commonOf(shapeOf(one), shapeOf(other));
    const squareMetres = Math.round(areaOf(common));
    if (squareMetres > 0 && 2 * squareMetres > step * borderOf(common))
      overlaps.push({ units: [one, other], km2: squareMetres / SQUARE_METRES });
  }
  rings.close();
  store.writeOverlaps(overlaps);
}

/** Makes a function that returns the shape of a unit, in metres of equal area, made valid, in pieces. */
function newShapes(rings: RingsByUnit): (unit: number) => readonly Piece[] {
  const kept = new LRUCache<number, readonly Piece[]>({ maxSize: KEPT_VERTICES });
  return (unit) => {
    const known = kept.get(unit);
    if (known !== undefined) return known;
    const polygons = unitPolygons(rings.at(unit));
    const degrees = polygons.map((polygon) =>
      polygon.map((ring) => toEqualArea(ring.map((value) => value / rings.scale))),
    );
    const pieces = inPieces(madeValid(degrees).geometry);
    // A larger one leaves room for those that it is compared with.
    kept.set(unit, pieces, { size: Math.max(1, Math.min(polygons.flat(2).length / 2, KEPT_VERTICES / 2)) });
    return pieces;
  };
}

/** The length of the rings of a geometry, in its units. */
function borderOf(geometry: GdalGeometry): number {
  return polygonParts(geometry).reduce(
    (sum, { rings }) => sum + rings.toArray().reduce((length, ring) => length + ring.getLength(), 0),
    0,
  );
}
