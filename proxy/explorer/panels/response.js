// The request and its response, as the Request tab shows them: address, code, status, time, sizes, headers and the
// pages of the listing.
import { codeFor, LANGUAGES } from './code-samples.js';
import {
  count,
  isPublicService,
  make,
  makeButton,
  makeCopyButton,
  makeDetails,
  makeFacts,
  part,
  size,
} from './elements.js';

/**
 * @typedef {import('../api/client.js').Exchange} Exchange
 * @typedef {import('../state/pages.js').Pages} Pages
 */

/** Headers that say something about the data; the others are in the list of all headers. */
const FIRST_HEADERS = ['boundaries-release', 'boundaries-matched', 'etag', 'link'];

/**
 * @param {() => void} onLanguage another language was chosen
 * @param {AbortSignal} signal ends it
 */
export function wireCode(onLanguage, signal) {
  const options = LANGUAGES.map(({ id, title }) => new Option(title, id));
  part('language', HTMLSelectElement).replaceChildren(...options);
  part('language').addEventListener('change', onLanguage, { signal });
  part('code-actions').replaceChildren(makeCopyButton('Copy', () => part('code').textContent ?? ''));
  part('url-actions').replaceChildren(makeCopyButton('Copy', () => part('url').textContent ?? ''));
}

/**
 * @param {string} url that was requested
 * @param {string} firstUrl of the first page of the listing, which the code walks
 */
export function showRequestLine(url, firstUrl) {
  part('url').textContent = url;
  part('code').textContent = codeFor(part('language', HTMLSelectElement).value, firstUrl, isPublicService());
}

/**
 * @param {Exchange | undefined} exchange undefined while there is none
 * @param {string} note what to say instead
 * @param {(() => void) | undefined} onAsk asks for it, where nobody has
 */
export function showResponse(exchange, note, onAsk) {
  const box = part('response');
  if (exchange === undefined) {
    box.replaceChildren(make('p', 'note', note), ...(onAsk ? [makeButton('Ask for the first page', onAsk)] : []));
    return;
  }
  const { status, statusText, ms, sentBytes, textBytes, headers } = exchange;
  const isOpen = box.querySelector('details')?.open ?? false;
  const figures = /** @type {const} */ ([
    [`${status} ${statusText}`.trim(), 'status'],
    [`${Math.round(ms)} ms`, 'time'],
    [size(sentBytes), 'sent'],
    [size(textBytes), 'text'],
  ]);
  box.replaceChildren(
    make(
      'ul',
      'figures',
      ...figures.map(([text, title]) => make('li', '', make('b', title, text), make('span', '', title))),
    ),
    makeFacts(headers.filter(([name]) => FIRST_HEADERS.includes(name)).map(withTitle)),
    makeDetails(`All ${headers.length} headers`, headers.map(withTitle), isOpen),
  );
}

/**
 * The Link header as a pager: which page this is, the ones before and after.
 * @param {Pages | undefined} pages
 * @param {boolean} isNumbered do they start at the first unit?
 * @param {(step: 1 | -1) => void} onStep
 */
export function showPager(pages, isNumbered, onStep) {
  const box = part('pager');
  const focused = [...box.querySelectorAll('button')].findIndex((button) => button.matches(':focus'));
  box.hidden = pages?.page === undefined;
  if (pages?.page === undefined) {
    if (focused !== -1) part('request-heading').focus();
    box.replaceChildren();
    return;
  }
  const { units, matched } = pages.page;
  const [previous, next] = [makeButton('Previous', () => onStep(-1)), makeButton('Next', () => onStep(1))];
  setEnabled(previous, pages.index > 0 && !pages.isBusy);
  setEnabled(next, pages.hasNext && !pages.isBusy);
  const where = make('p', 'where', make('b', '', pageText(pages, matched, isNumbered)));
  where.append(make('span', 'note', `${count(units.length)} of ${count(matched)} units, on the map`));
  box.replaceChildren(where, make('div', 'actions', previous, next));
  [previous, next][focused]?.focus();
}

/**
 * A button keeps the focus while it is disabled, so the attribute `disabled` is not used.
 * @param {HTMLButtonElement} button
 * @param {boolean} isEnabled
 */
function setEnabled(button, isEnabled) {
  button.setAttribute('aria-disabled', String(!isEnabled));
  if (!isEnabled) button.addEventListener('click', (event) => event.stopImmediatePropagation(), { capture: true });
}

/**
 * @param {Pages} pages
 * @param {number} matched units of all pages
 * @param {boolean} isNumbered
 */
function pageText({ index, pageSize }, matched, isNumbered) {
  const pages = pageSize === 0 ? 1 : Math.ceil(matched / pageSize);
  return isNumbered ? `Page ${count(index + 1)} of ${count(pages)}` : `Page ${count(index + 1)} from start-at`;
}

/**
 * A header with its name as it is usually written: `Boundaries-Matched`, `ETag`.
 * @param {[name: string, value: string]} header
 * @returns {[name: string, value: string]}
 */
function withTitle([name, value]) {
  return [name === 'etag' ? 'ETag' : name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()), value];
}
