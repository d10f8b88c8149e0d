// The forms of a text by which names are compared: folded, and without the words that say what kind of unit it is.
import { foldText } from '../../../format/fold-text.ts';
import { APOSTROPHES, nameForms } from '../../../format/name-forms.ts';

/** Longer texts have folded forms alone. */
export const TEXT_MAX_CHARS = 500;

const IN_BRACKETS = /\([^()]*\)|\[[^[\]]*\]/g;
const NEEDS_VARIANTS = new RegExp(`[([]|${APOSTROPHES.source}`);

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
  const forms = new Set(nameForms(text).flatMap(variantsOf).map(foldText));
  forms.delete('');
  return [...forms];
}

function variantsOf(form: string): string[] {
  if (!NEEDS_VARIANTS.test(form)) return [form];
  const outside = form.replace(IN_BRACKETS, ' ');
  return [form, form.replace(APOSTROPHES, ''), outside, outside.replace(APOSTROPHES, '')];
}

/**
 * What is compared where type words do not count: each folded form with its single words written out, with type words
 * and without; its words with spaces between them, without, and sorted. Each once.
 */
export function typedForms(folded: readonly string[], typeWords: ReadonlySet<string>): string[] {
  const forms = new Set<string>();
  for (const form of folded) {
    if (form.length > TEXT_MAX_CHARS) continue;
    const words = form.split(' ').map((word) => WRITTEN_OUT.get(word) ?? word);
    addArranged(forms, words);
    const without = words.filter((word) => !typeWords.has(word));
    if (without.length > 0 && without.length < words.length) addArranged(forms, without);
  }
  return [...forms];
}

function addArranged(forms: Set<string>, words: readonly string[]): void {
  forms.add(words.join(' '));
  if (words.length === 1) return;
  forms.add(words.join(''));
  forms.add(words.toSorted().join(' '));
}

/** A type word is the first or last word of so many names, and of such a share of them, and has so many letters. */
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
      if (word.length >= LETTERS_MIN) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, count]) => count >= NAMES_MIN && count >= SHARE_MIN * all);
  return frequent.length === 0 ? TYPE_WORDS : new Set([...TYPE_WORDS, ...frequent.map(([word]) => word)]);
}
