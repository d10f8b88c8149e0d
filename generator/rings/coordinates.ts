// The positions of a point, line or ring in scaled degrees: the WKB reader fills them, the geometry writer writes them.
// Part of the hot path: one flat array of doubles is reused for every ring of a dataset.
import { f64At } from '../../format/element-at.ts';
import { turn } from './predicates.ts';

const INITIAL_POSITIONS = 1 << 11;

/** The latitude from which a position is at a pole, 1e-6 degrees from it, as a share of 90 degrees. */
const AT_POLE = 1 - 1e-6 / 90;

/** The positions of a point, line or ring, in scaled degrees (whole numbers). */
export class Coordinates {
  /** Number of positions. */
  count = 0;
  #flat: Float64Array;

  /** @param most how many positions it has for now, without a closing one: many rings that are kept need not have more */
  constructor(most = INITIAL_POSITIONS) {
    this.#flat = new Float64Array(2 * (most + 1));
  }

  /** Makes room for `count` positions and a closing one. The content is undefined until `set`. */
  resize(count: number): void {
    this.count = count;
    if (this.#flat.length < 2 * (count + 1)) this.#flat = new Float64Array(3 * count);
  }

  set(i: number, x: number, y: number): void {
    this.#flat[2 * i] = x;
    this.#flat[2 * i + 1] = y;
  }

  x(i: number): number {
    return f64At(this.#flat, 2 * i);
  }

  y(i: number): number {
    return f64At(this.#flat, 2 * i + 1);
  }

  /** Repeats the first position at the end unless it is there. */
  close(): void {
    const last = this.count - 1;
    if (this.x(0) === this.x(last) && this.y(0) === this.y(last)) return;
    this.set(this.count++, this.x(0), this.y(0));
  }

  /** Leaves out each position that is the same as the one before it. */
  dropRepeats(): void {
    let kept = 1;
    for (let i = 1; i < this.count; i++) {
      const [x, y] = [this.x(i), this.y(i)];
      if (x === this.x(kept - 1) && y === this.y(kept - 1)) continue;
      if (kept < i) this.set(kept, x, y);
      kept++;
    }
    this.count = kept;
  }

  /** Twice the signed area of a closed ring; positive if it runs counter-clockwise. */
  signedArea(): number {
    const [x0, y0] = [this.x(0), this.y(0)];
    let area = 0;
    for (let i = 2; i < this.count; i++) area += turn(x0, y0, this.x(i - 1), this.y(i - 1), this.x(i), this.y(i));
    return area;
  }

  /**
   * Does a segment of a closed ring span more than 180 degrees of longitude, so that it crosses the antimeridian
   * instead of ending there (RFC 7946 section 3.1.9)? Segments along a pole do not count: Antarctica has one.
   * @param scale scaled units per degree
   */
  jumps(scale: number): boolean {
    const half = 180 * scale;
    const pole = 90 * scale * AT_POLE;
    let x1 = this.x(0);
    for (let i = 1; i < this.count; i++) {
      const x2 = this.x(i);
      if (Math.abs(x2 - x1) > half) {
        const y1 = this.y(i - 1);
        const y2 = this.y(i);
        if (!(Math.min(y1, y2) >= pole || Math.max(y1, y2) <= -pole)) return true;
      }
      x1 = x2;
    }
    return false;
  }
}

/**
 * A ring with continuous longitudes: a step of more than 180 degrees is the short way round.
 * @param full 360 degrees in scaled degrees
 */
export function unrolled(positions: Coordinates, full: number): Coordinates {
  const { count } = positions;
  const ring = new Coordinates(count + 2);
  ring.count = count;
  let turns = 0;
  let northward = 0;
  for (let i = 0; i < count; i++) {
    if (i > 0) turns += turnsBetween(positions.x(i - 1), positions.x(i), full);
    ring.set(i, positions.x(i) + turns * full, positions.y(i));
    northward += positions.y(i);
  }
  if (turns === 0) return ring;
  const pole = (Math.sign(northward) * full) / 4;
  const [first, last] = [ring.x(0), ring.x(count - 1)];
  ring.count = count + 2;
  ring.set(count, last, pole);
  ring.set(count + 1, first, pole);
  ring.close();
  return ring;
}

/** By how many turns the longitudes after a step have to change for it to be the short way. */
function turnsBetween(from: number, to: number, full: number): number {
  if (to - from > full / 2) return -1;
  return from - to > full / 2 ? 1 : 0;
}

/** Takes the rings of polygons, each after it is written; it may change their positions. */
export interface RingSink {
  /** @param area twice its signed area, in scaled degrees; @param positions valid until the next ring is read */
  ring(positions: Coordinates, isHole: boolean, area: number): void;
}
