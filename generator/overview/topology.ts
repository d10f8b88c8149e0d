// Joins the rings of the levels in the overview into one topology: arcs that neighbours and both levels share, each point with the
// weight that simplification gives it (Visvalingam). The only file that knows the topojson packages.
import { topology } from 'topojson-server';
import { presimplify } from 'topojson-simplify';
import type { ArcIndexes, GeometryCollection, GeometryObject, Properties } from 'topojson-specification';
import { elementAt, numberAt } from '../../format/element-at.ts';
import type { CoarseLevel } from './coarse-rings.ts';

/** A point of an arc: cell x and y, and its weight, the area of its triangle in cells; infinite for one that stays. */
export type WeightedPoint = [x: number, y: number, weight: number];

/** A unit's polygons; each is its rings, exterior first; each ring the indexes of its arcs, `~i` for arc i backwards. */
export type Shape = readonly (readonly ArcIndexes[])[];

/** The shapes of both levels with their common arcs. */
export interface SharedArcs {
  arcs: WeightedPoint[][];
  /** For each level the shapes by fid; a unit without area has none. */
  shapes: readonly ReadonlyMap<number, Shape>[];
}

/** Cells of the grid from its western and southern edge. */
export interface Grid {
  cell: number;
  extent: CoarseLevel['extent'];
}

type Ring = [number, number][];

type Geometry = GeometryObject<Properties>;

/** Joins levels whose cells have the same size. */
export function joinLevels(levels: readonly CoarseLevel[], grid: Grid): SharedArcs {
  const rings = levels.map((level) => polygonsOf(level, grid));
  const objects = Object.fromEntries(
    rings.map((units, at): [string, GeometryCollectionInput] => [
      String(at),
      {
        type: 'GeometryCollection',
        geometries: [...units.values()].map((coordinates) => ({ type: 'MultiPolygon', coordinates })),
      },
    ]),
  );
  const joined = topology(objects);
  const { arcs } = presimplify({ type: 'Topology', arcs: joined.arcs, objects: {} });
  return {
    arcs: arcs.map((arc) => arc.map(([x = NaN, y = NaN, weight = NaN]): WeightedPoint => [x, y, weight])),
    shapes: rings.map((units, at) => {
      const { geometries } = collectionIn(joined.objects, String(at));
      return new Map(Array.from(units.keys(), (fid, i) => [fid, shapeOf(elementAt(geometries, i))]));
    }),
  };
}

interface GeometryCollectionInput {
  type: 'GeometryCollection';
  geometries: { type: 'MultiPolygon'; coordinates: Ring[][] }[];
}

function collectionIn(objects: Readonly<Record<string, Geometry>>, name: string): GeometryCollection<Properties> {
  const object = objects[name];
  if (object?.type !== 'GeometryCollection') throw new Error(`the topology has no collection ${name}`);
  return object;
}

function shapeOf(geometry: Geometry): Shape {
  if (geometry.type !== 'MultiPolygon') throw new Error(`the topology has a ${geometry.type}, expected a MultiPolygon`);
  return geometry.arcs;
}

/** The polygons of each unit with area, by fid in ascending order; one whose rings are all too small gets a cell. */
function polygonsOf({ cells, rings, units, cell }: CoarseLevel, grid: Grid): Map<number, Ring[][]> {
  const polygons = new Map<number, Ring[][]>();
  let ring = 0;
  let begin = 0;
  for (const { fid, end, centre } of units) {
    const own: Ring[][] = [];
    let isExteriorLost = false;
    for (; ring < end; ring++) {
      const { end: stop, isHole } = elementAt(rings, ring);
      const closed = closedRing(cells, begin, stop);
      begin = stop;
      const hasArea = signedArea(closed) !== 0;
      if (!isHole) isExteriorLost = !hasArea;
      if (!hasArea || isExteriorLost) continue;
      if (isHole) own.at(-1)?.push(closed);
      else own.push([closed]);
    }
    if (own.length === 0 && centre !== undefined) own.push([cellAround(centre, cell, grid)]);
    if (own.length > 0) polygons.set(fid, own);
  }
  return new Map([...polygons].sort(([a], [b]) => a - b));
}

function closedRing(cells: readonly number[], begin: number, end: number): Ring {
  const ring: Ring = [];
  for (let i = begin; i < end; i += 2) ring.push([numberAt(cells, i), numberAt(cells, i + 1)]);
  ring.push([numberAt(cells, begin), numberAt(cells, begin + 1)]);
  return ring;
}

/** The cell at a centre, or the next one inside the grid. */
function cellAround([x, y]: [number, number], cell: number, { extent: [west, south, east, north] }: Grid): Ring {
  const inside = (at: number, low: number, high: number): number =>
    Math.max(Math.floor(low / cell), Math.min(Math.floor(at / cell), Math.floor(high / cell) - 1));
  const left = inside(x, west, east);
  const bottom = inside(y, south, north);
  return [
    [left, bottom],
    [left + 1, bottom],
    [left + 1, bottom + 1],
    [left, bottom + 1],
    [left, bottom],
  ];
}

/** Twice the signed area of a closed ring, in cells. */
export function signedArea(ring: readonly (readonly [number, number, ...number[]])[]): number {
  const [x0, y0] = elementAt(ring, 0);
  let area = 0;
  for (let i = 1; i < ring.length; i++) {
    const [x1, y1] = elementAt(ring, i - 1);
    const [x2, y2] = elementAt(ring, i);
    area += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  }
  return area;
}
