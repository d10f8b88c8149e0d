// The caps of pages: how many features one has at most. The generator divides listings by them; the proxy answers
// requests by them.
import type { Format, Geometry, Level } from './levels.ts';

/** Maximum features on a page, by format and level; every stored page but the last of a listing has that many. */
export const PAGE_CAPS: Readonly<Record<Format, readonly [number, number, number, number, number, number]>> = {
  geojsonl: [20, 20, 50, 50, 100, 100],
  fc: [5, 5, 20, 20, 50, 50],
};

/**
 * Maximum features on a page with a light geometry, at every level and in both formats; pages with these are not
 * stored.
 */
export const LIGHT_CAPS: Readonly<Partial<Record<Geometry, number>>> = { low: 100, point: 1000, none: 1000 };

/** Maximum features on a page. */
export function pageCap(format: Format, level: Level, geometry: Geometry): number {
  return LIGHT_CAPS[geometry] ?? PAGE_CAPS[format][level];
}
