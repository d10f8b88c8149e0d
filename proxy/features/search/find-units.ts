// Which units are called so: a text is looked up in the words of the levels' names, in steps. It is one file because
// each way of matching goes on where the one before it ends.
import { numberAt, u32At } from '../../../format/element-at.ts';
import { foldText } from '../../../format/fold-text.ts';
import { NO_POSITIONS, type Positions, positionsIn } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import type { NumberRange, Words } from '../../../format/words.ts';

/** The names of a level, and which of its units may be found; undefined for all. */
export interface SearchedLevel {
  words: Words;
  isAllowed: ((position: number) => boolean) | undefined;
  /** The units whose GID the text is, of those that may be found; none if left out. */
  identified?: Positions;
  /** Other units that may be found of which the text is a code; none if left out. */
  coded?: Positions;
}

/**
 * How a unit was found: by its GID or a code, by a whole name, by the beginning of one, by that of a word inside, or by
 * a part of the text whose rest is of its parents.
 */
export const MATCHES = ['code', 'name', 'start', 'word', 'divided'] as const;
type Match = (typeof MATCHES)[number];

/** A unit that is called so. */
export interface FoundUnit {
  /** The number of its level among those that are searched. */
  level: number;
  position: number;
  match: Match;
}

/** What was found. */
export interface SearchResult {
  /** How many units there are. */
  matched: number;
  /** The first of them by order. */
  units: FoundUnit[];
}

/** Names, keys or units that are gone through in a step: some 100 microseconds. */
const STEP_NAMES = 16 * 1024;
/** The most names that are collected before they are sorted. */
const SORTED_NAMES = 1024;
const NO_PARTS: readonly NumberRange[] = [];
const NO_KEYS: NumberRange = { from: 0, to: 0 };

/** What is searched in a level, and what of it matches. */
interface Matches {
  words: Words;
  identified: Positions;
  coded: Positions;
  /** May a unit be found by a name? Not those whose GID or code the text is. */
  isAllowed: SearchedLevel['isAllowed'];
  /** The names that begin with the text, of which those before `whole` are the text. */
  names: NumberRange & { whole: number };
  /** The keys that begin with it. */
  keys: NumberRange;
  /** The units that have been found by a name. */
  seen: Set<number>;
}

/**
 * Looks a text up. First come units whose GID it is, then those of which it is a code, then those whose name is the
 * text, then those whose name begins with it, then those with a word that does; of each those of the level that comes
 * first, but of codes those of the last one, as most codes are of its units; then by the name that matches, then by fid.
 * @param text as it was typed, with a letter or digit
 * @param limit how many units are brought
 * @param isWholeOnly whether only whole names count
 */
export function* findingUnits(
  text: string,
  levels: readonly SearchedLevel[],
  limit: number,
  isWholeOnly = false,
): Steps<SearchResult> {
  const wanted = Buffer.from(foldText(text));
  const matches = levels.map((level) => matchesIn(level, wanted, isWholeOnly));
  let matched = 0;
  for (const { identified, coded } of matches) matched += identified.count + coded.count;
  for (const own of matches) {
    const { names, keys } = own;
    const counted = new Set<number>();
    for (const part of partsOf(isWholeOnly ? names : NO_KEYS)) {
      if (part.from > names.from) yield;
      matched += countNamed(own, part, counted);
    }
    for (const part of partsOf(keys)) {
      if (part.from > keys.from) yield;
      matched += countUnits(own, part);
    }
  }
  const units: FoundUnit[] = [];
  const most = Math.min(limit, matched);
  for (const [level, { identified }] of matches.entries()) bringCoded(identified, level, most, units);
  for (const [level, { coded }] of [...matches.entries()].reverse()) bringCoded(coded, level, most, units);
  for (const isWhole of [true, false])
    for (const [level, own] of matches.entries()) {
      const { from, whole, to } = own.names;
      const names = isWhole ? { from, to: whole } : { from: whole, to };
      for (const part of partsOf(names)) {
        if (units.length === most) break;
        if (part.from > names.from) yield;
        bringUnits(own, part, { level, match: isWhole ? 'name' : 'start' }, most, units);
      }
    }
  for (const [level, own] of matches.entries()) {
    if (units.length === most) break;
    if (own.keys.from === own.keys.to) continue;
    const inside = new NamesInside(own, most - units.length);
    for (const part of partsOf(own.keys)) {
      if (part.from > own.keys.from) yield;
      inside.take(part);
    }
    for (const name of inside.first) units.push({ level, position: own.words.unitOf(name), match: 'word' });
  }
  return { matched, units };
}

/** The parts of a range that are gone through in a step each. */
export function partsOf(range: NumberRange): readonly NumberRange[] {
  const { from, to } = range;
  if (to - from <= STEP_NAMES) return from === to ? NO_PARTS : [range];
  const parts: NumberRange[] = [];
  for (let at = from; at < to; at += STEP_NAMES) parts.push({ from: at, to: Math.min(at + STEP_NAMES, to) });
  return parts;
}

function matchesIn(
  { words, isAllowed, identified = NO_POSITIONS, coded = NO_POSITIONS }: SearchedLevel,
  wanted: Buffer,
  isWholeOnly: boolean,
): Matches {
  const { from, to } = words.namesWith(wanted);
  const { start } = words.arrays;
  let whole = from;
  while (whole < to && u32At(start, whole + 1) - u32At(start, whole) === wanted.length + 1) whole++;
  const keys = words.keysWith(wanted);
  const isLeft = keys.from === keys.to ? isAllowed : without(identified, coded, isAllowed);
  return {
    words,
    identified,
    coded,
    isAllowed: isLeft,
    names: { from, whole, to: isWholeOnly ? whole : to },
    keys: isWholeOnly ? NO_KEYS : keys,
    seen: new Set(),
  };
}

function without(
  identified: Positions,
  coded: Positions,
  isAllowed: SearchedLevel['isAllowed'],
): SearchedLevel['isAllowed'] {
  if (identified.count === 0 && coded.count === 0) return isAllowed;
  const [isIdentified, isCoded] = [isIn(identified), isIn(coded)];
  return (position) => !isIdentified(position) && !isCoded(position) && isAllowed?.(position) !== false;
}

/** Is a position one of these? A table of all, unless they follow one another. */
export function isIn(positions: Positions): (position: number) => boolean {
  const { runs } = positions;
  if (runs === 0) return () => false;
  const [first, end] = [positions.firstOf(0), positions.endOf(runs - 1)];
  if (runs === 1) return (position) => position >= first && position < end;
  const table = new Uint8Array(end);
  for (let run = 0; run < runs; run++) table.fill(1, positions.firstOf(run), positions.endOf(run));
  return (position) => table[position] === 1;
}

/** The number of units that are found by some of the keys, and by none before these. */
function countUnits({ words, keys, isAllowed }: Matches, { from, to }: NumberRange): number {
  let count = 0;
  for (let key = from; key < to; key++)
    if (words.isFirst(key, keys.from) && (isAllowed === undefined || isAllowed(words.unitOfKey(key)))) count++;
  return count;
}

/** The number of units of some names that have not been counted. */
function countNamed({ words, isAllowed }: Matches, { from, to }: NumberRange, counted: Set<number>): number {
  const before = counted.size;
  for (let name = from; name < to; name++) {
    const position = words.unitOf(name);
    if (isAllowed?.(position) !== false) counted.add(position);
  }
  return counted.size - before;
}

/** Brings units whose GID or code the text is, in all at most so many. */
function bringCoded(found: Positions, level: number, most: number, units: FoundUnit[]): void {
  const count = Math.min(found.count, most - units.length);
  for (const position of positionsIn(found.slice(0, count))) units.push({ level, position, match: 'code' });
}

/** Brings the units of some names, in all at most so many. */
function bringUnits(
  { words, isAllowed, seen }: Matches,
  { from, to }: NumberRange,
  { level, match }: Pick<FoundUnit, 'level' | 'match'>,
  most: number,
  units: FoundUnit[],
): void {
  for (let name = from; name < to && units.length < most; name++) {
    const position = words.unitOf(name);
    if (seen.has(position) || isAllowed?.(position) === false) continue;
    seen.add(position);
    units.push({ level, position, match });
  }
}

/**
 * The first names of units that are not found yet, of those with a word inside that begins with the text: ascending,
 * one for each unit. Some are collected, then sorted with the first ones so far: whatever comes after the last of these
 * is only compared with it. Twice as many are collected each time, as it may always be more that come before it.
 */
class NamesInside {
  readonly #matches: Matches;
  readonly #count: number;
  #names: number[] = [];
  #collected: number;
  #last = Number.POSITIVE_INFINITY;

  constructor(matches: Matches, count: number) {
    this.#matches = matches;
    this.#count = count;
    this.#collected = count;
  }

  /** The names. */
  get first(): number[] {
    this.#sort();
    return this.#names;
  }

  /** Looks at some keys. */
  take({ from, to }: NumberRange): void {
    const { words, names, seen, isAllowed } = this.#matches;
    const { name } = words.arrays;
    for (let key = from; key < to; key++) {
      const number = u32At(name, key);
      if (number >= this.#last || (number >= names.from && number < names.to)) continue;
      const unit = words.unitOf(number);
      if (seen.has(unit) || isAllowed?.(unit) === false) continue;
      this.#names.push(number);
      if (this.#names.length === this.#count + this.#collected) this.#sort();
    }
  }

  #sort(): void {
    const { words } = this.#matches;
    const units = new Map<number, number>();
    for (const name of this.#names.sort((a, b) => a - b)) {
      if (units.size === this.#count) break;
      const unit = words.unitOf(name);
      if (!units.has(unit)) units.set(unit, name);
    }
    this.#names = [...units.values()];
    if (units.size === this.#count) this.#last = numberAt(this.#names, units.size - 1);
    this.#collected = Math.min(2 * this.#collected, SORTED_NAMES);
  }
}
