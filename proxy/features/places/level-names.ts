// What the units of a level are called, by position, from its names; and their GIDs, from its index. Names are brought
// into memory for answers with units of all levels (units.ts), GIDs for searches, too.
import { createGunzip, gunzipSync } from 'node:zlib';
import { elementAt, i32At, u32At } from '../../../format/element-at.ts';
import { ownersOf } from '../../../format/gid-column.ts';
import { namesPath } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { nameColumns, namesTextMaxBytes, valuesIn } from '../../../format/names.ts';
import { FormatError } from '../../../format/parse.ts';
import type { Part } from '../../data/release.ts';
import { Turns } from '../../work/in-turns.ts';

const LINE_FEED = 0x0a;
/** Maximum length of a text that is inflated on the event loop, in about a millisecond. */
const SYNC_MAX_BYTES = 256 * 1024;
/** Bytes of text that are gone through at a time: some 100 microseconds. */
const PART_BYTES = 16 * 1024;
/** Maximum length of a line: names that take some 100 kB are cut by the build. */
const LINE_MAX_BYTES = 1024 * 1024;

/** The GIDs of a level's units. */
export class LevelGids {
  readonly #index: LevelIndex;
  /** Of each unit the number of its GID in the level's own column; -1 if it has none. */
  readonly numbers: Int32Array;

  constructor(index: LevelIndex) {
    this.#index = index;
    this.numbers = ownersOf(elementAt(index.columns, index.level), index.features);
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.numbers.byteLength;
  }

  /** The GID of a unit; null if it has none. */
  gidAt(position: number): string | null {
    const { level, columns } = this.#index;
    const number = i32At(this.numbers, position);
    return number === -1 ? null : elementAt(columns, level).gidAt(number);
  }
}

/** They are brought into memory with names, and for searches. */
export const GIDS: Part<LevelGids> = {
  name: 'GIDs',
  type: LevelGids,
  load: async ({ index }) => new LevelGids(index),
};

/** The names of a level's units. */
export class LevelNames {
  readonly gids: LevelGids;
  /** Where each name begins in the text, and where the last one ends. */
  readonly #start: Uint32Array;
  /** The names as JSON, one behind the other. */
  readonly #text: Buffer;

  constructor(gids: LevelGids, start: Uint32Array, text: Buffer) {
    this.gids = gids;
    this.#start = start;
    this.#text = text;
  }

  /** Bytes in memory, without the GIDs. */
  get bytes(): number {
    return this.#start.byteLength + this.#text.length;
  }

  /** The name of a unit as JSON in UTF-8: a text, or null. */
  nameAt(position: number): Buffer {
    return this.#text.subarray(u32At(this.#start, position), u32At(this.#start, position + 1));
  }
}

/** Reads the names of a level from the text of its file, part by part: the text is never whole in memory. */
class NamesReader {
  readonly #gids: LevelGids;
  readonly #features: number;
  readonly #file: string;
  readonly #start: Uint32Array;
  readonly #names: Buffer[] = [];
  /** Bytes of the names, and how many there are. */
  #bytes = 0;
  #count = 0;
  /** Where names are in a line, known from the first one. */
  #column: number | undefined;
  /** The beginning of a line. */
  #begun: Buffer[] = [];

  /** @param file for messages */
  constructor(gids: LevelGids, file: string) {
    this.#gids = gids;
    this.#features = gids.numbers.length;
    this.#file = file;
    this.#start = new Uint32Array(this.#features + 1);
  }

  /** Reads what comes next. @throws FormatError if it is no such text, or of other units */
  read(part: Buffer): void {
    const end = part.lastIndexOf(LINE_FEED);
    if (end !== -1) {
      this.#readLines(Buffer.concat([...this.#begun, part.subarray(0, end)]));
      this.#begun = [];
    }
    if (end < part.length - 1) this.#begun.push(part.subarray(end + 1));
    const bytes = this.#begun.reduce((sum, { length }) => sum + length, 0);
    if (bytes > LINE_MAX_BYTES) throw this.#wrong(`has a line of more than ${LINE_MAX_BYTES} bytes`);
  }

  /** What was read. @throws FormatError if units are missing */
  end(): LevelNames {
    if (this.#begun.length > 0) throw this.#wrong('does not end with a line');
    if (this.#count !== this.#features) throw this.#wrong(`has ${this.#count} units, expected ${this.#features}`);
    return new LevelNames(this.#gids, this.#start, Buffer.concat(this.#names, this.#bytes));
  }

  #readLines(lines: Buffer): void {
    let text = lines.toString();
    if (this.#column === undefined) {
      const header = text.split('\n', 1).join();
      [this.#column] = nameColumns(header, ['name'], this.#file);
      text = text.slice(header.length + 1);
      if (text === '') return;
    }
    const column = this.#column ?? 0;
    const units = valuesIn(`[${text.replaceAll('\n', ',')}]`, this.#file);
    if (this.#count + units.length > this.#features) throw this.#wrong(`has more than ${this.#features} units`);
    const names = units.map((unit) => {
      const name: unknown = Array.isArray(unit) ? unit[column] : undefined;
      const json = typeof name === 'string' ? JSON.stringify(name) : 'null';
      this.#bytes += Buffer.byteLength(json);
      this.#start[++this.#count] = this.#bytes;
      return json;
    });
    this.#names.push(Buffer.from(names.join('')));
  }

  #wrong(problem: string): FormatError {
    return new FormatError(this.#file, problem);
  }
}

/** They are brought into memory for the first answer with units of all levels. */
export const NAMES: Part<LevelNames> = {
  name: 'names',
  type: LevelNames,
  async load(level) {
    const { summary, folder, index } = level;
    const path = namesPath(index.level);
    const file = `${folder}/${path}`;
    const { textBytes } = summary.names;
    const most = namesTextMaxBytes(index.features);
    if (textBytes > most) throw new FormatError(file, `has ${textBytes} bytes of text, at most ${most} are read`);
    const zipped = await level.read(path, summary.names);
    const reader = new NamesReader(await level.load(GIDS), file);
    const turns = new Turns();
    for await (const part of inflating(zipped, textBytes, file)) {
      reader.read(part);
      await turns.give(part.length);
    }
    return reader.end();
  },
};

/**
 * The text of a file whose bytes have been checked, in parts.
 * @throws FormatError if it is no gzip member, or has another length
 */
async function* inflating(zipped: Buffer, textBytes: number, file: string): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  const wrongLength = (): FormatError => new FormatError(file, `is not ${textBytes} bytes of text`);
  try {
    for await (const text of textBytes <= SYNC_MAX_BYTES ? [inflated(zipped, textBytes)] : createGunzip().end(zipped))
      for (let at = 0; at < text.length; at += PART_BYTES) {
        const part: Buffer = text.subarray(at, at + PART_BYTES);
        bytes += part.length;
        if (bytes > textBytes) throw wrongLength();
        yield part;
      }
  } catch {
    throw wrongLength();
  }
  if (bytes !== textBytes) throw wrongLength();
}

function inflated(zipped: Buffer, textBytes: number): Buffer {
  // Twice the length: Workers count the size of their buffers, of which the last is not full.
  return gunzipSync(zipped, { chunkSize: Math.max(textBytes + 1, 64), maxOutputLength: Math.max(2 * textBytes, 64) });
}
