// The Browse tab: breadcrumb, heading with counts, levels, progress, and the list of units. Used by app.js.
import { leadsText, summarize } from '../api/type-names.js';
import { titleOf } from '../api/unit.js';
import { isSpot, levelsWithUnits } from '../state/place.js';
import { count, make, makeButton, part, size } from './elements.js';
import { focusHeading } from './layout.js';

/**
 * @typedef {import('../state/shown.js').Shown} Shown
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 */

/**
 * The way from the release to what is listed; each step but the last is a button.
 * @param {Shown} shown
 * @param {string} release
 * @param {(unit: NamedUnit | undefined) => void} onStep with undefined for the release
 */
export function showPath({ lineage, place }, release, onStep) {
  const steps = [undefined, ...lineage].map((unit) => {
    const title = unit === undefined ? release : titleOf(unit);
    return makeButton(title, () => onStep(unit), 'link');
  });
  const last = make('span', '', spotOf(place) || (steps.pop()?.textContent ?? ''));
  last.setAttribute('aria-current', 'page');
  const items = [...steps, last].map((step) => make('li', '', step));
  part('path').hidden = steps.length === 0;
  part('path').replaceChildren(make('ol', '', ...items));
}

/**
 * The name of the place, and what it has.
 * @param {Shown} shown
 * @param {Partial<Pick<import('../api/about.js').About, 'release' | 'title' | 'levels'>>} about
 * @param {readonly NamedUnit[]} rows
 */
export function showHeading(shown, { release = 'All units', title = 'Boundaries explorer', levels }, rows) {
  const { lineage, place, hasRows, hasFailed, total, listing } = shown;
  const opened = lineage.at(-1);
  const [unknown] = [...place.filters.values()].slice(-1);
  part('heading').textContent = opened === undefined ? (unknown ?? release) : titleOf(opened);
  part('subheading').textContent = subheadingOf();
  const isRelease = opened === undefined && unknown === undefined;
  document.title = isRelease ? title : `${part('heading').textContent} · ${title}`;
  function subheadingOf() {
    const spot = isSpot(place) ? ` ${spotOf(place)}` : '';
    if (hasRows) return summarize(rows, total) + spot;
    // Those of the pages take their place.
    if (rows.length > 0) return summarize(rows, listing?.matched ?? rows.length) + spot;
    return hasFailed ? 'There are no names to show' : 'Loading names…';
  }
  const notes = [
    ...(hasRows && total > rows.length ? [`The first ${count(rows.length)} are listed. Search finds the others.`] : []),
    ...(place.bbox !== '' && levels?.[place.level]?.hasBoxes ? [BOXES] : []),
  ];
  part('rows-note').hidden = notes.length === 0;
  part('rows-note').textContent = notes.join(' ');
}

/** Of a level whose geometries no box is compared with. */
const BOXES = 'Units of this level are in the box if their own bounding box touches it.';

/** What the page is for. */
const PURPOSE = 'Boundaries as data: choose a unit, on the map or in the list, to save it or to copy its request.';

/**
 * Says, of the whole release, what the page is for and which units lead somewhere.
 * @param {Shown} shown
 * @param {readonly NamedUnit[]} rows
 */
export function showPurpose({ lineage, place, hasRows, isChosen }, rows) {
  const isWhole = lineage.length === 0 && place.filters.size === 0 && !isSpot(place) && !isChosen;
  part('purpose').hidden = !isWhole;
  part('purpose').textContent = isWhole ? `${PURPOSE} ${hasRows ? leadsText(rows) : ''}`.trim() : '';
}

/**
 * What the list is limited to; empty for neither box nor point.
 * @param {import('../state/place.js').Place} place
 */
function spotOf({ bbox, contains }) {
  if (contains !== '') return 'at this point';
  return bbox === '' ? '' : 'in this box';
}

/**
 * The levels below the opened unit, or of a box or point: which one is listed, as buttons.
 * @param {Shown} shown
 * @param {readonly import('../state/place.js').LevelColumns[]} levels
 * @param {ReadonlyMap<number, import('../state/counts.js').LevelCount>} counts of those levels that are known to have
 * some
 * @param {(level: number) => void} onLevel
 */
export function showLevels({ place, lineage }, levels, counts, onLevel) {
  const top = isSpot(place) ? -1 : (lineage.at(-1)?.level ?? -1);
  const below = levelsWithUnits(levels).filter((level) => level > top && (counts.get(level)?.units ?? 0) > 0);
  const group = part('levels');
  group.hidden = below.length < 2;
  const buttons = below.map((level) => {
    const { title, units } = counts.get(level) ?? { title: `Level ${level}`, units: 0 };
    const button = makeButton(title, () => onLevel(level));
    button.append(make('span', 'number', count(units)));
    button.setAttribute('aria-pressed', String(level === place.level));
    return button;
  });
  const focused = [...group.children].indexOf(document.activeElement ?? group);
  group.replaceChildren(...buttons);
  buttons[focused]?.focus();
}

/**
 * How many of the shapes are on the map, with what can be done about the others.
 * @param {Shown} shown
 * @param {{ onStop: () => void, onMore: () => void }} actions
 */
export function showProgress({ listing }, { onStop, onMore }) {
  const box = part('progress');
  const isPartial = listing !== undefined && listing.matched > listing.loaded;
  const isWaiting = listing?.isBusy === true && listing.page === undefined;
  const isShown = isPartial || isWaiting;
  if (!isShown && box.contains(document.activeElement)) focusHeading();
  box.hidden = !isShown;
  if (listing === undefined || box.hidden) return;
  const bar = part('bar', HTMLProgressElement);
  bar.max = Math.max(1, listing.matched);
  bar.value = listing.loaded;
  part('progress-text').textContent = isWaiting ? 'Loading shapes…' : textOf(listing);
  const button = part('progress-action');
  button.textContent = listing.isBusy ? 'Stop' : 'Go on';
  button.onclick = listing.isBusy ? onStop : onMore;
}

/** @param {import('../state/listing.js').Listing} listing */
function textOf({ loaded, matched, bytes, halt, isBusy }) {
  const shapes = `${count(loaded)} of ${count(matched)} shapes`;
  if (halt === 'paused') return `${shapes}: paused after ${size(bytes)}`;
  if (halt === 'stopped') return `${shapes}: stopped`;
  return isBusy ? `${shapes}, ${size(bytes)}` : `${shapes} on the map`;
}
