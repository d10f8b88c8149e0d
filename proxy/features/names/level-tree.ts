// What a level's units are and what is inside them, from its names file: types, children, what is inside, area and view.
// Texts are JSON with a character for each byte, so that an answer joins them without encoding them again.
import { u32At } from '../../../format/element-at.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { Part } from '../../data/loaded-release.ts';
import { type LevelTexts, type TextAt, TextsWriter, toByteJson } from './level-texts.ts';
import { readNames } from './names-file.ts';

const LEAF = '0,"inside":[]';

/** What the units of a level are, by position. */
export class LevelTree {
  readonly #types: readonly string[];
  /** Of each unit the number of its type. */
  readonly #type: Uint32Array;
  /** Number of children and what is inside; empty for units in which nothing is. */
  readonly #inside: LevelTexts;
  /** Area and view. */
  readonly #extent: LevelTexts;

  constructor(types: readonly string[], type: Uint32Array, inside: LevelTexts, extent: LevelTexts) {
    this.#types = types;
    this.#type = type;
    this.#inside = inside;
    this.#extent = extent;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#type.byteLength + this.#inside.bytes + this.#extent.bytes;
  }

  /** The type of a unit: a text, or null. */
  typeAt(position: number): string {
    return this.#types[u32At(this.#type, position)] ?? 'null';
  }

  /** The members `children`, `inside`, `area` and `view` of the units in a range of positions. */
  membersIn(first: number, end: number): TextAt {
    const [inside, extent] = [this.#inside.bytesIn(first, end), this.#extent.bytesIn(first, end)];
    return (position) => `"children":${inside(position) || LEAF},"area":${extent(position)}`;
  }
}

/** It is brought into memory for the first answer with children of its units, or of units below them. */
export const TREE: Part<LevelTree> = {
  name: 'tree',
  type: LevelTree,
  async load(level) {
    const { features } = level.index;
    const types = new Map<unknown, number>([[null, 0]]);
    const type = new Uint32Array(features);
    const [insides, extents] = [new TextsWriter(features), new TextsWriter(features)];
    let unit = 0;
    return readNames(level, {
      fields: ['type', 'children', 'inside', 'area', 'view'],
      add([own, children, inside, area, view]) {
        const number = types.get(own) ?? types.size;
        types.set(own, number);
        type[unit++] = number;
        const levels = levelsInside(inside);
        insides.add(levels.length === 0 ? '' : `${JSON.stringify(children)},"inside":${JSON.stringify(levels)}`);
        extents.add(`${JSON.stringify(area ?? null)},"view":${JSON.stringify(view ?? null)}`);
      },
      end: () => new LevelTree([...types.keys()].map(toByteJson), type, insides.end(), extents.end()),
    });
  },
};

/** What is inside a unit, with the names of levels in place of their numbers. */
function levelsInside(inside: unknown): unknown[] {
  if (!Array.isArray(inside)) return [];
  return inside.flatMap((one: unknown): unknown[] => {
    const [number, ...rest]: unknown[] = Array.isArray(one) ? one : [];
    const level = LEVELS.find((known) => known === number);
    return level === undefined ? [] : [[levelName(level), ...rest]];
  });
}
