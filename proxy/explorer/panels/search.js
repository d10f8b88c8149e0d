// The search field: a combobox (WAI-ARIA APG) over the names of the release, with a choice of level. Used by app.js.
import { titleOf } from '../api/unit.js';
import { count, make, part } from './elements.js';
import { showSheet } from './layout.js';
import { errorToMessage } from './messages.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit & { path: string }} Found
 */

const LIMIT = 50;

/**
 * @param {object} options
 * @param {import('../api/names.js').Names} options.names
 * @param {number[]} options.levels that have units
 * @param {(unit: Found) => void} options.onPick
 * @param {AbortSignal} options.signal ends it
 */
export function wireSearch({ names, levels, onPick, signal }) {
  const field = part('find', HTMLInputElement);
  const choice = part('find-level', HTMLSelectElement);
  /** @type {Found[]} */
  let results = [];
  let active = -1;

  const setActive = (/** @type {number} */ index) => {
    active = index;
    for (const [i, option] of [...part('found').children].entries()) {
      option.setAttribute('aria-selected', String(i === active));
      if (i !== active) continue;
      option.scrollIntoView({ block: 'nearest' });
      field.setAttribute('aria-activedescendant', option.id);
    }
    if (active === -1) field.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    results = [];
    part('found').replaceChildren();
    part('found-box').hidden = true;
    field.setAttribute('aria-expanded', 'false');
    setActive(-1);
  };
  const pick = (/** @type {Found | undefined} */ unit) => {
    if (unit === undefined) return;
    field.value = '';
    close();
    showSheet('half');
    onPick(unit);
  };
  const show = (/** @type {string} */ note, /** @type {Found[]} */ found) => {
    results = found;
    const key = (/** @type {Found} */ { path, ...unit }) => `${titleOf(unit)}\n${path}`;
    const isRepeated = (/** @type {Found} */ unit) => found.filter((other) => key(other) === key(unit)).length > 1;
    const options = found.map((unit, i) => makeOption(unit, i, isRepeated(unit), () => pick(unit)));
    part('found').replaceChildren(...options);
    part('found-note').textContent = note;
    part('found-box').hidden = false;
    field.setAttribute('aria-expanded', String(found.length > 0));
    setActive(found.length > 0 ? 0 : -1);
  };
  const search = async () => {
    const text = field.value.trim();
    if (text === '') return close();
    if (part('found-box').hidden) show('Searching…', []);
    const chosen = choice.value === '' ? levels : [Number(choice.value)];
    try {
      // The first search loads the names: until those of all levels are there, what the others have is shown.
      const onPartial = (/** @type {{ results: Found[] }} */ { results: some }) => {
        if (field.value.trim() === text) show('Searching…', some);
      };
      const { found, results: best } = await names.search(text, { levels: chosen, limit: LIMIT, onPartial });
      if (field.value.trim() === text) show(noteOf(found, best.length), best);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
      show(errorToMessage(error).detail ?? '', []);
    }
  };

  field.addEventListener('input', () => void search(), { signal });
  field.addEventListener('focus', () => field.value !== '' && part('found-box').hidden && void search(), { signal });
  choice.addEventListener('change', () => void search(), { signal });
  signal.addEventListener('abort', () => {
    field.value = '';
    close();
  });
  field.addEventListener(
    'keydown',
    (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined && results.length > 0) {
        event.preventDefault();
        setActive((active + step + results.length) % results.length);
      } else if (event.key === 'Enter') {
        event.preventDefault();
        pick(results[active]);
      } else if (event.key === 'Escape' && field.value !== '') {
        event.stopPropagation();
        field.value = '';
        close();
      }
    },
    { signal },
  );
  const form = part('search');
  // On a phone the results need the room of the whole sheet.
  form.addEventListener('focusin', () => showSheet('full'), { signal });
  form.addEventListener(
    'focusout',
    ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && form.contains(relatedTarget)) return;
      close();
      showSheet('half');
    },
    { signal },
  );
  // A press on the results must not take the focus from the field, which would close them.
  part('found-box').addEventListener('pointerdown', (event) => event.preventDefault(), { signal });
  part('found-box').addEventListener('mousedown', (event) => event.preventDefault(), { signal });
}

/**
 * Offers the levels that have units.
 * @param {readonly number[]} levels
 */
export function showSearchLevels(levels) {
  const options = levels.map((level) => new Option(`Level ${level}`, String(level)));
  part('find-level').replaceChildren(new Option('All levels', ''), ...options);
}

/**
 * @param {Found} unit
 * @param {number} index
 * @param {boolean} isRepeated is there another of this name in the same unit?
 * @param {() => void} onClick
 */
function makeOption(unit, index, isRepeated, onClick) {
  const { path, gid } = unit;
  const option = make(
    'div',
    '',
    make('span', 'name', titleOf(unit)),
    make('span', 'type', unit.type ?? `level ${unit.level}`),
    make('span', 'above', path === '' || isRepeated ? [gid, path].filter(Boolean).join(' · ') : path),
  );
  option.id = `found-${index}`;
  option.setAttribute('role', 'option');
  option.addEventListener('click', onClick);
  return option;
}

/**
 * @param {number} found
 * @param {number} shown
 */
function noteOf(found, shown) {
  if (found === 0) return 'No unit has this name or GID.';
  if (found > shown) return `The best ${shown} of ${count(found)} units`;
  return found === 1 ? '1 unit' : `${count(found)} units`;
}
