// Where the labels of a level's units are in tiles, which comes first where there is little room, and how much room a
// name has. Made with the geometry `point` (store-geometries.ts).
import { elementAt, f64At } from '../../format/element-at.ts';
import { type FlatRings, unitPolygons } from '../topology/level-rings.ts';
import { type LabelPoint, shareOfGlobe, widthAround } from './label-point.ts';

/** The labels of a level, by position. Plain data. */
export interface LabelPlaces {
  /** Longitude and latitude in degrees; NaN for a unit without area. */
  longitude: Float64Array;
  latitude: Float64Array;
  /** Its rank by area, the largest first. */
  rank: Uint32Array;
  /** How wide a text may be that stays inside, in degrees of longitude. */
  width: Float64Array;
}

/** Pixels of a letter of a label, about: of 512 along a tile. */
const LETTER_PIXELS = 7;
const TILE_PIXELS = 512;
/** Nobody zooms in further. */
const LABEL_ZOOM_MAX = 24;

/** Collects the labels of a level. @param scale of its rings, in scaled degrees of a degree */
export function newLabels(units: number, scale: number) {
  const [longitude, latitude] = [new Float64Array(units).fill(NaN), new Float64Array(units).fill(NaN)];
  const [area, width] = [new Float64Array(units), new Float64Array(units)];
  return {
    /** @param point undefined for a unit without area */
    add(position: number, unit: FlatRings, point: LabelPoint | undefined): void {
      if (point === undefined) return;
      const polygons = unitPolygons(unit);
      longitude[position] = point[0] / scale;
      latitude[position] = point[1] / scale;
      area[position] = shareOfGlobe(polygons, scale);
      width[position] = widthAround(polygons, point) / scale;
    },
    end(): LabelPlaces {
      const order = Array.from(area.keys()).sort((a, b) => f64At(area, b) - f64At(area, a) || a - b);
      const rank = new Uint32Array(units);
      for (const [number, position] of order.entries()) rank[position] = number;
      return { longitude, latitude, rank, width };
    },
  };
}

/** The first zoom at which a name fits into its unit. */
export function labelZoom({ width }: LabelPlaces, position: number, name: string): number {
  const pixels = LETTER_PIXELS * [...name].length;
  const atZoom0 = (elementAt(width, position) / 360) * TILE_PIXELS;
  let zoom = 0;
  while (zoom < LABEL_ZOOM_MAX && atZoom0 * 2 ** zoom < pixels) zoom++;
  return zoom;
}
