// What the download menu offers: all units of the listing that is shown, with the geometry that is chosen, as GeoJSON
// or as a table, the selected unit alone, the cells of its level, and how large each is. Used by workspace-view.js.
import { attributesAlone, GEOMETRY_NOTES } from '../api/geometry.js';
import { downloadToPath } from '../api/page-request.js';
import { titleOf } from '../api/unit.js';
import { fileName, toCsv, toGeoJson, toGeoJsonLines, toPointsCsv } from '../download/units-file.js';
import { copy, count, size } from '../panels/elements.js';
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
 *
 * A file that the service has as it is.
 * @typedef {{ title: string, path: string, name: string }} StoredFile
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
 * @param {(file: StoredFile) => void} actions.onSave loads and saves, too
 * @param {(path: string) => Promise<import('../api/client.js').Size>} actions.sizeOf a file of the service
 * @returns {import('../panels/download-menu.js').Offer}
 */
export function downloadsOf(shown, about, { onLoad, onSave, sizeOf }) {
  const { place, selected, lineage, total } = shown;
  const { geometries, cells, levels, attribution, release = '' } = about;
  const { level, filters, bbox, contains } = place;
  const whole = selected ?? lineage.at(-1);
  const base = { level, parents: [...filters.values(), bbox, contains].filter((text) => text !== ''), attribution };
  const shapes = geometries.filter((geometry) => geometry !== 'none');
  /** @type {Map<string, ReturnType<typeof sizeOf>>} */
  const sizes = new Map();
  const sizeText = async (/** @type {WholeListing[]} */ listings) => {
    const asked = listings.map(downloadToPath).map((path) => {
      const known = sizes.get(path) ?? sizeOf(path);
      sizes.set(path, known);
      return known;
    });
    const files = await Promise.all(asked);
    const [matched, bytes] = [sum(files.map((file) => file.matched)), sum(files.map((file) => file.bytes))];
    return `${unitsText(matched)}, ${size(bytes)} compressed`;
  };
  /** @typedef {(content: Content) => UnitsFile} ToFile */
  const offer = (/** @type {ToFile} */ toFile, /** @type {string | undefined} */ only = undefined) => {
    const listings = (/** @type {string} */ geometry) => [{ level, filters, bbox, contains, geometry }];
    return {
      size: (/** @type {string} */ chosen) => sizeText(listings(only ?? chosen)),
      run: (/** @type {string} */ chosen) => {
        const geometry = only ?? chosen;
        const name = toFile === toCsv ? 'full' : geometry;
        onLoad({
          title: titleOfListing(shown, release),
          listings: listings(geometry),
          toFile: (loaded) => toFile({ ...base, ...loaded, matched: loaded.features.length, geometry: name }),
          isAllLevels: false,
        });
      },
    };
  };
  /** @param {NamedUnit & { gid: string }} unit */
  const allLevels = (unit) => {
    const parents = [unit.gid];
    const within = { filters: new Map([[unit.level, unit.gid]]) };
    const below = levelsWithUnits(levels).filter(
      (other) => other >= unit.level && levels[other]?.gidColumns[unit.level] !== '',
    );
    const listings = (/** @type {string} */ geometry) => below.map((other) => ({ ...within, level: other, geometry }));
    return {
      size: (/** @type {string} */ geometry) => sizeText(listings(geometry)),
      run: (/** @type {string} */ geometry) => {
        onLoad({
          title: `${titleOf(unit)}, all levels`,
          listings: listings(geometry),
          toFile: (loaded) => {
            const content = { ...loaded, matched: loaded.features.length, level: unit.level, parents, attribution };
            return toGeoJson({ ...content, geometry, isAllLevels: true });
          },
          isAllLevels: true,
        });
      },
    };
  };
  /** @param {NamedUnit & { gid: string }} unit */
  const unitAlone = (unit) => {
    const listings = (/** @type {string} */ geometry) => [
      { level: unit.level, filters: new Map([[unit.level, unit.gid]]), geometry },
    ];
    return {
      size: (/** @type {string} */ geometry) => sizeText(listings(geometry)),
      run: (/** @type {string} */ geometry) => {
        const content = { level: unit.level, parents: [unit.gid], attribution, geometry };
        onLoad({
          title: titleOf(unit),
          listings: listings(geometry),
          toFile: (loaded) => toGeoJson({ ...content, ...loaded, matched: loaded.features.length }),
          isAllLevels: false,
        });
      },
    };
  };
  const cellsFile = () => {
    const path = `download/lv${level}.cells`;
    const name = fileName({ features: [], matched: 0, release, level, parents: [], attribution }, 'cells');
    return {
      size: async () => size((await sizeOf(path)).bytes),
      run: () => onSave({ title: `the cells of level ${level}`, path, name }),
    };
  };
  return {
    note: `${unitsText(total)} of ${titleOfListing(shown, release)}`,
    choices: shapes.map((value) => ({ value, text: `${value}, ${GEOMETRY_NOTES.get(value) ?? ''}` })),
    items: [
      // Most come for one unit.
      ...(selected === undefined || selected.gid === null
        ? []
        : [
            {
              label: `Only ${titleOf(selected)}`,
              detail: 'the selected unit, GeoJSON',
              ...unitAlone({ ...selected, gid: selected.gid }),
            },
          ]),
      { label: 'GeoJSON', detail: 'one FeatureCollection', ...offer(toGeoJson) },
      { label: 'GeoJSONSeq', detail: 'one Feature a line', ...offer(toGeoJsonLines) },
      { label: 'CSV', detail: 'attributes without shapes', ...offer(toCsv, attributesAlone(geometries)) },
      ...(geometries.includes('point')
        ? [
            {
              label: 'Points',
              detail: 'attributes, longitude and latitude, as a table',
              ...offer(toPointsCsv, 'point'),
            },
          ]
        : []),
      ...(cells
        ? [{ label: 'Cells', detail: `finds units at points without the service, level ${level}`, ...cellsFile() }]
        : []),
      ...(whole === undefined || whole.gid === null || (whole.children === 0 && !hasDeeper(whole, levels))
        ? []
        : [
            {
              label: `All of ${titleOf(whole)}`,
              detail: 'its units of all levels, GeoJSON',
              ...allLevels({ ...whole, gid: whole.gid }),
            },
          ]),
      { label: 'Copy link', detail: 'to this place and view of the map', run: () => void copy(location.href) },
    ],
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

/** @param {number} units */
function unitsText(units) {
  return `${count(units)} ${units === 1 ? 'unit' : 'units'}`;
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * @param {Seen} shown
 * @param {string} release
 */
function titleOfListing({ lineage, place }, release) {
  const opened = lineage.at(-1);
  return `${opened === undefined ? release : titleOf(opened)}, level ${place.level}`;
}
