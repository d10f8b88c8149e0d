// The Browse tab: breadcrumb, heading with counts, and levels.
import { count, leadsText, summarize } from '../api/texts.js';
import { titleOf } from '../api/unit.js';
import { isSpot } from '../state/place.js';
import { make, makeButton, part } from './elements.js';

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
  const { lineage, place, hasRows, hasFailed, total } = shown;
  const opened = lineage.at(-1);
  const [unknown] = [...place.filters.values()].slice(-1);
  part('heading').textContent = opened === undefined ? (unknown ?? release) : titleOf(opened);
  const missing = hasFailed ? 'The names could not be loaded' : 'Loading names…';
  const spot = isSpot(place) ? ` ${spotOf(place)}` : '';
  part('subheading').textContent = hasRows ? summarize(rows, total) + spot : missing;
  const isRelease = opened === undefined && unknown === undefined;
  document.title = isRelease ? title : `${part('heading').textContent} · ${title}`;
  const notes = [
    ...(hasRows && total > rows.length ? [`The first ${count(rows.length)} are listed. Search finds the others.`] : []),
    ...(place.bbox !== '' && levels?.[place.level]?.hasBoxes ? [BOXES] : []),
  ];
  part('rows-note').hidden = notes.length === 0;
  part('rows-note').textContent = notes.join(' ');
}

/** Of a level whose geometries no box is compared with. */
const BOXES = 'On this level, a unit is in the box if its bounding box touches it.';

/** What the page is for. */
const PURPOSE = 'Choose a unit on the map or in the list. Then save it, or copy its request.';

/**
 * Says, of the whole release, what the page is for and which units lead somewhere.
 * @param {Shown} shown
 * @param {readonly NamedUnit[]} rows
 */
export function showPurpose({ place, hasRows }, rows) {
  const isWhole = place.filters.size === 0 && !isSpot(place);
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
 * The levels below what is opened: which one is listed, as buttons.
 * @param {import('../state/place.js').Place} place
 * @param {readonly import('../state/levels-below.js').LevelBelow[]} below
 * @param {(level: number) => void} onLevel
 */
export function showLevels(place, below, onLevel) {
  const group = part('levels');
  group.hidden = below.length < 2;
  const buttons = below.map(({ level, title, units }) => {
    const button = makeButton(title, () => onLevel(level));
    if (units !== undefined) button.append(make('span', 'number', count(units)));
    button.setAttribute('aria-pressed', String(level === place.level));
    return button;
  });
  const focused = [...group.children].indexOf(document.activeElement ?? group);
  group.replaceChildren(...buttons);
  const pressed = buttons.find((button) => button.getAttribute('aria-pressed') === 'true');
  // Of more than fit into the row.
  pressed?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  buttons[focused]?.focus();
}
