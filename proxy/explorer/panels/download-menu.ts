// The download menu: a button that opens a choice of geometry and a menu (WAI-ARIA APG) of files, as a popover of the
// browser, which lies upon everything else.
import { make, makeButton, part } from './elements.ts';

/** A file, and how large it will be. */
export type MenuItem = {
  label: string;
  detail: string;
  run: (geometry: string) => void;
  size?: (geometry: string) => Promise<string>;
};

/** What is saved, in which geometries, and as what. */
export type Offer = { note: string; choices: { value: string; text: string }[]; items: MenuItem[] };

/** Pixels between the menu and the button, or the edge of the window. */
const GAP = 6;
/** With less room below the button, in pixels, it is at the bottom of the window. */
const ROOM_MIN = 360;

/**
 * @param offerNow what the menu offers when it is opened
 * @param signal ends it
 */
export function wireDownload(offerNow: () => Offer, signal: AbortSignal) {
  const button = part('download');
  const menu = part('download-menu');
  const choice = part('download-geometry', HTMLSelectElement);
  // The browser gives the focus back to the button.
  const close = () => menu.hidePopover();
  let sizes: { element: HTMLElement; size: (geometry: string) => Promise<string> }[] = [];
  const showSizes = () => {
    for (const { element, size } of sizes) {
      const { value } = choice;
      // What is wrong is said when the file is asked for.
      const asked = size(value).catch(() => '');
      void asked.then((text) => {
        if (choice.value === value) element.textContent = text;
      });
    }
  };
  choice.addEventListener('change', showSizes, { signal });
  const open = () => {
    sizes = [];
    const { note, choices, items } = offerNow();
    part('download-note').textContent = note;
    choice.replaceChildren(...choices.map(({ value, text }) => new Option(text, value)));
    const entries = items.map(({ label, detail, run, size }) => {
      const sizeText = make('span', 'type', '');
      if (size !== undefined) sizes.push({ element: sizeText, size });
      const onPress = () => {
        close();
        run(choice.value);
      };
      const entry = makeButton('', onPress);
      entry.append(make('span', 'name', label), make('span', 'type', detail), sizeText);
      entry.setAttribute('role', 'menuitem');
      entry.tabIndex = -1;
      return entry;
    });
    // The browser gives it the focus.
    entries[0]?.toggleAttribute('autofocus', true);
    part('download-items').replaceChildren(...entries);
    placeBelow(menu, button.getBoundingClientRect());
    showSizes();
  };
  const onToggle = ({ newState }: ToggleEvent) => {
    if (newState === 'open') open();
    button.setAttribute('aria-expanded', String(newState === 'open'));
  };
  const onKey = (event: KeyboardEvent) => {
    const entries = [...menu.querySelectorAll('button')];
    const index = entries.findIndex((entry) => entry.matches(':focus'));
    const targets: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1 + entries.length,
      Home: 0,
      End: entries.length - 1,
    };
    const target = targets[event.key];
    if (target !== undefined && event.target !== choice) {
      event.preventDefault();
      entries[target % entries.length]?.focus();
    } else if (event.key === 'Escape') {
      // The browser closes the menu alone, and not the facts of a unit as well.
      event.stopPropagation();
    }
  };
  const area = part('download-area');
  const onLeave = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) close();
  };
  menu.addEventListener('beforetoggle', onToggle, { signal });
  menu.addEventListener('keydown', onKey, { signal });
  area.addEventListener('focusout', onLeave, { signal });
  signal.addEventListener('abort', close);
}

/** Places the menu where all of it is seen. */
function placeBelow({ style }: HTMLElement, { bottom, right }: DOMRect) {
  const isBelow = innerHeight - bottom >= ROOM_MIN;
  style.setProperty('--menu-top', isBelow ? `${bottom + GAP}px` : 'auto');
  style.setProperty('--menu-bottom', isBelow ? 'auto' : `${GAP}px`);
  style.setProperty('--menu-room', `${(isBelow ? innerHeight - bottom : innerHeight) - 2 * GAP}px`);
  style.setProperty('--menu-right', `${right}px`);
}
