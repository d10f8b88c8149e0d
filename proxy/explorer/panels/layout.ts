// The frame of the page: tabs, skip link, the sheet below the map of a phone, and whose data it is.
import type { About } from '../api/about.ts';
import { make, makeLink, part } from './elements.ts';

/** An address in the text of an attribution, also one without its scheme; not the punctuation after it. */
const ADDRESS =
  /((?:https?:\/\/|(?<=[\s(]))(?:[\w-]+\.)+(?:com|org|net|int|info|edu|gov|[a-z]{2})\b(?:\/[^\s<>"')\]]*[^\s<>"')\].,;:])?)/;

const TABS = ['browse', 'request'];

/** Heights of the sheet on a phone, by name; style.css has the sizes. */
const SHEETS = ['low', 'half', 'full'];

export function wireLayout() {
  for (const name of TABS) part(`tab-${name}`).addEventListener('click', () => showTab(name));
  part('tabs').addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    const name = shownTab() === 'browse' ? 'request' : 'browse';
    showTab(name);
    part(`tab-${name}`).focus();
  });
  // The fragment of the address is the place, so the link must not change it.
  part('skip').addEventListener('click', (event) => {
    event.preventDefault();
    if (part('workspace').hidden) part('token').focus();
    else focusHeading();
  });
  wireSheet();
}

export function showTab(shown: string) {
  for (const name of TABS) {
    const tab = part(`tab-${name}`);
    tab.setAttribute('aria-selected', String(name === shown));
    tab.tabIndex = name === shown ? 0 : -1;
    part(name).hidden = name !== shown;
  }
}

/** Shows the Browse tab, and on a phone a part of it at least. */
export function showBrowse() {
  showTab('browse');
  if (document.body.dataset['sheet'] === 'low') showSheet('half');
}

/** Moves the focus to the heading of the tab, before what has it leaves the page. */
export function focusHeading() {
  part(shownTab() === 'browse' ? 'heading' : 'request-heading').focus({ preventScroll: true });
}

/** Brings the sheet of a phone to this height. */
export function showSheet(name: string) {
  const handle = part('sheet');
  document.body.dataset['sheet'] = name;
  handle.setAttribute('aria-label', `Panel height: ${name}. Change`);
}

export function shownSheet(): string {
  return document.body.dataset['sheet'] ?? 'half';
}

function shownTab() {
  return part('browse').hidden ? 'request' : 'browse';
}

function wireSheet() {
  const handle = part('sheet');
  showSheet('half');
  let startY = 0;
  let isDragged = false;
  handle.addEventListener('pointerdown', (event) => {
    startY = event.clientY;
    isDragged = false;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener('pointerup', ({ clientY }) => {
    const up = startY - clientY;
    if (Math.abs(up) < 20) return;
    isDragged = true;
    const index = SHEETS.indexOf(shownSheet()) + Math.sign(up);
    showSheet(SHEETS[Math.min(SHEETS.length - 1, Math.max(0, index))] ?? 'half');
  });
  handle.addEventListener('click', () => {
    if (isDragged) return;
    showSheet(SHEETS[(SHEETS.indexOf(shownSheet()) + 1) % SHEETS.length] ?? 'half');
  });
}

/** What the service is called, and which release it has. */
export function showAbout({ title, release }: About) {
  if (title !== undefined) {
    part('title').textContent = title;
    document.title = title;
    part('sign-in-title').textContent = `Open ${title}`;
  }
  part('release').textContent = release ?? 'no release yet';
  part('release').hidden = false;
}

/** What the colours of the map mean. */
const LEGEND = 'Colours only tell neighbours apart.';

/**
 * Whose data is shown.
 * @param shown the levels that are on the map or in the list; empty for all
 */
export function showCredits({ release, date, licence, attribution, levels }: About, shown: readonly number[]) {
  const ofLevels = shown.flatMap((level) => levels[level]?.attribution ?? []);
  const texts = [...new Set(ofLevels.length > 0 ? ofLevels : attribution)];
  const issued = date === undefined ? [] : [make('span', '', `Release ${release}, ${date}`)];
  const terms = licence === undefined ? [] : [make('span', '', 'Licence: ', licenceText(licence))];
  const library = make('span', '', 'Map: ', link('https://maplibre.org', 'MapLibre'));
  const sources = texts.map((text) => make('span', '', ...withLinks(text)));
  part('credits').replaceChildren(...sources, ...terms, ...issued, library, make('span', '', LEGEND));
}

/** A text whose addresses are links. */
export function withLinks(text: string) {
  return text.split(ADDRESS).map((piece, i) => (i % 2 === 0 ? piece : toLink(piece)));
}

/**
 * A link to its text, if the release says where that is: as in ogc/links.ts.
 * @param licence an SPDX identifier or an address
 */
function licenceText(licence: string) {
  if (licence.startsWith('LicenseRef-')) return licence;
  return link(URL.canParse(licence) ? licence : `https://spdx.org/licenses/${licence}.html`, licence);
}

/** Why the map does not show yet what it is to show; empty where it does. */
export function showMapNote(text: string) {
  part('map-note').textContent = text;
  part('map-note').hidden = text === '';
}

/**
 * Offers all where some of it is out of sight. The focus goes to the button beside this one before it leaves the page.
 * @param title of all
 */
export function showShowAll(isAllSeen: boolean, title: string) {
  const button = part('show-all');
  if (isAllSeen && document.activeElement === button) part('list-seen').focus();
  button.hidden = isAllSeen;
  button.textContent = `Show all of ${title}`;
}

/** Pixels at the upper edge of the map that buttons lie upon. */
export function mapCovered(): number {
  const { offsetTop, offsetHeight } = part('map-buttons');
  return offsetTop + offsetHeight;
}

/** @param text an address, perhaps without its scheme */
function toLink(text: string) {
  const address = text.startsWith('http') ? text : `https://${text}`;
  return link(address, address.replace(/^https?:\/\/(www\.)?|\/$/g, ''));
}

function link(address: string, text: string) {
  const anchor = makeLink(text, address);
  anchor.rel = 'noreferrer';
  anchor.target = '_blank';
  return anchor;
}
