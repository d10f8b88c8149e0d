// Finds the arcs that may meet some others, by a coarse raster of the map: when few have changed, only what is near
// them has to be looked at.
import { i32At } from '../../format/element-at.ts';
import { type Arcs, boxesOfArcs } from './arcs.ts';

/** Cells along a side of the raster, at most, and cells for each arc: with more it takes longer than looking at all. */
const SIDE_MAX = 512;
const CELLS_AN_ARC = 4;

/** The arcs of a zoom on a raster. */
export class NearArcs {
  /** The shift that makes coordinates on the grid of the zoom numbers of cells. */
  readonly #ofZoom: number;
  readonly #side: number;
  /** West, north, east, south of each arc, in cells. */
  readonly #boxes: Uint16Array;

  /**
   * @param arcs on the grid of the deepest zoom, which has no negative places
   * @param below how many zooms this one is above it
   */
  constructor(arcs: Arcs, below: number) {
    const boxes = boxesOfArcs(arcs);
    const half = below === 0 ? 0 : 1 << (below - 1);
    const most = boxes.reduce((a, b) => Math.max(a, b));
    const sideMax = Math.min(SIDE_MAX, Math.ceil(Math.sqrt((CELLS_AN_ARC * boxes.length) / 4)));
    let shift = below;
    while ((most + half) >> shift >= sideMax) shift++;
    this.#ofZoom = shift - below;
    this.#side = ((most + half) >> shift) + 1;
    this.#boxes = Uint16Array.from(boxes, (coordinate) => (coordinate + half) >> shift);
  }

  /**
   * Those whose extent meets new edges, ascending; all if these are most: taking some is no gain then.
   * @param arcs on the grid of the zoom
   * @param isNew for each edge of them 1 if it is new
   */
  to(arcs: Arcs, isNew: Uint8Array): Int32Array {
    const sums = this.#sumsOf(this.#mark(arcs, isNew));
    const width = this.#side + 1;
    const boxes = this.#boxes;
    const near = new Int32Array(boxes.length / 4);
    let length = 0;
    for (let arc = 0, at = 0; arc < near.length; arc++, at += 4) {
      const [west = 0, north = 0, east = 0, south = 0] = [boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]];
      const [above, under] = [width * north, width * (south + 1)];
      const marked =
        i32At(sums, under + east + 1) -
        i32At(sums, under + west) -
        i32At(sums, above + east + 1) +
        i32At(sums, above + west);
      if (marked > 0) near[length++] = arc;
    }
    return length > near.length / 2 ? near.map((_, arc) => arc) : near.slice(0, length);
  }

  /** Marks the cells of the extents of edges. */
  #mark({ x, y }: Arcs, isNew: Uint8Array): Uint8Array {
    const marks = new Uint8Array(this.#side * this.#side);
    for (let edge = isNew.indexOf(1); edge !== -1; edge = isNew.indexOf(1, edge + 1)) {
      const [from, to] = [i32At(x, edge) >> this.#ofZoom, i32At(x, edge + 1) >> this.#ofZoom];
      const [top, bottom] = [i32At(y, edge) >> this.#ofZoom, i32At(y, edge + 1) >> this.#ofZoom];
      for (let row = Math.min(top, bottom); row <= Math.max(top, bottom); row++)
        marks.fill(1, row * this.#side + Math.min(from, to), row * this.#side + Math.max(from, to) + 1);
    }
    return marks;
  }

  /** For each corner of cells how many are marked to the left of it and above. */
  #sumsOf(marks: Uint8Array): Int32Array {
    const [side, width] = [this.#side, this.#side + 1];
    const sums = new Int32Array(width * width);
    for (let row = 0; row < side; row++)
      for (let column = 0, own = 0; column < side; column++) {
        own += marks[row * side + column] ?? 0;
        sums[(row + 1) * width + column + 1] = i32At(sums, row * width + column + 1) + own;
      }
    return sums;
  }
}
