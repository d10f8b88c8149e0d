// Applies layers to a map that has them already: only what differs is set. Used by map.js.

/** @typedef {import('maplibre-gl').LayerSpecification} Layer */

/**
 * @param {import('maplibre-gl').Map} map
 * @param {readonly Layer[]} before the layers as the map has them
 * @param {readonly Layer[]} after the same layers, with other filters, zooms or paint
 */
export function restyle(map, before, after) {
  for (const [index, layer] of after.entries()) {
    const old = before[index];
    if (old?.id !== layer.id) throw new Error(`the map has no layer ${layer.id} at ${index}`);
    eachChange(old.paint, layer.paint, (name, value) => map.setPaintProperty(layer.id, name, value));
    eachChange(old.layout, layer.layout, (name, value) => map.setLayoutProperty(layer.id, name, value));
    if (layer.type === 'background' || old.type === 'background') continue;
    if (!same(old.filter, layer.filter)) map.setFilter(layer.id, layer.filter);
    if (old.minzoom !== layer.minzoom || old.maxzoom !== layer.maxzoom)
      map.setLayerZoomRange(layer.id, layer.minzoom ?? 0, layer.maxzoom ?? 24);
  }
}

/**
 * @param {object | undefined} before
 * @param {object | undefined} after
 * @param {(name: any, value: any) => void} set
 */
function eachChange(before = {}, after = {}, set) {
  for (const [name, value] of Object.entries(after)) if (!same(Reflect.get(before, name), value)) set(name, value);
}

/**
 * @param {unknown} a
 * @param {unknown} b
 */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
