// The forms of a text by which names are compared: folded, and without the words that say what kind of unit it is.
import { foldText } from '../../../format/fold-text.ts';
import { APOSTROPHES, nameForms } from '../../../format/name-forms.ts';

/** Longer texts have folded forms alone. */
export const TEXT_MAX_CHARS = 500;

const IN_BRACKETS = /\([^()]*\)|\[[^[\]]*\]/g;
/** Apostrophes, but for those between digits. */
const IN_WORDS = new RegExp(`(?<!\\p{N})${APOSTROPHES.source}|${APOSTROPHES.source}(?!\\p{N})`, 'gu');
const NEEDS_VARIANTS = new RegExp(`[([]|${APOSTROPHES.source}`);

const DIGIT = /\p{N}/u;
const DIGITS = /\p{N}+/gu;
/** Before a raised figure, half or the like: folded, it would be one more digit. */
const BEFORE_OTHER_DIGIT = /(?=\p{No})(?<=\p{N})/gu;
/** Words that would be another number if they were joined. */
const NUMBERS_MEET = /\p{N} \p{N}/u;
/** Folded, it would be the number without its sign. */
const BELOW_ZERO = /^[-\u2212]\d+([.,]\d+)?$/;

/** Single words as they are written out. */
const WRITTEN_OUT: ReadonlyMap<string, string> = new Map([
  ['st', 'saint'],
  ['ste', 'sainte'],
  ['sta', 'santa'],
  ['sto', 'santo'],
  ['mt', 'mount'],
  ['ft', 'fort'],
  ['n', 'north'],
  ['s', 'south'],
  ['e', 'east'],
  ['w', 'west'],
]);

/** Words that say what kind of unit it is, in the languages of many datasets. */
export const TYPE_WORDS: ReadonlySet<string> = new Set(
  (
    'province provincia provincie region regiao district distrito department departamento departement departamentos ' +
    'state estado county municipality municipio commune comuna city ville ciudad oblast rayon raion governorate ' +
    'gouvernorat prefecture cercle canton parish division zone territory territoire ' +
    'of the de la le du del da do dos des di d l el al und and et y'
  ).split(' '),
);

/** A name as it is compared without folding. */
export function plainText(text: string): string {
  return text.trim().normalize();
}

/**
 * The folded forms of a text: as it is, the names between slashes, those with their article moved to the front, and
 * each of these without apostrophes and without what stands in brackets. Each once; none without letters and digits.
 */
export function foldedForms(text: string): string[] {
  if (BELOW_ZERO.test(text)) return [];
  const names = haveSameNumbers(text) ? nameForms(text) : [text];
  const forms = new Set(names.flatMap(variantsOf).map((form) => foldText(form.replace(BEFORE_OTHER_DIGIT, ' '))));
  forms.delete('');
  return [...forms];
}

/** Otherwise what stands between slashes is no whole name: `Ward 1/2` is not Ward 1. */
function haveSameNumbers(text: string): boolean {
  return !text.includes('/') || new Set(text.split('/').map((part) => part.match(DIGITS)?.join(' '))).size === 1;
}

function variantsOf(form: string): string[] {
  if (!NEEDS_VARIANTS.test(form)) return [form];
  const outside = form.replace(IN_BRACKETS, ' ');
  return [form, form.replace(IN_WORDS, ''), outside, outside.replace(IN_WORDS, '')];
}

/**
 * What is compared where type words do not count: each folded form with its single words written out, with type words
 * and without; its words with spaces between them, without, and sorted. Each once. Several numbers keep their order and
 * the words beside them: Zone 1 Ward 2 is neither Zone 2 Ward 1 nor 12.
 */
export function typedForms(folded: readonly string[], typeWords: ReadonlySet<string>): string[] {
  const forms = new Set<string>();
  for (const form of folded) {
    if (form.length > TEXT_MAX_CHARS) continue;
    const words = form.split(' ').map((word) => WRITTEN_OUT.get(word) ?? word);
    const isNumbered = words.filter((word) => DIGIT.test(word)).length > 1;
    addArranged(forms, words, isNumbered);
    if (isNumbered) continue;
    const without = words.filter((word) => !typeWords.has(word));
    if (without.length > 0 && without.length < words.length) addArranged(forms, without, false);
  }
  return [...forms];
}

function addArranged(forms: Set<string>, words: readonly string[], isInOrder: boolean): void {
  const spaced = words.join(' ');
  forms.add(spaced);
  if (words.length === 1) return;
  if (!NUMBERS_MEET.test(spaced)) forms.add(words.join(''));
  if (!isInOrder) forms.add(words.toSorted().join(' '));
}

/** A type word is the first or last word of so many names, of such a share of them, with so many letters. */
const NAMES_MIN = 5;
const SHARE_MIN = 1 / 20;
const LETTERS_MIN = 3;

/** The type words of names, with those of many datasets. @param names those of a level in a country */
export function typeWordsOf(names: Iterable<string>): ReadonlySet<string> {
  const counts = new Map<string, number>();
  let all = 0;
  for (const name of names) {
    all++;
    const words = foldText(name).split(' ');
    for (const word of new Set([words[0] ?? '', words.at(-1) ?? '']))
      if (word.length >= LETTERS_MIN && !DIGIT.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, count]) => count >= NAMES_MIN && count >= SHARE_MIN * all);
  return frequent.length === 0 ? TYPE_WORDS : new Set([...TYPE_WORDS, ...frequent.map(([word]) => word)]);
}
