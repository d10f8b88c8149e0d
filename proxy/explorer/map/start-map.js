// Starts MapLibre GL with the sources of the explorer. Used by map.js. The library is loaded here and not before:
// meanwhile the page asks for its data.
import { SOURCES } from './style/layers.js';
import { ZoomButtons } from './zoom-buttons.js';

/**
 * What is shown of the world: cut in the Bering Strait, without the poles.
 * @type {import('./geometry/box.js').Box}
 */
export const WORLD = [-169, -58, 191, 78];
const ZOOM_MIN = -1.5;
const ZOOM_MAX = 17;
/** Tiles of a source are made up to this zoom, at which a step of their grid is 1 m. */
const TILE_ZOOM_MAX = 12;
/** In pixels of a tile of 512: nothing that is drawn is wider. */
const TILE_BUFFER = 16;
const TILE_PIXELS = 512;
/** Without the version that the library adds to it: index.html preloads this address. */
const WORKER = new URL('../lib/maplibre-gl-worker.mjs', import.meta.url);
/** The scale bar is at most so long. */
const SCALE_PIXELS = 90;

/**
 * @param {HTMLElement} container
 * @returns {Promise<import('maplibre-gl').Map>} when its sources are there
 * @throws {Error} without WebGL 2
 */
export async function startMap(container) {
  const library = await import('../lib/maplibre-gl.mjs');
  library.setWorkerUrl(WORKER.href);
  const map = makeMap(library, container);
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new ZoomButtons(), 'top-right');
  map.addControl(new library.ScaleControl({ maxWidth: SCALE_PIXELS }), 'bottom-left');
  await map.once('style.load');
  return map;
}

/** @typedef {typeof import('../lib/maplibre-gl.mjs')} Library */

/**
 * @param {Library} library
 * @param {HTMLElement} container
 */
function makeMap(library, container) {
  try {
    return new library.Map({
      container,
      style: { version: 8, sources: sourcesOf(), layers: [] },
      bounds: WORLD,
      minZoom: ZOOM_MIN,
      maxZoom: ZOOM_MAX,
      maxPitch: 0,
      dragRotate: false,
      touchPitch: false,
      attributionControl: false,
      transformConstrain: (center, zoom) => constrain(library, center, zoom, container.clientHeight),
      // Glyphs of all scripts come from the same fonts.
      localIdeographFontFamily: false,
      fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200,
      locale: { 'Map.Title': 'Map: arrow keys move it, plus and minus zoom' },
    });
  } catch (cause) {
    throw new Error('There is no map: this browser has no WebGL 2, or has it switched off.', { cause });
  }
}

/** @returns {Record<string, import('maplibre-gl').GeoJSONSourceSpecification>} */
function sourcesOf() {
  return Object.fromEntries(
    SOURCES.map((id) => [
      id,
      {
        type: 'geojson',
        data: { type: 'FeatureCollection', features: [] },
        promoteId: 'key',
        buffer: TILE_BUFFER,
        maxzoom: TILE_ZOOM_MAX,
      },
    ]),
  );
}

/**
 * Keeps the world in sight. The library's own rule has the world fill the height of the map: on a phone, half of it
 * would be out of sight.
 * @param {Library} library
 * @param {import('maplibre-gl').LngLat} center
 * @param {number} zoom
 * @param {number} height of the map in pixels
 */
function constrain({ MercatorCoordinate }, center, zoom, height) {
  const allowed = Math.min(Math.max(zoom, ZOOM_MIN), ZOOM_MAX);
  const half = height / 2 / (TILE_PIXELS * 2 ** allowed);
  const { x, y, z } = MercatorCoordinate.fromLngLat(center);
  const within = Math.min(Math.max(y, Math.min(half, 1 - half)), Math.max(half, 1 - half));
  return { center: within === y ? center : new MercatorCoordinate(x, within, z).toLngLat(), zoom: allowed };
}
