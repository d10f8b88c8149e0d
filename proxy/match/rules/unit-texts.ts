// What the units of a level are called, in little memory: levels have hundreds of thousands.
import { elementAt, u32At } from '../../../format/element-at.ts';

/** Texts that are joined to one. */
const BLOCK_TEXTS = 1024;

/** What a unit is called. */
export interface NamedUnit {
  gid: string | null;
  /** The default name. */
  name: string | null;
  /** Its codes, in the order of the level's keys; none if it has none. */
  codes: readonly (string | null)[];
  /** All its names: the default one first, those in languages, and others. */
  names: readonly string[];
}

/** What each unit is called: all but few have a GID and a name. */
export class UnitTexts {
  readonly #gids: PackedTexts;
  readonly #names: PackedTexts;
  /** Codes and further names, as JSON; empty where there are none. */
  readonly #further: PackedTexts;
  /** By position: those without a GID or a name. */
  readonly #others = new Map<number, NamedUnit>();

  constructor(units: number) {
    this.#gids = new PackedTexts(units);
    this.#names = new PackedTexts(units);
    this.#further = new PackedTexts(units);
  }

  /** To be called in the order of units. */
  add(position: number, unit: NamedUnit): void {
    const { gid, name, codes, names } = unit;
    const isOther = gid === null || name === null;
    if (isOther) this.#others.set(position, unit);
    const isPlain = isOther || (names.length === 1 && codes.every((code) => code === null));
    this.#gids.add(isOther ? '' : gid);
    this.#names.add(isOther ? '' : name);
    this.#further.add(isPlain ? '' : JSON.stringify([codes, names.slice(1)]));
  }

  at(position: number): NamedUnit {
    const other = this.#others.get(position);
    if (other !== undefined) return other;
    const gid = this.#gids.at(position);
    const name = this.#names.at(position);
    const further = this.#further.at(position);
    if (further === '') return { gid, name, codes: [], names: [name] };
    const [codes, names]: [(string | null)[], string[]] = JSON.parse(further);
    return { gid, name, codes, names: [name, ...names] };
  }
}

/** Texts as parts of long ones: short strings of their own would take about three times as much memory. */
class PackedTexts {
  /** Of so many texts each, one after the other. */
  readonly #blocks: string[] = [];
  /** Where each text ends in its block. */
  readonly #ends: Uint32Array;
  #count = 0;
  /** Those of the block that has begun, and its length. */
  #begun: string[] = [];
  #chars = 0;

  constructor(count: number) {
    this.#ends = new Uint32Array(count);
  }

  add(text: string): void {
    this.#begun.push(text);
    this.#chars += text.length;
    this.#ends[this.#count++] = this.#chars;
    if (this.#begun.length < BLOCK_TEXTS && this.#count < this.#ends.length) return;
    this.#blocks.push(this.#begun.join(''));
    this.#begun = [];
    this.#chars = 0;
  }

  /** To be called when all have been added. */
  at(position: number): string {
    const from = position % BLOCK_TEXTS === 0 ? 0 : u32At(this.#ends, position - 1);
    return elementAt(this.#blocks, Math.floor(position / BLOCK_TEXTS)).slice(from, u32At(this.#ends, position));
  }
}
