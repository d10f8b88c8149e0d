// What the download menu offers: all units of the listing that is shown, with the geometry that is chosen, as GeoJSON or as a
// table. Used by workspace-view.js.
import { attributesAlone, GEOMETRY_NOTES } from '../api/geometry.js';
import { listingToPath } from '../api/page-request.js';
import { titleOf } from '../api/unit.js';
import { save } from '../download/save.js';
import { toCsv, toGeoJson, toGeoJsonLines, toPointsCsv } from '../download/units-file.js';
import { copy, count } from '../panels/elements.js';
import { levelsWithUnits } from './place.js';

/**
 * @typedef {import('../download/units-file.js').Content} Content
 * @typedef {import('../download/units-file.js').UnitsFile} UnitsFile
 * @typedef {import('../api/about.js').About} About
 * @typedef {import('../api/overview.js').OverviewUnit} OverviewUnit
 *
 * A file whose units the service has.
 * @typedef {object} Download
 * @property {string} title
 * @property {string[]} paths of the first pages of its listings
 * @property {(loaded: { features: string[], release: string }) => UnitsFile} toFile
 * @property {boolean} isAllLevels
 */

/** The choice of the world: what the map has of it. */
const AS_ON_THE_MAP = 'overview';

/**
 * @param {import('./shown.js').Shown} shown
 * @param {OverviewUnit[]} overview of all levels
 * @param {About} about
 * @param {(download: Download) => void} onLoad loads and saves
 * @returns {import('../panels/download-menu.js').Offer}
 */
export function downloadsOf(shown, overview, about, onLoad) {
  const { listing, place, selected, lineage, total } = shown;
  const { geometries, levels, attribution, release = '' } = about;
  const { level, filters } = place;
  const units = overview.filter((unit) => unit.level === level);
  const whole = selected ?? lineage.at(-1);
  const base = { level, parents: [...filters.values()], attribution };
  const shapes = geometries.filter((geometry) => geometry !== 'none');
  /** @typedef {(content: Content) => UnitsFile} ToFile */
  const offer = (/** @type {ToFile} */ toFile, /** @type {string} */ geometry) => {
    const isOverview = geometry === AS_ON_THE_MAP;
    if (isOverview) return save(toFile({ ...base, ...overviewContent(units), release, isOverview }));
    const name = toFile === toCsv ? 'full' : geometry;
    onLoad({
      title: titleOfListing(shown, release),
      paths: [listingToPath(place, geometry)],
      toFile: (loaded) => toFile({ ...base, ...loaded, matched: loaded.features.length, geometry: name }),
      isAllLevels: false,
    });
  };
  const allLevels = (/** @type {string} */ geometry) => {
    if (!whole?.gid) return;
    const parents = [whole.gid];
    const within = { filters: new Map([[whole.level, whole.gid]]) };
    const of = geometry === AS_ON_THE_MAP ? 'full' : geometry;
    const below = levelsWithUnits(levels).filter(
      (other) => other >= whole.level && levels[other]?.gidColumns[whole.level] !== '',
    );
    onLoad({
      title: `${titleOf(whole)}, all levels`,
      paths: below.map((other) => listingToPath({ ...within, level: other }, of)),
      toFile: (loaded) => {
        const { level } = whole;
        const content = { ...loaded, matched: loaded.features.length, level, parents, attribution, geometry: of };
        return toGeoJson({ ...content, isAllLevels: true });
      },
      isAllLevels: true,
    });
  };
  const isWorld = listing === undefined;
  const matched = isWorld ? units.length : (listing.page?.matched ?? total);
  return {
    note: `${count(matched)} ${matched === 1 ? 'unit' : 'units'} of ${titleOfListing(shown, release)}`,
    choices: [
      ...(isWorld ? [{ value: AS_ON_THE_MAP, text: 'simplified, as on the map' }] : []),
      ...shapes.map((value) => ({ value, text: `${value}, ${GEOMETRY_NOTES.get(value) ?? ''}` })),
    ],
    items: [
      { label: 'GeoJSON', detail: 'one FeatureCollection', run: (geometry) => offer(toGeoJson, geometry) },
      { label: 'GeoJSONSeq', detail: 'one Feature a line', run: (geometry) => offer(toGeoJsonLines, geometry) },
      { label: 'CSV', detail: 'attributes without shapes', run: () => offer(toCsv, attributesAlone(geometries)) },
      ...(geometries.includes('point')
        ? [
            {
              label: 'Points',
              detail: 'attributes, longitude and latitude, as a table',
              run: () => offer(toPointsCsv, 'point'),
            },
          ]
        : []),
      ...(whole === undefined || whole.gid === null || whole.children === 0
        ? []
        : [{ label: `All of ${titleOf(whole)}`, detail: 'its units of all levels, GeoJSON', run: allLevels }]),
      { label: 'Copy link', detail: 'to this place and view of the map', run: () => void copy(location.href) },
    ],
  };
}

/**
 * @param {import('./shown.js').Shown} shown
 * @param {string} release
 */
function titleOfListing({ lineage, place }, release) {
  const opened = lineage.at(-1);
  return `${opened === undefined ? release : titleOf(opened)}, level ${place.level}`;
}

/** @param {OverviewUnit[]} units */
function overviewContent(units) {
  const features = units.map(({ type, id, properties, geometry }) =>
    JSON.stringify({ type, id, properties, geometry }),
  );
  return { features, matched: features.length };
}
