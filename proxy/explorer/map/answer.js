// The answer to a request of the form on the map, over its units: the units of a page as they were sent, and the box
// that was asked for.
import { addInOrder } from './style.js';

/** @typedef {import('./geometry/box.js').Box} Box */

const SOURCE = 'answer';
const TURN = 360;

/**
 * @param {import('maplibre-gl').Map} map
 * @param {import('./palette.js').Palette} palette
 */
export function addAnswer(map, { chosen, chosenHalo, hover }) {
  if (map.getSource(SOURCE) === undefined) map.addSource(SOURCE, { type: 'geojson', data: collection([]) });
  /**
   * @type {(kind: string, geometry: string) => Pick<import('maplibre-gl').LineLayerSpecification, 'id' | 'source' |
   *   'filter'>}
   */
  const of = (kind, geometry) => ({
    id: `answer-${kind}`,
    source: SOURCE,
    filter: ['==', ['geometry-type'], geometry],
  });
  const dot = {
    'circle-color': chosen,
    'circle-radius': 4,
    'circle-stroke-color': chosenHalo,
    'circle-stroke-width': 1.5,
  };
  const fill = { 'fill-color': hover, 'fill-opacity': 0.45 };
  const line = { 'line-color': chosen, 'line-width': 1.2 };
  addInOrder(map, { ...of('fill', 'Polygon'), type: 'fill', paint: fill });
  addInOrder(map, { ...of('line', 'Polygon'), type: 'line', paint: line });
  addInOrder(map, { ...of('point', 'Point'), type: 'circle', paint: dot });
  const dashed = { ...line, 'line-width': 1.5, 'line-dasharray': [4, 3] };
  addInOrder(map, { ...of('box', 'LineString'), type: 'line', paint: dashed });
}

/**
 * @param {import('maplibre-gl').Map} map
 * @param {readonly import('../api/client.js').Unit[]} units
 * @param {Box | undefined} box
 */
export function showAnswer(map, units, box) {
  const source = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (map.getSource(SOURCE));
  const shapes = units.flatMap(({ geometry }) => (geometry === null ? [] : [geometry]));
  void source?.setData(collection([...shapes, ...(box === undefined ? [] : [outlineOf(box)])]));
}

/**
 * @param {readonly import('geojson').Geometry[]} geometries
 * @returns {import('geojson').FeatureCollection}
 */
function collection(geometries) {
  const features = geometries.map((geometry) => /** @type {const} */ ({ type: 'Feature', properties: {}, geometry }));
  return { type: 'FeatureCollection', features };
}

/**
 * @param {Box} box
 * @returns {import('geojson').LineString}
 */
function outlineOf([west, south, east, north]) {
  const end = east < west ? east + TURN : east;
  const coordinates = [
    [west, south],
    [end, south],
    [end, north],
    [west, north],
    [west, south],
  ];
  return { type: 'LineString', coordinates };
}
