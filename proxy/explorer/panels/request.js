// The form of the Request tab: format, level, GIDs, page size and start, as the request that is shown has them. Used by
// app.js.
import { levelsWithUnits, worldOf } from '../state/place.js';
import { make, part } from './elements.js';

/**
 * @typedef {import('../state/place.js').Place} Place
 * @typedef {import('../state/place.js').LevelColumns} LevelColumns
 */

/** GIDs that show what belongs into an empty field, by level. */
const EXAMPLES = ['ESP', 'ESP.1_1', 'ESP.1.1_1', 'ESP.1.1.1_1', 'FRA.1.1.1.1_1', 'FRA.1.1.1.1.1_1'];

/**
 * @param {LevelColumns[]} levels
 * @param {(place: Place) => void} onSend
 * @param {AbortSignal} signal ends it
 */
export function wireRequest(levels, onSend, signal) {
  const level = part('level', HTMLSelectElement);
  level.replaceChildren(...levelsWithUnits(levels).map((number) => new Option(`lv${number}`, String(number))));
  level.addEventListener('change', () => showFilters(Number(level.value), readFilters()), { signal });
  part('ask', HTMLFormElement).addEventListener(
    'submit',
    (event) => {
      event.preventDefault();
      onSend({
        ...worldOf(levels),
        level: Number(level.value),
        filters: readFilters(),
        format: new FormData(part('ask', HTMLFormElement)).get('format') === 'fc' ? 'fc' : 'geojsonl',
        pageSize: part('page-size', HTMLInputElement).value.trim(),
        startAt: part('start-at', HTMLInputElement).value.trim(),
      });
    },
    { signal },
  );
}

/**
 * Writes a place into the form.
 * @param {Place} place
 * @param {Record<string, number[]>} caps
 */
export function showRequestForm({ level, filters, format, pageSize, startAt }, caps) {
  for (const input of document.querySelectorAll('input[name="format"]'))
    if (input instanceof HTMLInputElement) input.checked = input.value === format;
  part('level', HTMLSelectElement).value = String(level);
  part('page-size', HTMLInputElement).value = pageSize;
  part('page-size', HTMLInputElement).placeholder = `at most ${caps[format]?.[level] ?? 'the cap'}`;
  part('start-at', HTMLInputElement).value = startAt;
  showFilters(level, filters);
}

/**
 * One field for each level down to this one.
 * @param {number} level
 * @param {ReadonlyMap<number, string>} filters
 */
function showFilters(level, filters) {
  const fields = EXAMPLES.slice(0, level + 1).map((example, number) => {
    const input = document.createElement('input');
    input.id = `gid-${number}`;
    input.value = filters.get(number) ?? '';
    input.placeholder = example;
    input.autocomplete = 'off';
    input.spellcheck = false;
    const label = make('label', '', `gid-${number}`);
    label.setAttribute('for', input.id);
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
