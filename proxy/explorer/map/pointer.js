// The pointer on the map: the unit under it lights up and is named, a click picks it; the other button, a long press,
// or a click where nothing is drawn asks what is there.
import { PICKABLE } from './style/layers.js';

/**
 * @typedef {{ level: number, fid: number, gid: string | null }} Picked
 * @typedef {import('maplibre-gl').Map} Map
 */

/** As on Android. Safari of a phone has no such event of its own. */
const LONG_PRESS_MS = 500;

/**
 * @param {Map} map
 * @param {{ onPick: (picked: Picked) => void, onHere: (point: import('../api/coordinates.js').Point) => void }} actions
 */
export function followPointer(map, { onPick, onHere }) {
  const name = document.createElement('div');
  name.className = 'map-name';
  name.hidden = true;
  name.setAttribute('aria-hidden', 'true');
  map.getContainer().append(name);
  const canvas = map.getCanvasContainer();
  /** @type {{ source: string, id: string } | undefined} */
  let hovered;

  /** @param {import('maplibre-gl').MapGeoJSONFeature | undefined} feature */
  const hover = (feature) => {
    const id = feature === undefined ? undefined : String(feature.properties.key);
    if (hovered?.id === id) return;
    if (hovered !== undefined) map.removeFeatureState(hovered, 'hover');
    hovered = feature === undefined || id === undefined ? undefined : { source: feature.source, id };
    if (hovered !== undefined) map.setFeatureState(hovered, { hover: true });
    canvas.classList.toggle('over-unit', feature !== undefined);
    // Text of the data is text, never markup.
    name.textContent = String(feature?.properties.name ?? feature?.properties.gid ?? '');
    name.hidden = name.textContent === '';
  };

  map.on('mousemove', ({ point }) => {
    if (map.isMoving()) return;
    hover(unitAt(map, point));
    placeNear(name, point, map.getContainer());
  });
  map.on('mouseout', () => hover(undefined));
  map.on('movestart', () => hover(undefined));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let press;
  // What follows a long press, a click or the event of a browser that has one, is the same press.
  let isLong = false;
  const ask = (/** @type {import('maplibre-gl').LngLat} */ { lng, lat }) => onHere({ longitude: lng, latitude: lat });
  const endPress = () => {
    clearTimeout(press);
    press = undefined;
  };
  map.on('touchstart', ({ lngLat, points }) => {
    endPress();
    isLong = false;
    if (points.length > 1) return;
    press = setTimeout(() => {
      isLong = true;
      ask(lngLat);
    }, LONG_PRESS_MS);
  });
  for (const end of /** @type {const} */ (['touchend', 'touchcancel', 'movestart'])) map.on(end, endPress);
  map.on('contextmenu', ({ lngLat }) => {
    const isTouch = press !== undefined;
    endPress();
    if (!isLong) ask(lngLat);
    isLong ||= isTouch;
  });
  map.on('mousedown', () => {
    isLong = false;
  });
  map.on('click', ({ point, lngLat }) => {
    if (isLong) return;
    const unit = unitAt(map, point)?.properties;
    if (unit === undefined) ask(lngLat);
    else onPick({ level: unit.level, fid: unit.fid, gid: unit.gid ?? null });
  });
}

/**
 * The mark of a point on the map.
 * @param {Map} map
 * @returns {(point: import('../api/coordinates.js').Point | undefined) => void} puts it there, or removes it
 */
export function createMark(map) {
  const mark = document.createElement('div');
  mark.className = 'map-mark';
  mark.hidden = true;
  map.getCanvasContainer().append(mark);
  /** @type {import('../api/coordinates.js').Point | undefined} */
  let marked;
  const place = () => {
    if (marked === undefined) return;
    const { x, y } = map.project([marked.longitude, marked.latitude]);
    mark.style.transform = `translate(${x}px, ${y}px)`;
  };
  map.on('move', place);
  map.on('resize', place);
  return (point) => {
    marked = point;
    mark.hidden = point === undefined;
    place();
  };
}

/**
 * @param {Map} map
 * @param {import('maplibre-gl').Point} point
 */
function unitAt(map, point) {
  return map.queryRenderedFeatures(point, { layers: PICKABLE })[0];
}

/**
 * Beside the pointer, inside of the map.
 * @param {HTMLElement} element
 * @param {{ x: number, y: number }} point
 * @param {HTMLElement} container
 */
function placeNear(element, { x, y }, container) {
  const left = x + 14 + element.offsetWidth > container.clientWidth ? x - 10 - element.offsetWidth : x + 14;
  const top = y + 18 + element.offsetHeight > container.clientHeight ? y - 10 - element.offsetHeight : y + 18;
  element.style.transform = `translate(${Math.max(left, 0)}px, ${Math.max(top, 0)}px)`;
}
