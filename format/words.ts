// The words of a level's units: words.bin, by which a text is found in names by two binary searches. The generator
// writes it (generator/names/words.ts), the proxy looks texts up in it.
import { u32At } from './element-at.ts';
import { foldText } from './fold-text.ts';
import { APOSTROPHES, nameForms } from './name-forms.ts';
import { beginningOf } from './names.ts';
import { FormatError } from './parse.ts';
import { FORMAT_VERSION, versionProblem } from './version.ts';

/** The first bytes of the file. */
export const WORDS_MAGIC: Buffer = Buffer.from('words\0\0\0');
/** Magic, then version, units, names, keys and bytes of text as u32, and four bytes of zeros. */
const WORDS_HEADER_BYTES = 32;
/** Maximum characters of a folded name: of a longer one only its beginning is found. */
const NAME_MAX_CHARS = 500;
/** Maximum length of a name: comparing keys takes the longer the more their names have in common. */
const NAME_MAX_BYTES = 4 * NAME_MAX_CHARS;
/** Characters (UTF-16) of a name that are folded: each may unfold to 18. */
const FOLDED_MAX_CHARS = 2000;
/** Ends each name: less than every byte of one. */
const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** The folded texts by which a name is found: its forms, with apostrophes (L'Aquila, Hawai'i) also as if without. */
export function foldedNames(name: string): string[] {
  const forms = nameForms(beginningOf(name, FOLDED_MAX_CHARS));
  const texts = forms.flatMap((form) => [form, form.replace(APOSTROPHES, '')]).map((text) => cut(foldText(text)));
  return [...new Set(texts)].filter((text) => text !== '');
}

function cut(text: string): string {
  return text.length <= NAME_MAX_CHARS ? text : Array.from(text).slice(0, NAME_MAX_CHARS).join('').trimEnd();
}

/** The arrays of m names with k words, as README.md describes them. */
export interface WordArrays {
  /** Where each name begins in `text`, and where the last one ends: m + 1. */
  start: Uint32Array;
  /** The position of the unit of each name: m. */
  unit: Uint32Array;
  /** Where each key begins in `text`: k. */
  key: Uint32Array;
  /** The number of the name of each key: k. */
  name: Uint32Array;
  /** The folded names in UTF-8, ascending, each with a line feed. */
  text: Uint8Array;
}

/** Numbers `from` to `to - 1`. */
export interface NumberRange {
  from: number;
  to: number;
}

/** The names of a level's units. */
export class Words {
  readonly arrays: WordArrays;
  /** Of each key, 1 + the number of the one before it with the same unit; 0 if there is none. */
  readonly #earlier: Uint32Array;

  /** @param earlier as `linkingKeys` makes it */
  constructor(arrays: WordArrays, earlier: Uint32Array) {
    this.arrays = arrays;
    this.#earlier = earlier;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { start, unit, key, text } = this.arrays;
    return start.byteLength + unit.byteLength + 3 * key.byteLength + text.length;
  }

  /** The names that begin with a folded text, in ascending order. */
  namesWith(text: Uint8Array): NumberRange {
    return this.#range(this.arrays.start, this.arrays.unit.length, text);
  }

  /** The keys that begin with it: words of names, each with what follows it. */
  keysWith(text: Uint8Array): NumberRange {
    return this.#range(this.arrays.key, this.arrays.key.length, text);
  }

  /** The position of the unit of a name. */
  unitOf(name: number): number {
    return u32At(this.arrays.unit, name);
  }

  /** The position of the unit of a key. */
  unitOfKey(key: number): number {
    return this.unitOf(u32At(this.arrays.name, key));
  }

  /** Is a key the first one of its unit among those from `from` on? A unit may have several. */
  isFirst(key: number, from: number): boolean {
    return u32At(this.#earlier, key) <= from;
  }

  /** Which of the first `count` places have text that begins with `wanted`; the texts ascend. */
  #range(places: Uint32Array, count: number, wanted: Uint8Array): NumberRange {
    const from = this.#first(places, 0, count, wanted, -1);
    // Most ranges are short: the end is looked for near the beginning first.
    let [low, step] = [from, 1];
    for (; low + step < count && this.#order(u32At(places, low + step), wanted) === 0; step *= 2) low += step;
    return { from, to: this.#first(places, low, Math.min(low + step, count), wanted, 0) };
  }

  /** The first of the places from `low` to `high - 1` whose order is more than `most`; `high` if none is. */
  #first(places: Uint32Array, low: number, high: number, wanted: Uint8Array, most: number): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#order(u32At(places, middle), wanted) <= most) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** How what begins at a place of the text is ordered: 0 if it begins with `wanted`, negative if it comes before. */
  #order(at: number, wanted: Uint8Array): number {
    const { text } = this.arrays;
    // Every name ends in a line feed, which no wanted text has: what is shorter is less, and nothing is read beyond.
    for (let i = 0; i < wanted.length; i++) {
      const difference = (text[at + i] ?? 0) - (wanted[i] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

/**
 * The words of a level from its file: views, unless its memory begins at an odd place. In steps of some 100
 * microseconds: there may be hundreds of thousands of names.
 * @param features number of units
 * @throws FormatError that says what was got and what was expected
 */
export function* decodingWords(bytes: Uint8Array, features: number, file: string): Generator<void, Words> {
  const own = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  const refuse = (problem: string): never => {
    throw new FormatError(file, problem);
  };
  if (own.length < WORDS_HEADER_BYTES || !WORDS_MAGIC.equals(own.subarray(0, WORDS_MAGIC.length)))
    refuse('does not begin like a file of words');
  const view = (offset: number, length: number): Uint32Array =>
    new Uint32Array(own.buffer, own.byteOffset + offset, length);
  const [version = 0, units, names = 0, keys = 0, textBytes = 0] = view(WORDS_MAGIC.length, 5);
  if (version !== FORMAT_VERSION) refuse(versionProblem(version));
  if (units !== features) refuse(`has the words of ${units} units, expected ${features}`);
  const lengths = [names + 1, names, keys, keys];
  const expected = lengths.reduce((sum, length) => sum + 4 * length, WORDS_HEADER_BYTES) + textBytes;
  if (own.length !== expected) refuse(`has ${own.length} bytes, expected ${expected}`);
  let at = WORDS_HEADER_BYTES;
  const next = (length: number): Uint32Array => {
    const array = view(at, length);
    at += array.byteLength;
    return array;
  };
  const [start, unit, key, name] = [next(names + 1), next(names), next(keys), next(keys)];
  const arrays = { start, unit, key, name, text: own.subarray(at) };
  const problem = (yield* namesProblem(arrays, features)) ?? (yield* keysProblem(arrays));
  return problem === undefined ? new Words(arrays, yield* linkingKeys(arrays, features)) : refuse(problem);
}

/** Of each key, 1 + the number of the one before it with the same unit; 0 if there is none. */
function* linkingKeys({ name, unit }: WordArrays, features: number): Generator<void, Uint32Array> {
  const earlier = new Uint32Array(name.length);
  const last = new Uint32Array(features);
  for (let i = 0; i < name.length; i++) {
    if (i % STEP_NAMES === 0) yield;
    const own = u32At(unit, u32At(name, i));
    earlier[i] = u32At(last, own);
    last[own] = i + 1;
  }
  return earlier;
}

/** Names or keys that are checked in a step. */
const STEP_NAMES = 1024;

/** What is wrong with the names of a file. */
function* namesProblem({ start, unit, text }: WordArrays, features: number): Generator<void, string | undefined> {
  if (start[0] !== 0 || start[unit.length] !== text.length) return `start does not lead from 0 to ${text.length}`;
  for (let i = 0; i < unit.length; i++) {
    if (i % STEP_NAMES === 0) yield;
    const [begin, end] = [u32At(start, i), u32At(start, i + 1)];
    if (end < begin + 2 || end > text.length || text.indexOf(LINE_FEED, begin) !== end - 1)
      return `name ${i} is not a line of the text`;
    if (end - 1 - begin > NAME_MAX_BYTES) return `name ${i} has more than ${NAME_MAX_BYTES} bytes`;
    if (u32At(unit, i) >= features) return `name ${i} is of unit ${unit[i]}, there are ${features}`;
    const order = i === 0 ? -1 : compare(text, u32At(start, i - 1), begin) || u32At(unit, i - 1) - u32At(unit, i);
    if (order >= 0) return `name ${i} does not ascend`;
  }
  return undefined;
}

/** What is wrong with its keys. */
function* keysProblem({ start, unit, key, name, text }: WordArrays): Generator<void, string | undefined> {
  let whole = 0;
  for (let i = 0; i < key.length; i++) {
    if (i % STEP_NAMES === 0) yield;
    const [at, number] = [u32At(key, i), u32At(name, i)];
    if (number >= unit.length) return `key ${i} is of name ${number}, there are ${unit.length}`;
    const begin = u32At(start, number);
    if (at < begin || at >= u32At(start, number + 1) - 1 || (at > begin && text[at - 1] !== SPACE))
      return `key ${i} is no word of its name`;
    const order = i === 0 ? -1 : compare(text, u32At(key, i - 1), at) || u32At(name, i - 1) - number;
    if (order >= 0) return `key ${i} does not ascend`;
    if (at === begin) whole++;
  }
  return whole === unit.length ? undefined : `${whole} keys are whole names, expected ${unit.length}`;
}

/** Compares what begins at two places of the text, each up to its line feed. */
function compare(text: Uint8Array, a: number, b: number): number {
  for (let i = 0; ; i++) {
    const one = text[a + i] ?? LINE_FEED;
    const other = text[b + i] ?? LINE_FEED;
    if (one !== other) return one - other;
    if (one === LINE_FEED) return 0;
  }
}
