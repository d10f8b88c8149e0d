// The page's parts: each function writes one of them. Everything that comes from the data or the service goes in as text.
import { gidOf, lineageOf, nameOf } from '../request/unit.js';

/**
 * @typedef {import('../request/client.js').Unit} Unit
 * @typedef {import('../request/client.js').Page} Page
 * @typedef {import('../request/unit.js').Step} Step
 */

/** More units than this make a list that nobody reads and a page that is slow: there is the search. */
const LISTED_MAX = 200;
const LEVEL_MAX = 5;

/**
 * The element of the page with this id.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 */
export function part(id, kind) {
  const element = document.getElementById(id);
  if (element === null || (kind && !(element instanceof kind))) throw new Error(`the page has no such #${id}`);
  return /** @type {Kind} */ (element);
}

/**
 * A message above the answer; `action` puts a button into it.
 * @param {{ kind: 'idle' | 'busy' | 'error', title: string, detail?: string, code?: string } | undefined} message
 * @param {{ label: string, run: () => void }} [action]
 */
export function showMessage(message, action) {
  const box = part('message');
  box.className = `message ${message?.kind ?? ''}`;
  box.setAttribute('role', message?.kind === 'error' ? 'alert' : 'status');
  box.replaceChildren();
  if (message === undefined) return;
  box.append(make('strong', message.title));
  if (message.detail) box.append(make('p', message.detail));
  if (message.code) box.append(make('code', message.code));
  if (action !== undefined) box.append(makeButton(action.label, action.run));
}

/**
 * @param {number} loaded
 * @param {number} matched
 */
export function showProgress(loaded, matched) {
  part('progress').hidden = false;
  const bar = part('bar', HTMLProgressElement);
  bar.max = Math.max(1, matched);
  bar.value = matched === 0 ? 1 : loaded;
  part('count').textContent = `${loaded.toLocaleString('en')} of ${matched.toLocaleString('en')} units`;
}

/**
 * What was asked, before there is an answer.
 * @param {string} curl
 */
export function showRequest(curl) {
  part('exchange').hidden = false;
  part('curl').textContent = curl;
  part('answer').replaceChildren();
}

/**
 * @param {readonly [name: string, value: string][]} facts
 */
export function showAnswer(facts) {
  part('answer').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
}

/**
 * The facts of an answered page.
 * @param {Page} page
 * @returns {[name: string, value: string][]}
 */
export function factsOf(page) {
  return [
    ['Status', `${page.status} ${page.statusText}`],
    ['Units', `${page.units.length} on this page, ${page.matched.toLocaleString('en')} in all`],
    ['Time', `${Math.round(page.ms)} ms`],
    ['Size', `${bytes(page.sentBytes)} sent, ${bytes(page.textBytes)} of text`],
    ['Release', page.release],
    ['ETag', page.tag],
    ['Link', page.link || 'none: this is the last page'],
  ];
}

/**
 * The way from the world to what is shown; each step but the last is a button.
 * @param {readonly Step[]} steps
 * @param {(step: Step | undefined) => void} onStep with undefined for the world
 */
export function showPath(steps, onStep) {
  const all = [undefined, ...steps];
  const list = make('ol', '');
  for (const [i, step] of all.entries()) {
    const item = make('li', '');
    if (i < all.length - 1) item.append(makeButton(step?.name ?? 'World', () => onStep(step)));
    else item.append(make('strong', step?.name ?? 'World'));
    list.append(item);
  }
  part('path').replaceChildren(list);
}

/**
 * @param {readonly Unit[]} units
 * @param {number} level
 * @param {string} wanted part of a name or GID
 * @param {(unit: Unit, button: HTMLElement) => void} onPick
 */
export function showUnits(units, level, wanted, onPick) {
  part('units').hidden = units.length === 0;
  const needle = wanted.trim().toLowerCase();
  const found = units.filter((unit) => `${nameOf(unit, level)} ${gidOf(unit, level)}`.toLowerCase().includes(needle));
  const items = found.slice(0, LISTED_MAX).map((unit) => {
    const button = makeButton(nameOf(unit, level), () => onPick(unit, button));
    button.append(make('code', gidOf(unit, level) ?? `fid ${unit.id}`));
    const item = make('li', '');
    item.append(button);
    return item;
  });
  part('list').replaceChildren(...items);
  part('more').hidden = found.length > 0 && found.length <= LISTED_MAX;
  part('more').textContent =
    found.length === 0 ? 'No unit here has that name.' : `${found.length - LISTED_MAX} more: search to see them.`;
}

/**
 * What is known of a unit, and where one can go from it.
 * @param {Unit} unit
 * @param {number} level
 * @param {{ inside: () => void, alone: () => void, close: () => void }} actions
 */
export function showCard(unit, level, { inside, alone, close }) {
  const card = part('card');
  const gid = gidOf(unit, level);
  const head = make('h2', nameOf(unit, level));
  const above = lineageOf(unit, level).slice(0, -1);
  const closer = makeButton('×', close);
  closer.className = 'close';
  closer.setAttribute('aria-label', 'Close');
  const facts = make('dl', '');
  facts.className = 'facts';
  for (const [name, value] of Object.entries(unit.properties))
    facts.append(make('dt', name), make('dd', String(value)));
  const actions = make('div', '');
  actions.className = 'actions';
  if (gid === undefined) actions.append(make('p', `There is no column GID_${level}: type the GID into the form.`));
  if (gid !== undefined && level < LEVEL_MAX) {
    const button = makeButton(`Units inside (lv${level + 1})`, inside);
    button.className = 'primary';
    actions.append(button);
  }
  if (gid !== undefined) actions.append(makeButton('This unit alone', alone));
  const details = make('details', '');
  details.append(make('summary', `${Object.keys(unit.properties).length} properties`), facts);
  const where = make('p', above.map(({ name }) => name).join(' › '));
  card.replaceChildren(closer, head, ...(above.length > 0 ? [where] : []), actions, details);
  card.hidden = false;
  return actions.querySelector('button') ?? closer;
}

/**
 * @param {string} tag
 * @param {string} text
 */
function make(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

/**
 * @param {string} text
 * @param {() => void} run
 */
function makeButton(text, run) {
  const button = document.createElement('button');
  button.type = 'button';
  button.append(make('span', text));
  button.addEventListener('click', run);
  return button;
}

/** @param {number} count */
function bytes(count) {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
