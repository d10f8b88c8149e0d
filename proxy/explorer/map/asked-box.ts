// The box that the list is limited to, as a dashed line on the map.
import type { MultiLineString } from 'geojson';
import type { GeoJSONSource, Map as LibraryMap } from 'maplibre-gl';
import type { Box } from './geometry/box.ts';
import type { Palette } from './palette.ts';
import { addInOrder } from './style.ts';

const SOURCE = 'asked-box';
const TURN = 360;

export function addAskedBox(map: LibraryMap, { chosen }: Palette) {
  if (map.getSource(SOURCE) === undefined) map.addSource(SOURCE, { type: 'geojson', data: outlineOf(undefined) });
  const paint = { 'line-color': chosen, 'line-width': 1.5, 'line-dasharray': [4, 3] };
  addInOrder(map, { id: SOURCE, source: SOURCE, type: 'line', paint });
}

/** @param box undefined for none */
export function showAskedBox(map: LibraryMap, box: Box | undefined) {
  const source = map.getSource(SOURCE) as GeoJSONSource | undefined;
  void source?.setData(outlineOf(box));
}

function outlineOf(box: Box | undefined): MultiLineString {
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
