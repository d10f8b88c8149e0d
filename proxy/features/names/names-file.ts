// The one decoder of names.jsonl.gz (format/README.md, 'Names'). The file is inflated as a stream and read line by line:
// its text is never whole in memory. Parts of a level that are asked for together are made in one pass.
import { createGunzip } from 'node:zlib';
import { namesPath } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import { furtherColumns, type NameField, nameColumns, namesTextMaxBytes, valuesIn } from '../../../format/names.ts';
import { FormatError } from '../../../format/parse.ts';
import { INFLATED_NOW_MAX_BYTES, inflateNow } from '../../bodies/stored-file.ts';
import type { LoadedLevel, Part } from '../../data/loaded-release.ts';
import { inTurns } from '../../work/in-turns.ts';

const LINE_FEED = 0x0a;
/** Bytes of text that are gone through at a time: some 100 microseconds. */
const PART_BYTES = 16 * 1024;
/** Maximum length of a line, and what each language or code adds: the build cuts names that take some 60 kB. */
const [LINE_MAX_BYTES, TEXT_MAX_BYTES] = [1024 * 1024, 64 * 1024];

/** What a pass over the file makes of some columns. */
export interface NamesReader<Value> {
  readonly fields: readonly NameField[];
  /** Takes the values of each unit in order of position, as `fields` have them. */
  add(values: readonly unknown[], position: number): void;
  /** What was made of all units. */
  end(): Value;
}

/** What is asked of a level. */
interface NamedLevel extends Pick<LoadedLevel, 'folder' | 'read'> {
  index: Pick<LevelIndex, 'level' | 'features'>;
  summary: Pick<LevelSummary, 'names' | 'nameColumns' | 'codeColumns'>;
}

/** The names file of a level. */
export class NamesFile {
  /** Nothing of the file is kept. */
  readonly bytes = 0;
  readonly #level: NamedLevel;
  /** The next pass, as long as readers may join it. */
  #next: { readers: NamesReader<unknown>[]; done: Promise<void> } | undefined;

  constructor(level: NamedLevel) {
    this.#level = level;
  }

  /**
   * Reads some columns of all units, in a pass with all others that are asked for before the file has come.
   * @throws OriginError; FormatError if the file is no such text, or of other units
   */
  async read<Value>(reader: NamesReader<Value>): Promise<Value> {
    const readers = this.#next?.readers ?? [];
    readers.push(reader);
    this.#next ??= { readers, done: this.#pass(readers) };
    await this.#next.done;
    return reader.end();
  }

  async #pass(readers: readonly NamesReader<unknown>[]): Promise<void> {
    const { index, summary, folder } = this.#level;
    const path = namesPath(index.level);
    const file = `${folder}/${path}`;
    const { textBytes } = summary.names;
    const zipped = await this.#readFile(path, file, textBytes);
    const longest = LINE_MAX_BYTES + TEXT_MAX_BYTES * furtherColumns(summary);
    await inTurns(readingLines(inflating(zipped, textBytes, file), new Lines(readers, index.features, file, longest)));
  }

  /** Reads the file; from then on nobody joins the pass. */
  async #readFile(path: string, file: string, textBytes: number): Promise<Buffer> {
    const { index, summary } = this.#level;
    try {
      const most = namesTextMaxBytes(index.features, furtherColumns(summary));
      if (textBytes > most) throw new FormatError(file, `has ${textBytes} bytes of text, at most ${most} are read`);
      return await this.#level.read(path, summary.names);
    } finally {
      this.#next = undefined;
    }
  }
}

/** It is there from the first part that is made of it. */
const NAMES_FILE: Part<NamesFile> = {
  name: 'names file',
  type: NamesFile,
  load: async (level) => new NamesFile(level),
};

/** Reads some columns of all units of a level. @throws as `NamesFile.read` */
export async function readNames<Value>(level: LoadedLevel, reader: NamesReader<Value>): Promise<Value> {
  const file = await level.load(NAMES_FILE);
  return file.read(reader);
}

/** The lines of a text that comes in parts, for several readers. */
class Lines {
  readonly #readers: readonly NamesReader<unknown>[];
  readonly #features: number;
  readonly #file: string;
  readonly #lineMaxBytes: number;
  #count = 0;
  /** Where the fields of each reader are in a line, known from the first one. */
  #columns: readonly (readonly number[])[] | undefined;
  /** The beginning of a line. */
  #begun: Buffer[] = [];

  /** @param file for messages */
  constructor(readers: readonly NamesReader<unknown>[], features: number, file: string, longest: number) {
    this.#readers = readers;
    this.#features = features;
    this.#file = file;
    this.#lineMaxBytes = longest;
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
    if (bytes > this.#lineMaxBytes) throw this.#wrong(`has a line of more than ${this.#lineMaxBytes} bytes`);
  }

  /** @throws FormatError if units are missing */
  end(): void {
    if (this.#begun.length > 0) throw this.#wrong('does not end with a line');
    if (this.#count !== this.#features) throw this.#wrong(`has ${this.#count} units, expected ${this.#features}`);
  }

  #readLines(lines: Buffer): void {
    let text = lines.toString();
    if (this.#columns === undefined) {
      const header = text.split('\n', 1).join();
      this.#columns = this.#readers.map(({ fields }) => nameColumns(header, fields, this.#file));
      text = text.slice(header.length + 1);
      if (text === '') return;
    }
    const units = valuesIn(`[${text.replaceAll('\n', ',')}]`, this.#file);
    const first = this.#count;
    this.#count += units.length;
    if (this.#count > this.#features) throw this.#wrong(`has more than ${this.#features} units`);
    for (const [i, columns] of this.#columns.entries()) {
      const reader = this.#readers[i];
      let position = first;
      for (const unit of units)
        reader?.add(Array.isArray(unit) ? columns.map((column): unknown => unit[column]) : [], position++);
    }
  }

  #wrong(problem: string): FormatError {
    return new FormatError(this.#file, problem);
  }
}

/** Reads lines in steps: one for each part. */
async function* readingLines(parts: AsyncIterable<Buffer>, lines: Lines): AsyncGenerator<void, void> {
  for await (const part of parts) {
    lines.read(part);
    yield;
  }
  lines.end();
}

/**
 * The text of a file whose bytes have been checked, in parts.
 * @throws FormatError if it is no gzip member, or has another length
 */
async function* inflating(zipped: Buffer, textBytes: number, file: string): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  const wrongLength = (): FormatError => new FormatError(file, `is not ${textBytes} bytes of text`);
  try {
    const isShort = textBytes <= INFLATED_NOW_MAX_BYTES;
    for await (const text of isShort ? [inflateNow(zipped, textBytes)] : createGunzip().end(zipped))
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
