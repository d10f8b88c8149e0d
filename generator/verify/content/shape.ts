// The area of a published geometry, as far as the overview depends on it.
type Geometry = Readonly<Record<string, unknown>> | null;

/** Area in square degrees from which a unit must have a shape: a build rounds coordinates before it computes areas. */
const AREA_MIN = 1e-9;

/** Has the geometry a polygon? */
export function mayHaveShape(geometry: Geometry): boolean {
  return exteriorRings(geometry).length > 0;
}

/** Has the geometry a polygon with an area that is certainly more than none? */
export function mustHaveShape(geometry: Geometry): boolean {
  return exteriorRings(geometry).some((ring) => areaOf(ring) > AREA_MIN);
}

function exteriorRings(geometry: unknown): unknown[][] {
  if (typeof geometry !== 'object' || geometry === null || !('type' in geometry)) return [];
  const { type } = geometry;
  if (type === 'GeometryCollection' && 'geometries' in geometry)
    return listOf(geometry.geometries).flatMap(exteriorRings);
  if (!('coordinates' in geometry)) return [];
  const polygons =
    type === 'Polygon' ? [geometry.coordinates] : listOf(type === 'MultiPolygon' && geometry.coordinates);
  return polygons.map((polygon) => listOf(listOf(polygon)[0])).filter((ring) => ring.length > 0);
}

/** The area of a closed ring in square degrees. */
function areaOf(ring: readonly unknown[]): number {
  const positions = ring.map((position) => listOf(position).map(Number));
  const [x0 = NaN, y0 = NaN] = positions[0] ?? [];
  let area = 0;
  for (const [i, [x2 = NaN, y2 = NaN]] of positions.entries()) {
    const [x1 = NaN, y1 = NaN] = positions[Math.max(0, i - 1)] ?? [];
    area += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  }
  return Math.abs(area) / 2;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
