// The download menu: a button that opens a choice of geometry and a menu (WAI-ARIA APG) of files. Used by
// workspace-view.js.
import { make, part } from './elements.js';

/**
 * A file, and how large it will be.
 * @typedef {{ label: string, detail: string, run: (geometry: string) => void, size?: (geometry: string) =>
 * Promise<string> }} MenuItem
 *
 * What is saved, in which geometries, and as what.
 * @typedef {{ note: string, choices: { value: string, text: string }[], items: MenuItem[] }} Offer
 */

/**
 * @param {() => Offer} offerNow what the menu offers when it is opened
 * @param {AbortSignal} signal ends it
 */
export function wireDownload(offerNow, signal) {
  const button = part('download');
  const menu = part('download-menu');
  const choice = part('download-geometry', HTMLSelectElement);
  const close = (/** @type {boolean} */ hasFocus) => {
    menu.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    if (hasFocus) button.focus();
  };
  /** @type {{ element: HTMLElement, size: (geometry: string) => Promise<string> }[]} */
  let sizes = [];
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
      const entry = make('button', '', make('span', 'name', label), make('span', 'type', detail), sizeText);
      entry.setAttribute('type', 'button');
      entry.setAttribute('role', 'menuitem');
      entry.tabIndex = -1;
      entry.addEventListener('click', () => {
        close(true);
        run(choice.value);
      });
      return entry;
    });
    part('download-items').replaceChildren(...entries);
    menu.hidden = false;
    showSizes();
    button.setAttribute('aria-expanded', 'true');
    entries[0]?.focus();
  };
  button.addEventListener('click', () => (menu.hidden ? open() : close(true)), { signal });
  signal.addEventListener('abort', () => close(false));
  menu.addEventListener(
    'keydown',
    (event) => {
      const entries = [...menu.querySelectorAll('button')];
      const index = entries.findIndex((entry) => entry.matches(':focus'));
      /** @type {Record<string, number>} */
      const targets = { ArrowDown: index + 1, ArrowUp: index - 1 + entries.length, Home: 0, End: entries.length - 1 };
      const target = targets[event.key];
      if (target !== undefined && event.target !== choice) {
        event.preventDefault();
        entries[target % entries.length]?.focus();
      } else if (event.key === 'Escape') {
        event.stopPropagation();
        close(true);
      }
    },
    { signal },
  );
  part('download-area').addEventListener(
    'focusout',
    ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && part('download-area').contains(relatedTarget)) && !menu.hidden)
        close(false);
    },
    { signal },
  );
}
