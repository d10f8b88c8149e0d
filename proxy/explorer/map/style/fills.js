// Layers of areas: units in their colours, the land in the background, and the unit under the pointer in a lighter
// colour. Used by layers.js.
import { mix } from './palette.js';

/**
 * @typedef {import('maplibre-gl').ExpressionSpecification} Expression
 * @typedef {import('./palette.js').Palette} Palette
 */

/** Is a unit of the second level large enough to be picked? @type {Expression} */
export const READABLE = ['>=', ['zoom'], ['-', ['get', 'from'], 0.5]];
/** @type {Expression} */
export const HOVER = ['boolean', ['feature-state', 'hover'], false];

/**
 * @param {string} source
 * @param {string | Expression} colour
 * @param {Expression} [filter]
 * @returns {import('maplibre-gl').FillLayerSpecification}
 */
export function fillLayer(source, colour, filter) {
  return {
    id: `${source}-fill`,
    type: 'fill',
    source,
    // Outlines of their own have no `cut`.
    filter: filter === undefined ? ['has', 'cut'] : ['all', ['has', 'cut'], filter],
    // Borders hide the steps of the edges.
    paint: { 'fill-color': colour, 'fill-antialias': false },
  };
}

/**
 * Units that are seen only where the pointer is.
 * @param {string} source
 * @param {Palette} palette
 * @param {number} zoom from which they are there
 * @param {Expression} filter
 * @returns {import('maplibre-gl').FillLayerSpecification}
 */
export function hoverFill(source, { hover }, zoom, filter) {
  return {
    ...fillLayer(source, hover, filter),
    minzoom: zoomInRange(zoom),
    paint: { 'fill-color': hover, 'fill-opacity': ['case', HOVER, 0.3, 0], 'fill-antialias': false },
  };
}

/**
 * @param {Palette} palette
 * @returns {Expression}
 */
export function unitFill({ units, unitsHovered, land }) {
  return ['case', HOVER, byColour(unitsHovered, land), byColour(units, land)];
}

/**
 * @param {Palette} palette
 * @returns {Expression}
 */
export function landFill({ land, landHovered }) {
  return ['case', HOVER, landHovered, land];
}

/**
 * While units are too small for borders, the land below them has a colour between theirs: between small units there are
 * gaps, which would be a mist of light dots. A layer of its own, since an expression with zoom cannot take the place of
 * one without while a feature's state changes (MapLibre GL 6.17: interpolationFactor is not a function).
 * @param {Palette} palette
 * @param {readonly string[]} parents GIDs of the land below
 * @param {number} zoom from which the land has its own colour
 * @returns {import('maplibre-gl').FillLayerSpecification}
 */
export function landBelow({ land, units: [first = land, ...rest] }, parents, zoom) {
  const between = rest.reduce((mixed, colour, index) => mix(mixed, colour, 1 / (index + 2)), first);
  return {
    ...fillLayer('world', between, ['in', ['get', 'gid'], ['literal', [...parents]]]),
    id: 'world-below',
    maxzoom: zoom,
  };
}

/**
 * @param {readonly string[]} colours
 * @param {string} other
 * @returns {Expression}
 */
export function byColour(colours, other) {
  const [first = other, ...rest] = colours;
  return ['match', ['get', 'colour'], 0, first, ...rest.flatMap((colour, index) => [index + 1, colour]), other];
}

/** @param {number} zoom */
export function zoomInRange(zoom) {
  return Math.min(Math.max(zoom, 0), 24);
}
