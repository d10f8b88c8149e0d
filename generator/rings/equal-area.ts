// Projects rings to a cylinder of equal areas (Lambert), in metres of the sphere: shapes are other ones, areas are not.
import { SPHERE_METRES } from '../../format/neighbours.ts';
import { eachEdge, type OpenRing } from './open-rings.ts';

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

export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
