// The explorer: a walk through the interface, page by page, on a map. This file holds what is being walked and wires the
// parts together; nothing is kept when the page is closed.

import { createMap } from './map/map.js';
import { remember, stepsTo } from './panels/breadcrumbs.js';
import { copyCurl } from './panels/copy.js';
import { nothing, showRefusal } from './panels/error-message.js';
import { fitForm, makeFilters, readForm, writeForm } from './panels/form.js';
import {
  factsOf,
  part,
  showAnswer,
  showCard,
  showMessage,
  showPath,
  showProgress,
  showRequest,
  showUnits,
} from './panels/panels.js';
import { describe } from './panels/service-info.js';
import { fetchPage, nextOf, tokenFrom } from './request/client.js';
import { askToPath, curlFor, pathToAsk, WORLD } from './request/page-request.js';
import { gidOf, identify, lineageOf } from './request/unit.js';

/**
 * @typedef {import('./request/page-request.js').Ask} Ask
 * @typedef {import('./request/client.js').Unit} Unit
 */

/** 'Load all' rests after so much text: full-resolution boundaries of the world do not fit into a browser. */
const REST_BYTES = 64 * 1024 * 1024;

const walk = {
  ask: WORLD,
  /** @type {Unit[]} */
  units: [],
  /** @type {string | undefined} */
  next: undefined,
  matched: 0,
};
let requests = new AbortController();

const map = createMap(part('map'), (unit) => pick(unit));
makeFilters();
const { caps, land, levels } = await describe();
if (land !== undefined) map.drawLand(land);
wire();
welcome();

/** Begins a walk with its first page; while there is none, the one before stays on the map. */
async function begin(/** @type {Ask} */ ask) {
  const bytes = await load(new URL(`api/v1/${askToPath(ask)}`, document.baseURI).href, { ...ask });
  if (bytes === undefined) return;
  if (walk.units.length > 0) part('map').scrollIntoView({ block: 'nearest' });
  map.fit(walk.units);
}

/** Forgets what was walked. */
function restart(/** @type {Ask} */ ask) {
  walk.ask = ask;
  walk.units = [];
  part('find', HTMLInputElement).value = '';
  closeCard();
  map.clear();
  renderPath(ask);
}

/** Asks for one page and draws it. Returns the bytes of its text, undefined when there is none. */
async function load(/** @type {string} */ url, /** @type {Ask} */ ask = walk.ask) {
  requests.abort();
  requests = new AbortController();
  const { signal } = requests;
  showRequest(curlFor(url));
  showMessage({ kind: 'busy', title: 'Asking…' });
  setBusy(true);
  try {
    const page = await fetchPage(url, tokenFrom(part('token', HTMLInputElement).value), signal);
    if (ask !== walk.ask) restart(ask);
    for (const unit of page.units) identify(unit, levels[walk.ask.level]);
    walk.units.push(...page.units);
    walk.matched = page.matched;
    walk.next = nextOf(page);
    map.add(page.units, walk.ask.level);
    showAnswer(factsOf(page));
    showProgress(walk.units.length, walk.matched);
    showMessage(page.matched > 0 ? undefined : nothing(ask));
    renderUnits();
    part('release').textContent = page.release;
    return page.textBytes;
  } catch (error) {
    if (!signal.aborted) showRefusal(error, () => go({ ...ask, startAt: '' }));
    // Another request may have taken its place, and has the message now.
    else if (requests.signal === signal) showMessage({ kind: 'idle', title: 'Stopped' });
    return undefined;
  } finally {
    if (requests.signal === signal) setBusy(false);
  }
}

async function loadAll() {
  let bytes = 0;
  while (walk.next !== undefined) {
    const more = await load(walk.next);
    if (more === undefined) return;
    bytes += more;
    if (bytes < REST_BYTES || walk.next === undefined) continue;
    showMessage({ kind: 'idle', title: 'Resting after 64 MB', detail: 'Load all goes on from here.' });
    break;
  }
  map.fit(walk.units);
}

/** Shows a unit's card; from the list the focus goes along, and back when the card is closed. */
function pick(/** @type {Unit} */ unit, /** @type {HTMLElement | undefined} */ from = undefined) {
  const { level } = walk.ask;
  remember(lineageOf(unit, level));
  const gid = gidOf(unit, level) ?? '';
  map.select(unit);
  if (from !== undefined) map.fit([unit]);
  const first = showCard(unit, level, {
    inside: () => go(inside({ level, gid })),
    alone: () => go({ ...fresh(), level, filters: new Map([[level, gid]]) }),
    close: () => {
      closeCard();
      from?.focus();
    },
  });
  if (from !== undefined) first.focus();
}

function closeCard() {
  part('card').hidden = true;
  map.select(undefined);
}

/** The units one level below a step. */
function inside(/** @type {{ level: number, gid: string }} */ { level, gid }) {
  return { ...fresh(), level: level + 1, filters: new Map([[level, gid]]) };
}

/** An ask with the format and page size that are chosen. */
function fresh() {
  const { format, pageSize } = readForm();
  return { ...WORLD, format, pageSize };
}

/** Goes to an ask by way of the page's address, so that the browser's own buttons work. */
function go(/** @type {Ask} */ ask) {
  const hash = `#${askToPath(ask)}`;
  if (location.hash === hash) void begin(ask);
  else location.hash = hash;
}

/** Shows the request of the page's address in the form; without one, the world. */
function readAddress() {
  const ask = pathToAsk(location.hash.slice(1)) ?? WORLD;
  writeForm(ask);
  fitForm(caps);
  return ask;
}

function welcome() {
  renderPath(readAddress());
  showMessage({
    kind: 'idle',
    title: 'Paste a token, then load a page',
    detail: 'serve --dev prints one as it starts.',
  });
  part('token').focus();
}

function renderPath(/** @type {Ask} */ { filters }) {
  showPath(stepsTo(filters), (step) => go(step === undefined ? { ...fresh(), level: 0 } : inside(step)));
}

function renderUnits() {
  showUnits(walk.units, walk.ask.level, part('find', HTMLInputElement).value, pick);
}

function setBusy(/** @type {boolean} */ busy) {
  document.body.classList.toggle('busy', busy);
  part('stop').hidden = !busy;
  for (const id of ['next', 'all']) part(id, HTMLButtonElement).disabled = busy || walk.next === undefined;
}

function wire() {
  const form = part('ask', HTMLFormElement);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    go(readForm());
  });
  form.addEventListener('change', () => fitForm(caps));
  addEventListener('hashchange', () => void begin(readAddress()));
  part('find').addEventListener('input', renderUnits);
  part('next').addEventListener('click', () => walk.next !== undefined && void load(walk.next));
  part('all').addEventListener('click', () => void loadAll());
  part('stop').addEventListener('click', () => requests.abort());
  part('copy').addEventListener('click', copyCurl);
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    requests.abort();
    const closer = part('card').querySelector('.close');
    if (!part('card').hidden && closer instanceof HTMLElement) closer.click();
  });
}
