// Joins the polygons of the levels in the overview into one topology: arcs that neighbours and both levels share. The
// only file that knows the package topojson-server.
import { topology } from 'topojson-server';
import type { ArcIndexes, GeometryCollection, GeometryObject, Properties } from 'topojson-specification';
import { closedRing, type OpenPolygon } from '../shapes/assemble-polygons.ts';

/**
 * A unit's polygons; each is its rings, exterior first; each ring the indexes of its arcs, `~i` for arc i backwards.
 */
export type Shape = readonly (readonly ArcIndexes[])[];

/** The shapes of both levels with their common arcs. */
export interface SharedShapes {
  arcs: readonly (readonly number[])[][];
  /** For each level the shapes in order of position; a unit without polygons has an empty one. */
  shapes: readonly (readonly Shape[])[];
}

type Geometry = GeometryObject<Properties>;

/** Joins levels. @param levels for each level the polygons of its units in order of position */
export function joinLevels(levels: readonly (readonly OpenPolygon[][])[]): SharedShapes {
  const objects = Object.fromEntries(
    levels.map((units, at) => {
      const geometries = units.map((polygons) => ({
        type: 'MultiPolygon' as const,
        coordinates: polygons.map((polygon) => polygon.map(closedRing)),
      }));
      return [String(at), { type: 'GeometryCollection' as const, geometries }];
    }),
  );
  const joined = topology(objects);
  return {
    arcs: joined.arcs,
    shapes: levels.map((_, at) => collectionIn(joined.objects, String(at)).geometries.map(shapeOf)),
  };
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
