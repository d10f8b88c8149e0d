// Projects rings to a cylinder of equal areas (Lambert), in metres of the sphere: shapes are other ones, areas are not.
import { elementAt } from '../../format/element-at.ts';
import { SPHERE_METRES } from '../../format/neighbours.ts';
import type { OpenRing } from './open-rings.ts';

/** Edges are divided so that none has more degrees of latitude: then it leaves the straight line by 3 m at most. */
const LONGEST_DEGREES = 0.1;

/** A ring of degrees in metres, divided where an edge is long. */
export function toEqualArea(ring: OpenRing): number[] {
  const result: number[] = [];
  eachEdge(ring, (x1, y1, x2, y2) => {
    const pieces = x1 === x2 || y1 === y2 ? 1 : Math.ceil(Math.abs(y2 - y1) / LONGEST_DEGREES);
    for (let i = 0; i < pieces; i++)
      result.push(
        SPHERE_METRES * radians(x1 + ((x2 - x1) * i) / pieces),
        SPHERE_METRES * Math.sin(radians(y1 + ((y2 - y1) * i) / pieces)),
      );
  });
  return result;
}

/** Calls a function with each edge of a ring. */
export function eachEdge(ring: OpenRing, use: (x1: number, y1: number, x2: number, y2: number) => void): void {
  for (let i = 0; i < ring.length; i += 2) {
    const next = (i + 2) % ring.length;
    use(elementAt(ring, i), elementAt(ring, i + 1), elementAt(ring, next), elementAt(ring, next + 1));
  }
}

export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
