// How well the polygons of a tile fit together: what overlaps, what is left open between them, what crosses itself.
// For the benchmark of tiles (../tiles.ts), which asks the tiles of several makers.
import { classifyRings, VectorTile } from '@mapbox/vector-tile';
import gdal from 'gdal-async';
import type { Position } from 'geojson';
import { PbfReader } from 'pbf';

const SIDES = gdal.Geometry.fromWKT('POLYGON ((0 0, 4096 0, 4096 4096, 0 4096, 0 0))');
/** A gap is narrower than twice this, in units of the grid of a tile. */
const REACH = 2;

/** Lengths and areas are in units of the grid of a tile, 4,096 along its side. */
export interface TileQuality {
  polygons: number;
  /** Not valid by GEOS. */
  invalid: number;
  /** Area that two units cover, and area between units that none covers. */
  overlap: number;
  gaps: number;
  /** Length of the borders that units have in common. */
  border: number;
}

/** Measures the polygons of a layer of a tile, without what lies in its buffer. @param tile not compressed */
export function tileQuality(tile: Uint8Array, layerName: string): TileQuality {
  const layer = new VectorTile(new PbfReader(tile)).layers[layerName];
  const quality: TileQuality = { polygons: 0, invalid: 0, overlap: 0, gaps: 0, border: 0 };
  const units: gdal.Geometry[] = [];
  for (let i = 0; i < (layer?.length ?? 0); i++) {
    const rings = layer?.feature(i).loadGeometry() ?? [];
    const parts = classifyRings(rings).map((part) => part.map((ring) => ring.map(({ x, y }): Position => [x, y])));
    const drawn = gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates: parts });
    const isValid = drawn.isValid();
    quality.polygons++;
    if (!isValid) quality.invalid++;
    const inside = (isValid ? drawn : drawn.makeValid()).intersection(SIDES);
    if (areaOf(inside) > 0) units.push(inside);
  }
  if (units.length === 0) return quality;
  const together = unionOf(units);
  quality.overlap = sum(units.map(areaOf)) - areaOf(together);
  quality.border = (sum(units.map(outlineOf)) - outlineOf(together)) / 2;
  // What closes when all units grow and shrink again, and not when one of them does by itself.
  const closed = closedOf(together).difference(together);
  if (areaOf(closed) > 0) quality.gaps = areaOf(closed.difference(unionOf(units.map(closedOf))));
  return quality;
}

function closedOf(shape: gdal.Geometry): gdal.Geometry {
  return shape.buffer(REACH, 4).buffer(-REACH, 4);
}

function unionOf(shapes: readonly gdal.Geometry[]): gdal.Geometry {
  const all = new gdal.MultiPolygon();
  for (const shape of shapes) for (const part of polygonsOf(shape)) all.children.add(part);
  return all.unionCascaded();
}

/** The polygons of a geometry; points and lines that an intersection left are none. */
function polygonsOf(shape: gdal.Geometry): gdal.Polygon[] {
  if (shape instanceof gdal.Polygon) return shape.isEmpty() ? [] : [shape];
  const parts: gdal.Polygon[] = [];
  if (shape instanceof gdal.GeometryCollection)
    for (let i = 0; i < shape.children.count(); i++) parts.push(...polygonsOf(shape.children.get(i)));
  return parts;
}

function areaOf(shape: gdal.Geometry): number {
  return sum(polygonsOf(shape).map((part) => part.getArea()));
}

function outlineOf(shape: gdal.Geometry): number {
  return sum(polygonsOf(shape).flatMap((part) => part.rings.map((ring) => ring.getLength())));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
