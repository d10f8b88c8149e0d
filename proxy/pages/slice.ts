// Slices: bodies with any run of features, made of byte ranges of feature files without inflating or deflating. Length and
// entity tag follow from the index; each range is checked against it before the last byte is sent.
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import pLimit from 'p-limit';
import { joinCrcs } from '../../format/crc32.ts';
import { numberAt } from '../../format/element-at.ts';
import type { FrameData } from '../../format/gzip.ts';
import { MEMBER_END_BYTES, MEMBER_FRAME_BYTES, MEMBER_HEADER, writeMemberEnd } from '../../format/gzip.ts';
import type { Ranges } from '../../format/positions.ts';
import type { Body, BodySource } from '../answers/answer.ts';
import type { Client, Reads } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { LoadedTable } from '../releases/load-release.ts';
import { WHOLE_MAX_BYTES, withholdLast } from './stored-file.ts';

/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;
/** Ranges of one body that are read at once; of more, neighbours are read together. */
const NOW_MAX_RANGES = 8;
/** Ranges of one file are read together if the gap between them is at most this. */
const GAP_MAX_BYTES = 64 * 1024;
/** Concurrent reads for one body. */
const READS_MAX = 8;
const NOTHING = Buffer.alloc(0);

/** A slice as one gzip member: a buffer, or a stream if it is large. */
export class Slice implements BodySource {
  readonly bytes: number;
  /** The feature files that it is cut from. */
  readonly #source: LoadedTable;
  readonly #frame: FrameData;
  readonly #frameTag: string;
  /** The positions of its features. */
  readonly #ranges: Ranges;
  readonly #dataBytes: number;
  readonly #features: number;

  /** @param frameTag tells the frame from others in the entity tag */
  constructor(source: LoadedTable, frame: FrameData, frameTag: string, ranges: Ranges) {
    const { before, between, after } = frame;
    let data = 0;
    let features = 0;
    for (let i = 0; i < ranges.length; i += 2) {
      data += source.table.dataBytes(numberAt(ranges, i), numberAt(ranges, i + 1));
      features += numberAt(ranges, i + 1) - numberAt(ranges, i);
    }
    this.#source = source;
    this.#frame = frame;
    this.#frameTag = frameTag;
    this.#ranges = ranges;
    this.#features = features;
    this.#dataBytes = data;
    const betweens = Math.max(0, features - 1) * between.data.length;
    this.bytes = MEMBER_FRAME_BYTES + before.data.length + data + betweens + after.data.length;
  }

  /** Bytes of the text. */
  get textBytes(): number {
    const { before, between, after } = this.#frame;
    let bytes = before.length + Math.max(0, this.#features - 1) * between.length + after.length;
    for (let i = 0; i < this.#ranges.length; i += 2)
      bytes += this.#source.table.textBytes(numberAt(this.#ranges, i), numberAt(this.#ranges, i + 1));
    return bytes;
  }

  /** Entity tag without quotes: the same in every release with the same features. */
  get tag(): string {
    const { table } = this.#source;
    const [first = 0, end = 0] = this.#ranges;
    const digests = table.digests(first, end);
    // One feature needs no digest of its digest.
    if (this.#features === 1) return tagOf(Buffer.from(digests).toString('base64url'), this.#frameTag);
    if (this.#ranges.length <= 2) return tagOf(hash('sha256', digests, 'base64url'), this.#frameTag);
    const sha256 = createHash('sha256');
    for (let i = 0; i < this.#ranges.length; i += 2)
      sha256.update(table.digests(numberAt(this.#ranges, i), numberAt(this.#ranges, i + 1)));
    return tagOf(sha256.digest('base64url'), this.#frameTag);
  }

  read(reads: Reads, client: Client): Body | Promise<Body> {
    if (this.#dataBytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads, 1));
    return this.#readNow(reads) ?? reads.later(client, () => this.#readLater(reads));
  }

  /** The body, if all of it can be read at once. */
  #readNow(reads: Reads): Buffer | undefined {
    if (this.#ranges.length > 2 * NOW_MAX_RANGES) return undefined;
    const { table } = this.#source;
    const body = reads.buffer(this.bytes);
    let at = this.#dataAt;
    for (let i = 0; i < this.#ranges.length; i += 2) {
      const last = numberAt(this.#ranges, i + 1);
      for (let first = numberAt(this.#ranges, i), end: number; first < last; first = end) {
        const file = table.fileOf(first);
        end = Math.min(last, table.fileEnd(file));
        const length = table.dataBytes(first, end);
        const path = this.#source.featureFile(file);
        if (!reads.now(path, { offset: table.offsetAt(first), length }, body, at, true)) return undefined;
        if (!table.hasData(body.subarray(at, at + length), first, end)) throw this.#damaged(reads, file);
        at += length;
      }
    }
    return this.#framed(body);
  }

  /** The body, read in the thread pool or from a host. */
  async #readLater(reads: Reads): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.#stream(reads, READS_MAX)) chunks.push(chunk);
    return Buffer.concat(chunks, this.bytes);
  }

  /**
   * The body in chunks. Of a large one at most WHOLE_MAX_BYTES, or one chunk of a feature that is larger, are in memory.
   * @param ahead groups that are read side by side
   */
  async *#stream(reads: Reads, ahead: number): AsyncGenerator<Buffer, void, undefined> {
    const { before, between, after } = this.#frame;
    const groups = [...this.#groups()];
    const limit = pLimit(ahead);
    const whole = ahead === 1 ? [] : groups.map((group) => limit(() => this.#readGroup(reads, group)));
    // An error is thrown when its group has its turn.
    for (const reading of whole) reading.catch(() => {});
    let prefix: Buffer = Buffer.concat([MEMBER_HEADER, before.data]);
    for (const [g, group] of groups.entries()) {
      const chunks = whole[g] === undefined ? this.#chunksOf(reads, group) : [await whole[g]];
      // What comes before a chunk is sent with it: an error of the first read can still become a problem response.
      for await (const data of chunks) {
        yield prefix.length === 0 ? data : Buffer.concat([prefix, data]);
        prefix = NOTHING;
      }
      prefix = between.data;
    }
    const end = Buffer.allocUnsafe(MEMBER_END_BYTES);
    writeMemberEnd(end, 0, this.#textCrc(), this.textBytes);
    yield Buffer.concat([after.data, end]);
  }

  /**
   * The ranges that are read together: of one file, with gaps of at most GAP_MAX_BYTES between them, and of at most
   * WHOLE_MAX_BYTES unless it is one feature.
   */
  *#groups(): Generator<Ranges> {
    const { table } = this.#source;
    let group: number[] = [];
    for (let i = 0; i < this.#ranges.length; i += 2)
      for (let at = numberAt(this.#ranges, i); at < numberAt(this.#ranges, i + 1); at++) {
        const [begin = at, last = at] = [group[0], group.at(-1)];
        const isNear =
          table.fileOf(begin) === table.fileOf(at) &&
          table.dataBytes(last, at) <= GAP_MAX_BYTES &&
          table.dataBytes(begin, at + 1) <= WHOLE_MAX_BYTES;
        if (group.length > 0 && !isNear) {
          yield group;
          group = [];
        }
        if (group.length > 0 && last === at) group[group.length - 1] = at + 1;
        else group.push(at, at + 1);
      }
    if (group.length > 0) yield group;
  }

  /** The data of a group with separators between its features. What lies between its ranges is read and checked, too. */
  async #readGroup(reads: Reads, group: Ranges): Promise<Buffer> {
    const { table } = this.#source;
    const [first, end] = [numberAt(group, 0), numberAt(group, group.length - 1)];
    const file = table.fileOf(first);
    const range = { offset: table.offsetAt(first), length: table.dataBytes(first, end) };
    const data = await reads.origin.read(this.#source.featureFile(file), range);
    if (!table.hasData(data, first, end)) throw this.#damaged(reads, file);
    const { between } = this.#frame;
    const parts: Buffer[] = [];
    for (let i = 0; i < group.length; i += 2) {
      const step = between.length === 0 ? numberAt(group, i + 1) - numberAt(group, i) : 1;
      for (let at = numberAt(group, i); at < numberAt(group, i + 1); at += step) {
        if (parts.length > 0) parts.push(between.data);
        parts.push(data.subarray(table.dataBytes(first, at), table.dataBytes(first, at + step)));
      }
    }
    return Buffer.concat(parts);
  }

  /** The data of a group in chunks: of one large feature in pieces, the last one checked. */
  async *#chunksOf(reads: Reads, group: Ranges): AsyncGenerator<Buffer, void, undefined> {
    const { table } = this.#source;
    const [first, end] = [numberAt(group, 0), numberAt(group, group.length - 1)];
    const length = table.dataBytes(first, end);
    if (length <= WHOLE_MAX_BYTES) {
      yield this.#readGroup(reads, group);
      return;
    }
    const file = table.fileOf(first);
    let crc = table.dataCrcBefore(first);
    yield* withholdLast(
      reads.origin.stream(this.#source.featureFile(file), { offset: table.offsetAt(first), length }),
      (chunk) => {
        crc = crc32(chunk, crc);
      },
      () => {
        if (crc !== table.dataCrcBefore(end)) throw this.#damaged(reads, file);
      },
    );
  }

  /** Where the data of the features is read to: as far back as possible, so that separators can be put before it. */
  get #dataAt(): number {
    return this.bytes - MEMBER_END_BYTES - this.#frame.after.data.length - this.#dataBytes;
  }

  /** Writes everything around the data of the features, which is moved to its place. */
  #framed(body: Buffer): Buffer {
    const { before, between, after } = this.#frame;
    MEMBER_HEADER.copy(body);
    before.data.copy(body, MEMBER_HEADER.length);
    if (this.#features > 1 && between.length > 0) this.#separate(body, MEMBER_HEADER.length + before.data.length);
    const end = this.bytes - MEMBER_END_BYTES;
    after.data.copy(body, end - after.data.length);
    writeMemberEnd(body, end, this.#textCrc(), this.textBytes);
    return body;
  }

  /** Moves the data of each feature but the last forward, the first one to `begin`, and writes a separator behind it. */
  #separate(body: Buffer, begin: number): void {
    const { data } = this.#frame.between;
    const { table } = this.#source;
    let [source, target] = [this.#dataAt, begin];
    for (let i = 0; i < this.#ranges.length; i += 2)
      for (let at = numberAt(this.#ranges, i); at < numberAt(this.#ranges, i + 1) && source > target; at++) {
        const length = table.dataBytes(at, at + 1);
        body.copyWithin(target, source, source + length);
        source += length;
        target += length;
        target += data.copy(body, target);
      }
  }

  /** CRC-32 of the text. */
  #textCrc(): number {
    const { table } = this.#source;
    const { before, between, after } = this.#frame;
    const step = between.length === 0 ? Number.POSITIVE_INFINITY : 1;
    let crc = before.crc;
    let isFirst = true;
    for (let i = 0; i < this.#ranges.length; i += 2) {
      const last = numberAt(this.#ranges, i + 1);
      for (let first = numberAt(this.#ranges, i), end: number; first < last; first = end) {
        end = Math.min(first + step, last);
        if (!isFirst) crc = joinCrcs(crc, between.crc, between.length);
        crc = table.textCrc(first, end, crc);
        isFirst = false;
      }
    }
    return joinCrcs(crc, after.crc, after.length);
  }

  /** Closes the file: the operator may replace it by an intact one. */
  #damaged({ origin }: Reads, file: number): OriginError {
    const path = this.#source.featureFile(file);
    origin.close?.(path);
    return new OriginError('damaged', path);
  }
}

function tagOf(sha256: string, frameTag: string): string {
  return `${sha256.slice(0, TAG_CHARS)}-${frameTag}`;
}
