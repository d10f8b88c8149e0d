// Slices: bodies with any run of features, made of byte ranges of feature files without inflating or deflating. Length and
// entity tag follow from the index; each range is checked against it before the last byte is sent.
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import pLimit from 'p-limit';
import { joinCrcs } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA, MEMBER_END_BYTES, MEMBER_FRAME_BYTES, MEMBER_HEADER, writeMemberEnd } from '../../format/gzip.ts';
import type { Format } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import type { Body, BodySource } from '../http/answer.ts';
import type { Client } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { Reads } from '../origin/reads.ts';
import type { LoadedLevel } from '../releases/load-release.ts';
import { WHOLE_MAX_BYTES, withholdLast } from './stored-file.ts';

/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;
/** Ranges of one body that are read at once; of more, neighbours are read together. */
const NOW_MAX_RANGES = 8;
/** Ranges of one file are read together if the gap between them is at most this. */
const GAP_MAX_BYTES = 64 * 1024;
/** Concurrent reads for one body. */
const READS_MAX = 8;

/** Some features of one file, and where their data belongs in the body. */
interface Piece {
  file: number;
  /** Positions: `first` up to but not including `end`. */
  first: number;
  end: number;
}

/** A slice as one gzip member: a buffer, or a stream if it is large. */
export class Slice implements BodySource {
  readonly bytes: number;
  readonly #level: LoadedLevel;
  readonly #format: Format;
  readonly #ranges: Ranges;
  readonly #dataBytes: number;
  readonly #features: number;

  /** @param ranges the positions of its features */
  constructor(level: LoadedLevel, format: Format, ranges: Ranges) {
    const { before, between, after } = FRAME_DATA[format];
    const { index } = level;
    let data = 0;
    let features = 0;
    for (let i = 0; i < ranges.length; i += 2) {
      data += index.dataBytes(elementAt(ranges, i), elementAt(ranges, i + 1));
      features += elementAt(ranges, i + 1) - elementAt(ranges, i);
    }
    this.#level = level;
    this.#format = format;
    this.#ranges = ranges;
    this.#features = features;
    this.#dataBytes = data;
    const betweens = Math.max(0, features - 1) * between.data.length;
    this.bytes = MEMBER_FRAME_BYTES + before.data.length + data + betweens + after.data.length;
  }

  /** Bytes of the text. */
  get textBytes(): number {
    const { before, between, after } = FRAME_DATA[this.#format];
    let bytes = before.length + Math.max(0, this.#features - 1) * between.length + after.length;
    for (let i = 0; i < this.#ranges.length; i += 2) bytes += this.#level.index.textBytes(this.#at(i), this.#at(i + 1));
    return bytes;
  }

  /** Entity tag without quotes: the same in every release with the same features. */
  get tag(): string {
    const { index } = this.#level;
    const ranges = this.#ranges;
    if (ranges.length === 2)
      return `${hash('sha256', index.digests(this.#at(0), this.#at(1)), 'base64url').slice(0, TAG_CHARS)}-${this.#format}`;
    const sha256 = createHash('sha256');
    for (let i = 0; i < ranges.length; i += 2) sha256.update(index.digests(this.#at(i), this.#at(i + 1)));
    return `${sha256.digest('base64url').slice(0, TAG_CHARS)}-${this.#format}`;
  }

  read(reads: Reads, client: Client): Body | Promise<Body> {
    if (this.#dataBytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads));
    return this.#readNow(reads) ?? reads.later(client, () => this.#readLater(reads));
  }

  /** The body, if all of it can be read at once. */
  #readNow(reads: Reads): Buffer | undefined {
    if (this.#ranges.length > 2 * NOW_MAX_RANGES) return undefined;
    const { index } = this.#level;
    const body = Buffer.allocUnsafe(this.bytes);
    let at = this.#dataAt();
    for (let i = 0; i < this.#ranges.length; i += 2) {
      const last = this.#at(i + 1);
      for (let first = this.#at(i), end: number; first < last; first = end) {
        const file = index.fileOf(first);
        end = Math.min(last, index.fileEnd(file));
        const length = index.dataBytes(first, end);
        const path = this.#level.featureFile(file);
        if (!reads.now(path, { offset: index.offsetAt(first), length }, body, at, true)) return undefined;
        if (!index.hasData(body.subarray(at, at + length), first, end)) throw this.#damaged(reads, file);
        at += length;
      }
    }
    return this.#framed(body);
  }

  /** The body, read in the thread pool or from a host. */
  async #readLater(reads: Reads): Promise<Buffer> {
    const { index } = this.#level;
    const body = Buffer.allocUnsafe(this.bytes);
    const groups = this.#groups();
    const limit = pLimit(READS_MAX);
    const datas = await limit.map(groups, (group) => this.#readGroup(reads, group));
    let at = this.#dataAt();
    for (const [g, group] of groups.entries()) {
      const data = elementAt(datas, g);
      const { first: start } = elementAt(group, 0);
      for (const { first, end } of group) {
        const from = index.dataBytes(start, first);
        at += data.copy(body, at, from, from + index.dataBytes(first, end));
      }
    }
    return this.#framed(body);
  }

  /** The pieces of one file that are read together, in order. */
  #groups(): Piece[][] {
    const { index } = this.#level;
    const groups: Piece[][] = [];
    let group: Piece[] = [];
    for (const piece of this.#pieces()) {
      const [begin] = group;
      const last = group.at(-1);
      const isNear =
        begin?.file === piece.file &&
        last !== undefined &&
        index.dataBytes(last.end, piece.first) <= GAP_MAX_BYTES &&
        index.dataBytes(begin.first, piece.end) <= WHOLE_MAX_BYTES;
      if (isNear) group.push(piece);
      else {
        group = [piece];
        groups.push(group);
      }
    }
    return groups;
  }

  /** The ranges, cut where files end. */
  *#pieces(): Generator<Piece> {
    const { index } = this.#level;
    for (let i = 0; i < this.#ranges.length; i += 2) {
      const last = this.#at(i + 1);
      for (let first = this.#at(i), end: number; first < last; first = end) {
        const file = index.fileOf(first);
        end = Math.min(last, index.fileEnd(file));
        yield { file, first, end };
      }
    }
  }

  /** The data of neighbouring pieces and of what lies between them; the sums check all of it. */
  async #readGroup(reads: Reads, group: readonly Piece[]): Promise<Buffer> {
    const { index } = this.#level;
    const { file, first } = elementAt(group, 0);
    const { end } = elementAt(group, group.length - 1);
    const range = { offset: index.offsetAt(first), length: index.dataBytes(first, end) };
    const data = await reads.origin.read(this.#level.featureFile(file), range);
    if (!index.hasData(data, first, end)) throw this.#damaged(reads, file);
    return data;
  }

  /** Where the data of the features is read to: as far back as possible, so that separators can be put before it. */
  #dataAt(): number {
    return this.bytes - MEMBER_END_BYTES - FRAME_DATA[this.#format].after.data.length - this.#dataBytes;
  }

  /** Writes everything around the data of the features, which is moved to its place. */
  #framed(body: Buffer): Buffer {
    const { before, after } = FRAME_DATA[this.#format];
    MEMBER_HEADER.copy(body);
    before.data.copy(body, MEMBER_HEADER.length);
    if (this.#features > 1 && this.#format === 'fc') this.#separate(body);
    const end = this.bytes - MEMBER_END_BYTES;
    after.data.copy(body, end - after.data.length);
    writeMemberEnd(body, end, this.#textCrc(), this.textBytes);
    return body;
  }

  /** Moves the data of each feature but the last forward, and writes a separator behind it. */
  #separate(body: Buffer): void {
    const { before, between } = FRAME_DATA[this.#format];
    const { index } = this.#level;
    let from = this.#dataAt();
    let to = MEMBER_HEADER.length + before.data.length;
    for (let i = 0; i < this.#ranges.length; i += 2)
      for (let position = this.#at(i); position < this.#at(i + 1); position++) {
        const length = index.dataBytes(position, position + 1);
        if (from === to) return;
        body.copyWithin(to, from, from + length);
        from += length;
        to += length;
        to += between.data.copy(body, to);
      }
  }

  /** CRC-32 of the text. */
  #textCrc(): number {
    const { index } = this.#level;
    const { before, between, after } = FRAME_DATA[this.#format];
    let crc = before.crc;
    for (let i = 0; i < this.#ranges.length; i += 2) {
      const first = this.#at(i);
      const end = this.#at(i + 1);
      if (between.length === 0) crc = joinCrcs(crc, index.textCrc(first, end), index.textBytes(first, end));
      else
        for (let position = first; position < end; position++) {
          if (i > 0 || position > first) crc = joinCrcs(crc, between.crc, between.length);
          crc = joinCrcs(crc, index.textCrc(position, position + 1), index.textBytes(position, position + 1));
        }
    }
    return joinCrcs(crc, after.crc, after.length);
  }

  /** The body in chunks. At most WHOLE_MAX_BYTES, or one chunk of a feature that is larger, are in memory. */
  async *#stream(reads: Reads): AsyncGenerator<Buffer, void, undefined> {
    const { before, between, after } = FRAME_DATA[this.#format];
    let prefix: Buffer = Buffer.concat([MEMBER_HEADER, before.data]);
    for (const piece of this.#chunks()) {
      // What comes before a chunk is sent with it: an error of the first read can still become a problem response.
      for await (const data of this.#readChunk(reads, piece)) {
        yield prefix.length === 0 ? data : Buffer.concat([prefix, data]);
        prefix = NOTHING;
      }
      prefix = between.data;
    }
    const end = Buffer.allocUnsafe(MEMBER_END_BYTES);
    writeMemberEnd(end, 0, this.#textCrc(), this.textBytes);
    yield Buffer.concat([after.data, end]);
  }

  /** The pieces, cut so that each has at most WHOLE_MAX_BYTES of data, or one feature. */
  *#chunks(): Generator<Piece> {
    const { index } = this.#level;
    for (const { file, first, end } of this.#pieces()) {
      let begin = first;
      for (let position = first + 1; position < end; position++) {
        if (index.dataBytes(begin, position + 1) <= WHOLE_MAX_BYTES) continue;
        yield { file, first: begin, end: position };
        begin = position;
      }
      yield { file, first: begin, end };
    }
  }

  /** The data of a chunk with separators between its features; of one large feature in pieces, the last one checked. */
  async *#readChunk(reads: Reads, piece: Piece): AsyncGenerator<Buffer, void, undefined> {
    const { file, first, end } = piece;
    const { index } = this.#level;
    const length = index.dataBytes(first, end);
    if (length <= WHOLE_MAX_BYTES) {
      yield this.#separated(await this.#readGroup(reads, [piece]), piece);
      return;
    }
    let crc = index.dataCrcBefore(first);
    yield* withholdLast(
      reads.origin.stream(this.#level.featureFile(file), { offset: index.offsetAt(first), length }),
      (chunk) => {
        crc = crc32(chunk, crc);
      },
      () => {
        if (crc !== index.dataCrcBefore(end)) throw this.#damaged(reads, file);
      },
    );
  }

  #separated(data: Buffer, { first, end }: Piece): Buffer {
    const { between } = FRAME_DATA[this.#format];
    if (between.length === 0 || end - first === 1) return data;
    const { index } = this.#level;
    const parts: Buffer[] = [];
    for (let position = first; position < end; position++) {
      if (position > first) parts.push(between.data);
      parts.push(data.subarray(index.dataBytes(first, position), index.dataBytes(first, position + 1)));
    }
    return Buffer.concat(parts);
  }

  #at(i: number): number {
    return elementAt(this.#ranges, i);
  }

  /** Closes the file: the operator may replace it by an intact one. */
  #damaged({ origin }: Reads, file: number): OriginError {
    const path = this.#level.featureFile(file);
    origin.close?.(path);
    return new OriginError('damaged', path);
  }
}

const NOTHING = Buffer.alloc(0);
