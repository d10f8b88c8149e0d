// What a level's units are, such as provinces, from its names file.
import { u32At } from '../../../format/element-at.ts';
import type { Part } from '../../data/loaded-release.ts';
import { readNames } from './names-file.ts';

/** The types of a level's units, by position. */
export class LevelTypes {
  readonly #types: readonly unknown[];
  /** Of each unit the number of its type. */
  readonly #type: Uint32Array;

  constructor(types: readonly unknown[], type: Uint32Array) {
    this.#types = types;
    this.#type = type;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#type.byteLength;
  }

  /** The type of a unit; null if it has none. */
  typeAt(position: number): unknown {
    return this.#types[u32At(this.#type, position)] ?? null;
  }
}

/** They are brought into memory for the first answer with units below its units. */
export const TYPES: Part<LevelTypes> = {
  name: 'types',
  type: LevelTypes,
  async load(level) {
    const types = new Map<unknown, number>();
    const type = new Uint32Array(level.index.features);
    let unit = 0;
    return readNames(level, {
      fields: ['type'],
      add([own]) {
        const number = types.get(own) ?? types.size;
        types.set(own, number);
        type[unit++] = number;
      },
      end: () => new LevelTypes([...types.keys()], type),
    });
  },
};
