// The list of units: only the rows in sight are in the page, so that 10,000 units scroll as quickly as ten. Rows are
// reached by arrow keys; Enter selects a row, and opens the unit of a selected row.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { commonestTypes, count } from '../api/texts.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import type { Visit } from '../state/visit.ts';

/** Rows above and below those in sight. */
const MARGIN = 12;
/** Two presses within this time are one double click. */
const DOUBLE_MS = 600;
/** Pixels, unless the style sheet says otherwise. */
const ROW_HEIGHT = 40;

/** The keys that lead to another row, and how many rows they pass. */
const STEPS = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['PageDown', 10],
  ['PageUp', -10],
  ['Home', -Infinity],
  ['End', Infinity],
]);

export function UnitList({ visit }: { visit: Visit }) {
  const { rows: units } = visit.shown.list.value;
  const selected = visit.shown.selected.value;
  const rows = useMemo(() => inOrder(units, visit.about.lang), [units]);
  const detailOf = useMemo(() => detailsOf(units), [units]);
  const box = useRef<HTMLDivElement>(null);
  /** The rows that are in the page. */
  const inSight = useSignal<{ first: number; last: number; height: number }>({ first: 0, last: 0, height: ROW_HEIGHT });
  /** The row that the keyboard is at. It stays in the page, even out of sight: the focus must not be lost. */
  const active = useSignal(0);
  /** What the drawing of before has left: not drawn itself. */
  const left = useRef({ isActiveInSight: true, height: 0, pressedAt: -DOUBLE_MS, wantsFocus: false });

  const look = () => {
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    const height = rowHeight(box.current);
    const top = active.value * height;
    // A scroll that comes with another height of the box, as when facts are shown below it, is not the user's.
    if (clientHeight === left.current.height)
      left.current.isActiveInSight = top >= scrollTop && top + height <= scrollTop + clientHeight;
    const first = Math.max(0, Math.floor(scrollTop / height) - MARGIN);
    const last = Math.ceil((scrollTop + clientHeight) / height) + MARGIN;
    const { value } = inSight;
    if (value.first !== first || value.last !== last || value.height !== height)
      inSight.value = { first, last, height };
  };
  /** Scrolls to a row, as far as it is out of sight. */
  const reveal = (index: number) => {
    if (box.current === null) return;
    const height = rowHeight(box.current);
    const { scrollTop, clientHeight } = box.current;
    if (index * height < scrollTop) box.current.scrollTop = index * height;
    else if ((index + 1) * height > scrollTop + clientHeight)
      box.current.scrollTop = (index + 1) * height - clientHeight;
    look();
    left.current.isActiveInSight = true;
  };
  const activate = (index: number) => {
    active.value = index;
    reveal(index);
  };

  useLayoutEffect(() => {
    active.value = 0;
    if (box.current !== null) box.current.scrollTop = 0;
    look();
  }, [rows]);
  useLayoutEffect(() => {
    const index = rows.findIndex((row) => row.fid === selected?.fid);
    if (index !== -1) activate(index);
  }, [rows, selected]);
  // After each drawing: the row that the keyboard has come to is in the page only then.
  useLayoutEffect(() => {
    if (!left.current.wantsFocus) return;
    left.current.wantsFocus = false;
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  useEffect(() => {
    const own = box.current;
    if (own === null) return;
    // A row that was in sight stays in sight.
    const observer = new ResizeObserver(() => {
      left.current.height = own.clientHeight;
      if (left.current.isActiveInSight) reveal(active.value);
      else look();
    });
    observer.observe(own);
    return () => observer.disconnect();
  }, []);
  // The second press of a double click may meet something else, because the first one shows the unit's facts.
  useEffect(() => {
    const double = ({ timeStamp }: MouseEvent) => {
      const row = rows[active.value];
      if (timeStamp - left.current.pressedAt < DOUBLE_MS && row !== undefined && row.children > 0) visit.open(row);
    };
    document.addEventListener('dblclick', double);
    return () => document.removeEventListener('dblclick', double);
  }, [rows, visit]);

  const press = (row: NamedUnit, index: number, { detail, timeStamp }: MouseEvent) => {
    activate(index);
    if (detail === 1) left.current.pressedAt = timeStamp;
    // Without a pointer (detail 0) the second press opens.
    if (selected?.fid !== row.fid) visit.select(row);
    else if (detail === 0 && row.children > 0) visit.open(row);
  };
  const key = (event: KeyboardEvent) => {
    const [row, last] = [rows[active.value], rows.length - 1];
    const step = STEPS.get(event.key);
    if (step !== undefined && last >= 0) {
      event.preventDefault();
      left.current.wantsFocus = true;
      const before = active.value;
      activate(Math.min(last, Math.max(0, active.value + step)));
      if (active.value === before) left.current.wantsFocus = false;
    } else if (event.key === 'ArrowRight' && row !== undefined && row.children > 0) {
      event.preventDefault();
      visit.open(row);
    }
  };

  const { first, last, height } = inSight.value;
  const shown = rows.flatMap((row, index) =>
    (index >= first && index < last) || index === active.value ? [{ row, index }] : [],
  );
  return (
    <div id="rows" class="rows" ref={box} onScroll={look}>
      {rows.length > 0 && (
        <ul
          class="units"
          aria-label="Units: Enter selects one, a second Enter opens it"
          style={{ height: `${rows.length * height}px` }}
        >
          {shown.map(({ row, index }) => (
            <li
              key={row.fid}
              style={{ top: `${index * height}px` }}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              <button
                type="button"
                class="choose"
                tabIndex={index === active.value ? 0 : -1}
                aria-current={row.fid === selected?.fid ? 'true' : undefined}
                onClick={(event) => press(row, index, event)}
                onKeyDown={key}
              >
                <span class="name" {...visit.ofNames}>
                  {titleOf(row)}
                </span>
                {detailOf(row) !== '' && <span class="type">{detailOf(row)}</span>}
              </button>
              {row.children > 0 && <OpenButton row={row} visit={visit} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Keys open with a second Enter or the right arrow. */
function OpenButton({ row, visit }: { row: NamedUnit; visit: Visit }) {
  const inside = `${count(row.children)} inside`;
  return (
    <button
      type="button"
      class="open"
      tabIndex={-1}
      aria-label={`Open ${titleOf(row)}: ${inside}`}
      title={`Open ${titleOf(row)}`}
      onClick={() => visit.open(row)}
    >
      {inside}
    </button>
  );
}

function rowHeight(box: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(box).getPropertyValue('--row')) || ROW_HEIGHT;
}

function inOrder(rows: readonly NamedUnit[], lang: string): NamedUnit[] {
  const byName = new Intl.Collator(lang || 'en', { numeric: true });
  return [...rows].sort(
    (a, b) => byName.compare(titleOf(a), titleOf(b)) || byName.compare(a.parentTitle ?? '', b.parentTitle ?? ''),
  );
}

/**
 * What tells a unit from others: its GID where the same name comes twice, its type where that is not the commonest, its
 * parent where it is not the opened unit.
 */
function detailsOf(rows: readonly NamedUnit[]): (row: NamedUnit) => string {
  const seen = new Set<string>();
  const isSeen = (key: string) => seen.has(key) || !seen.add(key);
  const repeated = new Set(rows.map(fullTitle).filter(isSeen));
  const common = commonestTypes(rows)[0]?.[0] ?? null;
  return (row) => {
    const gid = repeated.has(fullTitle(row)) ? row.gid : null;
    const details = [gid, row.type === common ? null : row.type, row.parentTitle];
    return details.filter((text) => typeof text === 'string').join(' · ');
  };
}

function fullTitle(row: NamedUnit) {
  return `${titleOf(row)}\n${row.parentTitle ?? ''}`;
}
