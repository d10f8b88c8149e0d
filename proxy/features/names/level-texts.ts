// A text of each unit of a level in little memory: all in one buffer, and where each begins.
import { u32At } from '../../../format/element-at.ts';
import type { JoinedJson } from './joined-json.ts';

/** Texts are copied together when they have so many bytes: the last ones are many small ones. */
const CHUNK_BYTES = 256 * 1024;

/** The texts of a level's units, by position. */
export class LevelTexts {
  /** Where each begins in the text, and where the last one ends. */
  readonly #start: Uint32Array;
  /** One behind the other. */
  readonly #text: Buffer;

  constructor(start: Uint32Array, text: Buffer) {
    this.#start = start;
    this.#text = text;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#start.byteLength + this.#text.length;
  }

  /** How many bytes the text of a unit has. */
  bytesAt(position: number): number {
    return u32At(this.#start, position + 1) - u32At(this.#start, position);
  }

  /** Adds the text of a unit, which is JSON. */
  addTo(json: JoinedJson, position: number): void {
    json.add(this.#text, u32At(this.#start, position), u32At(this.#start, position + 1));
  }

  /** The text of a unit in UTF-8; empty if it has none. */
  at(position: number): Buffer {
    return this.#text.subarray(u32At(this.#start, position), u32At(this.#start, position + 1));
  }
}

/** Gathers the texts of a level's units in order of position. */
export class TextsWriter {
  readonly #start: Uint32Array;
  readonly #chunks: Buffer[] = [];
  #texts: string[] = [];
  /** Bytes of all texts, and of those that are no chunk yet. */
  #bytes = 0;
  #begun = 0;
  #count = 0;

  constructor(units: number) {
    this.#start = new Uint32Array(units + 1);
  }

  add(text: string): void {
    const bytes = text === '' ? 0 : Buffer.byteLength(text);
    this.#bytes += bytes;
    this.#begun += bytes;
    this.#start[++this.#count] = this.#bytes;
    if (bytes > 0) this.#texts.push(text);
    if (this.#begun > CHUNK_BYTES) this.#endChunk();
  }

  end(): LevelTexts {
    this.#endChunk();
    return new LevelTexts(this.#start, Buffer.concat(this.#chunks, this.#bytes));
  }

  #endChunk(): void {
    this.#chunks.push(Buffer.from(this.#texts.join('')));
    this.#texts = [];
    this.#begun = 0;
  }
}
