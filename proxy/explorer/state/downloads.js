// What the download menu offers: all units of the listing that is shown, with the geometry that is chosen, as GeoJSON
// or as a table, the selected unit alone, and how large each is.
import { GEOMETRY_NOTES } from '../api/geometry.js';
import { downloadToPath } from '../api/page-request.js';
import { size, unitsText } from '../api/texts.js';
import { titleOf } from '../api/unit.js';
import { toCsv, toGeoJson, toGeoJsonLines } from '../download/units-file.js';
import { copy } from '../panels/elements.js';
import { isLinked, levelsWithUnits } from './place.js';

/**
 * @typedef {import('../download/units-file.js').Content} Content
 * @typedef {import('../download/units-file.js').UnitsFile} UnitsFile
 * @typedef {import('../api/about.js').About} About
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('../api/page-request.js').WholeListing} WholeListing
 *
 * A file whose units the service has.
 * @typedef {object} Download
 * @property {string} title
 * @property {WholeListing[]} listings
 * @property {(loaded: { features: string[], release: string }) => UnitsFile} toFile
 * @property {boolean} isAllLevels
 */

/**
 * What is read of the state.
 * @typedef {Pick<import('./shown.js').Shown, 'place' | 'selected' | 'lineage' | 'total' | 'hasRows'>} Seen
 */

/**
 * The file of one unit as the page has it, in full.
 * @param {NamedUnit} row
 * @param {string} text its Feature, as the service sent it
 * @param {About} about
 */
export function unitFile({ level, gid, fid }, text, { attribution, release = '' }) {
  const parents = [gid ?? `fid-${fid}`];
  return toGeoJson({ features: [text], matched: 1, level, parents, attribution, release, geometry: 'full' });
}

/**
 * @param {Seen} shown
 * @param {About} about
 * @param {object} actions
 * @param {(download: Download) => void} actions.onLoad loads and saves
 * @param {(path: string) => Promise<import('../api/client.js').Size>} actions.sizeOf a file of the service
 * @returns {import('../panels/download-menu.js').Offer}
 */
export function downloadsOf(shown, about, { onLoad, sizeOf }) {
  const { place, selected, lineage, total } = shown;
  const { geometries, levels, attribution, lightest, release = '' } = about;
  const { level, filters, bbox, contains } = place;
  const whole = selected ?? lineage.at(-1);
  /** @type {Map<string, ReturnType<typeof sizeOf>>} */
  const sizes = new Map();
  const sizeText = async (/** @type {WholeListing[]} */ listings) => {
    const asked = listings.map(downloadToPath).map((path) => {
      const known = sizes.get(path) ?? sizeOf(path);
      sizes.set(path, known);
      return known;
    });
    const files = await Promise.all(asked);
    const sum = (/** @type {'matched' | 'bytes'} */ of) => files.reduce((total, file) => total + file[of], 0);
    return `${unitsText(sum('matched'))}, ${size(sum('bytes'))} compressed`;
  };
  /**
   * @param {string} title
   * @param {Omit<WholeListing, 'geometry'>[]} listings
   * @param {Pick<Content, 'level' | 'parents'> & Partial<Content>} content
   * @param {{ toFile?: (content: Content) => UnitsFile, only?: string }} [file] `only`: the geometry that it has
   */
  const offer = (title, listings, content, { toFile = toGeoJson, only } = {}) => {
    const inGeometry = (/** @type {string} */ chosen) =>
      listings.map((listing) => ({ ...listing, geometry: only ?? chosen }));
    return {
      size: (/** @type {string} */ chosen) => sizeText(inGeometry(chosen)),
      run: (/** @type {string} */ chosen) => {
        const geometry = only ?? chosen;
        onLoad({
          title,
          listings: inGeometry(chosen),
          toFile: (loaded) => toFile({ attribution, geometry, ...content, ...loaded, matched: loaded.features.length }),
          isAllLevels: content.isAllLevels === true,
        });
      },
    };
  };
  const base = { level, parents: [...filters.values(), bbox, contains].filter((text) => text !== '') };
  const listed = (/** @type {Parameters<typeof offer>[3]} */ file = {}) =>
    offer(titleOfListing(shown, release), [{ level, filters, bbox, contains }], base, file);
  /**
   * @param {NamedUnit} unit
   * @param {string} gid
   * @param {boolean} isAllLevels
   */
  const ofUnit = (unit, gid, isAllLevels) => {
    const own = new Map([[unit.level, gid]]);
    const inside = levelsWithUnits(levels).filter(
      (other) => other >= unit.level && levels[other]?.gidColumns[unit.level] !== '',
    );
    const listings = (isAllLevels ? inside : [unit.level]).map((other) => ({ level: other, filters: own }));
    const title = isAllLevels ? `${titleOf(unit)}, all levels` : titleOf(unit);
    return offer(title, listings, { level: unit.level, parents: [gid], isAllLevels });
  };
  const hasPoints = geometries.includes('point');
  const columns = hasPoints ? 'attributes, longitude and latitude, as a table' : 'attributes, as a table';
  /** @type {import('../panels/download-menu.js').MenuItem[]} */
  const items = [
    { label: 'GeoJSON', detail: 'one FeatureCollection', ...listed() },
    { label: 'GeoJSONSeq', detail: 'one Feature a line', ...listed({ toFile: toGeoJsonLines }) },
    { label: 'CSV', detail: columns, ...listed({ toFile: toCsv, only: hasPoints ? 'point' : lightest }) },
  ];
  // Most come for one unit.
  if (selected?.gid)
    items.unshift({
      label: `Only ${titleOf(selected)}`,
      detail: 'the selected unit, GeoJSON',
      ...ofUnit(selected, selected.gid, false),
    });
  if (whole?.gid && (whole.children > 0 || hasDeeper(whole, levels)))
    items.push({
      label: `All of ${titleOf(whole)}`,
      detail: 'the unit and all inside it, GeoJSON',
      ...ofUnit(whole, whole.gid, true),
    });
  items.push({ label: 'Copy link', detail: 'to this place and view of the map', run: () => void copy(location.href) });
  const shapes = geometries.filter((geometry) => geometry !== 'none');
  return {
    note: `${unitsText(total)} of ${titleOfListing(shown, release)}`,
    choices: shapes.map((value) => ({ value, text: `${value}, ${GEOMETRY_NOTES.get(value) ?? ''}` })),
    items,
  };
}

/**
 * May a unit without children have units at a deeper level, where a parent is missing between?
 * @param {NamedUnit} unit
 * @param {About['levels']} levels
 */
function hasDeeper({ level }, levels) {
  return !isLinked(levels) && levels.some((other) => other.level > level && (other.gidColumns[level] ?? '') !== '');
}

/**
 * @param {Seen} shown
 * @param {string} release
 */
function titleOfListing({ lineage, place }, release) {
  const opened = lineage.at(-1);
  return `${opened === undefined ? release : titleOf(opened)}, level ${place.level}`;
}
