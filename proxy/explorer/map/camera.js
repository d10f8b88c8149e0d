// Where the map looks: fitted to boxes, or at a place of the address.
import { isWorld, unionOf } from './geometry/box.js';
import { WORLD } from './start-map.js';

/**
 * @typedef {import('./geometry/box.js').Box} Box
 * @typedef {{ zoom: number, latitude: number, longitude: number }} View
 *
 * @typedef {object} Camera
 * @property {(boxes: readonly Box[]) => void} fit [] is the world; the first time at once
 * @property {() => void} makeRoom fits again what a button that has appeared lies upon
 * @property {(boxes: readonly Box[]) => number} zoomOf the zoom at which they are fitted
 * @property {() => View} view
 * @property {(view: View) => void} setView
 * @property {() => Box | undefined} seen the box that is in sight
 */

const FIT_ZOOM_MAX = 14;
const FIT_PADDING_PIXELS = 24;
const FIT_MS = 600;

/**
 * @param {import('maplibre-gl').Map} map
 * @param {() => { top: number, bottom: number }} covered pixels at the edges that something lies upon
 * @returns {Camera}
 */
export function createCamera(map, covered) {
  /** @type {readonly Box[] | undefined} What the map is fitted to, until a person moves it. */
  let fitted = [];
  let isFirst = true;
  /** Pixels at the upper edge that were covered when it was fitted. */
  let roomAbove = 0;
  /** What to bring into sight, and how much room to leave around it. @param {readonly Box[]} boxes */
  const frameOf = (boxes) => {
    const box = unionOf(boxes);
    const isAll = box === undefined || isWorld(box);
    const { clientWidth, clientHeight } = map.getContainer();
    const side = isAll ? 0 : Math.min(FIT_PADDING_PIXELS, clientWidth / 8, clientHeight / 8);
    const over = covered();
    const room = (/** @type {number} */ pixels) => Math.min(side + pixels, clientHeight / 3);
    const padding = { top: room(over.top), right: side, bottom: room(over.bottom), left: side };
    return { bounds: isAll ? WORLD : box, padding, maxZoom: FIT_ZOOM_MAX };
  };
  const show = (/** @type {readonly Box[]} */ boxes, /** @type {number} */ duration) => {
    const { bounds, ...room } = frameOf(boxes);
    roomAbove = covered().top;
    // The library goes the short way where west > east.
    map.fitBounds(bounds, { ...room, linear: true, duration });
  };
  map.on('movestart', ({ originalEvent }) => {
    if (originalEvent !== undefined) fitted = undefined;
  });
  // As on a phone that is turned, or beside a panel that opens.
  map.on('resize', () => {
    if (fitted !== undefined) show(fitted, 0);
  });
  return {
    fit(boxes) {
      fitted = boxes;
      // From a view in which nothing was drawn yet there is no way to follow.
      show(boxes, isFirst ? 0 : FIT_MS);
      isFirst = false;
    },
    makeRoom() {
      if (fitted !== undefined && covered().top > roomAbove) show(fitted, 0);
    },
    zoomOf(boxes) {
      const { bounds, ...room } = frameOf(boxes);
      return map.cameraForBounds(bounds, room)?.zoom ?? map.getZoom();
    },
    view() {
      const { lng, lat } = map.getCenter();
      return { zoom: map.getZoom(), latitude: lat, longitude: lng };
    },
    setView({ zoom, latitude, longitude }) {
      fitted = undefined;
      map.jumpTo({ zoom, center: [longitude, latitude] });
    },
    seen() {
      const bounds = map.getBounds();
      return unionOf([[bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]]);
    },
  };
}
