// Text as the search compares it: without accents, case and punctuation. Used for the names of a level and for what is
// typed.

/** Accents of Latin, Greek and Cyrillic, points of Hebrew, vowel signs of Arabic. Marks of other scripts are letters. */
const MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
/** "Hawai'i" is found as "hawaii": these are left out; all other punctuation separates words. */
const APOSTROPHES = /['`\u02b9-\u02bf\u02c8\u02ee\u2018-\u201b\u2032]/g;
/** What is between words. A list of ranges: the classes of Unicode take five times as long. */
const SEPARATORS =
  /[^\na-z0-9\u00aa\u00b5\u00ba\u00df-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u2e80-\u2fff\u3005-\u3007\u3021-\u30fa\u30fc-\uffff]+/g;
const NOT_ASCII = /[\u0080-\uffff]/;

/** Letters that Unicode does not decompose, as they are written where a keyboard does not have them. */
const LETTERS = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['ŋ', 'n'],
  ['ŧ', 't'],
  ['ə', 'a'],
  ['ς', 'σ'],
]);
const SPECIAL_LETTERS = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g');

/**
 * Folds many names at once.
 * @param {readonly string[]} names
 * @returns {string} the folded names, separated by line feeds
 */
export function foldNames(names) {
  return fold(joinLines(names));
}

/**
 * Folds what is typed.
 * @param {string} text
 */
export function foldName(text) {
  return fold(joinLines([text]));
}

/**
 * GIDs keep their punctuation: only the case is ignored.
 * @param {readonly string[]} gids
 * @returns {string} the folded GIDs, separated by line feeds
 */
export function foldGids(gids) {
  return joinLines(gids).toLowerCase();
}

/** @param {readonly string[]} texts */
function joinLines(texts) {
  return texts.map((text) => (text.includes('\n') ? text.replaceAll('\n', ' ') : text)).join('\n');
}

/** @param {string} lines */
function fold(lines) {
  let text = lines;
  if (NOT_ASCII.test(text)) text = text.normalize('NFKD').replace(MARKS, '');
  text = text.toLowerCase();
  if (NOT_ASCII.test(text)) text = text.replace(SPECIAL_LETTERS, (letter) => LETTERS.get(letter) ?? letter);
  return text
    .replace(APOSTROPHES, '')
    .replace(SEPARATORS, ' ')
    .replaceAll(' \n', '\n')
    .replaceAll('\n ', '\n')
    .replace(/^ | $/g, '');
}
