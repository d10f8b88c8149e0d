// Where the map looks: fitted to boxes, or at a place of the address.
import type { Map as LibraryMap } from 'maplibre-gl';
import type { View } from '../state/place.ts';
import { type Box, isWorld, unionOf } from './geometry/box.ts';
import { WORLD } from './start-map.ts';

export interface Camera {
  /** [] is the world; the first time at once. */
  fit: (boxes: readonly Box[]) => void;
  /** Fits again what a button that has appeared lies upon. */
  makeRoom: () => void;
  /** The zoom at which they are fitted. */
  zoomOf: (boxes: readonly Box[]) => number;
  view: () => View;
  setView: (view: View) => void;
  /** The box that is in sight. */
  seen: () => Box | undefined;
}

const FIT_ZOOM_MAX = 14;
const FIT_PADDING_PIXELS = 24;
const FIT_MS = 600;

/** @param covered pixels at the edges that something lies upon */
export function createCamera(map: LibraryMap, covered: () => number): Camera {
  /** What the map is fitted to, until a person moves it. */
  let fitted: readonly Box[] | undefined = [];
  let isFirst = true;
  /** Pixels at the upper edge that were covered when it was fitted. */
  let roomAbove = 0;
  /** What to bring into sight, and how much room to leave around it. */
  const frameOf = (boxes: readonly Box[]) => {
    const box = unionOf(boxes);
    const isAll = box === undefined || isWorld(box);
    const { clientWidth, clientHeight } = map.getContainer();
    const side = isAll ? 0 : Math.min(FIT_PADDING_PIXELS, clientWidth / 8, clientHeight / 8);
    const padding = { top: Math.min(side + covered(), clientHeight / 2), right: side, bottom: side, left: side };
    return { bounds: isAll ? WORLD : box, padding, maxZoom: FIT_ZOOM_MAX };
  };
  const show = (boxes: readonly Box[], duration: number) => {
    const { bounds, ...room } = frameOf(boxes);
    roomAbove = covered();
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
      if (fitted !== undefined && covered() > roomAbove) show(fitted, 0);
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
