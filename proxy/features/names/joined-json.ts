// JSON that is put together from some hundred texts, most of them of a few bytes: a loop copies these in a fraction of
// the time of a call to the platform, and none becomes an object of its own.
import { u8At } from '../../../format/element-at.ts';

/** More than most answers need. */
const BEGIN_BYTES = 4 * 1024;
/** So many bytes take a loop as long as that call. */
const LOOPED_MAX_BYTES = 64;
/** What JSON writes as it is in quotes: these, but for the quote and the backslash. */
const [ASCII_MIN, ASCII_MAX, QUOTE, BACKSLASH] = [0x20, 0x7e, 0x22, 0x5c];

/** JSON in UTF-8 that grows. */
export class JoinedJson {
  #memory: Buffer = Buffer.allocUnsafe(BEGIN_BYTES);
  #length = 0;

  /** All that has been added. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /** Adds some bytes of JSON. */
  add(json: Uint8Array, from: number, to: number): void {
    const memory = this.#roomFor(to - from);
    let at = this.#length;
    if (to - from > LOOPED_MAX_BYTES) memory.set(json.subarray(from, to), at);
    else for (let i = from; i < to; i++) memory[at++] = u8At(json, i);
    this.#length += to - from;
  }

  /** Adds some characters of JSON, all ASCII. */
  ascii(json: string): void {
    const memory = this.#roomFor(json.length);
    for (let i = 0; i < json.length; i++) memory[this.#length++] = json.charCodeAt(i);
  }

  /** Adds a text, whose bytes these are, with quotes. */
  text(utf8: Uint8Array, from: number, to: number): void {
    if (isPlain(utf8, from, to)) {
      this.ascii('"');
      this.add(utf8, from, to);
      this.ascii('"');
      return;
    }
    const json = Buffer.from(JSON.stringify(Buffer.from(utf8.subarray(from, to)).toString()));
    this.add(json, 0, json.length);
  }

  #roomFor(bytes: number): Buffer {
    if (this.#length + bytes > this.#memory.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    return this.#memory;
  }
}

function isPlain(utf8: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = u8At(utf8, i);
    if (byte < ASCII_MIN || byte > ASCII_MAX || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}
