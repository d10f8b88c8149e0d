// What is listed: the way to it, its name, how much it has, and what to do with it.
import { useEffect } from 'preact/hooks';
import { count, leadsText, summarize } from '../api/texts.ts';
import { titleOf } from '../api/unit.ts';
import { announce } from '../state/page.ts';
import { isSpot, type Place } from '../state/place.ts';
import type { Visit } from '../state/visit.ts';

/** The way from the release to what is listed; each step but the last is a button. */
export function Path({ visit }: { visit: Visit }) {
  const lineage = visit.shown.lineage.value;
  const spot = spotOf(visit.shown.place.value);
  const release = visit.about.release ?? 'All units';
  const steps = [undefined, ...lineage].map((unit, i) => ({
    title: unit === undefined ? release : titleOf(unit),
    open: () => visit.open(unit, unit && lineage[i]?.level),
  }));
  const last = spot || (steps.pop()?.title ?? '');
  if (steps.length === 0) return null;
  return (
    <nav id="path" class="path" aria-label="Breadcrumb">
      <ol>
        {steps.map(({ title, open }, i) => (
          <li key={i}>
            <button type="button" class="link" onClick={open} {...(i > 0 && visit.ofNames)}>
              {title}
            </button>
          </li>
        ))}
        <li>
          <span aria-current="page" {...(spot === '' && visit.ofNames)}>
            {last}
          </span>
        </li>
      </ol>
    </nav>
  );
}

/** The name of the place, and what it has. */
export function Heading({ visit }: { visit: Visit }) {
  const { release = 'All units', title = 'Boundaries explorer' } = visit.about;
  const place = visit.shown.place.value;
  const { is, rows, total } = visit.shown.list.value;
  const opened = visit.shown.lineage.value.at(-1);
  const [unknown] = [...place.filters.values()].slice(-1);
  const name = opened === undefined ? (unknown ?? release) : titleOf(opened);
  const missing = is === 'failed' ? 'The names could not be loaded' : 'Loading names…';
  const summary = is === 'there' ? `${summarize(rows, total)}${isSpot(place) ? ` ${spotOf(place)}` : ''}` : missing;
  useEffect(() => {
    document.title = opened === undefined && unknown === undefined ? title : `${name} · ${title}`;
    if (is === 'there') announce(`${name}: ${summary}`);
    // What was shown is not told when somebody has signed out.
    return () => {
      document.title = title;
    };
  }, [name, summary, is]);
  return (
    <div>
      <h2 id="heading" tabIndex={-1} {...(opened && visit.ofNames)}>
        {name}
      </h2>
      <p id="subheading">{summary}</p>
    </div>
  );
}

/** What the page is for. */
const PURPOSE = 'Choose a unit on the map or in the list. Then save it, or copy its request.';

/** Says, of the whole release, what the page is for and which units lead somewhere. */
export function Purpose({ visit }: { visit: Visit }) {
  const place = visit.shown.place.value;
  if (place.filters.size > 0 || isSpot(place)) return null;
  return (
    <p id="purpose" class="note purpose">
      {`${PURPOSE} ${leadsText(visit.shown.list.value.rows)}`.trim()}
    </p>
  );
}

/** Of a level whose geometries no box is compared with. */
const BOXES = 'On this level, a unit is in the box if its bounding box touches it.';

/** What is to be known of the list. */
export function RowsNote({ visit }: { visit: Visit }) {
  const { bbox, level } = visit.shown.place.value;
  const { rows, total } = visit.shown.list.value;
  const notes = [
    ...(total > rows.length ? [`The first ${count(rows.length)} are listed. Search finds the others.`] : []),
    ...(bbox !== '' && visit.about.levels[level]?.hasBoxes ? [BOXES] : []),
  ];
  if (notes.length === 0) return null;
  return (
    <p id="rows-note" class="note">
      {notes.join(' ')}
    </p>
  );
}

/** What the list is limited to; empty for neither box nor point. */
function spotOf({ bbox, contains }: Place) {
  if (contains !== '') return 'at this point';
  return bbox === '' ? '' : 'in this box';
}
