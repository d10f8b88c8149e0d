// The pointer on the map: the unit under it lights up and is named, a click picks it; the other button, a long press,
// or a click where nothing is drawn asks what is there.
import type { GeoJsonProperties } from 'geojson';
import type { Map as LibraryMap, LngLat, Point } from 'maplibre-gl';
import { levelIn } from '../api/unit.ts';
import type { MapOptions } from './map.ts';
import { PICKABLE } from './style.ts';

/** A unit with the nearest unit above that it names. */
export interface Picked {
  level: number;
  fid: number;
  gid: string | null;
  parent: string | null;
  parentLevel: number;
}

/** `noteOf`: what is said of a unit besides; empty for nothing. */
type PointerOptions = Pick<MapOptions, 'onPick' | 'onHere' | 'titleOf'> & {
  noteOf: (level: number, fid: number) => string;
};

/** As on Android. Safari of a phone has no such event of its own. */
const LONG_PRESS_MS = 500;

export function followPointer(map: LibraryMap, { onPick, onHere, titleOf, noteOf }: PointerOptions) {
  const name = document.createElement('div');
  name.className = 'map-name';
  name.hidden = true;
  name.setAttribute('aria-hidden', 'true');
  map.getContainer().append(name);
  const canvas = map.getCanvasContainer();
  map.once('remove', () => name.remove());
  let hovered: { source: string; sourceLayer: string; id: number } | undefined;

  const hover = (unit: ReturnType<typeof unitAt>) => {
    if (hovered?.id === unit?.fid && hovered?.source === unit?.source) return;
    if (hovered !== undefined) map.removeFeatureState(hovered, 'hover');
    hovered = unit && { source: unit.source, sourceLayer: 'units', id: unit.fid };
    if (hovered !== undefined) map.setFeatureState(hovered, { hover: true });
    canvas.classList.toggle('over-unit', unit !== undefined);
    // Text of the data is text, never markup.
    const title = unit && (titleOf(unit.level, unit.fid) ?? nameIn(map, unit));
    const texts = [title, unit && noteOf(unit.level, unit.fid)];
    name.textContent = texts.filter(Boolean).join(': ');
    name.hidden = name.textContent === '';
  };

  map.on('mousemove', ({ point }) => {
    if (map.isMoving()) return;
    hover(unitAt(map, point));
    placeNear(name, point, map.getContainer());
  });
  map.on('mouseout', () => hover(undefined));
  map.on('movestart', () => hover(undefined));
  let press: ReturnType<typeof setTimeout> | undefined;
  // What follows a long press, a click or the event of a browser that has one, is the same press.
  let isLong = false;
  const ask = ({ lng, lat }: LngLat) => onHere({ longitude: lng, latitude: lat });
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
  for (const end of ['touchend', 'touchcancel', 'movestart'] as const) map.on(end, endPress);
  map.on('contextmenu', ({ lngLat }) => {
    const isTouch = press !== undefined;
    endPress();
    if (!isLong) ask(lngLat);
    isLong ||= isTouch;
  });
  // Not `mousedown`: browsers make one of a touch, too, when it has ended.
  canvas.addEventListener('pointerdown', ({ pointerType }) => {
    if (pointerType !== 'touch') isLong = false;
  });
  map.on('click', ({ point, lngLat }) => {
    if (isLong) return;
    const unit = unitAt(map, point);
    if (unit === undefined) ask(lngLat);
    else onPick(unit);
  });
}

/** The topmost unit at a place of the window. */
function unitAt(map: LibraryMap, point: Point): (Picked & { source: string; name: string | undefined }) | undefined {
  const layers = PICKABLE.filter((id) => map.getLayer(id) !== undefined);
  const [unit] = map.queryRenderedFeatures(point, { layers });
  if (unit === undefined) return undefined;
  const { source, id, properties } = unit;
  const level = levelIn(source);
  const above = Array.from({ length: level }, (_, n): string | undefined => properties[`gid_${n}`]);
  const parentLevel = above.findLastIndex((gid) => gid !== undefined);
  const parent = above[parentLevel] ?? null;
  return {
    source,
    level,
    fid: Number(id),
    gid: properties['gid'] ?? null,
    parent,
    parentLevel,
    name: nameOf(map, properties),
  };
}

/** The name of a unit in the tiles, else its GID. Shapes have names in the deepest tiles, labels in all. */
function nameIn(map: LibraryMap, { source, fid, gid, name }: NonNullable<ReturnType<typeof unitAt>>): string | null {
  if (name !== undefined) return name;
  const [label] = map.querySourceFeatures(source, { sourceLayer: 'labels', filter: ['==', ['id'], fid] });
  return nameOf(map, label?.properties) ?? gid;
}

/** In the language of the labels, if it has one in it. */
function nameOf(map: LibraryMap, properties: GeoJsonProperties = {}): string | undefined {
  return properties?.[`name:${map.getGlobalState()['lang']}`] ?? properties?.['name'];
}

/** Beside the pointer, inside of the map. */
function placeNear(element: HTMLElement, { x, y }: { x: number; y: number }, container: HTMLElement) {
  const left = x + 14 + element.offsetWidth > container.clientWidth ? x - 10 - element.offsetWidth : x + 14;
  const top = y + 18 + element.offsetHeight > container.clientHeight ? y - 10 - element.offsetHeight : y + 18;
  element.style.transform = `translate(${Math.max(left, 0)}px, ${Math.max(top, 0)}px)`;
}
