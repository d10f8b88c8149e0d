// What the units of a level are called, by position, from its names; and their GIDs, from its index.
import { elementAt, i32At, u32At } from '../../../format/element-at.ts';
import { ownersOf } from '../../../format/gid-column.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { Level } from '../../../format/levels.ts';
import type { NameField } from '../../../format/names.ts';
import type { Part } from '../../data/loaded-release.ts';
import type { JoinedJson } from './joined-json.ts';
import { type LevelTexts, TextsWriter } from './level-texts.ts';
import { type NamesReader, readNames } from './names-file.ts';

/** What units without a name or GID have, as JSON. */
const NONE = 'null';

/** The GIDs of a level's units, and those that they have of the levels above. */
export class LevelGids {
  readonly #index: LevelIndex;
  /** Of each unit the number of its GID in the column of each level; those of parents from when they are asked for. */
  readonly #numbers: (Int32Array | undefined)[] = [];

  constructor(index: LevelIndex) {
    this.#index = index;
    this.#numbersIn(index.level);
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#numbers.reduce((sum, numbers) => sum + (numbers?.byteLength ?? 0), 0);
  }

  /** Of each unit the number of its GID in the level's own column; -1 if it has none. */
  get numbers(): Int32Array {
    return this.#numbersIn(this.#index.level);
  }

  /** The GID of a unit, or of its parent of a level above; null if it has none. */
  gidAt(position: number, level: Level = this.#index.level): string | null {
    const number = i32At(this.#numbersIn(level), position);
    return number === -1 ? null : elementAt(this.#index.columns, level).gidAt(number);
  }

  /** Adds the GID of a unit: a text, or null. */
  addGid(json: JoinedJson, position: number): void {
    const number = i32At(this.numbers, position);
    if (number === -1) {
      json.ascii(NONE);
      return;
    }
    const { start, text } = elementAt(this.#index.columns, this.#index.level).arrays;
    json.text(text, u32At(start, number), u32At(start, number + 1));
  }

  #numbersIn(level: Level): Int32Array {
    const { columns, features } = this.#index;
    const numbers = this.#numbers[level] ?? ownersOf(elementAt(columns, level), features);
    this.#numbers[level] = numbers;
    return numbers;
  }
}

/** They are brought into memory with names, and for searches. */
export const GIDS: Part<LevelGids> = {
  name: 'GIDs',
  type: LevelGids,
  load: async ({ index }) => new LevelGids(index),
};

/** What units are called. */
export interface UnitNames {
  readonly gids: LevelGids;
  /** The name of a unit as JSON in UTF-8: a text, or null. */
  nameAt(position: number): Buffer;
  hasName(position: number): boolean;
  /** Adds the name of a unit: a text, or null. */
  addName(json: JoinedJson, position: number): void;
}

/** The default names of a level's units. */
export class LevelNames implements UnitNames {
  readonly gids: LevelGids;
  /** As JSON. */
  readonly #texts: LevelTexts;

  constructor(gids: LevelGids, texts: LevelTexts) {
    this.gids = gids;
    this.#texts = texts;
  }

  /** Bytes in memory, without the GIDs. */
  get bytes(): number {
    return this.#texts.bytes;
  }

  nameAt(position: number): Buffer {
    return this.#texts.at(position);
  }

  hasName(position: number): boolean {
    // A name has its quotes, and characters between them.
    return this.#texts.bytesAt(position) !== NONE.length || this.#texts.at(position).toString() !== NONE;
  }

  addName(json: JoinedJson, position: number): void {
    this.#texts.addTo(json, position);
  }
}

/** They are brought into memory for the first answer that has names. */
export const NAMES: Part<LevelNames> = {
  name: 'names',
  type: LevelNames,
  async load(level) {
    const texts = await readNames(level, jsonReader(level.index, 'name', NONE));
    return new LevelNames(await level.load(GIDS), texts);
  },
};

/** Reads the texts of a column as JSON. @param none what units without one have */
export function jsonReader(
  { features }: Pick<LevelIndex, 'features'>,
  field: NameField,
  none: string,
): NamesReader<LevelTexts> {
  const texts = new TextsWriter(features);
  return {
    fields: [field],
    add: ([value]) => texts.add(typeof value === 'string' ? JSON.stringify(value) : none),
    end: () => texts.end(),
  };
}
