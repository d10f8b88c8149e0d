// What the download menu offers: the units that are shown, in three formats. Used by workspace.js.
import { titleOf } from '../api/unit.js';
import { save } from '../download/save.js';
import { toCsv, toGeoJson, toGeoJsonLines } from '../download/units-file.js';
import { copy, count } from '../panels/elements.js';

/**
 * @typedef {import('../download/units-file.js').Content} Content
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 */

/**
 * The content of a download: the pages that are loaded, or the overview where it is all that is shown.
 * @param {import('./shown.js').Shown} shown
 * @param {import('../api/overview.js').OverviewUnit[]} overview of the level that is shown
 * @param {import('../api/about.js').About} about
 * @returns {Content}
 */
function contentOf({ listing, place }, overview, { release = '', attribution }) {
  /** @type {string[]} */
  const features =
    listing === undefined
      ? overview.map(({ type, id, properties, geometry }) => JSON.stringify({ type, id, properties, geometry }))
      : [...listing.units].sort((a, b) => Number(a.id) - Number(b.id)).map(({ text }) => text ?? '');
  return {
    features,
    matched: listing?.matched ?? features.length,
    release: listing?.page?.release ?? release,
    level: place.level,
    parents: [...place.filters.values()],
    attribution,
    isOverview: listing === undefined,
  };
}

/**
 * @param {import('./shown.js').Shown} shown
 * @param {import('../api/overview.js').OverviewUnit[]} overview of all levels
 * @param {import('../api/about.js').About} about
 * @param {(unit: NamedUnit) => void} onAllLevels saves a unit with everything inside of it
 * @returns {{ note: string, items: import('../panels/download-menu.js').MenuItem[] }}
 */
export function downloadsOf(shown, overview, about, onAllLevels) {
  const { listing, place, selected, lineage } = shown;
  const whole = selected ?? lineage.at(-1);
  const units = overview.filter(({ level }) => level === place.level);
  const content = () => contentOf(shown, units, about);
  const note =
    listing === undefined
      ? `${count(units.length)} units with simplified shapes, as on the map`
      : `${count(listing.loaded)} of ${count(listing.matched)} units, in full detail`;
  return {
    note,
    items: [
      { label: 'GeoJSON', detail: 'one FeatureCollection', run: () => save(toGeoJson(content())) },
      { label: 'GeoJSONSeq', detail: 'one Feature a line', run: () => save(toGeoJsonLines(content())) },
      { label: 'CSV', detail: 'attributes without shapes', run: () => save(toCsv(content())) },
      ...(whole === undefined || whole.gid === null || whole.children === 0
        ? []
        : [
            {
              label: `All of ${titleOf(whole)}`,
              detail: 'its units of all levels, GeoJSON',
              run: () => onAllLevels(whole),
            },
          ]),
      { label: 'Copy link', detail: 'to this place and view of the map', run: () => void copy(location.href) },
    ],
  };
}
