// The button that copies the request's line.
import { part } from './panels.js';

/** Copies the line, or marks it where the page may not use the clipboard. */
export async function copyCurl() {
  const { textContent } = part('curl');
  const button = part('copy');
  try {
    await navigator.clipboard.writeText(textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // Pages have a clipboard only where the service is reached by HTTPS, or on this machine.
    getSelection()?.selectAllChildren(part('curl'));
    button.textContent = 'Press Ctrl+C';
  }
  const restore = () => {
    button.textContent = 'Copy';
  };
  button.addEventListener('blur', restore, { once: true });
}
