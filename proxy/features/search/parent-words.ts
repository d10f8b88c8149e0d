// Which units are called so in a unit that is called so: `toledo spain`. For texts that no name has as a whole. Used by
// search.ts.
import { elementAt, u32At } from '../../../format/element-at.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { foldText, type Words } from '../../../format/words.ts';
import type { LevelNames } from '../places/level-names.ts';
import { findUnits, type SearchedLevel, type SearchResult } from './find-units.ts';

/** A level whose units, and whose parents, are known by their words. */
export interface KnownLevel {
  index: LevelIndex;
  words: Words;
  names: LevelNames;
}

/**
 * Cuts a text at a space, the last one first, until something is found: what is before it is looked up as `findUnits`
 * does, and each word after it begins a word of the name of one of the unit's parents.
 * @param text as it was typed, with a letter or digit
 * @param searched the levels of the units, each with what it is known by
 * @param known all levels that have units, down to the last of these
 * @param limit how many units are brought
 */
export function findInParents(
  text: string,
  searched: readonly (KnownLevel & Pick<SearchedLevel, 'isAllowed'>)[],
  known: readonly KnownLevel[],
  limit: number,
): SearchResult {
  const words = foldText(text).split(' ');
  const called = new Map(words.map((word) => [word, new Calls(word)]));
  const levels = searched.map((level) => {
    return { level, parents: known.filter(({ index }) => index.level < level.index.level).map(parentIn(level)) };
  });
  for (let cut = words.length - 1; cut > 0; cut--) {
    const wanted = [...new Set(words.slice(cut))].flatMap((word) => called.get(word) ?? []);
    const within = levels.map(({ level: { words, isAllowed }, parents }): SearchedLevel => {
      const isInside = (position: number): boolean =>
        isAllowed?.(position) !== false &&
        wanted.every((calls) => parents.some(({ above, numberOf }) => calls.has(above, numberOf(position))));
      return { words, isAllowed: isInside };
    });
    const found = findUnits(words.slice(0, cut).join(' '), within, limit);
    if (found.matched > 0) return found;
  }
  return { matched: 0, units: [] };
}

/** Which units have a name with a word that begins so. A level is gone through when it is first asked for. */
class Calls {
  readonly #word: Buffer;
  /** By level, for the number of each GID, 1 if a unit that has it is called so. */
  readonly #levels: (Uint8Array | undefined)[] = [];

  constructor(word: string) {
    this.#word = Buffer.from(word);
  }

  /** @param number of the GID in the level's own column; -1 for none */
  has(level: KnownLevel, number: number): boolean {
    if (number === -1) return false;
    const called = this.#levels[level.index.level] ?? this.#calledIn(level);
    return called[number] === 1;
  }

  #calledIn({ index: { level, columns }, words, names }: KnownLevel): Uint8Array {
    const called = new Uint8Array(elementAt(columns, level).size);
    const { from, to } = words.keysWith(this.#word);
    const numbers = names.numbers(level);
    for (let key = from; key < to; key++) {
      const number = elementAt(numbers, words.unitOf(u32At(words.arrays.name, key)));
      if (number !== -1) called[number] = 1;
    }
    this.#levels[level] = called;
    return called;
  }
}

/** A level above, and what it knows the parent of a unit by: the number of its GID there; -1 if it has none. */
interface Parent {
  above: KnownLevel;
  numberOf(position: number): number;
}

function parentIn(of: KnownLevel): (above: KnownLevel) => Parent {
  return (above) => {
    const { level, columns } = above.index;
    const [own, column] = [elementAt(columns, level), elementAt(of.index.columns, level)];
    /** By the number of the GID among the parents: each is looked up once. */
    const known = new Map<number, number>();
    return {
      above,
      numberOf(position) {
        const given = elementAt(of.names.numbers(level), position);
        if (given === -1) return -1;
        const number = known.get(given) ?? own.find(column.gidAt(given));
        known.set(given, number);
        return number;
      },
    };
  };
}
