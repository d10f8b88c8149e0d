// The data in the sources of the map, and which of them have any. Used by map.js.

/**
 * @typedef {import('geojson').Feature} Feature
 *
 * @typedef {object} Sources
 * @property {ReadonlySet<string>} filled sources with features
 * @property {(id: string, features: readonly Feature[]) => void} put replaces what is there; [] releases it
 * @property {(id: string, features: readonly Feature[]) => void} add features with new keys
 */

/**
 * @param {import('maplibre-gl').Map} map
 * @param {() => void} onFeatures there are others to draw
 * @returns {Sources}
 */
export function createSources(map, onFeatures) {
  /** @type {Set<string>} */
  const filled = new Set();
  const sourceOf = (/** @type {string} */ id) => {
    const source = map.getSource(id);
    if (source?.type !== 'geojson') throw new Error(`the map has no source ${id}`);
    return /** @type {import('maplibre-gl').GeoJSONSource} */ (source);
  };
  return {
    filled,
    put(id, features) {
      if (features.length === 0 && !filled.has(id)) return;
      if (features.length === 0) filled.delete(id);
      else filled.add(id);
      map.removeFeatureState({ source: id });
      onFeatures();
      void sourceOf(id).setData({ type: 'FeatureCollection', features: [...features] });
    },
    add(id, features) {
      if (features.length === 0) return;
      filled.add(id);
      onFeatures();
      void sourceOf(id).updateData({ add: [...features] });
    },
  };
}
