// What the units of a level are called, and their GIDs, by position: from its names and its index. Brought into memory
// for answers with units of all levels (units.ts) and for searches.
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { elementAt, i32At, u32At } from '../../../format/element-at.ts';
import { ownersOf } from '../../../format/gid-column.ts';
import { namesPath } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { nameColumns, valuesIn } from '../../../format/names.ts';
import { FormatError } from '../../../format/parse.ts';
import type { WholeFile } from '../../../format/release.ts';
import type { Part } from '../../data/release.ts';
import { inTurns } from '../../work/in-turns.ts';

const LINE_FEED = 0x0a;
/** Maximum length of a text that is inflated on the event loop, in about a millisecond. */
const SYNC_MAX_BYTES = 256 * 1024;
/** Bytes of text that are gone through in a step: some 100 microseconds. */
const STEP_BYTES = 16 * 1024;

/** The names and GIDs of a level's units. */
export class LevelNames {
  readonly #index: LevelIndex;
  /** Where each name begins in the text, and where the last one ends. */
  readonly #start: Uint32Array;
  /** The names as JSON, one behind the other. */
  readonly #text: Buffer;
  /** Of each unit the number of its GID in the level's own column; -1 if it has none. */
  readonly numbers: Int32Array;

  constructor(index: LevelIndex, start: Uint32Array, text: Buffer) {
    this.#index = index;
    this.#start = start;
    this.#text = text;
    this.numbers = ownersOf(elementAt(index.columns, index.level), index.features);
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#start.byteLength + this.#text.length + this.numbers.byteLength;
  }

  /** The name of a unit as JSON in UTF-8: a text, or null. */
  nameAt(position: number): Buffer {
    return this.#text.subarray(u32At(this.#start, position), u32At(this.#start, position + 1));
  }

  /** The GID of a unit; null if it has none. */
  gidAt(position: number): string | null {
    const { level, columns } = this.#index;
    const number = i32At(this.numbers, position);
    return number === -1 ? null : elementAt(columns, level).gidAt(number);
  }
}

/**
 * The names of a level from the text of its file, in steps: there may be hundreds of thousands of units.
 * @param file for messages
 * @throws FormatError if it is no such text, or of other units
 */
export function* decodingNames(text: Buffer, index: LevelIndex, file: string): Generator<void, LevelNames> {
  const start = new Uint32Array(index.features + 1);
  const parts: Buffer[] = [];
  let begin = text.indexOf(LINE_FEED) + 1;
  const [column = 0] = nameColumns(text.toString('utf8', 0, begin), ['name'], file);
  let [position, bytes] = [0, 0];
  while (begin < text.length) {
    yield;
    const at = text.indexOf(LINE_FEED, begin + STEP_BYTES);
    const end = at === -1 ? text.length - 1 : at;
    const lines = text.toString('utf8', begin, end).replaceAll('\n', ',');
    const names = valuesIn(`[${lines}]`, file).map((unit) => {
      const name: unknown = Array.isArray(unit) ? unit[column] : undefined;
      const json = typeof name === 'string' ? JSON.stringify(name) : 'null';
      bytes += Buffer.byteLength(json);
      start[++position] = bytes;
      return json;
    });
    parts.push(Buffer.from(names.join('')));
    begin = end + 1;
  }
  if (position !== index.features) throw new FormatError(file, `has ${position} units, expected ${index.features}`);
  return new LevelNames(index, start, Buffer.concat(parts, bytes));
}

/** They are brought into memory for the first answer with units of all levels. */
export const NAMES: Part<LevelNames> = {
  name: 'names',
  type: LevelNames,
  async load(level) {
    const { summary, folder, index } = level;
    const path = namesPath(index.level);
    const file = `${folder}/${path}`;
    const text = await inflated(await level.read(path, summary.names), summary.names, file);
    return inTurns(decodingNames(text, index, file));
  },
};

/**
 * The text of a file whose bytes have been checked.
 * @throws FormatError if it is no gzip member, or has another length
 */
async function inflated(zipped: Buffer, { textBytes }: WholeFile, file: string): Promise<Buffer> {
  // Twice the length: Workers count the size of their buffers, of which the last is not full.
  const limits = { chunkSize: Math.max(textBytes + 1, 64), maxOutputLength: Math.max(2 * textBytes, 64) };
  try {
    const text = textBytes <= SYNC_MAX_BYTES ? gunzipSync(zipped, limits) : await promisify(gunzip)(zipped, limits);
    if (text.length === textBytes) return text;
  } catch {
    // The error below applies to all cases.
  }
  throw new FormatError(file, `is not ${textBytes} bytes of text`);
}
