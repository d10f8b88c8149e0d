// The style of the map: the layers of each level over its vector tiles, from bottom to top, as functions of the style's
// global state. What is shown changes by `setGlobalStateProperty` alone.
import { mix } from './palette.js';

/**
 * @typedef {import('maplibre-gl').ExpressionSpecification} Expression
 * @typedef {import('maplibre-gl').LayerSpecification} Layer
 * @typedef {import('./palette.js').Palette} Palette
 *
 * What is shown.
 * @typedef {object} MapState
 * @property {number} level whose units have their colours, with the leaves of those above
 * @property {number[]} levels that are drawn: this one and those above
 * @property {number} of the deepest level that has a GID in `gids`; -1 for none
 * @property {Record<string, string>} gids the parents whose units these are, as `gid_0`: others are quiet land
 * @property {number} selected level of the selected unit; -1 for none
 * @property {number} fid of the selected unit
 */

/** @type {MapState} */
export const NOTHING = { level: -1, levels: [], of: -1, gids: {}, selected: -1, fid: -1 };

const UP = [0, 1, 2, 3, 4, 5];
const DOWN = UP.toReversed();
/** All layers, from bottom to top. */
const ORDER = [
  'sea',
  ...UP.map((level) => `land-${level}`),
  ...UP.map((level) => `fill-${level}`),
  ...DOWN.map((level) => `border-${level}`),
  'asked-box',
  ...UP.flatMap((level) => [`halo-${level}`, `chosen-${level}`]),
  ...DOWN.map((level) => `label-${level}`),
];
/** Layers whose units can be picked, topmost first. */
export const PICKABLE = [...DOWN.map((level) => `fill-${level}`), ...DOWN.map((level) => `land-${level}`)];

/** The zooms about which the units of a level get as large as a word, unless it is the first one of the release. */
const LINE_ZOOMS = [0, 2.5, 4, 6, 8, 10];
/** A name may be wider than its unit until the next zoom: where there is no room for it, it is left out. */
const LABEL_ZOOMS = 1;
/** A label of rank 1,000,000 is one of the next level. */
const RANKS = 1_000_000;

/** @type {Expression} */
const LIT = ['any', ['boolean', ['feature-state', 'hover'], false], ['boolean', ['feature-state', 'chosen'], false]];

/**
 * Adds a layer where it belongs.
 * @param {import('maplibre-gl').Map} map
 * @param {Layer} layer
 */
export function addInOrder(map, layer) {
  const above = ORDER.slice(ORDER.indexOf(layer.id) + 1).find((id) => map.getLayer(id) !== undefined);
  map.addLayer(layer, above);
}

/**
 * The layers of a level.
 * @param {number} level
 * @param {{ minzoom: number, isTop: boolean }} tiles the first zoom that has some; is no level above?
 * @param {Palette} palette
 * @returns {Layer[]}
 */
export function layersOf(level, { minzoom, isTop }, palette) {
  const { land, landHovered, landEdge, units, unitsHovered, edge, ink, quiet, halo, chosen, chosenHalo } = palette;
  const own = isInside(level);
  /** @type {Expression} */
  const isNear = ['==', state('of'), level];
  const isDrawn = shownIf(['in', level, ['array', state('levels')]]);
  const isChosen = shownIf(['==', state('selected'), level]);
  // Where units are a few pixels wide their borders would be a mist.
  const lines = isTop ? minzoom : Math.max(minzoom, LINE_ZOOMS[level] ?? 0);
  const outline = units.map((colour) => mix(colour, edge, 0.4));
  const of = (/** @type {string} */ kind, layer = 'units') => ({
    id: `${kind}-${level}`,
    source: sourceOf(level),
    'source-layer': layer,
  });
  /** @type {Pick<import('maplibre-gl').LineLayerSpecification, 'type' | 'filter' | 'layout'>} */
  const chosenLine = {
    type: 'line',
    filter: ['==', ['id'], state('fid')],
    layout: { ...isChosen, 'line-join': 'round' },
  };
  return [
    {
      ...of('land'),
      type: 'fill',
      layout: isTop ? isDrawn : shownIf(isNear),
      paint: { 'fill-color': ['case', LIT, landHovered, land], 'fill-outline-color': landEdge },
    },
    {
      ...of('fill'),
      type: 'fill',
      filter: ['all', ['any', ['==', state('level'), level], ['boolean', ['get', 'leaf'], false]], own],
      layout: isDrawn,
      paint: {
        'fill-color': ['case', LIT, byColour(unitsHovered, land), byColour(units, land)],
        'fill-outline-color': byColour(outline, edge),
        'fill-antialias': lines === 0 ? true : ['step', ['zoom'], false, lines, true],
      },
    },
    {
      ...of('border', 'borders'),
      type: 'line',
      filter: ['==', ['get', 'level'], level],
      layout: isDrawn,
      paint: {
        'line-color': ['case', own, edge, landEdge],
        'line-opacity': lines === 0 ? 1 : ['interpolate', ['linear'], ['zoom'], lines - 1.5, 0, lines + 1, 1],
        'line-width': ['interpolate', ['linear'], ['zoom'], lines - 1.5, 0.2, lines + 5, 2.4 - 0.3 * level],
      },
    },
    { ...of('halo'), ...chosenLine, paint: { 'line-color': chosenHalo, 'line-width': 6 } },
    { ...of('chosen'), ...chosenLine, paint: { 'line-color': chosen, 'line-width': 2.5 } },
    {
      ...of('label', 'labels'),
      type: 'symbol',
      filter: [
        'all',
        ['>=', ['zoom'], ['-', ['get', 'zoom'], LABEL_ZOOMS]],
        ['any', own, isNear],
        ['!', isOpened(level)],
      ],
      layout: {
        ...isDrawn,
        'text-field': ['get', 'name'],
        // Without a `glyphs` URL text is drawn with fonts of the system.
        'text-font': ['system-ui', 'sans-serif'],
        'text-size': ['interpolate', ['linear'], ['zoom'], 0, 10, 3, isTop ? 13 : 11, 7, isTop ? 17 : 14],
        // A province and its capital have one name: that of the province is in capitals.
        'text-transform': ['case', ['==', state('level'), level], 'none', 'uppercase'],
        'text-max-width': 8,
        'text-padding': 3,
        'symbol-sort-key': ['+', level * RANKS, ['get', 'rank']],
      },
      paint: { 'text-color': ['case', own, ink, quiet], 'text-halo-color': halo, 'text-halo-width': 1.3 },
    },
  ];
}

/** @param {number} level */
export function sourceOf(level) {
  return `lv${level}`;
}

/**
 * @param {keyof MapState} name
 * @returns {Expression}
 */
function state(name) {
  return ['global-state', name];
}

/**
 * Is a unit of this level, or a border in it, inside of all parents that are named?
 * @param {number} level
 * @returns {Expression}
 */
function isInside(level) {
  const above = UP.slice(0, level).map((n) => isOf(n, ['get', `gid_${n}`]));
  return ['all', ...above, ['any', ['<', state('of'), level], ['all', isNamed(level), isOpened(level)]]];
}

/**
 * Is this the unit itself that is opened?
 * @param {number} level
 * @returns {Expression}
 */
function isOpened(level) {
  return ['all', isNamed(level), isOf(level, ['get', 'gid'])];
}

/**
 * @param {number} level
 * @param {Expression} gid
 * @returns {Expression}
 */
function isOf(level, gid) {
  return ['any', ['!', isNamed(level)], ['==', gid, ['get', `gid_${level}`, ['object', state('gids')]]]];
}

/**
 * Is a GID of this level among those of the parents?
 * @param {number} level
 * @returns {Expression}
 */
function isNamed(level) {
  return ['has', `gid_${level}`, ['object', state('gids')]];
}

/**
 * @param {Expression} condition
 * @returns {{ visibility: Expression }}
 */
function shownIf(condition) {
  return { visibility: ['case', condition, 'visible', 'none'] };
}

/**
 * @param {readonly string[]} colours
 * @param {string} other
 * @returns {Expression}
 */
function byColour([first = '', ...rest], other) {
  return ['match', ['get', 'colour'], 0, first, ...rest.flatMap((colour, index) => [index + 1, colour]), other];
}
