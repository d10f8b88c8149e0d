// Measures how much area units of a level have in common, of the pairs that may overlap, on their published shapes.
// Runs in a child process for each level.
import type { Polygon } from 'gdal-async';
import { LRUCache } from 'lru-cache';
import { elementAt, f64At, u32At } from '../../format/element-at.ts';
import { ownersOf } from '../../format/gid-column.ts';
import type { Level } from '../../format/levels.ts';
import { SPHERE_METRES } from '../../format/neighbours.ts';
import { commonOf, inPieces, type Piece } from '../gdal/pieces.ts';
import { madeValid } from '../gdal/valid-polygons.ts';
import { UNITS_MAX } from '../quality/findings.ts';
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
 * A shape that so many others are compared with is divided into pieces first. That can take as long as some hundred
 * comparisons with the whole shape: minutes where long edges lie side by side.
 */
const DIVIDED_FROM = 500;

/**
 * Writes the pairs of units that have an area in common, of at least a square metre and wider, on average, than the
 * last decimal of the coordinates: less is what rounding makes of a common border.
 */
export function measureOverlaps({ level, store: path, precision, work }: MeasureOverlapsTask): void {
  const store = new LevelStore(path);
  const { candidates } = readFoundInTiles(work, level);
  const rings = openUnitRings(store, precision);
  const pairs = new Uint32Array(rings.count);
  const unitsAt = (i: number): [number, number] => {
    const one = Math.floor(f64At(candidates, i) / rings.count);
    return [one, f64At(candidates, i) - one * rings.count];
  };
  for (let i = 0; i < candidates.length; i++) for (const unit of unitsAt(i)) pairs[unit] = u32At(pairs, unit) + 1;
  const shapeOf = newShapes(rings, (unit) => u32At(pairs, unit) >= DIVIDED_FROM);
  const step = SPHERE_METRES * radians(10 ** -precision);
  const index = store.readIndex();
  const gids = ownersOf(elementAt(index.columns, level), index.features);
  let [count, all] = [0, 0];
  let first: Overlap | undefined;
  const named = new LargestOverlaps(UNITS_MAX);
  for (let i = 0; i < candidates.length; i++) {
    const units = unitsAt(i);
    const common = commonOf(shapeOf(units[0]), shapeOf(units[1]));
    const squareMetres = Math.round(common.reduce((sum, polygon) => sum + polygon.getArea(), 0));
    if (squareMetres === 0 || 2 * squareMetres <= step * borderOf(common)) continue;
    const overlap: Overlap = { units, km2: squareMetres / SQUARE_METRES };
    count++;
    all += squareMetres;
    if (first === undefined || overlap.km2 > first.km2) first = overlap;
    if (units.every((unit) => gids[unit] !== -1)) named.add(overlap);
  }
  rings.close();
  store.writeNote('overlaps', { count, km2: all / SQUARE_METRES, first, named: named.values() });
}

/** Keeps those with the most in common, of equal ones those that came first: there may be millions. */
class LargestOverlaps {
  readonly #most: number;
  #kept: Overlap[] = [];

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  add(overlap: Overlap): void {
    this.#kept.push(overlap);
    if (this.#kept.length > 2 * this.#most) this.#kept = this.values();
  }

  /** The largest first. */
  values(): Overlap[] {
    return this.#kept.toSorted((a, b) => b.km2 - a.km2).slice(0, this.#most);
  }
}

/** Makes a function that returns the shape of a unit, in metres of equal area, made valid, some in pieces. */
function newShapes(rings: RingsByUnit, isDivided: (unit: number) => boolean): (unit: number) => readonly Piece[] {
  const kept = new LRUCache<number, readonly Piece[]>({ maxSize: KEPT_VERTICES });
  return (unit) => {
    const known = kept.get(unit);
    if (known !== undefined) return known;
    const polygons = unitPolygons(rings.at(unit));
    const degrees = polygons.map((polygon) =>
      polygon.map((ring) => toEqualArea(ring.map((value) => value / rings.scale))),
    );
    const { geometry } = madeValid(degrees);
    const pieces = isDivided(unit) ? inPieces(geometry) : [{ geometry, envelope: geometry.getEnvelope() }];
    // A larger one leaves room for those that it is compared with.
    kept.set(unit, pieces, { size: Math.max(1, Math.min(polygons.flat(2).length / 2, KEPT_VERTICES / 2)) });
    return pieces;
  };
}

/** The length of all rings, in their units. */
function borderOf(polygons: readonly Polygon[]): number {
  return polygons.flatMap(({ rings }) => rings.toArray()).reduce((sum, ring) => sum + ring.getLength(), 0);
}
