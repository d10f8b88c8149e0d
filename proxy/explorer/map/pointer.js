// The pointer on the map: the unit under it lights up and is named, a click picks it.
import { PICKABLE } from './style/layers.js';

/**
 * @typedef {{ level: number, fid: number, gid: string | null }} Picked
 * @typedef {import('maplibre-gl').Map} Map
 */

/**
 * @param {Map} map
 * @param {(picked: Picked) => void} onPick
 */
export function followPointer(map, onPick) {
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
  map.on('click', ({ point }) => {
    const unit = unitAt(map, point)?.properties;
    if (unit !== undefined) onPick({ level: unit.level, fid: unit.fid, gid: unit.gid ?? null });
  });
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
