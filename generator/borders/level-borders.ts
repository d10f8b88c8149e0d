// All borders of a level, from the rings of its units as they are published: what its cells and its neighbours are made
// of.
import { type Grid, gridOf } from '../../format/grid.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { type Coordinates, unrolled } from '../rings/coordinates.ts';
import { Borders } from './borders.ts';

/** Takes an edge. Both ends are in units of the grid. */
type Visit = (borders: Borders, x1: number, y1: number, x2: number, y2: number) => void;

/** The borders of a level. Takes the rings of one unit after the other. */
export class LevelBorders implements RingSink {
  readonly precision: number;
  readonly grid: Grid;
  /** Every edge as it lies on the map, and those that reach beyond it on both sides. */
  readonly edges = new Borders();
  /** The edges along 180 degrees once, whichever of the two meridians they are drawn at: at x = 0. */
  readonly meridian = new Borders();
  /** Units that were ended. */
  units = 0;

  /** @param precision decimals of the coordinates */
  constructor(precision: number) {
    this.precision = precision;
    this.grid = gridOf(precision);
  }

  ring(positions: Coordinates): void {
    this.visit(positions, (borders, x1, y1, x2, y2) => borders.addTo(this.units, x1, y1, x2, y2));
  }

  /** Ends a unit, also one without rings: they are counted from 0. */
  unit(): void {
    this.units++;
  }

  /**
   * Passes on the edges of a ring, as they are added. One that reaches beyond the map, where it crosses the
   * antimeridian, is there a turn to the west or to the east, too, as it is: an edge that was cut there would not be
   * exact. Around a pole, the edges to the pole of one turn are those of the next, and cancel out.
   */
  visit(positions: Coordinates, visit: Visit): void {
    const { full } = this.grid;
    const ring = positions.jumps(10 ** this.precision) ? unrolled(positions, full) : positions;
    let west = Infinity;
    let east = -Infinity;
    for (let i = 0; i < ring.count; i++) {
      const x = ring.x(i) + full / 2;
      if (x < west) west = x;
      if (x > east) east = x;
    }
    const isOnMap = west >= 0 && east <= full;
    const firstTurn = isOnMap ? 0 : Math.ceil(-east / full);
    const lastTurn = isOnMap ? 0 : Math.floor((full - west) / full);
    for (let turn = firstTurn; turn <= lastTurn; turn++) {
      const shift = full / 2 + turn * full;
      for (let i = 1; i < ring.count; i++) {
        const x1 = ring.x(i - 1) + shift;
        const x2 = ring.x(i) + shift;
        if (!isOnMap && ((x1 < 0 && x2 < 0) || (x1 > full && x2 > full))) continue;
        visit(this.edges, x1, ring.y(i - 1) + full / 4, x2, ring.y(i) + full / 4);
      }
    }
    for (let i = 1; i < ring.count; i++) {
      const x = ring.x(i) + full / 2;
      if (x === ring.x(i - 1) + full / 2 && x % full === 0)
        visit(this.meridian, 0, ring.y(i - 1) + full / 4, 0, ring.y(i) + full / 4);
    }
  }

  /**
   * Does an edge of `edges` count, where each is to count once? Those along 180 degrees are in `meridian`, those beyond
   * one side of the map also reach over the other, and at a pole there is a point.
   */
  isCounted(edge: number): boolean {
    const { full } = this.grid;
    const [x1, x2] = [this.edges.x(edge), this.edges.x(edge + 1)];
    if (x1 === x2 && (x1 === 0 || x1 === full)) return false;
    const west = Math.min(x1, x2);
    if (west < 0 || west >= full) return false;
    const y = this.edges.y(edge);
    return y !== this.edges.y(edge + 1) || (y !== 0 && y !== full / 2);
  }
}
