// What is at a point, as a card of links above the list.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Point, pointToText } from '../api/coordinates.ts';
import { titleOf } from '../api/unit.ts';
import { NOTHING_HERE } from '../messages/messages.ts';
import { page } from '../state/page.ts';
import { placeOf } from '../state/place.ts';
import { placeToHash } from '../state/place-hash.ts';
import type { Visit } from '../state/visit.ts';

export function HereCard({ visit }: { visit: Visit }) {
  const title = useRef<HTMLHeadingElement>(null);
  const hadFocus = useRef(false);
  const here = page.here.value;
  const point = here?.point;
  // The button of the other order, which had the focus, leaves the page with its point.
  useLayoutEffect(() => {
    if (hadFocus.current) title.current?.focus({ preventScroll: true });
    hadFocus.current = false;
  }, [point]);
  if (here === undefined || point === undefined) return null;
  const { other, units } = here;
  const askOther = (to: Point) => {
    hadFocus.current = true;
    visit.askHere(to, point);
  };
  return (
    <article id="here" class="unit here" aria-labelledby="here-title">
      <header>
        <div>
          <h2 id="here-title" ref={title} tabIndex={-1}>
            {pointToText(point)}
          </h2>
          {point.order && <p class="type">read with the {point.order}</p>}
        </div>
        <button
          type="button"
          class="close"
          aria-label="Close the units at this point"
          onClick={() => visit.closeHere()}
        >
          ×
        </button>
      </header>
      {units === undefined && <p class="note">Looking for units here…</p>}
      {units?.length === 0 && <p class="note">{NOTHING_HERE}</p>}
      {units !== undefined && units.length > 0 && (
        <ol>
          {units.map((unit) => (
            <li key={`${unit.level}/${unit.fid}`}>
              <a href={placeToHash(placeOf(unit, visit.about.levels), visit.about)} {...visit.ofNames}>
                {titleOf(unit)}
              </a>
              <span class="type">{unit.type ?? `level ${unit.level}`}</span>
            </li>
          ))}
        </ol>
      )}
      {other && (
        <button type="button" class="link" onClick={() => askOther(other)}>
          Did you mean {pointToText(other)}?
        </button>
      )}
    </article>
  );
}
