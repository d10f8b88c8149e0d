// The list of units: only the rows in sight are in the page, so that 10,000 units scroll as quickly as ten. Rows are
// reached by arrow keys; Enter selects a row, and opens the unit of a selected row.
import { commonestTypes, count } from '../api/texts.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import { make, makeButton } from '../panels/elements.ts';

/** Rows above and below those in sight. */
const MARGIN = 12;
/** Two presses within this time are one double click. */
const DOUBLE_MS = 600;

/** The keys that lead to another row, and how many rows they pass. */
const STEPS = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['PageDown', 10],
  ['PageUp', -10],
  ['Home', -Infinity],
  ['End', Infinity],
]);

const byName = new Intl.Collator('en', { numeric: true });

/** The list in its scrolling box. */
export class UnitList {
  #box;
  #list = make('ul', 'units');
  #listeners;
  #rows: NamedUnit[] = [];
  /** The commonest type, which goes without saying. */
  #commonType: string | null = null;
  /** Names, with those of parents, that several rows have. */
  #repeated: ReadonlySet<string> = new Set();
  #active = 0;
  /** Was it in sight when the list was last drawn? */
  #isActiveInSight = true;
  /** Pixels of the box when it was last resized. */
  #height = 0;
  /** When a row was last selected with a pointer. */
  #pressedAt = -DOUBLE_MS;
  #selected: number | undefined;
  #shown: Map<number, HTMLElement> = new Map();

  /** @param signal ends the list */
  constructor(
    box: HTMLElement,
    listeners: { onSelect: (row: NamedUnit) => void; onOpen: (row: NamedUnit) => void },
    signal: AbortSignal,
  ) {
    this.#box = box;
    this.#listeners = listeners;
    this.#list.setAttribute('aria-label', 'Units: Enter selects one, a second Enter opens it');
    box.replaceChildren(this.#list);
    box.addEventListener('scroll', () => this.#draw(), { signal });
    box.addEventListener('keydown', (event) => this.#key(event), { signal });
    // The second press of a double click may meet something else, because the first one shows the unit's facts.
    const double = ({ timeStamp }: MouseEvent) => {
      const row = this.#rows[this.#active];
      if (timeStamp - this.#pressedAt < DOUBLE_MS && row !== undefined && row.children > 0) this.#listeners.onOpen(row);
    };
    document.addEventListener('dblclick', double, { signal });
    // A row that was in sight stays in sight.
    const observer = new ResizeObserver(() => {
      this.#height = box.clientHeight;
      if (this.#isActiveInSight) this.#reveal(this.#active);
      else this.#draw();
    });
    observer.observe(box);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  /** @param rows shown in order of name */
  show(rows: readonly NamedUnit[]) {
    this.#rows = [...rows].sort(
      (a, b) => byName.compare(titleOf(a), titleOf(b)) || byName.compare(a.parentTitle ?? '', b.parentTitle ?? ''),
    );
    const seen = new Set();
    const isSeen = (key: string) => seen.has(key) || !seen.add(key);
    this.#repeated = new Set(rows.map(fullTitle).filter(isSeen));
    this.#commonType = commonestTypes(rows)[0]?.[0] ?? null;
    this.#active = 0;
    this.#selected = undefined;
    this.#shown.clear();
    this.#list.replaceChildren();
    this.#list.hidden = rows.length === 0;
    this.#list.style.height = `${rows.length * this.#rowHeight}px`;
    this.#box.scrollTop = 0;
    this.#draw();
  }

  select(fid: number | undefined) {
    const index = this.#rows.findIndex((row) => row.fid === fid);
    this.#mark(this.#selected, false);
    this.#selected = index === -1 ? undefined : index;
    if (index === -1) return;
    this.#activate(index);
    this.#mark(index, true);
  }

  /** Moves the focus to the selected row, or to the first. */
  focus() {
    this.#shown.get(this.#active)?.querySelector('button')?.focus();
  }

  get #rowHeight() {
    return Number.parseFloat(getComputedStyle(this.#box).getPropertyValue('--row')) || 40;
  }

  #draw() {
    const height = this.#rowHeight;
    const { scrollTop, clientHeight } = this.#box;
    const first = Math.max(0, Math.floor(scrollTop / height) - MARGIN);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / height) + MARGIN);
    const top = this.#active * height;
    // A scroll that comes with another height of the box, as when facts are shown below it, is not the user's.
    if (clientHeight === this.#height)
      this.#isActiveInSight = top >= scrollTop && top + height <= scrollTop + clientHeight;
    const wanted = new Set(Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i));
    // The row that the keyboard is at stays, even out of sight: the focus must not be lost.
    if (this.#rows.length > 0) wanted.add(this.#active);
    for (const [index, item] of this.#shown) {
      if (wanted.has(index)) continue;
      item.remove();
      this.#shown.delete(index);
    }
    for (const index of [...wanted].sort((a, b) => a - b)) if (!this.#shown.has(index)) this.#insert(index);
  }

  #insert(index: number) {
    const row = this.#rows[index];
    if (row === undefined) return;
    // What tells it from others: its GID where the same name comes twice, its type where that is not the commonest, its
    // parent where it is not the opened unit.
    const gid = this.#repeated.has(fullTitle(row)) ? row.gid : null;
    const details = [gid, row.type === this.#commonType ? null : row.type, row.parentTitle];
    const detail = details.filter((text) => typeof text === 'string').join(' · ');
    const choose = makeButton('', (event) => this.#press(row, index, event), 'choose');
    choose.append(make('span', 'name', titleOf(row)), ...(detail === '' ? [] : [make('span', 'type', detail)]));
    choose.tabIndex = index === this.#active ? 0 : -1;
    if (index === this.#selected) choose.ariaCurrent = 'true';
    const item = make('li', '', choose);
    if (row.children > 0) item.append(makeOpen(row, () => this.#listeners.onOpen(row)));
    item.style.top = `${index * this.#rowHeight}px`;
    item.ariaSetSize = String(this.#rows.length);
    item.ariaPosInSet = String(index + 1);
    const after = [...this.#shown].filter(([other]) => other > index).sort(([a], [b]) => a - b)[0];
    this.#list.insertBefore(item, after?.[1] ?? null);
    this.#shown.set(index, item);
  }

  #press(row: NamedUnit, index: number, { detail, timeStamp }: MouseEvent) {
    this.#activate(index);
    if (detail === 1) this.#pressedAt = timeStamp;
    // Without a pointer (detail 0) the second press opens.
    if (this.#selected !== index) this.#listeners.onSelect(row);
    else if (detail === 0 && row.children > 0) this.#listeners.onOpen(row);
  }

  #key(event: KeyboardEvent) {
    const [row, last] = [this.#rows[this.#active], this.#rows.length - 1];
    const step = STEPS.get(event.key);
    if (step !== undefined && last >= 0) {
      event.preventDefault();
      this.#activate(Math.min(last, Math.max(0, this.#active + step)));
      this.focus();
    } else if (event.key === 'ArrowRight' && row !== undefined && row.children > 0) {
      event.preventDefault();
      this.#listeners.onOpen(row);
    }
  }

  #activate(index: number) {
    const before = this.#shown.get(this.#active)?.querySelector('button');
    if (before) before.tabIndex = -1;
    this.#active = index;
    this.#reveal(index);
    const button = this.#shown.get(index)?.querySelector('button');
    if (button) button.tabIndex = 0;
  }

  /** Scrolls to a row, as far as it is out of sight. */
  #reveal(index: number) {
    const height = this.#rowHeight;
    const { scrollTop, clientHeight } = this.#box;
    if (index * height < scrollTop) this.#box.scrollTop = index * height;
    else if ((index + 1) * height > scrollTop + clientHeight) this.#box.scrollTop = (index + 1) * height - clientHeight;
    this.#draw();
    this.#isActiveInSight = true;
  }

  #mark(index: number | undefined, isSelected: boolean) {
    const button = index === undefined ? undefined : this.#shown.get(index)?.querySelector('button');
    if (button) button.ariaCurrent = isSelected ? 'true' : null;
  }
}

function fullTitle(row: NamedUnit) {
  return `${titleOf(row)}\n${row.parentTitle ?? ''}`;
}

function makeOpen(unit: NamedUnit, onOpen: () => void) {
  const open = makeButton(`${count(unit.children)} inside`, onOpen, 'open');
  open.setAttribute('aria-label', `Open ${titleOf(unit)}: ${count(unit.children)} inside`);
  open.title = `Open ${titleOf(unit)}`;
  // Keys open with a second Enter or the right arrow.
  open.tabIndex = -1;
  return open;
}
