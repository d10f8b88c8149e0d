// The box of a unit. Used where the map is moved to units, and by map/features.js.
import { inOnePiece } from './antimeridian.js';
import { boxOfGeometry, widthOf } from './box.js';

/**
 * @typedef {{ bbox?: import('geojson').BBox | undefined, geometry: import('geojson').Geometry | null }} Shape
 */

/** Units whose box spans more degrees are perhaps cut at the antimeridian. */
const CUT_DEGREES = 180;

/**
 * The box of a unit: its bbox, or that of its geometry in one piece where the bbox spans more than half the globe.
 * @param {Shape} unit
 * @returns {import('./box.js').Box | undefined} undefined where there is no geometry
 */
export function boxOf(unit) {
  const { bbox, geometry } = unit;
  if (isAreal(geometry) && isWide(unit)) return boxOfGeometry(inOnePiece(geometry).geometry);
  return bbox?.length === 4 ? bbox : boxOfGeometry(geometry);
}

/**
 * Whether a unit lies on both sides of the antimeridian, or spans more than half the globe.
 * @param {Shape} unit
 */
export function isWide({ bbox, geometry }) {
  const box = bbox?.length === 4 ? bbox : boxOfGeometry(geometry);
  return box !== undefined && (box[2] < box[0] || widthOf(box[0], box[2]) > CUT_DEGREES);
}

/**
 * @param {import('geojson').Geometry | null} geometry
 * @returns {geometry is import('geojson').Polygon | import('geojson').MultiPolygon}
 */
export function isAreal(geometry) {
  return geometry?.type === 'Polygon' || geometry?.type === 'MultiPolygon';
}
