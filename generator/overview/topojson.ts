// The overview as TopoJSON: integers from the western and southern edge, arcs as differences.
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { NamedUnit } from '../../format/names.ts';
import { overviewProperties } from '../../format/overview.ts';
import type { Simplified } from './simplify.ts';
import type { Grid, Shape } from './topology.ts';

/** The units of a level in order of fid. */
export interface OverviewLevel {
  level: Level;
  units: readonly NamedUnit[];
}

/**
 * The text of the overview.
 * @param levels in the order of `simplified.shapes`
 * @param scale scaled degrees of a degree
 */
export function overviewToJson(
  levels: readonly OverviewLevel[],
  { arcs, shapes }: Simplified,
  grid: Grid,
  scale: number,
): string {
  const objects = levels.map(({ level, units }, at) => {
    const ofLevel = elementAt(shapes, at);
    const geometries = units.map((unit) => ({
      ...geometryOf(ofLevel.get(unit.fid)),
      id: unit.fid,
      properties: overviewProperties(unit, at === 0),
    }));
    return [levelName(level), { type: 'GeometryCollection', geometries }] as const;
  });
  const { origin, ...place } = placeOf(grid, scale);
  const topology = {
    type: 'Topology',
    ...(arcs.length === 0 ? {} : place),
    objects: Object.fromEntries(objects),
    arcs: arcs.map((arc) => differences(arc, origin)),
  };
  return `${JSON.stringify(topology)}\n`;
}

function geometryOf(shape: Shape | undefined) {
  if (shape === undefined) return { type: null };
  const [only] = shape;
  return shape.length === 1 ? { type: 'Polygon', arcs: only } : { type: 'MultiPolygon', arcs: shape };
}

/** The place of the grid in degrees: its edges are exactly those of the extent, so that no unit crosses ±180. */
function placeOf({ cell, extent }: Grid, scale: number) {
  const [west, south, east, north] = extent;
  const [left, bottom, right, top] = extent.map((edge) => Math.floor(edge / cell)) as typeof extent;
  const size = (from: number, to: number, cells: number): number => (cells === 0 ? cell : (to - from) / cells) / scale;
  return {
    bbox: extent.map((edge) => edge / scale),
    transform: {
      scale: [size(west, east, right - left), size(south, north, top - bottom)],
      translate: [west / scale, south / scale],
    },
    origin: [left, bottom] as const,
  };
}

function differences(arc: Simplified['arcs'][number], origin: readonly [number, number]): number[][] {
  let [x0, y0] = origin;
  return arc.map(([x, y]) => {
    const difference = [x - x0, y - y0];
    [x0, y0] = [x, y];
    return difference;
  });
}
