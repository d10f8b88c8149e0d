// Finds the arcs that may meet some others, by a coarse raster of the map: when few have changed, only what is near them
// has to be looked at. Used by cut-arcs.ts.
import { i32At } from '../../format/element-at.ts';
import { type Arcs, boxesOfArcs } from './arcs.ts';
import { endBefore } from './level-rings.ts';

/** Cells along a side of the raster, at most, and cells for each arc: with more it takes longer than looking at all. */
const SIDE_MAX = 512;
const CELLS_AN_ARC = 4;

/** The arcs of a zoom on a raster. */
export class NearArcs {
  /** On the grid of the deepest zoom. */
  readonly #arcs: Arcs;
  /** The shift that makes coordinates of these numbers of cells. */
  readonly #shift: number;
  /** What rounds coordinates to the grid of the zoom. */
  readonly #half: number;
  readonly #side: number;
  /** West, north, east, south of each arc, in cells. */
  readonly #boxes: Uint16Array;

  /**
   * @param arcs on the grid of the deepest zoom, which has no negative places
   * @param below how many zooms this one is above it
   */
  constructor(arcs: Arcs, below: number) {
    const boxes = boxesOfArcs(arcs);
    this.#arcs = arcs;
    this.#half = below === 0 ? 0 : 1 << (below - 1);
    const most = boxes.reduce((a, b) => Math.max(a, b));
    const sideMax = Math.min(SIDE_MAX, Math.ceil(Math.sqrt((CELLS_AN_ARC * boxes.length) / 4)));
    let shift = below;
    while ((most + this.#half) >> shift >= sideMax) shift++;
    this.#shift = shift;
    this.#side = ((most + this.#half) >> shift) + 1;
    this.#boxes = Uint16Array.from(boxes, (coordinate) => this.#cellOf(coordinate));
  }

  /**
   * Those whose extent meets an edge of some arcs, and these themselves, ascending.
   * @param kept for each place of the arcs 1 if the zoom has it
   */
  to(arcs: Int32Array, kept: Uint8Array): Int32Array {
    const sums = this.#sumsOf(this.#mark(arcs, kept));
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
    return near.slice(0, length);
  }

  /** Marks the cells of the extents of all edges. */
  #mark(arcs: Int32Array, kept: Uint8Array): Uint8Array {
    const { x, y, arcEnds } = this.#arcs;
    const marks = new Uint8Array(this.#side * this.#side);
    for (const arc of arcs) {
      let [before, beside] = [-1, -1];
      for (let i = endBefore(arcEnds, arc); i < i32At(arcEnds, arc); i++) {
        if (kept[i] === 0) continue;
        const [column, row] = [this.#cellOf(i32At(x, i)), this.#cellOf(i32At(y, i))];
        if (column === before && row === beside) continue;
        const [from, to] = before === -1 ? [column, column] : [Math.min(before, column), Math.max(before, column)];
        const [top, bottom] = before === -1 ? [row, row] : [Math.min(beside, row), Math.max(beside, row)];
        for (let r = top; r <= bottom; r++) marks.fill(1, r * this.#side + from, r * this.#side + to + 1);
        [before, beside] = [column, row];
      }
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

  #cellOf(coordinate: number): number {
    return (coordinate + this.#half) >> this.#shift;
  }
}
