// Compresses text into deflate data with seams, and joins such data to gzip members (see ../gzip.ts).
import { constants, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { joinCrcs, sumOf, type TextSum } from '../crc32.ts';
import { type DeflatedText, MEMBER_END_BYTES, MEMBER_HEADER, writeMemberEnd } from '../gzip.ts';

/**
 * Compression: coordinates are runs of digits, which Z_FILTERED (few short matches, more Huffman coding) suits: at
 * level 5 it gives smaller data than zlib's default level 6 without it, in little more than half the time.
 */
const DEFLATE_OPTIONS = { level: 5, strategy: constants.Z_FILTERED, finishFlush: constants.Z_FULL_FLUSH };

/** zlib refers to what lies at most the window back, less so many bytes. */
const WINDOW_MARGIN_BYTES = 262;
const WINDOW_BITS = { min: 9, max: 15 } as const;

/**
 * A window as small as a short text allows, and a buffer that has room for its data: to set up more takes longer than
 * to deflate a line. The data is the same.
 */
function roomFor(text: Uint8Array, before = 0): Pick<ZlibOptions, 'windowBits' | 'chunkSize'> {
  const { length } = text;
  const windowBits = Math.max(WINDOW_BITS.min, Math.ceil(Math.log2(before + length + WINDOW_MARGIN_BYTES + 1)));
  return windowBits < WINDOW_BITS.max ? { windowBits, chunkSize: length + (length >> 6) + 64 } : {};
}

/** Deflates `text` into data with a seam: no reference back past its start, byte-aligned end, not final. */
export function deflateText(text: Uint8Array): Buffer {
  return deflateRawSync(text, { ...DEFLATE_OPTIONS, ...roomFor(text) });
}

/** Bytes before the end of deflate data to which it can refer. */
const WINDOW_BYTES = 32 * 1024;

/**
 * What zlib ends data with when it is flushed: an empty stored block (RFC 1951 section 3.2.4), but for three bits
 * before it.
 */
const FLUSH_BYTES = 4;

/**
 * The end of the deflate data of a feature, in the place of that block: one with the line feed that ends the text. It
 * is the seam, and its last byte is the separator of features.
 */
export const SEAM: Buffer = Buffer.from([1, 0, 0xfe, 0xff, 0x0a]);

/**
 * Deflates the text of a feature.
 * @param line ends in its only line feed
 * @param before the line of the feature before it, to which the data refers then: it is chained
 */
export function deflateLine(line: Uint8Array, before?: Uint8Array): Buffer {
  const dictionary = before?.subarray(-WINDOW_BYTES);
  const options = { ...DEFLATE_OPTIONS, ...roomFor(line, dictionary?.length), ...(dictionary && { dictionary }) };
  const data = deflateRawSync(line.subarray(0, -1), options);
  return Buffer.concat([data.subarray(0, -FLUSH_BYTES), SEAM]);
}

/** Compression of names. Levels 8 and 9 make them 1.5 % smaller in four times the time. */
const WHOLE_LEVEL = 7;

/** `deflateText` for a file that is not joined with others: names, which have few coordinates. */
export function deflateWhole(text: Uint8Array, level: number = WHOLE_LEVEL): Buffer {
  return deflateRawSync(text, { level, finishFlush: constants.Z_FULL_FLUSH, ...roomFor(text) });
}

/** The bytes after the deflate data of a member whose text has this sum. */
export function memberEnd({ crc, length }: TextSum): Buffer {
  const end = Buffer.allocUnsafe(MEMBER_END_BYTES);
  writeMemberEnd(end, 0, crc, length);
  return end;
}

/** A whole text as one gzip member. @param header that of another member of this kind */
export function gzipMember(text: Uint8Array, header: Uint8Array = MEMBER_HEADER, level?: number): Buffer {
  return Buffer.concat([header, deflateWhole(text, level), memberEnd(sumOf(text))]);
}

/** Joins deflate data into one gzip member; `write` takes its bytes in order. */
export class MemberWriter {
  readonly #write: (bytes: Buffer) => void;
  #crc = 0;
  #length = 0;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
    write(MEMBER_HEADER);
  }

  /** Length of the text so far, in bytes. */
  get textBytes(): number {
    return this.#length;
  }

  add({ data, crc, length }: DeflatedText): void {
    if (data.length === 0) return;
    this.#write(data);
    this.#crc = joinCrcs(this.#crc, crc, length);
    this.#length += length;
  }

  /** Ends the member; nothing may be added afterwards. */
  end(): void {
    this.#write(memberEnd({ crc: this.#crc, length: this.#length }));
  }
}
