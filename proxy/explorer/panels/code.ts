// The Request tab: the request for what is shown, and a program that walks all of its pages.
import { codeFor, LANGUAGES } from './code-samples.ts';
import { isPublicService, makeCopyButton, part } from './elements.ts';

/**
 * @param onLanguage another language was chosen
 * @param signal ends it
 */
export function wireCode(onLanguage: () => void, signal: AbortSignal) {
  const options = LANGUAGES.map(({ id, title }) => new Option(title, id));
  part('language', HTMLSelectElement).replaceChildren(...options);
  part('language').addEventListener('change', onLanguage, { signal });
  part('code-actions').replaceChildren(makeCopyButton('Copy', () => part('code').textContent ?? ''));
  part('url-actions').replaceChildren(makeCopyButton('Copy', () => part('url').textContent ?? ''));
}

/** @param url of the first page */
export function showRequest(url: string) {
  part('url').textContent = url;
  part('code').textContent = codeFor(part('language', HTMLSelectElement).value, url, isPublicService());
}
