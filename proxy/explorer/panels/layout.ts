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
  wireCredits();
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

function shownSheet() {
  return SHEETS.indexOf(document.body.dataset['sheet'] ?? 'half');
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
    const index = shownSheet() + Math.sign(up);
    showSheet(SHEETS[Math.min(SHEETS.length - 1, Math.max(0, index))] ?? 'half');
  });
  handle.addEventListener('click', () => {
    if (isDragged) return;
    showSheet(SHEETS[(shownSheet() + 1) % SHEETS.length] ?? 'half');
  });
}

/** What the service is called, and whose data it has. */
export function showAbout({ title, release, date, licence, attribution }: About) {
  if (title !== undefined) {
    part('title').textContent = title;
    document.title = title;
    part('sign-in-title').textContent = `Open ${title}`;
  }
  part('release').textContent = release ?? 'no release yet';
  part('release').hidden = false;
  const issued = date === undefined ? [] : [make('span', '', `Release ${release}, ${date}`)];
  const texts = attribution.map((text) => make('span', '', ...withLinks(text)));
  const terms = licence === undefined ? [] : [make('span', '', 'Licence: ', licenceText(licence))];
  const library = make('span', '', 'Map: ', link('https://maplibre.org', 'MapLibre'));
  part('credits').replaceChildren(...issued, ...texts, ...terms, library);
  showMore();
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

/** Pixels at the upper and the lower edge of the map that buttons and credits lie upon. */
export function mapCovered() {
  const { offsetTop, offsetHeight } = part('map-buttons');
  return { top: offsetTop + offsetHeight, bottom: part('credits').parentElement?.offsetHeight ?? 0 };
}

function wireCredits() {
  new ResizeObserver(showMore).observe(part('credits'));
  part('credits-more').addEventListener('click', () => {
    const isExpanded = part('credits-more').getAttribute('aria-expanded') === 'true';
    part('credits-more').setAttribute('aria-expanded', String(!isExpanded));
    const text = isExpanded ? 'More' : 'Less';
    part('credits-more').textContent = text;
    part('credits-more').setAttribute('aria-label', `${text} of the credits`);
  });
}

/** Offers the rest of the credits, where there is room for one line. */
function showMore() {
  const { scrollWidth, clientWidth } = part('credits');
  const isExpanded =
    part('credits-more').getAttribute('aria-expanded') === 'true' || part('credits').matches(':has(:focus-visible)');
  part('credits-more').hidden = !isExpanded && scrollWidth <= clientWidth;
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
