// GDAL's own reading of a layer, to compare releases and answers with.
import { gdal } from '../../../generator/gdal/gdal.ts';

/** A feature as GDAL itself reads it: in fid order, WGS 84, fields by name. */
export interface ReadFeature {
  fid: number;
  fields: Record<string, unknown>;
  /** GeoJSON geometry at full precision, as GDAL orders its rings; null where there is none. */
  geometry: { type: string; coordinates?: unknown; geometries?: unknown } | null;
}

/** GDAL's reading of one layer. */
export function readLayer(file: string, layerName: string): ReadFeature[] {
  const dataset = gdal.open(file);
  const features = dataset.layers.get(layerName).features.map((feature): ReadFeature => {
    const geometry = feature.getGeometry();
    const isNothing = geometry === null || geometry.isEmpty();
    return {
      fid: feature.fid,
      fields: feature.fields.toObject(),
      geometry: isNothing ? null : JSON.parse(geometry.toJSON()),
    };
  });
  dataset.close();
  return features.sort((a, b) => a.fid - b.fid);
}
