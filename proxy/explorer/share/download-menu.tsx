// The download menu: a button that opens a choice of geometry and a menu (WAI-ARIA APG) of files, as a popover of the
// browser, which lies upon everything else.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Visit } from '../state/visit.ts';
import { downloadsOf, type MenuItem, type Offer } from './downloads.ts';

/** Pixels between the menu and the button, or the edge of the window. */
const GAP = 6;
/** With less room below the button, in pixels, it is at the bottom of the window. */
const ROOM_MIN = 360;

export function DownloadMenu({ visit }: { visit: Visit }) {
  const area = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  /** What the menu offers since it was opened; undefined while it is closed. */
  const offer = useSignal<Offer | undefined>(undefined);
  const geometry = useSignal('');
  // The browser gives the focus back to the button.
  const close = () => menu.current?.hidePopover();
  const prepare = ({ newState }: { newState: string }) => {
    if (newState !== 'open' || menu.current === null || button.current === null) return;
    offer.value = downloadsOf(visit);
    geometry.value = offer.value.choices[0]?.value ?? '';
    placeBelow(menu.current, button.current.getBoundingClientRect());
  };
  const follow = ({ newState }: { newState: string }) => {
    if (newState === 'open') menu.current?.querySelector('button')?.focus();
    else offer.value = undefined;
  };
  const isOpen = offer.value !== undefined;
  const key = (event: KeyboardEvent) => {
    const entries = [...(menu.current?.querySelectorAll('button') ?? [])];
    const index = entries.findIndex((entry) => entry.matches(':focus'));
    const targets: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1 + entries.length,
      Home: 0,
      End: entries.length - 1,
    };
    const target = targets[event.key];
    if (target !== undefined && !(event.target instanceof HTMLSelectElement)) {
      event.preventDefault();
      entries[target % entries.length]?.focus();
    } else if (event.key === 'Escape') {
      // The browser closes the menu alone, and not the facts of a unit as well.
      event.stopPropagation();
    }
  };
  const exit = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && area.current?.contains(relatedTarget))) close();
  };
  return (
    <div id="download-area" class="download" ref={area} onFocusOut={exit}>
      <button
        ref={button}
        id="download"
        type="button"
        popovertarget="download-menu"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls="download-menu"
      >
        Download
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu, which come from its items. */}
      <div
        id="download-menu"
        class="menu"
        popover="auto"
        ref={menu}
        onBeforeToggle={prepare}
        onToggle={follow}
        onKeyDown={key}
      >
        <p id="download-note" class="note">
          {offer.value?.note}
        </p>
        <div class="field">
          <label for="download-geometry">Shapes</label>
          <select
            id="download-geometry"
            value={geometry.value}
            onChange={({ currentTarget }) => {
              geometry.value = currentTarget.value;
            }}
          >
            {offer.value?.choices.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div id="download-items" role="menu" aria-label="Download" aria-describedby="download-note">
          {offer.value?.items.map((item) => (
            <Item key={item.label} item={item} geometry={geometry.value} onRun={close} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** A file, and how large it will be. */
function Item({ item, geometry, onRun }: { item: MenuItem; geometry: string; onRun: () => void }) {
  const { label, detail, size, run } = item;
  const text = useSignal('');
  useLayoutEffect(() => {
    let isCurrent = true;
    text.value = '';
    // What is wrong is said when the file is asked for.
    const asked = size?.(geometry).catch(() => '');
    void asked?.then((said) => {
      if (isCurrent) text.value = said;
    });
    return () => {
      isCurrent = false;
    };
  }, [item, geometry]);
  const press = () => {
    onRun();
    run(geometry);
  };
  return (
    <button type="button" role="menuitem" tabIndex={-1} onClick={press}>
      <span class="name">{label}</span>
      <span class="type">{detail}</span>
      <span class="type">{text}</span>
    </button>
  );
}

/** Places the menu where all of it is seen. */
function placeBelow({ style }: HTMLElement, { bottom, right }: DOMRect) {
  const isBelow = innerHeight - bottom >= ROOM_MIN;
  style.setProperty('--menu-top', isBelow ? `${bottom + GAP}px` : 'auto');
  style.setProperty('--menu-bottom', isBelow ? 'auto' : `${GAP}px`);
  style.setProperty('--menu-room', `${(isBelow ? innerHeight - bottom : innerHeight) - 2 * GAP}px`);
  style.setProperty('--menu-right', `${right}px`);
}
