// The two kinds of layer of which layers.js has several: borders and names.

/**
 * @typedef {import('maplibre-gl').ExpressionSpecification} Expression
 *
 * @typedef {object} NameLook
 * @property {string} colour
 * @property {string} halo
 * @property {[number, number, number]} size in pixels at zoom 0, 3 and 7
 * @property {Expression} [filter]
 */

/**
 * @param {string} source
 * @param {string} colour
 * @param {number | Expression} width in pixels
 * @param {Expression} [filter]
 * @returns {import('maplibre-gl').LineLayerSpecification}
 */
export function lineLayer(source, colour, width, filter) {
  /** @type {Expression} The outline of a unit that is cut at the antimeridian is a feature without `cut`. */
  const outline = ['!', ['boolean', ['get', 'cut'], false]];
  return {
    id: `${source}-line`,
    type: 'line',
    source,
    filter: filter === undefined ? outline : ['all', outline, filter],
    paint: { 'line-color': colour, 'line-width': width },
  };
}

/**
 * Names where there is room for them (see labels.js), those of larger units first.
 * @param {string} source
 * @param {NameLook} look
 * @returns {import('maplibre-gl').SymbolLayerSpecification}
 */
export function nameLayer(source, { colour, halo, size, filter }) {
  /** @type {Expression} */
  const room = ['>=', ['zoom'], ['-', ['get', 'from'], 0.5]];
  return {
    id: `${source}-names`,
    type: 'symbol',
    source: `${source}-names`,
    filter: filter === undefined ? room : ['all', room, filter],
    layout: {
      'text-field': ['get', 'name'],
      // Without a `glyphs` URL text is drawn with fonts of the system.
      'text-font': ['system-ui', 'sans-serif'],
      'text-size': ['interpolate', ['linear'], ['zoom'], 0, size[0], 3, size[1], 7, size[2]],
      'text-max-width': 8,
      'text-padding': 3,
      'symbol-sort-key': ['*', -1, ['get', 'width']],
    },
    paint: { 'text-color': colour, 'text-halo-color': halo, 'text-halo-width': 1.3 },
  };
}
