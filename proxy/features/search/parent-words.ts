// Which units are called so in a unit that is called so: `toledo spain`. For texts that no name has as a whole; in
// steps. What is asked of parents is found once for a text, for all units of a level.
import { elementAt, i32At, u8At, u32At } from '../../../format/element-at.ts';
import { foldText } from '../../../format/fold-text.ts';
import type { Steps } from '../../../format/steps.ts';
import type { NumberRange, Words } from '../../../format/words.ts';
import type { LevelGids } from '../names/level-names.ts';
import { findingUnits, partsOf, type SearchedLevel, type SearchResult } from './find-units.ts';
import type { LevelColumns, LevelParents } from './level-parents.ts';

/** The most words at the end of a text that are taken for parents. */
const PARENT_WORDS_MAX = 4;
/** With fewer letters, what is before them is looked up as a whole name alone: many names begin with `La`. */
const BEGINNING_MIN_LETTERS = 4;
/** A GID is looked up in the time in which so many units are gone through. */
const UNITS_A_GID = 512;
const NO_BITS: Uint8Array = new Uint8Array();

/** A level whose units are known by their words. */
export interface KnownLevel {
  index: LevelColumns;
  words: Words;
  gids: Pick<LevelGids, 'numbers' | 'gidAt'>;
}

/** A level whose units are looked for. */
export interface InnerLevel extends KnownLevel {
  parents: LevelParents;
  isAllowed: SearchedLevel['isAllowed'];
}

/**
 * Cuts a text at a space, the last one first, until something is found: what is before it is looked up as
 * `findingUnits` does, if it is short only as a whole name, and each word after it begins a word of the name of one of
 * the unit's parents.
 * @param text as it was typed, with a letter or digit
 * @param searched the levels of the units
 * @param known all levels that have units, down to the last of these
 * @param limit how many units are brought
 */
export function* findingInParents(
  text: string,
  searched: readonly InnerLevel[],
  known: readonly KnownLevel[],
  limit: number,
): Steps<SearchResult> {
  const words = foldText(text).split(' ');
  const first = Math.max(1, words.length - PARENT_WORDS_MAX);
  const parentWords = new ParentWords(words.slice(first), known);
  let wanted = 0;
  for (let cut = words.length - 1; cut >= first; cut--) {
    const bit = parentWords.bitOf(cut - first);
    if (bit === undefined) break;
    wanted |= bit;
    const before = words.slice(0, cut).join(' ');
    const within: SearchedLevel[] = [];
    for (const level of searched) {
      const bits = isEmpty(level.words.keysWith(Buffer.from(before))) ? NO_BITS : yield* parentWords.bitsIn(level);
      const isInside = (unit: number) => (u8At(bits, unit) & wanted) === wanted && level.isAllowed?.(unit) !== false;
      within.push({ words: level.words, isAllowed: isInside });
    }
    const found = yield* findingUnits(before, within, limit, isShort(before));
    if (found.matched > 0) return { ...found, units: found.units.map((unit) => ({ ...unit, match: 'divided' })) };
  }
  return { matched: 0, units: [] };
}

/** @param folded words and spaces between them */
function isShort(folded: string): boolean {
  return Array.from(folded.replaceAll(' ', '')).length < BEGINNING_MIN_LETTERS;
}

function isEmpty({ from, to }: NumberRange): boolean {
  return from === to;
}

/** The words of a text that parents have in their names: each is a bit. */
class ParentWords {
  /** Without those that a later one begins with: who has that one has them, too. */
  readonly #words: ReadonlyMap<number, Buffer>;
  readonly #known: readonly KnownLevel[];
  /** For each unit of a level that was asked for, the words that its parents have. */
  readonly #bits = new Map<LevelColumns, Uint8Array>();
  /** For the number of each GID of a level, the words that the units with this GID have; then for no GID. */
  readonly #called = new Map<LevelColumns, Uint8Array>();

  constructor(words: readonly string[], known: readonly KnownLevel[]) {
    const longest = words.map((word, i) => !words.slice(i + 1).some((later) => later.startsWith(word)));
    this.#words = new Map(words.flatMap((word, i) => (longest[i] === true ? [[i, Buffer.from(word)]] : [])));
    this.#known = known;
  }

  /** The bit of a word, 0 if those of later ones say the same; undefined if no unit has the word. */
  bitOf(word: number): number | undefined {
    const text = this.#words.get(word);
    if (text === undefined) return 0;
    return this.#known.every(({ words }) => isEmpty(words.keysWith(text))) ? undefined : 1 << word;
  }

  /** For each unit of a level, the words that its parents have. */
  *bitsIn(level: InnerLevel): Steps<Uint8Array> {
    const { index, parents } = level;
    const known = this.#bits.get(index);
    if (known !== undefined) return known;
    const bits = new Uint8Array(index.features);
    for (const above of this.#known.filter((other) => other.index.level < index.level)) {
      const keys = [...this.#words].map(([word, text]) => ({ word, ...above.words.keysWith(text) }));
      const count = keys.reduce((sum, { from, to }) => sum + to - from, 0);
      if (count * UNITS_A_GID < index.features) {
        for (const { word, from, to } of keys) yield* addBit(bits, 1 << word, index, above, { from, to });
        continue;
      }
      const called = yield* this.#calledIn(above);
      const numbers = yield* parents.numbersOf(above.index);
      for (const part of partsOf({ from: 0, to: bits.length })) {
        if (part.from > 0) yield;
        addCalled(bits, called, numbers, part);
      }
    }
    this.#bits.set(index, bits);
    return bits;
  }

  /** For the number of each GID of a level, the words that the units with this GID have; then for no GID. */
  *#calledIn({ index, words, gids: { numbers } }: KnownLevel): Steps<Uint8Array> {
    const known = this.#called.get(index);
    if (known !== undefined) return known;
    const called = new Uint8Array(elementAt(index.columns, index.level).size + 1);
    for (const [word, text] of this.#words) {
      const keys = words.keysWith(text);
      for (const part of partsOf(keys)) {
        if (part.from > keys.from) yield;
        addNamed(called, 1 << word, words, numbers, part);
      }
    }
    this.#called.set(index, called);
    return called;
  }
}

/** Adds a bit to those of the units of a level that are inside units of a level above: those with some keys. */
function* addBit(
  bits: Uint8Array,
  bit: number,
  { columns }: LevelColumns,
  { index: above, words, gids }: KnownLevel,
  { from, to }: NumberRange,
): Steps<void> {
  const column = elementAt(columns, above.level);
  // Many units may have one GID.
  const numbers = new Set<number>();
  for (let key = from; key < to; key++) {
    const gid = gids.gidAt(words.unitOfKey(key));
    if (gid !== null) numbers.add(column.find(gid));
  }
  numbers.delete(-1);
  for (const number of numbers) {
    const positions = column.positionsAt(number);
    for (let run = 0; run < positions.runs; run++) {
      const [first, end] = [positions.firstOf(run), positions.endOf(run)];
      for (const part of partsOf({ from: first, to: end })) {
        if (part.from > first) yield;
        for (let unit = part.from; unit < part.to; unit++) bits[unit] = u8At(bits, unit) | bit;
      }
    }
  }
}

/** Adds a bit for the numbers of the GIDs of units with some keys. */
function addNamed(called: Uint8Array, bit: number, words: Words, numbers: Int32Array, { from, to }: NumberRange): void {
  for (let key = from; key < to; key++) {
    const number = i32At(numbers, words.unitOfKey(key));
    if (number !== -1) called[number] = u8At(called, number) | bit;
  }
}

/** Adds to the bits of some units those of their parents, of which the numbers are given. */
function addCalled(bits: Uint8Array, called: Uint8Array, numbers: Uint32Array, { from, to }: NumberRange): void {
  for (let unit = from; unit < to; unit++) bits[unit] = u8At(bits, unit) | u8At(called, u32At(numbers, unit));
}
