// The form of the Request tab: format, level, geometry, GIDs, page size and start, as the request that is shown has
// them.
import { capOf, GEOMETRY_NOTES } from '../api/geometry.js';
import { levelsWithUnits, worldOf } from '../state/place.js';
import { make, part } from './elements.js';

/**
 * @typedef {import('../state/place.js').Place} Place
 * @typedef {import('../api/about.js').About} About
 */

/** GIDs that show what belongs into an empty field, by level. */
const EXAMPLES = ['ESP', 'ESP.1_1', 'ESP.1.1_1', 'ESP.1.1.1_1', 'FRA.1.1.1.1_1', 'FRA.1.1.1.1.1_1'];

/**
 * @param {About} about
 * @param {(place: Place) => void} onSend
 * @param {AbortSignal} signal ends it
 */
export function wireRequest(about, onSend, signal) {
  const { levels, geometries } = about;
  const level = part('level', HTMLSelectElement);
  level.replaceChildren(...levelsWithUnits(levels).map((number) => new Option(`lv${number}`, String(number))));
  part('geometry', HTMLSelectElement).replaceChildren(...geometries.map((name) => new Option(name, name)));
  part('ask').addEventListener('change', () => showCap(about), { signal });
  level.addEventListener('change', () => showFilters(Number(level.value), readFilters()), { signal });
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    onSend({
      ...worldOf(levels),
      level: Number(level.value),
      filters: readFilters(),
      format: readFormat(),
      geometry: part('geometry', HTMLSelectElement).value,
      pageSize: part('page-size', HTMLInputElement).value.trim(),
      startAt: part('start-at', HTMLInputElement).value.trim(),
      bbox: readSpot('bbox'),
      // Not 'contains': an element of a form hides the form's own member of its name.
      contains: readSpot('contains-point'),
    });
  };
  part('ask').addEventListener('submit', onSubmit, { signal });
}

/**
 * Writes a place into the form.
 * @param {Place} place with the geometry that its request has
 * @param {About} about
 */
export function showRequestForm({ level, filters, format, geometry, pageSize, startAt, bbox, contains }, about) {
  for (const input of document.querySelectorAll('input[name="format"]'))
    if (input instanceof HTMLInputElement) input.checked = input.value === format;
  part('level', HTMLSelectElement).value = String(level);
  part('geometry', HTMLSelectElement).value = geometry;
  const typed = { 'page-size': pageSize, 'start-at': startAt, bbox, 'contains-point': contains };
  for (const [id, value] of Object.entries(typed)) part(id, HTMLInputElement).value = value;
  showFilters(level, filters);
  showCap(about);
}

/**
 * How many units a page has at most, with the geometry that is chosen and with each other.
 * @param {About} about
 */
function showCap(about) {
  const level = Number(part('level', HTMLSelectElement).value);
  const choice = part('geometry', HTMLSelectElement);
  const capWith = (/** @type {string} */ geometry) => capOf(about, { format: readFormat(), level, geometry });
  part('page-size', HTMLInputElement).placeholder = `at most ${capWith(choice.value) ?? 'the cap'}`;
  for (const option of choice.options) {
    const cap = capWith(option.value);
    const most = cap === undefined ? '' : `, at most ${cap} a page`;
    option.text = `${option.value}: ${GEOMETRY_NOTES.get(option.value) ?? ''}${most}`;
  }
}

/**
 * Without the spaces that one types after commas.
 * @param {string} id
 */
function readSpot(id) {
  return part(id, HTMLInputElement).value.trim().replaceAll(/,\s+/g, ',');
}

function readFormat() {
  return new FormData(part('ask', HTMLFormElement)).get('format') === 'fc' ? 'fc' : 'geojsonl';
}

/**
 * One field for each level down to this one.
 * @param {number} level
 * @param {ReadonlyMap<number, string>} filters
 */
function showFilters(level, filters) {
  const fields = EXAMPLES.slice(0, level + 1).map((example, number) => {
    const input = make('input', '');
    input.id = `gid-${number}`;
    input.value = filters.get(number) ?? '';
    input.placeholder = example;
    input.autocomplete = 'off';
    input.spellcheck = false;
    const label = make('label', '', `gid-${number}`);
    label.htmlFor = input.id;
    return make('div', 'field', label, input);
  });
  part('filters').replaceChildren(...fields);
}

/** @returns {Map<number, string>} GIDs by level */
function readFilters() {
  const filters = new Map();
  for (const input of part('filters').querySelectorAll('input')) {
    const gid = input.value.trim();
    if (gid !== '') filters.set(Number(input.id.slice('gid-'.length)), gid);
  }
  return filters;
}
