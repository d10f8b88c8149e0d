// Copies a text.
import { announce } from '../state/page.ts';

/**
 * Copies a text, and says so to those who hear the page.
 * @returns what to say
 */
export async function copy(text: string): Promise<string> {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    isCopied = copySelected(text);
  }
  // A browser may not let this page copy.
  const said = isCopied ? 'Copied' : 'The browser refuses to copy';
  announce(said);
  return said;
}

/** Over plain HTTP, except on this machine, there is no clipboard; a selection can still be copied. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.className = 'unseen';
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
