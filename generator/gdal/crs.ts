// Coordinate reference systems (CRS): the one that a layer states, one by its code, and the way to WGS 84.
import type * as gdalTypes from 'gdal-async';
import { BuildError } from '../report/errors.ts';
import { gdal } from './gdal.ts';
import { gdalResult } from './open-dataset.ts';

/** GDAL's option for the order of axes of a new CRS (GDAL 3.5 and later). */
const AXIS_ORDER = 'OSR_DEFAULT_AXIS_MAPPING_STRATEGY';

/**
 * The CRS of a code such as `EPSG:4301`, longitude or easting first whatever its authority says: drivers return
 * coordinates in that order.
 * @throws BuildError if GDAL does not know it
 */
export function crsFrom(code: string): gdalTypes.SpatialReference {
  gdal.config.set(AXIS_ORDER, 'TRADITIONAL_GIS_ORDER');
  try {
    return gdalResult(
      () => gdal.SpatialReference.fromUserInput(code),
      (reason) => new BuildError(`${code}: GDAL knows no such CRS: ${reason}`, 'find its code at https://epsg.org'),
    );
  } finally {
    gdal.config.set(AXIS_ORDER, null);
  }
}

/** What is published. OGC:CRS84 is the same, but PROJ knows fewer ways to it: NAD83 would come out 0.9 m away. */
export const WGS84 = 'EPSG:4326';
const TARGET = crsFrom(WGS84);

/** What GeoPackages declare where nothing is known. */
const UNDEFINED = /^Undefined (geographic|Cartesian) SRS$/i;

/** The CRS that a layer states; undefined if it states none, or one that has no place on the Earth. */
export function statedCrs({ srs }: gdalTypes.Layer): gdalTypes.SpatialReference | undefined {
  return srs === null || srs.isLocal() || UNDEFINED.test(titleOf(srs)) ? undefined : srs;
}

/** The code of a CRS, or its name if it has none. */
export function crsName(srs: gdalTypes.SpatialReference): string {
  const [authority, code] = [srs.getAuthorityName(null), srs.getAuthorityCode(null)];
  return authority && code ? `${authority}:${code}` : titleOf(srs);
}

function titleOf(srs: gdalTypes.SpatialReference): string {
  return /^\w+\["([^"]*)"/.exec(srs.toWKT())?.[1] ?? 'unnamed';
}

/** Is it WGS 84 itself, in degrees? */
export function isWgs84(srs: gdalTypes.SpatialReference): boolean {
  return srs.isGeographic() && isOnWgs84(srs);
}

/** Are its coordinates on the datum of WGS 84, so that only a projection has to be undone? */
export function isOnWgs84(srs: gdalTypes.SpatialReference): boolean {
  return srs.isSameGeogCS(TARGET);
}

/** Transforms coordinates to WGS 84, longitude first. */
export function toWgs84(srs: gdalTypes.SpatialReference): gdalTypes.CoordinateTransformation {
  return new gdal.CoordinateTransformation(srs, TARGET);
}
