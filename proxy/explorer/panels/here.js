// What is at a point, as a card of links above the list.
import { pointToText } from '../api/coordinates.js';
import { titleOf } from '../api/unit.js';
import { announce, make, makeButton, makeLink, part } from './elements.js';
import { focusHeading } from './layout.js';

/**
 * @typedef {import('../api/coordinates.js').Point} Point
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 *
 * @typedef {object} Here
 * @property {Point} point
 * @property {Point | undefined} other the point in the other order of its numbers, if it is one
 * @property {NamedUnit[] | undefined} units that contain it; undefined until the service has answered
 */

/**
 * Shows the answer; undefined hides it.
 * @param {Here | undefined} here
 * @param {{ linkOf: (unit: NamedUnit) => string, onOther: (point: Point) => void, onClose: () => void }} actions
 */
export function showHere(here, { linkOf, onOther, onClose }) {
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
