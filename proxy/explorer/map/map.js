// The map: the land of the world, the units that were loaded, and those of the steps before in the background.

import { nameOf } from '../request/unit.js';
import { boxOf } from './box.js';
import { colourist } from './colour.js';

/**
 * @typedef {import('../request/client.js').Unit} Unit
 * @typedef {import('leaflet').Path & { feature: Unit }} Shape
 *
 * @typedef {object} UnitMap
 * @property {(units: readonly Unit[], level: number) => void} add draws more units
 * @property {() => void} clear makes the units part of the background
 * @property {(unit: Unit | undefined) => void} select
 * @property {(units: readonly Unit[]) => void} fit
 * @property {(land: import('geojson').GeoJsonObject) => void} drawLand
 */

/** The library comes as a script of its own, without an export. */
const leaflet = /** @type {typeof import('leaflet')} */ (Reflect.get(globalThis, 'L'));

/** @type {import('leaflet').LatLngBoundsLiteral} */
const WORLD = [
  [-57, -170],
  [76, 180],
];
/** Units that take more of the globe than this are shown with all of it but the poles. */
const WORLD_DEGREES = 300;
/** With more units than this the background begins anew. */
const BEHIND_MAX = 1000;
/** @type {import('leaflet').LatLngBoundsLiteral} */
const EDGES = [
  [-86, -240],
  [86, 240],
];

/**
 * @param {HTMLElement} container
 * @param {(unit: Unit) => void} onPick
 * @returns {UnitMap}
 */
export function createMap(container, onPick) {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = leaflet.map(container, {
    zoomControl: false,
    attributionControl: false,
    zoomSnap: 0,
    minZoom: 0.5,
    maxZoom: 14,
    maxBounds: EDGES,
    maxBoundsViscosity: 0.7,
    zoomAnimation: !isCalm,
    fadeAnimation: !isCalm,
    inertia: !isCalm,
  });
  leaflet.control.zoom({ position: 'topright' }).addTo(map);
  map.fitBounds(WORLD, { animate: false });

  const land = layerIn(map, 'land', 200, landStyle);
  const background = layerIn(map, 'background', 250, backgroundStyle);
  const units = layerIn(map, 'units', 400, (unit) => unitStyle(colourOf(unit)));
  let colourOf = colourist();
  let level = 0;
  /** What the background has, by level and fid. @type {Set<string>} */
  const behind = new Set();
  /** @type {Shape | undefined} */
  let selected;

  /** @param {Shape} shape */
  const unselect = (shape) => shape.setStyle(unitStyle(colourOf(shape.feature)));
  units.on('click', ({ propagatedFrom: { feature } }) => feature && onPick(feature));
  units.on('mouseover', ({ propagatedFrom }) => propagatedFrom.setStyle({ fillOpacity: 0.95 }));
  units.on('mouseout', ({ propagatedFrom }) => {
    if (propagatedFrom === selected) propagatedFrom.setStyle(selectedStyle());
    else unselect(propagatedFrom);
  });
  // Text from the data goes into the page as text, never as markup.
  units.bindTooltip((shape) => label(nameOf(/** @type {any} */ (shape).feature, level)), { sticky: true });

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    land.setStyle(landStyle);
    background.setStyle(backgroundStyle);
    units.setStyle((unit) => unitStyle(colourOf(/** @type {Unit} */ (unit))));
    selected?.setStyle(selectedStyle());
  });

  return {
    add(more, levelOfMore) {
      level = levelOfMore;
      for (const unit of more)
        if (unit.geometry !== null) units.addData(/** @type {import('geojson').Feature} */ (unit));
    },
    clear() {
      const drawn = shapesOf(units).map(({ feature }) => feature);
      units.clearLayers();
      selected = undefined;
      colourOf = colourist();
      if (behind.size + drawn.length > BEHIND_MAX) {
        background.clearLayers();
        behind.clear();
      }
      for (const unit of drawn) {
        const key = `${level} ${unit.id}`;
        if (!behind.has(key)) background.addData(/** @type {import('geojson').Feature} */ (unit));
        behind.add(key);
      }
    },
    select(unit) {
      if (selected !== undefined) unselect(selected);
      selected = shapesOf(units).find(({ feature }) => feature === unit);
      selected?.setStyle(selectedStyle()).bringToFront();
    },
    fit(wanted) {
      const bounds = boundsOf(wanted);
      if (bounds !== undefined) map.fitBounds(bounds, { padding: [24, 24], maxZoom: 11, animate: !isCalm });
      else map.fitBounds(WORLD, { animate: !isCalm });
    },
    drawLand: (shape) => void land.addData(shape),
  };
}

/**
 * A layer in a pane of its own, so that what lies behind stays behind.
 * @param {import('leaflet').Map} map
 * @param {string} name
 * @param {number} height
 * @param {(unit: Unit) => import('leaflet').PathOptions} style
 */
function layerIn(map, name, height, style) {
  map.createPane(name).style.zIndex = String(height);
  const interactive = name === 'units';
  if (!interactive) map.getPane(name)?.classList.add('behind');
  const renderer = leaflet.canvas({ pane: name, padding: 0.4 });
  return leaflet
    .geoJSON(undefined, {
      .../** @type {object} */ ({ renderer }),
      pane: name,
      interactive,
      style: (unit) => style(/** @type {Unit} */ (unit)),
      // The usual marker is an image.
      pointToLayer: (_, position) => leaflet.circleMarker(position, { pane: name, renderer, radius: 4 }),
    })
    .addTo(map);
}

/**
 * @param {import('leaflet').GeoJSON} layer
 * @returns {Shape[]}
 */
function shapesOf(layer) {
  return /** @type {Shape[]} */ (layer.getLayers());
}

/** @param {string} name */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function landStyle() {
  return { stroke: false, fillColor: colour('--land'), fillOpacity: 1 };
}

function backgroundStyle() {
  return { color: colour('--edge'), weight: 0.6, opacity: 0.7, fillColor: colour('--land'), fillOpacity: 1 };
}

/** @param {number} number of the unit's colour */
function unitStyle(number) {
  return { color: colour('--edge'), weight: 0.9, opacity: 1, fillColor: colour(`--unit-${number}`), fillOpacity: 0.8 };
}

function selectedStyle() {
  return { color: colour('--chosen'), weight: 2.5, opacity: 1, fillOpacity: 0.95 };
}

/** @param {string} text */
function label(text) {
  const element = document.createElement('span');
  element.textContent = text;
  return element;
}

/**
 * What the map should show; undefined for the world.
 * @param {readonly Unit[]} units
 */
function boundsOf(units) {
  const bounds = leaflet.latLngBounds([]);
  for (const unit of units) {
    const box = boxOf(unit);
    if (box !== undefined) bounds.extend([box[1], box[0]]).extend([box[3], box[2]]);
  }
  return bounds.isValid() && bounds.getEast() - bounds.getWest() < WORLD_DEGREES ? bounds : undefined;
}
