// The box that the list is limited to, as a dashed line on the map.
import { addInOrder } from './style.js';

/** @typedef {import('./geometry/box.js').Box} Box */

const SOURCE = 'asked-box';
const TURN = 360;

/**
 * @param {import('maplibre-gl').Map} map
 * @param {import('./palette.js').Palette} palette
 */
export function addAskedBox(map, { chosen }) {
  if (map.getSource(SOURCE) === undefined) map.addSource(SOURCE, { type: 'geojson', data: outlineOf(undefined) });
  const paint = { 'line-color': chosen, 'line-width': 1.5, 'line-dasharray': [4, 3] };
  addInOrder(map, { id: SOURCE, source: SOURCE, type: 'line', paint });
}

/**
 * @param {import('maplibre-gl').Map} map
 * @param {Box | undefined} box undefined for none
 */
export function showAskedBox(map, box) {
  const source = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (map.getSource(SOURCE));
  void source?.setData(outlineOf(box));
}

/**
 * @param {Box | undefined} box
 * @returns {import('geojson').MultiLineString}
 */
function outlineOf(box) {
  if (box === undefined) return { type: 'MultiLineString', coordinates: [] };
  const [west, south, east, north] = box;
  const end = east < west ? east + TURN : east;
  const ring = [
    [west, south],
    [end, south],
    [end, north],
    [west, north],
    [west, south],
  ];
  return { type: 'MultiLineString', coordinates: [ring] };
}
