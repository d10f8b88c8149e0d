// Collects the polygons of one unit after the other from their rings, and asks whether they are valid: for the dry run
// while a level is read, and for the task that counts the invalid units of a level.
import { isValid } from '../gdal/valid-polygons.ts';
import type { RingSink } from '../rings/coordinates.ts';

/** The polygons of a unit. */
export class UnitPolygons implements RingSink {
  #polygons: number[][][] = [];

  ring(...[positions, isHole]: Parameters<RingSink['ring']>): void {
    const ring: number[] = [];
    for (let i = 0; i < positions.count - 1; i++) ring.push(positions.x(i), positions.y(i));
    if (isHole) this.#polygons.at(-1)?.push(ring);
    else this.#polygons.push([ring]);
  }

  /** Are the polygons since the last call valid? */
  areValid(): boolean {
    const polygons = this.#polygons;
    this.#polygons = [];
    return polygons.length === 0 || isValid(polygons);
  }
}
