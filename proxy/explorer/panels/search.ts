// The search field: a combobox (WAI-ARIA APG) that asks the service for units by name, with a choice of where; of two
// numbers it makes points.
import { type Point, pointToText, textToPoints } from '../api/coordinates.ts';
import { type Found, searchUnits } from '../api/search.ts';
import { count, unitsText } from '../api/texts.ts';
import type { UnitAbove } from '../api/tree.ts';
import { titleOf } from '../api/unit.ts';
import { make, part } from './elements.ts';
import { shownSheet, showSheet } from './layout.ts';
import { errorToMessage } from './messages.ts';

type Result = { option: HTMLElement; run: () => void };

/** The service is asked when nothing was typed for so many milliseconds. */
const PAUSE_MS = 120;
/** The choice of the units inside the one that is open. */
const INSIDE = 'inside';

/**
 * @param options.levels that have units
 * @param options.opened the unit whose inside is listed
 * @param options.onPoint the numbers may also mean the other
 * @param options.signal ends it
 */
export function wireSearch({
  parts,
  levels,
  opened,
  onPick,
  onPoint,
  signal,
}: {
  parts: Parameters<typeof searchUnits>[1];
  levels: number[];
  opened: () => UnitAbove | undefined;
  onPick: (unit: Found) => void;
  onPoint: (point: Point, other: Point | undefined) => void;
  signal: AbortSignal;
}) {
  const field = part('find', HTMLInputElement);
  const choice = part('find-level', HTMLSelectElement);
  let results: Result[] = [];
  let active = -1;
  /** Of the newest search: the others are abandoned. */
  let newest = new AbortController();

  const setActive = (index: number) => {
    active = index;
    for (const [i, option] of [...part('found').children].entries()) {
      option.setAttribute('aria-selected', String(i === active));
      if (i !== active) continue;
      option.scrollIntoView({ block: 'nearest' });
      field.setAttribute('aria-activedescendant', option.id);
    }
    if (active === -1) field.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    newest.abort();
    results = [];
    part('found').replaceChildren();
    part('found-box').hidden = true;
    field.setAttribute('aria-expanded', 'false');
    setActive(-1);
  };
  const clear = () => {
    field.value = '';
    close();
  };
  /** The height of the sheet before the results took all of it. */
  let before = 'half';
  const leave = () => {
    clear();
    // Another height is of the person.
    if (shownSheet() === 'full') showSheet(before);
  };
  const pick = (result: Result | undefined) => {
    if (result === undefined) return;
    leave();
    result.run();
  };
  const offer = (note: string, offered: Result[]) => {
    results = offered;
    for (const [i, result] of results.entries()) {
      result.option.id = `found-${i}`;
      result.option.setAttribute('role', 'option');
      result.option.addEventListener('click', () => pick(result));
    }
    part('found').replaceChildren(...results.map(({ option }) => option));
    part('found-note').textContent = note;
    part('found-box').hidden = false;
    field.setAttribute('aria-expanded', String(results.length > 0));
    setActive(results.length > 0 ? 0 : -1);
  };
  const show = (note: string, found: Found[]) => {
    const key = ({ path, ...unit }: Found) => `${titleOf(unit)}\n${path}`;
    const isRepeated = (unit: Found) => found.filter((other) => key(other) === key(unit)).length > 1;
    const results = found.map((unit) => {
      const { path, gid, type, level } = unit;
      const above = path === '' || isRepeated(unit) ? [gid, path].filter(Boolean).join(' · ') : path;
      return { option: makeOption(titleOf(unit), type ?? `level ${level}`, above), run: () => onPick(unit) };
    });
    offer(note, results);
  };
  const showPoints = (points: Point[]) => {
    const results = points.map((point) => {
      const other = points.find((one) => one !== point);
      const option = makeOption(pointToText(point), point.order ?? '', 'what is here');
      return { option, run: () => onPoint(point, other) };
    });
    offer(points.length === 1 ? '1 point' : `${points.length} points`, results);
  };
  const search = async () => {
    newest.abort();
    newest = new AbortController();
    const text = field.value.trim();
    if (text === '') return close();
    const points = textToPoints(text);
    if (points.length > 0) return showPoints(points);
    if (part('found-box').hidden) show('Searching…', []);
    const { gid = null, level = 0 } = opened() ?? {};
    const asked = {
      text,
      levels: /^\d$/.test(choice.value) ? [Number(choice.value)] : levels,
      within: choice.value === INSIDE && gid !== null ? { level, gid } : undefined,
    };
    const { signal: isOld } = newest;
    try {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      isOld.throwIfAborted();
      const { found, results: best } = await searchUnits(asked, parts, isOld);
      show(noteOf(found, best.length), best);
    } catch (error) {
      if (!isOld.aborted) show(errorToMessage(error).detail ?? '', []);
    }
  };

  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && results.length > 0) {
      event.preventDefault();
      setActive((active + step + results.length) % results.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick(results[active]);
    } else if (event.key === 'Escape' && field.value !== '') {
      event.stopPropagation();
      clear();
    }
  };
  const form = part('search');
  const onLeave = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && form.contains(relatedTarget)) return;
    close();
    if (shownSheet() === 'full') showSheet(before);
  };

  field.addEventListener('input', () => void search(), { signal });
  field.addEventListener('focus', () => field.value !== '' && part('found-box').hidden && void search(), { signal });
  choice.addEventListener('change', () => void search(), { signal });
  signal.addEventListener('abort', clear);
  field.addEventListener('keydown', onKey, { signal });
  // Another place is shown: results of before would lie over its list.
  addEventListener('popstate', () => part('found-box').hidden || leave(), { signal });
  // On a phone the results need the room of the whole sheet.
  const onEnter = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && form.contains(relatedTarget)) return;
    before = shownSheet();
    showSheet('full');
  };
  form.addEventListener('focusin', onEnter, { signal });
  form.addEventListener('focusout', onLeave, { signal });
  // A press on the results must not take the focus from the field, which would close them.
  part('found-box').addEventListener('mousedown', (event) => event.preventDefault(), { signal });
}

/** Offers where to search: in the unit that is open, and in the levels that have units. What was chosen stays. */
export function showSearchLevels(levels: readonly number[], opened: UnitAbove | undefined) {
  const choice = part('find-level', HTMLSelectElement);
  const inside = opened?.gid ? [new Option(`In ${titleOf(opened)}`, INSIDE)] : [];
  const options = levels.map((level) => new Option(`Level ${level}`, String(level)));
  const all = [new Option('All levels', ''), ...inside, ...options];
  const { value } = choice;
  choice.replaceChildren(...all);
  choice.value = all.some((option) => option.value === value) ? value : '';
}

/** @param above the units it is in */
function makeOption(name: string, type: string, above: string) {
  return make('div', '', make('span', 'name', name), make('span', 'type', type), make('span', 'above', above));
}

function noteOf(found: number, shown: number) {
  if (found === 0) return 'No unit has this name or GID. Try fewer letters.';
  if (found > shown) return `The best ${shown} of ${count(found)} units`;
  return unitsText(found);
}
