// A geometry as WKB from its text: points, lines and collections, of which a build keeps no rings.
import { geojsonToWkb } from 'hyparquet-writer';
import type { WkbGeometry } from '../geojson/polygons-wkb.ts';
import { type Box, grow, newBox } from '../rings/bbox.ts';

/** A geometry from its text. */
export function geometryFromText(text: string): WkbGeometry {
  const geometry: GeoJSON.Geometry = JSON.parse(text);
  const range = newBox();
  growBy(range, geometry);
  return { wkb: geojsonToWkb(geometry), type: geometry.type, range };
}

function growBy(range: Box, geometry: GeoJSON.Geometry): void {
  if (geometry.type === 'GeometryCollection') for (const member of geometry.geometries) growBy(range, member);
  else growByEach(range, geometry.coordinates);
}

type Nested = GeoJSON.Position | readonly Nested[];

function growByEach(range: Box, nested: Nested): void {
  const [x, y] = nested;
  if (typeof x === 'number' && typeof y === 'number') grow(range, x, y);
  else for (const member of nested) if (typeof member === 'object') growByEach(range, member);
}
