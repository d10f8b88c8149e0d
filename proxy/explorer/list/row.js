// One row of the list: a button that selects its unit, and one that opens it. Used by unit-list.js.
import { titleOf } from '../api/unit.js';
import { count, make } from '../panels/elements.js';

/**
 * @param {import('../api/unit.js').NamedUnit} unit
 * @param {{ detail: string, isActive: boolean, isSelected: boolean }} look `detail` tells it from others
 * @param {{ onPress: (event: MouseEvent) => void, onOpen: () => void }} listeners
 */
export function makeRow(unit, { detail, isActive, isSelected }, { onPress, onOpen }) {
  const details = detail === '' ? [] : [make('span', 'type', detail)];
  const choose = make('button', 'choose', make('span', 'name', titleOf(unit)), ...details);
  choose.setAttribute('type', 'button');
  choose.tabIndex = isActive ? 0 : -1;
  if (isSelected) choose.setAttribute('aria-current', 'true');
  choose.addEventListener('click', onPress);
  const row = make('li', '', choose);
  if (unit.children > 0) row.append(makeOpen(unit, onOpen));
  return row;
}

/**
 * @param {import('../api/unit.js').NamedUnit} unit
 * @param {() => void} onOpen
 */
function makeOpen(unit, onOpen) {
  const open = make('button', 'open', `${count(unit.children)} inside`);
  open.setAttribute('type', 'button');
  open.setAttribute('aria-label', `Open ${titleOf(unit)}: ${count(unit.children)} inside`);
  open.title = `Open ${titleOf(unit)}`;
  // Keys open with a second Enter or the right arrow.
  open.tabIndex = -1;
  open.addEventListener('click', onOpen);
  return open;
}
