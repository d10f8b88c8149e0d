// The layers of the map, from bottom to top, as a function of what is shown: map.js compares and applies them.
import { byColour, fillLayer, hoverFill, landBelow, landFill, READABLE, unitFill, zoomInRange } from './fills.js';
import { lineLayer, nameLayer } from './layer-kinds.js';
import { mix } from './palette.js';

/**
 * @typedef {import('maplibre-gl').LayerSpecification} Layer
 * @typedef {import('maplibre-gl').ExpressionSpecification} Expression
 * @typedef {import('./palette.js').Palette} Palette
 *
 * @typedef {object} Look
 * @property {Palette} palette
 * @property {ReadonlySet<string>} filled sources that have features: layers of the others are hidden, which saves time
 * @property {boolean} isFront units are shown in front of the overview
 * @property {number} readableZoom of the units in front (see density.js)
 * @property {readonly string[]} detailed keys of units of the overview that are drawn in full resolution
 * @property {readonly string[]} parents GIDs at the top level of the units in front: their names would lie upon these
 * @property {number} topLevel the first level of the overview
 * @property {number} topOffset see bordersOffset in density.js
 * @property {number} regionsZoom borders of its second level are shown from this zoom on
 */

/** Sources of the overview, by level. */
export const OVERVIEW_SOURCES = ['world', 'regions'];
/** All sources: the overview, its units in full resolution, the units in front, the selected unit, and names. */
export const SOURCES = [
  ...OVERVIEW_SOURCES,
  ...['detail', 'units', 'chosen'],
  ...['world-names', 'regions-names', 'units-names'],
];
/** Layers whose units can be picked, topmost first. */
export const PICKABLE = ['units-fill', 'detail-regions-fill', 'regions-fill', 'detail-fill', 'world-fill'];
/** Zooms at which units get outlines, stronger ones, and lines, counted from that at which they are readable. */
const OUTLINE_ZOOM = -2;
const STRONG_ZOOM = -1;
const LINES_ZOOM = 0.5;
/** Outlines of selected units may be thinned at so many zooms, from 0. */
const THINNED_ZOOMS = 18;

/**
 * @param {Look} look
 * @returns {Layer[]}
 */
export function layersOf(look) {
  const layers = [...overviewLayers(look), ...unitLayers(look), ...nameLayers(look)];
  const hidden = /** @type {Layer[]} */ (
    layers.map((layer) => ({
      ...layer,
      layout: { ...layer.layout, visibility: isShown(look, layer) ? 'visible' : 'none' },
    }))
  );
  return [{ id: 'sea', type: 'background', paint: { 'background-color': look.palette.sea } }, ...hidden];
}

/**
 * @param {Look} look
 * @returns {Layer[]}
 */
function overviewLayers({ palette, isFront, detailed, parents, readableZoom, topLevel, topOffset, regionsZoom }) {
  const fill = isFront ? landFill(palette) : unitFill(palette);
  const edge = isFront ? palette.landEdge : palette.edge;
  const coarse = /** @type {Expression} */ (['!', ['in', ['get', 'key'], ['literal', [...detailed]]]]);
  return [
    fillLayer('world', fill, coarse),
    landBelow(palette, parents, zoomInRange(readableZoom + STRONG_ZOOM)),
    lineLayer('world', edge, growing(topOffset, 0.5, 2, 0.1), coarse),
    fillLayer('detail', fill, ['==', ['get', 'level'], topLevel]),
    lineLayer('detail', edge, ['match', ['get', 'level'], topLevel, 1.6, 0.8]),
    hoverFill('regions', palette, regionsZoom, ['all', coarse, READABLE]),
    {
      ...hoverFill('detail', palette, regionsZoom, ['all', ['!=', ['get', 'level'], topLevel], READABLE]),
      id: 'detail-regions-fill',
    },
    { ...lineLayer('regions', edge, growing(regionsZoom, 0.3, 1.1), coarse), minzoom: zoomInRange(regionsZoom) },
  ];
}

/**
 * Borders of small units are the outlines of the fill, which are cheap to draw: none where units are a few pixels wide,
 * then nearer and nearer to the colour of borders. Lines take over where units can be told apart.
 * @param {Look} look
 * @returns {Layer[]}
 */
function unitLayers({ palette, readableZoom }) {
  const outline = (/** @type {number} */ part) =>
    byColour(
      palette.units.map((colour) => mix(colour, palette.edge, part)),
      palette.edge,
    );
  const fill = fillLayer('units', unitFill(palette));
  const linesZoom = readableZoom + LINES_ZOOM;
  return [
    {
      ...fill,
      paint: {
        ...fill.paint,
        'fill-antialias': ['step', ['zoom'], false, readableZoom + OUTLINE_ZOOM, true, linesZoom + 1, false],
        'fill-outline-color': ['step', ['zoom'], outline(0.35), readableZoom + STRONG_ZOOM, outline(0.7)],
      },
    },
    {
      ...lineLayer('units', palette.edge, growing(linesZoom, 0.8, 2)),
      minzoom: zoomInRange(linesZoom),
    },
    { ...lineLayer('chosen', palette.chosenHalo, thinned(6, 0.4)), id: 'chosen-halo' },
    lineLayer('chosen', palette.chosen, thinned(2.5, 0.4)),
  ];
}

/**
 * @param {Look} look
 * @returns {Layer[]}
 */
function nameLayers({ palette, isFront, parents, regionsZoom }) {
  const { halo, ink, quiet } = palette;
  // Names of an upper layer come first where there is no room for all.
  return [
    { ...nameLayer('regions', { colour: ink, halo, size: [10, 11, 13] }), minzoom: zoomInRange(regionsZoom) },
    nameLayer('world', {
      colour: isFront ? quiet : ink,
      halo,
      size: [9.5, 13, 18],
      filter: ['!', ['in', ['get', 'gid'], ['literal', [...parents]]]],
    }),
    nameLayer('units', { colour: ink, halo, size: [10, 11.5, 14] }),
  ];
}

/**
 * @param {Look} look
 * @param {Layer} layer
 */
function isShown({ filled, isFront }, layer) {
  const source = 'source' in layer ? layer.source : '';
  if (layer.id === 'world-below') return isFront;
  const isOfRegions = source.startsWith('regions') || layer.id === 'detail-regions-fill';
  return filled.has(source) && !(isFront && isOfRegions);
}

/**
 * A width that grows over six levels of zoom.
 * @param {number} zoom
 * @param {number} from
 * @param {number} to
 * @param {number} [thin] two levels before
 * @returns {Expression}
 */
function growing(zoom, from, to, thin = from) {
  return ['interpolate', ['linear'], ['zoom'], zoom - 2, thin, zoom, from, zoom + 6, to];
}

/**
 * A width that is halved with each zoom before that `from` which there is room for it.
 * @param {number} full
 * @param {number} least
 * @returns {Expression}
 */
function thinned(full, least) {
  const stops = Array.from({ length: THINNED_ZOOMS }, (_, zoom) => {
    /** @type {Expression} */
    const room = ['*', full, ['^', 2, ['-', zoom, ['get', 'from']]]];
    return [zoom, ['max', least, ['min', full, room]]];
  });
  return /** @type {Expression} */ (['interpolate', ['linear'], ['zoom'], ...stops.flat()]);
}
