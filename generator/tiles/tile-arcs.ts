// The arcs of all levels in Web Mercator, from which tiles are cut: on one grid, that of the deepest zoom, so that what
// units share is one arc of all of them, and each point weighed once.
import { i32At } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';
import { weighPoints } from '../simplify/simplify-arcs.ts';
import type { Arcs } from '../topology/arcs.ts';
import type { FlatRings, RingsByUnit } from '../topology/level-rings.ts';
import { type SharedArcs, shareArcs } from '../topology/shared-arcs.ts';

/** Units along a side of a tile. */
export const TILE_EXTENT = 4096;
/** The latitude at which the square map ends, in degrees: atan(sinh(pi)). */
export const MERCATOR_LATITUDE = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI;

/** Longitude, in degrees, as a share of the map from the west. */
export function mercatorX(longitude: number): number {
  return longitude / 360 + 0.5;
}

/** The nearest latitude that the map has. */
export function latitudeOnMap(latitude: number): number {
  return Math.min(Math.max(latitude, -MERCATOR_LATITUDE), MERCATOR_LATITUDE);
}

/** Latitude, in degrees up to that of the edge, as a share of the map from the north. */
export function mercatorY(latitude: number): number {
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / (2 * Math.PI);
}

/**
 * Makes a function that projects rings to the grid of a zoom, y from north to south; cut at the latitude at which the
 * map ends. Rings keep their order, so exteriors, which run counter-clockwise on the globe, have a negative area here.
 * @returns a function whose result is valid until it is called again
 */
function newProjection(zoom: number): (rings: FlatRings) => FlatRings {
  const side = TILE_EXTENT * 2 ** zoom;
  const x = new NumberList(Int32Array);
  const y = new NumberList(Int32Array);
  const put = (longitude: number, latitude: number): void => {
    x.push(Math.round(mercatorX(longitude) * side));
    const isBeyond = Math.abs(latitude) >= MERCATOR_LATITUDE;
    y.push(isBeyond ? (latitude > 0 ? 0 : side) : Math.round(mercatorY(latitude) * side));
  };
  return (rings) => {
    const { scale } = rings;
    const ringEnds = new Int32Array(rings.ringEnds.length);
    [x.length, y.length] = [0, 0];
    for (let ring = 0, begin = 0; ring < ringEnds.length; ring++) {
      const end = i32At(rings.ringEnds, ring);
      for (let i = begin; i < end; i++) {
        const before = i === begin ? end - 1 : i - 1;
        const from = { x: i32At(rings.x, before) / scale, y: i32At(rings.y, before) / scale };
        const to = { x: i32At(rings.x, i) / scale, y: i32At(rings.y, i) / scale };
        for (const edge of [MERCATOR_LATITUDE, -MERCATOR_LATITUDE])
          if (from.y > edge !== to.y > edge) put(longitudeAt(edge, from, to), edge);
        put(to.x, to.y);
      }
      ringEnds[ring] = x.length;
      begin = end;
    }
    return { ...rings, scale: 1, x: x.values(), y: y.values(), ringEnds };
  };
}

/** Where an edge crosses a latitude: the same whichever way it runs. */
function longitudeAt(latitude: number, a: { x: number; y: number }, b: { x: number; y: number }): number {
  const [low, high] = a.y < b.y ? [a, b] : [b, a];
  return low.x + ((latitude - low.y) / (high.y - low.y)) * (high.x - low.x);
}

/** Divides the borders of levels into arcs, on the grid of a zoom. */
export function shareTileArcs(levels: readonly RingsByUnit[], zoom: number): SharedArcs {
  const project = newProjection(zoom);
  return shareArcs(
    levels.map((level) => ({
      *all() {
        for (const unit of level.all()) yield project(unit);
      },
    })),
    1,
  );
}

/**
 * The weight of each point: its effective area, in square units of the grid, which is at least that of any point that
 * went before it (Visvalingam and Whyatt 1993). So what has a greater weight than a limit is what simplification with
 * that limit leaves. Ends of arcs, and corners at the edge of the map, weigh infinitely.
 */
export function weighTileArcs(arcs: SharedArcs, zoom: number): Float64Array {
  const side = TILE_EXTENT * 2 ** zoom;
  const isAtEdge = (place: number): boolean => place === 0 || place === side;
  return weighPoints(arcs, 1, new Float64Array(arcs.points.length), (area, column, row) =>
    isAtEdge(column) || isAtEdge(row) ? Infinity : area / 2,
  );
}

/** The arcs with the place of each point. */
export function placedArcs({ x, y, points, arcEnds }: SharedArcs): Arcs {
  const [xs, ys] = [new Int32Array(points.length), new Int32Array(points.length)];
  for (let i = 0; i < points.length; i++) {
    xs[i] = i32At(x, i32At(points, i));
    ys[i] = i32At(y, i32At(points, i));
  }
  return { x: xs, y: ys, arcEnds };
}
