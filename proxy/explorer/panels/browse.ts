// The Browse tab: breadcrumb, heading with counts, and levels.
import type { About } from '../api/about.ts';
import { count, leadsText, summarize } from '../api/texts.ts';
import type { UnitAbove } from '../api/tree.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import type { LevelBelow } from '../state/levels-below.ts';
import { isSpot, type Place } from '../state/place.ts';
import type { Shown } from '../state/shown.ts';
import { make, makeButton, part } from './elements.ts';

/**
 * The way from the release to what is listed; each step but the last is a button.
 * @param onStep with undefined for the release; to the units of this level, which are directly below
 */
export function showPath(
  { lineage, place }: Shown,
  release: string,
  onStep: (unit: UnitAbove | undefined, below: number | undefined) => void,
) {
  const steps = [undefined, ...lineage].map((unit, i) => {
    const title = unit === undefined ? release : titleOf(unit);
    return makeButton(title, () => onStep(unit, unit && lineage[i]?.level), 'link');
  });
  const last = make('span', '', spotOf(place) || (steps.pop()?.textContent ?? ''));
  last.setAttribute('aria-current', 'page');
  const items = [...steps, last].map((step) => make('li', '', step));
  part('path').hidden = steps.length === 0;
  part('path').replaceChildren(make('ol', '', ...items));
}

/** The name of the place, and what it has. */
export function showHeading(
  shown: Shown,
  {
    release = 'All units',
    title = 'Boundaries explorer',
    levels,
  }: Partial<Pick<About, 'release' | 'title' | 'levels'>>,
  rows: readonly NamedUnit[],
) {
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

/** Says, of the whole release, what the page is for and which units lead somewhere. */
export function showPurpose({ place, hasRows }: Shown, rows: readonly NamedUnit[]) {
  const isWhole = place.filters.size === 0 && !isSpot(place);
  part('purpose').hidden = !isWhole;
  part('purpose').textContent = isWhole ? `${PURPOSE} ${hasRows ? leadsText(rows) : ''}`.trim() : '';
}

/** What the list is limited to; empty for neither box nor point. */
function spotOf({ bbox, contains }: Place) {
  if (contains !== '') return 'at this point';
  return bbox === '' ? '' : 'in this box';
}

/** The levels below what is opened: which one is listed, as buttons. */
export function showLevels(place: Place, below: readonly LevelBelow[], onLevel: (level: number) => void) {
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
  buttons[focused]?.focus();
}
