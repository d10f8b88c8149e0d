// What a level's units are, such as provinces, from its names file.
import { u32At } from '../../../format/element-at.ts';
import type { Part } from '../../data/loaded-release.ts';
import { readNames } from './names-file.ts';

/** Upper estimate of the size of a type besides its characters (UTF-16): few units have one of their own, but all may. */
const TYPE_BYTES = 64;
const CHAR_BYTES = 2;

/** The types of a level's units, by position. */
export class LevelTypes {
  /** Bytes in memory. */
  readonly bytes: number;
  readonly #types: readonly (string | null)[];
  /** Of each unit the number of its type. */
  readonly #type: Uint32Array;

  constructor(types: readonly (string | null)[], type: Uint32Array) {
    this.#types = types;
    this.#type = type;
    const chars = types.reduce((sum, own) => sum + (own?.length ?? 0), 0);
    this.bytes = type.byteLength + TYPE_BYTES * types.length + CHAR_BYTES * chars;
  }

  /** The type of a unit; null if it has none. */
  typeAt(position: number): string | null {
    return this.#types[u32At(this.#type, position)] ?? null;
  }
}

/** They are brought into memory for the first answer with units below its units. */
export const TYPES: Part<LevelTypes> = {
  name: 'types',
  type: LevelTypes,
  async load(level) {
    const types = new Map<string | null, number>();
    const type = new Uint32Array(level.index.features);
    return readNames(level, {
      fields: ['type'],
      add([value], position) {
        const own = typeof value === 'string' ? value : null;
        const number = types.get(own) ?? types.size;
        types.set(own, number);
        type[position] = number;
      },
      end: () => new LevelTypes([...types.keys()], type),
    });
  },
};
