// Slices: bodies with any run of features, made of byte ranges of feature files without inflating or deflating. Length and
// entity tag follow from the index; each range is checked against it before the last byte is sent.
import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import pLimit from 'p-limit';
import { joinCrcs } from '../../format/crc32.ts';
import { numberAt } from '../../format/element-at.ts';
import type { FrameData } from '../../format/gzip.ts';
import { MEMBER_END_BYTES, MEMBER_FRAME_BYTES, MEMBER_HEADER, writeMemberEnd } from '../../format/gzip.ts';
import type { Ranges } from '../../format/positions.ts';
import type { LoadedTable } from '../data/load-release.ts';
import type { ByteRange, Client, Reads } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { Body, BodySource } from './answer.ts';
import { WHOLE_MAX_BYTES, withholdLast } from './stored-file.ts';

/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;
/** Ranges of one body that are read at once; of more, neighbours are read together. */
const NOW_MAX_RANGES = 8;
/** Ranges of one file are read together if the gap between them is at most this. */
const GAP_MAX_BYTES = 64 * 1024;
/** Concurrent reads for one body. */
const READS_MAX = 8;
/** Groups before a range whose texts are summed in one turn of the event loop: some milliseconds. */
const SKIPPED_GROUPS = 16;
const NOTHING = Buffer.alloc(0);

type Chunks = AsyncGenerator<Buffer, void, undefined>;
type Take = (bytes: number) => Buffer;

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
    this.#source = source;
    this.#frame = frame;
    this.#frameTag = frameTag;
    this.#ranges = ranges;
    this.#features = featuresIn(ranges);
    this.#dataBytes = this.#dataBytesOf(ranges);
    const betweens = Math.max(0, this.#features - 1) * between.data.length;
    this.bytes = MEMBER_FRAME_BYTES + before.data.length + this.#dataBytes + betweens + after.data.length;
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
    if (this.#dataBytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads));
    return this.#readNow(reads) ?? reads.later(client, () => this.#readLater(reads));
  }

  /**
   * A range of its bytes, for a download: always a stream. A client that was cut off continues behind what it has, which
   * therefore is right: each piece is read and checked whole before a byte of it is sent.
   */
  part(range: ByteRange): BodySource {
    // A piece takes as much memory for one of its bytes as for all.
    return { bytes: this.bytes, read: (reads, client) => reads.later(client, () => this.#stream(reads, range)) };
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
    const { before, between } = this.#frame;
    const limit = pLimit(READS_MAX);
    const parts = [...this.#groups(WHOLE_MAX_BYTES)].map((group, i) =>
      limit(() => this.#readGroup(reads, group, i === 0 ? before.data : between.data, Buffer.allocUnsafe)),
    );
    return Buffer.concat([MEMBER_HEADER, ...(await Promise.all(parts)), this.#end(this.#textCrc())], this.bytes);
  }

  /**
   * The body in chunks. Of a large one at most WHOLE_MAX_BYTES, or one chunk of a feature that is larger, are in memory.
   * @param part the bytes of a download; undefined for all that is not continued
   */
  async *#stream(reads: Reads, part?: ByteRange): Chunks {
    const { before, between, after } = this.#frame;
    const { offset, length } = part ?? { offset: 0, length: this.bytes };
    const take = reads.pieceMemory();
    let prefix: Buffer = Buffer.concat([MEMBER_HEADER, before.data]);
    let [at, skipped, crc] = [0, 0, before.crc];
    for (const group of this.#groups(reads.pieceBytes)) {
      const begin = at;
      crc = this.#continueCrc(crc, group);
      at += prefix.length + this.#bytesOf(group);
      if (at > offset) {
        const chunks = this.#chunksOf(reads, group, prefix, take, part !== undefined);
        yield* within(chunks, offset - begin, offset + length - begin);
      } else if (++skipped % SKIPPED_GROUPS === 0) await nextTurn();
      if (at >= offset + length) return;
      prefix = between.data;
    }
    const end = this.#end(joinCrcs(crc, after.crc, after.length));
    yield* within([at === 0 ? prefix : NOTHING, end], offset - at, offset + length - at);
  }

  /** What follows the features. @param crc of the text */
  #end(crc: number): Buffer {
    const { data } = this.#frame.after;
    const end = Buffer.allocUnsafe(data.length + MEMBER_END_BYTES);
    writeMemberEnd(end, data.copy(end), crc, this.textBytes);
    return end;
  }

  /**
   * The ranges that are read together: of one file, with gaps of at most GAP_MAX_BYTES between them, and of at most
   * `maxBytes` unless it is one feature.
   */
  *#groups(maxBytes: number): Generator<Ranges> {
    const { table } = this.#source;
    let group: number[] = [];
    for (let i = 0; i < this.#ranges.length; i += 2)
      for (let at = numberAt(this.#ranges, i); at < numberAt(this.#ranges, i + 1); at++) {
        const [begin = at, last = at] = [group[0], group.at(-1)];
        const isNear =
          table.fileOf(begin) === table.fileOf(at) &&
          table.dataBytes(last, at) <= GAP_MAX_BYTES &&
          table.dataBytes(begin, at + 1) <= maxBytes;
        if (group.length > 0 && !isNear) {
          yield group;
          group = [];
        }
        if (group.length > 0 && last === at) group[group.length - 1] = at + 1;
        else group.push(at, at + 1);
      }
    if (group.length > 0) yield group;
  }

  #dataBytesOf(group: Ranges): number {
    let bytes = 0;
    for (let i = 0; i < group.length; i += 2)
      bytes += this.#source.table.dataBytes(numberAt(group, i), numberAt(group, i + 1));
    return bytes;
  }

  /** Bytes of a group with separators between its features. */
  #bytesOf(group: Ranges): number {
    const betweens = featuresIn(group) - 1;
    return this.#dataBytesOf(group) + betweens * this.#frame.between.data.length;
  }

  /**
   * The data of a group with separators between its features. What lies between its ranges is read and checked, too.
   * @param prefix what comes before it
   * @param take memory for so many bytes
   */
  async #readGroup(reads: Reads, group: Ranges, prefix: Buffer, take: Take): Promise<Buffer> {
    const { table } = this.#source;
    const [first, end] = [numberAt(group, 0), numberAt(group, group.length - 1)];
    const file = table.fileOf(first);
    const path = this.#source.featureFile(file);
    const range = { offset: table.offsetAt(first), length: table.dataBytes(first, end) };
    const bytes = prefix.length + this.#bytesOf(group);
    const gaps = range.length - this.#dataBytesOf(group);
    // At its end there is room for the data with the gaps, before it for what is put between the features. Memory for gaps is
    // not taken from a stream: it is not sent.
    const body = gaps === 0 ? take(bytes) : Buffer.allocUnsafe(bytes + gaps);
    const dataAt = body.length - range.length;
    if (!reads.now(path, range, body, dataAt, true)) (await reads.origin.read(path, range)).copy(body, dataAt);
    if (!table.hasData(body.subarray(dataAt), first, end)) throw this.#damaged(reads, file);
    this.#spread(body, group, dataAt, prefix.copy(body), gaps > 0);
    return body.subarray(0, bytes);
  }

  /**
   * The data of a group in chunks: of one large feature in pieces, the last one checked.
   * @param prefix what comes before it: it is sent with the first chunk, so that an error of that one can still become a
   *   problem response
   * @param isCheckedFirst is a large feature read twice, so that nothing of it is sent unchecked?
   */
  async *#chunksOf(reads: Reads, group: Ranges, prefix: Buffer, take: Take, isCheckedFirst: boolean): Chunks {
    const { table } = this.#source;
    const [first, end] = [numberAt(group, 0), numberAt(group, group.length - 1)];
    const length = table.dataBytes(first, end);
    if (length <= WHOLE_MAX_BYTES) {
      yield this.#readGroup(reads, group, prefix, take);
      return;
    }
    const file = table.fileOf(first);
    const read = (): Chunks => {
      let crc = table.dataCrcBefore(first);
      return withholdLast(
        reads.origin.stream(this.#source.featureFile(file), { offset: table.offsetAt(first), length }),
        (chunk) => {
          crc = crc32(chunk, crc);
        },
        () => {
          if (crc !== table.dataCrcBefore(end)) throw this.#damaged(reads, file);
        },
      );
    };
    if (isCheckedFirst) for await (const _chunk of read());
    let before = prefix;
    for await (const chunk of read()) {
      yield before.length === 0 ? chunk : Buffer.concat([before, chunk]);
      before = NOTHING;
    }
  }

  /** Where the data of the features is read to: as far back as possible, so that separators can be put before it. */
  get #dataAt(): number {
    return this.bytes - MEMBER_END_BYTES - this.#frame.after.data.length - this.#dataBytes;
  }

  /** Writes everything around the data of the features, which is moved to its place. */
  #framed(body: Buffer): Buffer {
    const { before, after } = this.#frame;
    MEMBER_HEADER.copy(body);
    before.data.copy(body, MEMBER_HEADER.length);
    this.#spread(body, this.#ranges, this.#dataAt, MEMBER_HEADER.length + before.data.length, false);
    const end = this.bytes - MEMBER_END_BYTES;
    after.data.copy(body, end - after.data.length);
    writeMemberEnd(body, end, this.#textCrc(), this.textBytes);
    return body;
  }

  /**
   * Moves data of features forward, and writes the separators between them.
   * @param source where it lies; with gaps where that of the positions between the ranges lies, too
   * @param target where it is moved to, so far before `source` as the separators and gaps are long
   */
  #spread(body: Buffer, ranges: Ranges, source: number, target: number, hasGaps: boolean): void {
    const { data } = this.#frame.between;
    const { table } = this.#source;
    let [from, to] = [source, target];
    for (let i = 0; i < ranges.length; i += 2) {
      const last = numberAt(ranges, i + 1);
      if (hasGaps && i > 0) from += table.dataBytes(numberAt(ranges, i - 1), numberAt(ranges, i));
      for (let at = numberAt(ranges, i), end: number; at < last && (hasGaps || from > to); at = end) {
        end = data.length === 0 ? last : at + 1;
        const length = table.dataBytes(at, end);
        body.copyWithin(to, from, from + length);
        from += length;
        to += length;
        to += data.copy(body, to);
      }
    }
  }

  /** CRC-32 of the text. */
  #textCrc(): number {
    const { before, after } = this.#frame;
    return joinCrcs(this.#continueCrc(before.crc, this.#ranges), after.crc, after.length);
  }

  /** CRC-32 of a text that goes on with these features. @param crc of all before them */
  #continueCrc(crc: number, ranges: Ranges): number {
    const { table } = this.#source;
    const { between } = this.#frame;
    const [begin] = this.#ranges;
    let continued = crc;
    for (let i = 0; i < ranges.length; i += 2) {
      const last = numberAt(ranges, i + 1);
      for (let first = numberAt(ranges, i), end: number; first < last; first = end) {
        end = between.length === 0 ? last : first + 1;
        if (first !== begin) continued = joinCrcs(continued, between.crc, between.length);
        continued = table.textCrc(first, end, continued);
      }
    }
    return continued;
  }

  /** Closes the file: the operator may replace it by an intact one. */
  #damaged({ origin }: Reads, file: number): OriginError {
    const path = this.#source.featureFile(file);
    origin.close?.(path);
    return new OriginError('damaged', path);
  }
}

function featuresIn(ranges: Ranges): number {
  let features = 0;
  for (let i = 0; i < ranges.length; i += 2) features += numberAt(ranges, i + 1) - numberAt(ranges, i);
  return features;
}

/** Of a piece the bytes from `from` to `to`: the last of them when the piece has ended, and so has been checked. */
async function* within(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, from: number, to: number): Chunks {
  let at = 0;
  let withheld: Buffer = NOTHING;
  for await (const chunk of chunks) {
    const bytes = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += chunk.length;
    if (bytes.length === 0) continue;
    if (withheld.length > 0) yield withheld;
    withheld = bytes;
  }
  if (withheld.length > 0) yield withheld;
}

function tagOf(sha256: string, frameTag: string): string {
  return `${sha256.slice(0, TAG_CHARS)}-${frameTag}`;
}
