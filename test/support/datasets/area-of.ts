// The area of a Feature's polygons in square degrees, by GDAL.
import { gdal } from '../../../generator/gdal/gdal.ts';

/** 0 for what is no polygon. */
export function areaOf({ geometry }: { geometry: object | null }): number {
  const read = geometry === null ? null : gdal.Geometry.fromGeoJson(geometry);
  return read instanceof gdal.MultiPolygon || read instanceof gdal.Polygon ? read.getArea() : 0;
}
