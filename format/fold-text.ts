// How names and texts that are looked for in them are folded, so that they can be compared.
import { APOSTROPHES } from './name-forms.ts';

/** Letters that Unicode does not decompose, as they are written where a keyboard does not have them. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  'ßss æae œoe øo đd ðd þth łl ħh ıi ŋn ŧt əa ςσ'.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
const SPECIAL_LETTERS = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g');
const SEPARATORS = new RegExp(`(?:[^\\p{L}\\p{N}]|${APOSTROPHES.source})+`, 'gu');
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * A text as names are compared: decomposed (NFKD), without marks, in lower case, with one space for everything that is
 * neither letter nor digit. Empty if it has neither. What is folded already stays as it is.
 */
export function foldText(text: string): string {
  if (!NOT_ASCII.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(SPECIAL_LETTERS, (letter) => LETTERS.get(letter) ?? letter)
    .replace(SEPARATORS, ' ')
    .trim();
}
