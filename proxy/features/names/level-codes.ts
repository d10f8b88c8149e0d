// The official codes of a level's units, such as those of ISO 3166 or of a statistical office. `CODES` is brought into
// memory where `hasCodes(level.summary)`; then `finding` says which units have a code as it is written, of any key.
import { crc32 } from 'node:zlib';
import { elementAt, i32At, u32At } from '../../../format/element-at.ts';
import type { LevelAbout } from '../../../format/level-json.ts';
import { NO_POSITIONS, type Positions, positionsOfBits } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import type { Part } from '../../data/loaded-release.ts';
import { type LevelTexts, TextsWriter } from './level-texts.ts';
import { type NamesReader, readNames } from './names-file.ts';

/** Codes that are compared in a step: some 100 microseconds. */
const STEP_CODES = 1024;

/** The codes of a level's units. */
export class LevelCodes {
  /** The codes of each key. */
  readonly #texts: readonly LevelTexts[];
  readonly #table: CodeTable;

  constructor(texts: readonly LevelTexts[], table: CodeTable) {
    this.#texts = texts;
    this.#table = table;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#texts.reduce((sum, { bytes }) => sum + bytes, this.#table.bytes);
  }

  /** The units that have one of some codes, of any key, of those that are wanted; in steps, as very many may have it. */
  *finding(codes: readonly string[], isWanted: (unit: number) => boolean): Steps<Positions> {
    /** A bit for each unit. */
    let found: Int32Array | undefined;
    let seen = 0;
    for (const code of codes) {
      const wanted = Buffer.from(code);
      for (const { unit, key } of this.#table.entriesWith(code)) {
        if (++seen % STEP_CODES === 0) yield;
        if (!wanted.equals(elementAt(this.#texts, key).at(unit)) || !isWanted(unit)) continue;
        found ??= new Int32Array((this.#table.units >>> 5) + 1);
        found[unit >>> 5] = i32At(found, unit >>> 5) | (1 << unit);
      }
    }
    return found === undefined ? NO_POSITIONS : positionsOfBits(found);
  }
}

/** Which codes have a hash: lists of entries, each of which is of a unit and a key. */
class CodeTable {
  readonly units: number;
  /** By hash one above the last entry that has it, and by entry one above the one before; 0 for none. */
  readonly #last: Uint32Array;
  readonly #before: Uint32Array;

  constructor(units: number, keys: number) {
    this.units = units;
    this.#last = new Uint32Array(units * keys + 1);
    this.#before = new Uint32Array(units * keys);
  }

  get bytes(): number {
    return this.#last.byteLength + this.#before.byteLength;
  }

  /** @param key its number */
  add(code: string, unit: number, key: number): void {
    const [hash, entry] = [this.#hashOf(code), unit + key * this.units];
    this.#before[entry] = u32At(this.#last, hash);
    this.#last[hash] = entry + 1;
  }

  /** What may have a code. */
  *entriesWith(code: string): Generator<{ unit: number; key: number }> {
    for (let next = u32At(this.#last, this.#hashOf(code)); next > 0; next = u32At(this.#before, next - 1))
      yield { unit: (next - 1) % this.units, key: Math.floor((next - 1) / this.units) };
  }

  #hashOf(code: string): number {
    return crc32(code) % this.#last.length;
  }
}

/** Have units of a level codes? */
export function hasCodes({ codeColumns = {} }: Pick<LevelAbout, 'codeColumns'>): boolean {
  return Object.keys(codeColumns).length > 0;
}

/** They are brought into memory for searches, where a level has some. */
export const CODES: Part<LevelCodes> = {
  name: 'codes',
  type: LevelCodes,
  async load(level) {
    const keys = Object.keys(level.summary.codeColumns ?? {}).sort();
    const { features } = level.index;
    const table = new CodeTable(features, keys.length);
    const texts = keys.map(() => new TextsWriter(features));
    const reader: NamesReader<LevelCodes> = {
      fields: keys.map((key) => `code:${key}` as const),
      add(codes, unit) {
        for (const [key, code] of codes.entries()) {
          const text = typeof code === 'string' ? code : '';
          elementAt(texts, key).add(text);
          if (text !== '') table.add(text, unit, key);
        }
      },
      end: () =>
        new LevelCodes(
          texts.map((own) => own.end()),
          table,
        ),
    };
    // The next release may have no codes where this one has.
    return keys.length === 0 ? reader.end() : readNames(level, reader);
  },
};
