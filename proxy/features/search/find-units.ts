// Which units are called so: a text is looked up in the words of the levels' names. Used by search.ts.
import { elementAt, numberAt, u32At } from '../../../format/element-at.ts';
import { foldText, type NumberRange, type Words } from '../../../format/words.ts';

/** The names of a level, and which of its units may be found; undefined for all. */
export interface SearchedLevel {
  words: Words;
  isAllowed: ((position: number) => boolean) | undefined;
  /** The units whose GID the text is, of those that may be found; none if left out. */
  identified?: readonly number[];
}

const NONE: readonly number[] = [];

/** A unit that is called so. */
export interface FoundUnit {
  /** The number of its level among those that are searched. */
  level: number;
  position: number;
}

/** What was found. */
export interface SearchResult {
  /** How many units there are. */
  matched: number;
  /** The first of them by order. */
  units: FoundUnit[];
}

/** What is searched in a level, and what of it matches. */
interface Matches extends Required<SearchedLevel> {
  /** The names that begin with the text, of which those before `whole` are the text. */
  names: NumberRange;
  whole: number;
  /** The keys that begin with it. */
  keys: NumberRange;
  /** The units that have been found. */
  seen: Set<number>;
}

/**
 * Looks a text up. First come units whose GID it is, then those whose name is the text, then those whose name begins
 * with it, then those with a word that does; of each those of the level that comes first, then by the name that
 * matches, then by fid.
 * @param text as it was typed, with a letter or digit
 * @param limit how many units are brought
 */
export function findUnits(text: string, levels: readonly SearchedLevel[], limit: number): SearchResult {
  const wanted = Buffer.from(foldText(text));
  const matches = levels.map(({ words, isAllowed, identified = NONE }): Matches => {
    const names = words.namesWith(wanted);
    const { start } = words.arrays;
    let whole = names.from;
    while (whole < names.to && u32At(start, whole + 1) - u32At(start, whole) === wanted.length + 1) whole++;
    return { words, isAllowed, identified, names, whole, keys: words.keysWith(wanted), seen: new Set(identified) };
  });
  const units = matches.flatMap(({ identified }, level) => identified.map((position) => ({ level, position })));
  units.splice(limit);
  const bring = (level: number, from: number, to: number): void => {
    const { words, isAllowed, seen } = elementAt(matches, level);
    for (let name = from; name < to && units.length < limit; name++) {
      const position = words.unitOf(name);
      if (seen.has(position) || isAllowed?.(position) === false) continue;
      seen.add(position);
      units.push({ level, position });
    }
  };
  for (const [level, { names, whole }] of matches.entries()) bring(level, names.from, whole);
  for (const [level, { names, whole }] of matches.entries()) bring(level, whole, names.to);
  for (const [level, own] of matches.entries())
    for (const name of firstInside(own, limit - units.length)) bring(level, name, name + 1);
  const matched = matches.reduce((sum, { words, keys, isAllowed, identified }) => {
    if (identified.length === 0) return sum + words.countUnits(keys, isAllowed);
    const known = new Set(identified);
    const others = (position: number): boolean => !known.has(position) && isAllowed?.(position) !== false;
    return sum + identified.length + words.countUnits(keys, others);
  }, 0);
  return { matched, units };
}

/**
 * The first names of units that are not found yet, of those with a word inside that begins with the text: ascending,
 * one for each unit. All others are only compared with the last of these.
 */
function firstInside({ words, keys, names, seen, isAllowed }: Matches, count: number): number[] {
  const { name } = words.arrays;
  const first: number[] = [];
  for (let key = keys.from; count > 0 && key < keys.to; key++) {
    const number = u32At(name, key);
    if (number >= names.from && number < names.to) continue;
    if (first.length === count && number >= numberAt(first, count - 1)) continue;
    const unit = words.unitOf(number);
    if (seen.has(unit) || isAllowed?.(unit) === false) continue;
    const known = first.findIndex((other) => words.unitOf(other) === unit);
    if (known !== -1 && numberAt(first, known) <= number) continue;
    if (known !== -1) first.splice(known, 1);
    const at = first.findIndex((other) => other > number);
    first.splice(at === -1 ? first.length : at, 0, number);
    if (first.length > count) first.pop();
  }
  return first;
}
