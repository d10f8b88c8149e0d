// The search field: a combobox (WAI-ARIA APG) that asks the service for units by name, with a choice of where; of two
// numbers it makes points.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { pointToText, textToPoints } from '../api/coordinates.ts';
import { type Found, searchUnits } from '../api/search.ts';
import { count, unitsText } from '../api/texts.ts';
import { titleOf } from '../api/unit.ts';
import { errorToMessage } from '../messages/messages.ts';
import { page, type Sheet } from '../state/page.ts';
import { levelsWithUnits, placeOf } from '../state/place.ts';
import type { Visit } from '../state/visit.ts';

interface Option {
  name: string;
  /** Is it a unit? */
  unit?: Found;
  type: string;
  above: string;
  run: () => void;
}

/** What is offered, and what is said of it. */
interface Offer {
  note: string;
  options: readonly Option[];
}

/** The service is asked when nothing was typed for so many milliseconds. */
const PAUSE_MS = 120;
/** The choice of the units inside the one that is open. */
const INSIDE = 'inside';

export function Search({ visit }: { visit: Visit }) {
  const { client, about, shown } = visit;
  const levels = levelsWithUnits(about.levels);
  const opened = shown.lineage.value.at(-1);
  const form = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const choice = useRef<HTMLSelectElement>(null);
  const offer = useSignal<Offer | undefined>(undefined);
  const active = useSignal(-1);
  /** Of the newest search: the others are abandoned. */
  const newest = useRef(new AbortController());
  /** The height of the sheet before the results took all of it. */
  const before = useRef<Sheet>('half');

  const close = () => {
    newest.current.abort();
    offer.value = undefined;
    active.value = -1;
  };
  const leave = () => {
    if (field.current) field.current.value = '';
    close();
    restoreSheet();
  };
  const restoreSheet = () => {
    // Another height is of the person.
    if (page.sheet.value === 'full') page.sheet.value = before.current;
  };
  const show = (note: string, options: readonly Option[]) => {
    offer.value = { note, options };
    active.value = options.length > 0 ? 0 : -1;
  };
  const pick = (option: Option | undefined) => {
    if (option === undefined) return;
    leave();
    option.run();
  };
  const search = async () => {
    newest.current.abort();
    newest.current = new AbortController();
    const text = field.current?.value.trim() ?? '';
    const where = choice.current?.value ?? '';
    if (text === '') return close();
    const points = textToPoints(text);
    if (points.length > 0)
      return show(points.length === 1 ? '1 point' : `${points.length} points`, pointOptions(text, visit));
    if (offer.value === undefined) show('Searching…', []);
    const within = where === INSIDE ? opened : undefined;
    const asked = { text, levels: /^\d$/.test(where) ? [Number(where)] : levels, within };
    const { signal } = newest.current;
    try {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal.throwIfAborted();
      const { found, results } = await searchUnits(asked, { client, about }, signal);
      signal.throwIfAborted();
      show(noteOf(found, results.length), unitOptions(text, results, visit));
    } catch (error) {
      if (!signal.aborted) show(errorToMessage(error).detail ?? '', []);
    }
  };
  const key = (event: KeyboardEvent) => {
    const options = offer.value?.options ?? [];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      active.value = (active.value + step + options.length) % options.length;
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick(options[active.value]);
    } else if (event.key === 'Escape' && field.current?.value !== '') {
      event.stopPropagation();
      if (field.current) field.current.value = '';
      close();
    }
  };
  const isWithin = ({ relatedTarget }: FocusEvent) =>
    relatedTarget instanceof Node && form.current?.contains(relatedTarget);
  // On a phone the results need the room of the whole sheet.
  const enter = (event: FocusEvent) => {
    if (isWithin(event)) return;
    before.current = page.sheet.value;
    page.sheet.value = 'full';
  };
  const exit = (event: FocusEvent) => {
    if (isWithin(event)) return;
    close();
    restoreSheet();
  };
  useEffect(() => {
    // Another place is shown: results of before would lie over its list.
    const turn = () => offer.value !== undefined && leave();
    addEventListener('popstate', turn);
    return () => {
      removeEventListener('popstate', turn);
      newest.current.abort();
    };
  }, []);
  useLayoutEffect(() => {
    document.getElementById(`found-${active.value}`)?.scrollIntoView({ block: 'nearest' });
  }, [active.value, offer.value]);

  const options = offer.value?.options ?? [];
  return (
    <search id="search" class="search" ref={form} onFocusIn={enter} onFocusOut={exit}>
      <label class="unseen" for="find">
        Search by name, GID or coordinates
      </label>
      <input
        ref={field}
        id="find"
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="Name, GID, coordinates"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls="found"
        aria-activedescendant={active.value === -1 ? undefined : `found-${active.value}`}
        onInput={() => void search()}
        onFocus={() => field.current?.value && offer.value === undefined && void search()}
        onKeyDown={key}
      />
      <label class="unseen" for="find-level">
        Where to search
      </label>
      <select ref={choice} id="find-level" onChange={() => void search()}>
        <option value="">All levels</option>
        {opened && (
          <option key={`${opened.level}/${opened.gid}`} value={INSIDE} {...visit.ofNames}>
            In {titleOf(opened)}
          </option>
        )}
        {levels.map((level) => (
          <option key={level} value={level}>
            Level {level}
          </option>
        ))}
      </select>
      {/* A press on the results must not take the focus from the field, which would close them. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: nothing is done, only the focus stays. */}
      <div
        id="found-box"
        class="found"
        hidden={offer.value === undefined}
        onMouseDown={(event) => event.preventDefault()}
      >
        <div id="found" role="listbox" aria-label="Units found">
          {options.map((option, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field, as in each combobox.
            <div
              key={i}
              id={`found-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active.value}
              onClick={() => pick(option)}
            >
              <span class="name" {...(option.unit && visit.ofNames)}>
                {option.name}
              </span>
              <span class="type">{option.type}</span>
              <span class="above">{option.above}</span>
            </div>
          ))}
        </div>
        <p id="found-note" class="note" role="status">
          {offer.value?.note}
        </p>
      </div>
    </search>
  );
}

function pointOptions(text: string, visit: Visit): Option[] {
  const points = textToPoints(text);
  return points.map((point) => {
    const other = points.find((one) => one !== point);
    const run = () => visit.askHere(point, other);
    return { name: pointToText(point), type: point.order ?? '', above: 'what is here', run };
  });
}

function unitOptions(text: string, found: readonly Found[], visit: Visit): Option[] {
  const key = (unit: Found) => `${titleOf(unit)}\n${unit.path}`;
  const isRepeated = (unit: Found) => found.filter((other) => key(other) === key(unit)).length > 1;
  return found.map((unit) => {
    const { path, gid, type, level, match } = unit;
    // Of a unit that a search found by another code it says so: its name has nothing of the text.
    const isCode = match === 'code' && gid?.toLowerCase() !== text.toLowerCase();
    const code = isCode ? `code ${text}` : undefined;
    const above = [code, path === '' || isRepeated(unit) ? gid : undefined, path].filter(Boolean).join(' · ');
    const run = () => void visit.find(placeOf(unit, visit.about.levels));
    return { name: titleOf(unit), unit, type: type ?? `level ${level}`, above, run };
  });
}

function noteOf(found: number, shown: number) {
  if (found === 0) return 'No unit has this name or GID. Try fewer letters.';
  if (found > shown) return `The best ${shown} of ${count(found)} units`;
  return unitsText(found);
}
