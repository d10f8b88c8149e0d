// Starts MapLibre GL, without any layer. The library is loaded here and not before: meanwhile the page asks for its
// data.
import type { Map as LibraryMap, LngLat, Marker } from 'maplibre-gl';
import type { Box } from './geometry/box.ts';
import { NOTHING } from './style.ts';

/** What is shown of the world: cut in the Bering Strait, without the poles. */
export const WORLD: Box = [-169, -58, 191, 78];
const ZOOM_MIN = -1.5;
const ZOOM_MAX = 17;
const TILE_PIXELS = 512;
/** Without the version that the library adds to it: index.html preloads this address. */
const WORKER = new URL('../lib/maplibre-gl-worker.mjs', import.meta.url);
/** The scale bar is at most so long. */
const SCALE_PIXELS = 90;

/**
 * @param headersFor its requests
 * @param isFramed does it leave one finger and the wheel to the page around it?
 * @returns the marker is not on it
 * @throws Error without WebGL 2
 */
export async function startMap(
  container: HTMLElement,
  headersFor: (url: string) => Record<string, string>,
  isFramed = false,
): Promise<{ map: LibraryMap; marker: Marker }> {
  const library = await import('../lib/maplibre-gl.mjs');
  library.setWorkerUrl(WORKER.href);
  const map = makeMap(library, container, headersFor, isFramed);
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new library.NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new library.ScaleControl({ maxWidth: SCALE_PIXELS }), 'bottom-left');
  await map.once('style.load');
  const element = document.createElement('div');
  element.className = 'map-mark';
  element.setAttribute('aria-hidden', 'true');
  return { map, marker: new library.Marker({ element }) };
}

type Library = typeof import('../lib/maplibre-gl.mjs');

function makeMap(
  library: Library,
  container: HTMLElement,
  headersFor: (url: string) => Record<string, string>,
  isFramed: boolean,
) {
  const state = Object.fromEntries(Object.entries(NOTHING).map(([name, value]) => [name, { default: value }]));
  try {
    return new library.Map({
      container,
      style: { version: 8, sources: {}, layers: [], state },
      transformRequest: (url) => ({ url, headers: headersFor(url) }),
      bounds: WORLD,
      minZoom: ZOOM_MIN,
      maxZoom: ZOOM_MAX,
      maxPitch: 0,
      dragRotate: false,
      touchPitch: false,
      cooperativeGestures: isFramed,
      attributionControl: false,
      transformConstrain: (center, zoom) => constrain(library, center, zoom, container.clientHeight),
      // Glyphs of all scripts come from the same fonts.
      localIdeographFontFamily: false,
      fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200,
      locale: { 'Map.Title': 'Map: arrow keys move it, plus and minus zoom' },
    });
  } catch (cause) {
    throw new Error('The map needs WebGL 2. This browser does not have it, or it is switched off.', { cause });
  }
}

/**
 * Keeps the world in sight. The library's own rule has the world fill the height of the map: on a phone, half of it
 * would be out of sight.
 * @param height of the map in pixels
 */
function constrain({ MercatorCoordinate }: Library, center: LngLat, zoom: number, height: number) {
  const allowed = Math.min(Math.max(zoom, ZOOM_MIN), ZOOM_MAX);
  const half = height / 2 / (TILE_PIXELS * 2 ** allowed);
  const { x, y, z } = MercatorCoordinate.fromLngLat(center);
  const within = Math.min(Math.max(y, Math.min(half, 1 - half)), Math.max(half, 1 - half));
  return { center: within === y ? center : new MercatorCoordinate(x, within, z).toLngLat(), zoom: allowed };
}
