// The form: what is typed into it becomes an ask, and an ask is shown in it.
import { part } from './panels.js';

/** @typedef {import('../request/page-request.js').Ask} Ask */

const LEVELS = [0, 1, 2, 3, 4, 5];
const GID_EXAMPLES = ['ESP', 'ESP.1_1', 'ESP.1.2_1', '', '', ''];

/** Makes the fields that are one for each level. */
export function makeFilters() {
  const fields = LEVELS.map((level) => {
    const field = document.createElement('div');
    field.className = 'field';
    const label = document.createElement('label');
    label.htmlFor = `gid-${level}`;
    label.textContent = `gid-${level}`;
    const input = document.createElement('input');
    input.id = label.htmlFor;
    input.placeholder = GID_EXAMPLES[level] ?? '';
    input.autocomplete = 'off';
    input.spellcheck = false;
    field.append(label, input);
    return field;
  });
  part('filters').replaceChildren(...fields);
}

/** @returns {Ask} */
export function readForm() {
  const level = Number(chosen('level'));
  const filters = LEVELS.filter((n) => n <= level).flatMap((n) => {
    const gid = input(`gid-${n}`).value;
    return gid === '' ? [] : [/** @type {[number, string]} */ ([n, gid])];
  });
  return {
    format: chosen('format'),
    level,
    filters: new Map(filters),
    pageSize: input('page-size').value.trim(),
    startAt: input('start-at').value.trim(),
  };
}

/** @param {Ask} ask */
export function writeForm({ format, level, filters, pageSize, startAt }) {
  choose('format', format);
  choose('level', String(level));
  for (const n of LEVELS) input(`gid-${n}`).value = filters.get(n) ?? '';
  input('page-size').value = pageSize;
  input('start-at').value = startAt;
}

/**
 * Shows what the chosen level and format allow.
 * @param {Record<string, number[]>} caps the most features on a page, by format and level
 */
export function fitForm(caps) {
  const level = Number(chosen('level'));
  for (const n of LEVELS) {
    const field = input(`gid-${n}`).parentElement;
    if (field !== null) field.hidden = n > level;
  }
  const cap = caps[chosen('format')]?.[level];
  input('page-size').placeholder = cap === undefined ? '' : `1 to ${cap}`;
}

/** @param {string} id */
function input(id) {
  return part(id, HTMLInputElement);
}

/** @param {string} name */
function chosen(name) {
  const value = new FormData(part('ask', HTMLFormElement)).get(name);
  return typeof value === 'string' ? value : '';
}

/**
 * @param {string} name
 * @param {string} value
 */
function choose(name, value) {
  for (const radio of document.getElementsByName(name))
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === value;
}
