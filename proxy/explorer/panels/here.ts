// What is at a point, as a card of links above the list.
import { type Point, pointToText } from '../api/coordinates.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import { announce, make, makeButton, makeLink, part } from './elements.ts';
import { focusHeading } from './layout.ts';

export interface Here {
  point: Point;
  /** The point in the other order of its numbers, if it is one. */
  other: Point | undefined;
  /** That contain it; undefined until the service has answered. */
  units: NamedUnit[] | undefined;
}

/** Shows the answer; undefined hides it. */
export function showHere(
  here: Here | undefined,
  {
    linkOf,
    onOther,
    onClose,
  }: { linkOf: (unit: NamedUnit) => string; onOther: (point: Point) => void; onClose: () => void },
) {
  const card = part('here');
  const hasFocus = card.contains(document.activeElement);
  card.hidden = here === undefined;
  if (here === undefined) {
    card.replaceChildren();
    if (hasFocus) focusHeading();
    return;
  }
  const { point, other, units } = here;
  const note = point.order === undefined ? [] : [make('p', 'type', `read with the ${point.order}`)];
  const title = make('h2', '', pointToText(point));
  title.id = 'here-title';
  title.tabIndex = -1;
  const close = makeButton('×', onClose, 'close');
  close.setAttribute('aria-label', 'Close the units at this point');
  const items = units?.map((unit) => {
    const type = make('span', 'type', unit.type ?? `level ${unit.level}`);
    return make('li', '', makeLink(titleOf(unit), linkOf(unit)), type);
  });
  const nothing = items === undefined ? 'Looking for units here…' : 'No unit contains this point.';
  card.replaceChildren(
    make('header', '', make('div', '', title, ...note), close),
    items === undefined || items.length === 0 ? make('p', 'note', nothing) : make('ol', '', ...items),
    ...(other === undefined ? [] : [makeButton(`Did you mean ${pointToText(other)}?`, () => onOther(other), 'link')]),
  );
  if (hasFocus) title.focus({ preventScroll: true });
  const names = units?.map(titleOf).join(', ') ?? '';
  if (units !== undefined) announce(`${pointToText(point)}: ${names === '' ? nothing : names}`);
}
