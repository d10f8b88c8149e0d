// The arcs of all levels in Web Mercator, from which tiles are cut: on one grid, that of the deepest zoom, so that what
// units share is one arc of all of them, and each point weighed once. Used by prepare-tiles.ts.
import { f64At, i32At } from '../../format/element-at.ts';
import { NumberList } from '../geojson/number-list.ts';
import { endBefore, type LevelRings, unitsOf } from './level-rings.ts';
import { type SharedArcs, shareArcs } from './shared-arcs.ts';

/** Units along a side of a tile. */
export const TILE_EXTENT = 4096;
/** The latitude at which the square map ends, in degrees: atan(sinh(pi)). */
export const MERCATOR_LATITUDE = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI;

/** Longitude, in degrees, as a share of the map from the west. */
export function mercatorX(longitude: number): number {
  return longitude / 360 + 0.5;
}

/** Latitude, in degrees up to that of the edge, as a share of the map from the north. */
export function mercatorY(latitude: number): number {
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / (2 * Math.PI);
}

/**
 * The rings of a level on the grid of a zoom, y from north to south; cut at the latitude at which the map ends. Rings
 * keep their order, so exteriors, which run counter-clockwise on the globe, have a negative area here.
 */
export function projectRings(level: LevelRings, zoom: number): LevelRings {
  const side = TILE_EXTENT * 2 ** zoom;
  const { scale } = level;
  const x = new NumberList(Int32Array);
  const y = new NumberList(Int32Array);
  const ringEnds = new Int32Array(level.ringEnds.length);
  const put = (longitude: number, latitude: number): void => {
    x.push(Math.round(mercatorX(longitude) * side));
    const isBeyond = Math.abs(latitude) >= MERCATOR_LATITUDE;
    y.push(isBeyond ? (latitude > 0 ? 0 : side) : Math.round(mercatorY(latitude) * side));
  };
  for (let ring = 0, begin = 0; ring < ringEnds.length; ring++) {
    const end = i32At(level.ringEnds, ring);
    for (let i = begin; i < end; i++) {
      const before = i === begin ? end - 1 : i - 1;
      const from = { x: i32At(level.x, before) / scale, y: i32At(level.y, before) / scale };
      const to = { x: i32At(level.x, i) / scale, y: i32At(level.y, i) / scale };
      for (const edge of [MERCATOR_LATITUDE, -MERCATOR_LATITUDE])
        if (from.y > edge !== to.y > edge) put(longitudeAt(edge, from, to), edge);
      put(to.x, to.y);
    }
    ringEnds[ring] = x.length;
    begin = end;
  }
  return { ...level, scale: 1, x: x.values(), y: y.values(), ringEnds };
}

/** Where an edge crosses a latitude: the same whichever way it runs. */
function longitudeAt(latitude: number, a: { x: number; y: number }, b: { x: number; y: number }): number {
  const [low, high] = a.y < b.y ? [a, b] : [b, a];
  return low.x + ((latitude - low.y) / (high.y - low.y)) * (high.x - low.x);
}

/** Divides levels that `projectRings` made into arcs. */
export function shareTileArcs(levels: readonly LevelRings[]): SharedArcs {
  return shareArcs(levels.map(unitsOf), 1);
}

/**
 * The weight of each point: its effective area, in square units of the grid, which is at least that of any point that
 * went before it (Visvalingam and Whyatt 1993). So what has a greater weight than a limit is what simplification with
 * that limit leaves. Ends of arcs, and corners at the edge of the map, weigh infinitely.
 */
export function weighArcs({ x, y, points, arcEnds }: SharedArcs, zoom: number): Float64Array {
  const side = TILE_EXTENT * 2 ** zoom;
  const weights = new Float64Array(points.length).fill(Infinity);
  const heap = new PointHeap();
  for (let arc = 0; arc < arcEnds.length; arc++) {
    const [begin, last] = [endBefore(arcEnds, arc), i32At(arcEnds, arc) - 1];
    if (last - begin < 2) continue;
    const before = Int32Array.from({ length: last - begin + 1 }, (_, i) => i - 1);
    const after = Int32Array.from({ length: last - begin + 1 }, (_, i) => i + 1);
    const areaAt = (i: number): number => {
      const middle = i32At(points, begin + i);
      const [px, py] = [i32At(x, middle), i32At(y, middle)];
      const [a, c] = [i32At(points, begin + i32At(before, i)), i32At(points, begin + i32At(after, i))];
      const area = Math.abs((i32At(x, a) - px) * (i32At(y, c) - py) - (i32At(x, c) - px) * (i32At(y, a) - py)) / 2;
      if (area === 0) return 0;
      return px === 0 || px === side || py === 0 || py === side ? Infinity : area;
    };
    heap.reset(last - begin + 1);
    for (let i = 1; i < last - begin; i++) heap.put(i, areaAt(i));
    let most = 0;
    for (let i = heap.takeLeast(); i !== undefined; i = heap.takeLeast()) {
      most = Math.max(most, heap.weightOf(i));
      weights[begin + i] = most;
      const [a, c] = [i32At(before, i), i32At(after, i)];
      after[a] = c;
      before[c] = a;
      if (a > 0) heap.put(a, areaAt(a));
      if (c < last - begin) heap.put(c, areaAt(c));
    }
  }
  return weights;
}

/** Numbers, the lightest first, of equal ones the least. */
class PointHeap {
  #weights = new Float64Array(0);
  #slots = new Int32Array(0);
  /** Where each number is in `#slots`; -1 if it is not there. */
  #places = new Int32Array(0);
  #count = 0;

  /** Empties it. @param numbers how many there may be */
  reset(numbers: number): void {
    this.#count = 0;
    if (this.#weights.length < numbers) {
      this.#weights = new Float64Array(2 * numbers);
      this.#slots = new Int32Array(2 * numbers);
      this.#places = new Int32Array(2 * numbers);
    }
    this.#places.fill(-1, 0, numbers);
  }

  weightOf(number: number): number {
    return f64At(this.#weights, number);
  }

  /** Puts a number, or moves it to where its new weight belongs. */
  put(number: number, weight: number): void {
    this.#weights[number] = weight;
    let at = i32At(this.#places, number);
    if (at === -1) at = this.#count++;
    this.#settle(number, at);
  }

  takeLeast(): number | undefined {
    if (this.#count === 0) return undefined;
    const least = i32At(this.#slots, 0);
    const last = i32At(this.#slots, --this.#count);
    this.#places[least] = -1;
    if (last !== least) this.#settle(last, 0);
    return least;
  }

  #isLess(a: number, b: number): boolean {
    const [left, right] = [f64At(this.#weights, a), f64At(this.#weights, b)];
    return left < right || (left === right && a < b);
  }

  /** Puts a number into a slot that is free, or its own, and then up or down. */
  #settle(number: number, slot: number): void {
    let at = slot;
    for (; at > 0; ) {
      const up = (at - 1) >> 1;
      const other = i32At(this.#slots, up);
      if (!this.#isLess(number, other)) break;
      this.#place(other, at);
      at = up;
    }
    for (;;) {
      let down = 2 * at + 1;
      if (down >= this.#count) break;
      if (down + 1 < this.#count && this.#isLess(i32At(this.#slots, down + 1), i32At(this.#slots, down))) down++;
      const other = i32At(this.#slots, down);
      if (!this.#isLess(other, number)) break;
      this.#place(other, at);
      at = down;
    }
    this.#place(number, at);
  }

  #place(number: number, slot: number): void {
    this.#slots[slot] = number;
    this.#places[number] = slot;
  }
}
