// Names and GIDs of the synthetic dataset: many scripts, and spellings that break programs without proper escaping.
import { elementAt } from '../../../../format/element-at.ts';
import type { Level } from '../../../../format/levels.ts';
import { newRandom, type Random } from './random.ts';
import { pathOf, type Tree } from './tree.ts';

/** Alphabets as a first code point and a number of letters; neighbouring units write in different ones. */
const SCRIPTS: readonly (readonly [number, number])[] = [
  [0x61, 26], // Latin
  [0xe0, 23], // Latin with diacritics
  [0x3b1, 17], // Greek
  [0x430, 32], // Cyrillic
  [0x561, 38], // Armenian
  [0x5d0, 27], // Hebrew, right to left
  [0x627, 20], // Arabic, right to left
  [0x915, 37], // Devanagari
  [0xe01, 46], // Thai
  [0x10d0, 33], // Georgian
  [0x1200, 7], // Ethiopic
  [0x1780, 33], // Khmer
  [0x2d30, 38], // Tifinagh
  [0x3042, 64], // Hiragana
  [0x4e00, 20_000], // Han
  [0xac00, 11_172], // Hangul
  [0x10330, 26], // Gothic, outside the basic plane
];

/** Unusual names; null for no name. */
const ODD_NAMES: readonly (string | null)[] = [
  '',
  null,
  ' leading and trailing ',
  'double " quote',
  "single ' quote",
  'back \\ slash',
  'for / ward',
  'tab\there',
  'line\nfeed',
  'carriage\r\nreturn',
  'bell \u0007 and escape \u001b',
  'delete \u007f',
  'line \u2028 and paragraph \u2029 separators',
  '\ufeffbyte order mark',
  '<b>&amp;</b>',
  '{"type":"Feature"}',
  'a,b;c|d',
  '100 % %20 %s {x}',
  '🏴󠁧󠁢󠁷󠁬󠁳󠁿 👩‍👩‍👧‍👦 🇪🇸',
  '\u202eright to left override\u202c',
  'שלום \u200f(عالم)\u200e',
  'e\u0301 is not \u00e9',
  'Z\u0351\u036b\u0343a\u0310\u0321l\u0348g\u0337o\u035c',
  'ﬁ ß İ ı ǆ',
  'null',
  'NaN',
  '-0',
  `very ${'long '.repeat(100)}name`,
];

/** One in this many units has an unusual name. */
const ODD_NAME_EVERY = 8;

const TYPES: readonly string[] = ['', 'State', 'District', 'Municipality', 'Commune', 'Quarter'];

/** The unit's GID. About one in twenty is unusual: other case, `?`, slashes, spaces, percent signs, other scripts. */
export function gidOf(tree: Tree, level: Level, rank: number): string {
  const gid = plainGidOf(tree, level, rank);
  if (level === 0) return gid;
  // `?` as in GADM for an unknown unit; once per level, so that GIDs stay unique.
  if (rank === QUESTION_RANK && level <= 2) return '?';
  switch (rank % ODD_GID_EVERY) {
    case 2:
      return gid.replace('.', '/../');
    case CASE_RANK:
      return gid.toLowerCase();
    case CASE_RANK + 3:
      // Differs from the GID three ranks before in case only.
      return plainGidOf(tree, level, rank - 3);
    case 5:
      return `${gid} 100%2F%`;
    case 7:
      return `${gid} Ñ 京`;
    default:
      return gid;
  }
}

const ODD_GID_EVERY = 97;
const CASE_RANK = 3;
const QUESTION_RANK = 4;

/** `ABC.1.2_1`: the country's letters, the number at each level, GADM's version. */
function plainGidOf(tree: Tree, level: Level, rank: number): string {
  const [country = 0, ...below] = pathOf(tree, level, rank);
  const numbers = below.map((unit, i) => elementAt(elementAt(tree.ordinals, i + 1), unit) + 1);
  return level === 0 ? lettersOf(country) : `${[lettersOf(country), ...numbers].join('.')}_1`;
}

/** Three letters for a country, in no alphabetic order; a letter and two digits for one, as GADM's disputed areas. */
function lettersOf(country: number): string {
  if (country === 2) return 'Z02';
  // A step coprime to 26^3 reaches every triple once.
  const triple = (country * 1103 + 341) % 26 ** 3;
  return [26 ** 2, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(triple / place) % 26))).join('');
}

/** The unit's name, or null. */
export function nameOf(level: Level, rank: number, seed: number): string | null {
  if (rank % ODD_NAME_EVERY === 0) return ODD_NAMES[(rank / ODD_NAME_EVERY + level * 5 + 3) % ODD_NAMES.length] ?? null;
  const random = newRandom(seed, 'name', level, rank);
  const script = SCRIPTS[(level + rank) % SCRIPTS.length] ?? [0x61, 26];
  return random() < 0.3 ? `${wordOf(script, random)} ${wordOf(script, random)}` : wordOf(script, random);
}

function wordOf([first, letters]: readonly [number, number], random: Random): string {
  const length = 3 + Math.floor(random() * 7);
  let word = '';
  for (let i = 0; i < length; i++) word += String.fromCodePoint(first + Math.floor(random() * letters));
  return word;
}

/** The kind of unit of a level. */
export function typeOf(level: Level): string {
  return elementAt(TYPES, level);
}
