// Makes the polygons of an atlas valid (OGC 06-103r4): simplified rings of atlases cross and touch themselves.
import type { Position } from 'geojson';
import { gdal } from '../gdal/gdal.ts';
import { isValid } from '../gdal/valid-polygons.ts';
import { polygonsIn } from './antimeridian.ts';

/** What is made valid has new positions, which rounding may make invalid again: so often it is tried. */
const ATTEMPTS = 5;

type Polygons = readonly (readonly (readonly Position[])[])[];

/**
 * The same area, rounded, in polygons that are valid together; undefined if rounding leaves none.
 * @param polygons of closed rings
 * @param scale the decimals that positions are rounded to, as a power of ten
 * @param hasArea has a ring an area with these decimals?
 */
export function validPolygons(
  polygons: Polygons,
  scale: number,
  hasArea: (ring: readonly Position[]) => boolean,
): Polygons | undefined {
  const rounded = (all: Polygons): Polygons =>
    all.map((rings) =>
      rings.map((ring) => ring.map((position) => position.map((value) => Math.round(value * scale) / scale))),
    );
  const areValid = (all: Polygons): boolean =>
    isValid(all.map((rings) => rings.map((ring) => ring.slice(0, -1).flat())));
  const repaired = (all: Polygons): Polygons => {
    const geometry = gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates: all });
    const parts = rounded(polygonsIn(JSON.parse(geometry.makeValid().toJSON())));
    // Rounding takes the area of slivers.
    return parts.filter(([exterior = []]) => hasArea(exterior)).map((rings) => rings.filter(hasArea));
  };
  let made = rounded(polygons);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (areValid(made)) return made;
    // Each by itself first: together they take ten times as long.
    const each = made.flatMap((polygon) => (areValid([polygon]) ? [polygon] : repaired([polygon])));
    made = areValid(each) ? each : repaired(each);
  }
  return undefined;
}
