// Units of any levels as one FeatureCollection: a gzip member of the stored data of each, without inflating or deflating. Length
// and entity tag follow from the indexes; the data of each unit is checked before the last byte is sent.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import pLimit from 'p-limit';
import { joinCrcs } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import type { FrameData } from '../../format/gzip.ts';
import { MEMBER_END_BYTES, MEMBER_FRAME_BYTES, MEMBER_HEADER, writeMemberEnd } from '../../format/gzip.ts';
import type { LoadedTable } from '../data/load-release.ts';
import type { ByteRange, Client, Reads } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { Body, BodySource } from './answer.ts';
import { WHOLE_MAX_BYTES, withholdLast } from './stored-file.ts';

/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;
/** Units of one file are read together if the gap between them is at most this. */
const GAP_MAX_BYTES = 64 * 1024;
/** Concurrent reads for one body. */
const READS_MAX = 8;

/** A unit, and the feature files that it is read from. */
export interface Unit {
  source: LoadedTable;
  position: number;
}

/** Where the data of a unit lies, and what it is. */
interface Piece extends Unit {
  path: string;
  range: ByteRange;
  /** Where it comes in the body. */
  at: number;
}

/** Units as one gzip member: a buffer, or a stream if it is large. */
export class Units implements BodySource {
  readonly bytes: number;
  readonly #pieces: readonly Piece[];
  readonly #frame: FrameData;
  readonly #frameTag: string;
  readonly #dataBytes: number;

  /** @param frameTag tells the frame from others in the entity tag */
  constructor(units: readonly Unit[], frame: FrameData, frameTag: string) {
    const { before, between, after } = frame;
    this.#frame = frame;
    this.#frameTag = frameTag;
    let at = MEMBER_HEADER.length + before.data.length;
    let dataBytes = 0;
    this.#pieces = units.map(({ source, position }, i): Piece => {
      const { table } = source;
      if (i > 0) at += between.data.length;
      const range = { offset: table.offsetAt(position), length: table.dataBytes(position, position + 1) };
      const piece = { source, position, path: source.featureFile(table.fileOf(position)), range, at };
      at += range.length;
      dataBytes += range.length;
      return piece;
    });
    this.#dataBytes = dataBytes;
    this.bytes =
      MEMBER_FRAME_BYTES +
      before.data.length +
      dataBytes +
      Math.max(0, units.length - 1) * between.data.length +
      after.data.length;
  }

  /** Bytes of the text. */
  get textBytes(): number {
    const { before, between, after } = this.#frame;
    const betweens = Math.max(0, this.#pieces.length - 1) * between.length;
    return this.#pieces.reduce(
      (sum, { source, position }) => sum + source.table.textBytes(position, position + 1),
      before.length + betweens + after.length,
    );
  }

  /** Entity tag without quotes: the same in every release with the same features. */
  get tag(): string {
    const sha256 = createHash('sha256');
    for (const { source, position } of this.#pieces) sha256.update(source.table.digests(position, position + 1));
    return `${sha256.digest('base64url').slice(0, TAG_CHARS)}-${this.#frameTag}`;
  }

  read(reads: Reads, client: Client): Body | Promise<Body> {
    if (this.#dataBytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads));
    return this.#readNow(reads) ?? reads.later(client, () => this.#readLater(reads));
  }

  /** The body, if all of it can be read at once. */
  #readNow(reads: Reads): Buffer | undefined {
    const body = reads.buffer(this.bytes);
    for (const piece of this.#pieces) {
      if (!reads.now(piece.path, piece.range, body, piece.at, true)) return undefined;
      this.#check(reads, piece, body.subarray(piece.at, piece.at + piece.range.length));
    }
    return this.#framed(body);
  }

  /** The body, read in the thread pool or from a host: neighbours together. */
  async #readLater(reads: Reads): Promise<Buffer> {
    const body = Buffer.allocUnsafe(this.bytes);
    const limit = pLimit(READS_MAX);
    await Promise.all(
      groupsOf(this.#pieces).map((group) =>
        limit(async () => {
          const [first, last] = [elementAt(group, 0), elementAt(group, group.length - 1)];
          const { offset } = first.range;
          const length = last.range.offset + last.range.length - offset;
          const data = await reads.origin.read(first.path, { offset, length });
          for (const piece of group) {
            const own = data.subarray(piece.range.offset - offset, piece.range.offset - offset + piece.range.length);
            this.#check(reads, piece, own);
            own.copy(body, piece.at);
          }
        }),
      ),
    );
    return this.#framed(body);
  }

  /** The body in chunks: one unit after the other, of a large one in pieces. */
  async *#stream(reads: Reads): AsyncGenerator<Buffer, void, undefined> {
    const { before, between } = this.#frame;
    yield Buffer.concat([MEMBER_HEADER, before.data]);
    for (const [i, piece] of this.#pieces.entries()) {
      if (i > 0 && between.data.length > 0) yield between.data;
      if (piece.range.length > WHOLE_MAX_BYTES) yield* this.#streamOf(reads, piece);
      else {
        const data = await reads.origin.read(piece.path, piece.range);
        this.#check(reads, piece, data);
        yield data;
      }
    }
    yield this.#end();
  }

  #streamOf(reads: Reads, { source, position, path, range }: Piece): AsyncGenerator<Buffer, void, undefined> {
    let crc = source.table.dataCrcBefore(position);
    return withholdLast(
      reads.origin.stream(path, range),
      (chunk) => {
        crc = crc32(chunk, crc);
      },
      () => {
        if (crc !== source.table.dataCrcBefore(position + 1)) throw damaged(reads, path);
      },
    );
  }

  #check(reads: Reads, { source, position, path }: Piece, data: Buffer): void {
    if (!source.table.hasData(data, position, position + 1)) throw damaged(reads, path);
  }

  /** Writes everything around the data of the units. */
  #framed(body: Buffer): Buffer {
    const { before, between } = this.#frame;
    MEMBER_HEADER.copy(body);
    before.data.copy(body, MEMBER_HEADER.length);
    for (const { at } of this.#pieces.slice(1)) between.data.copy(body, at - between.data.length);
    const end = this.#end();
    end.copy(body, this.bytes - end.length);
    return body;
  }

  /** What follows the units. */
  #end(): Buffer {
    const { before, between, after } = this.#frame;
    let { crc } = before;
    for (const [i, { source, position }] of this.#pieces.entries()) {
      if (i > 0) crc = joinCrcs(crc, between.crc, between.length);
      crc = source.table.textCrc(position, position + 1, crc);
    }
    const end = Buffer.allocUnsafe(after.data.length + MEMBER_END_BYTES);
    writeMemberEnd(end, after.data.copy(end), joinCrcs(crc, after.crc, after.length), this.textBytes);
    return end;
  }
}

/** What is read together, each in order of its place in a file. */
function groupsOf(pieces: readonly Piece[]): Piece[][] {
  const ordered = pieces.toSorted((a, b) => (a.path === b.path ? a.position - b.position : a.path < b.path ? -1 : 1));
  const groups: Piece[][] = [];
  for (const piece of ordered) {
    const last = groups.at(-1)?.at(-1);
    const gap = last?.path === piece.path ? piece.range.offset - last.range.offset - last.range.length : Infinity;
    if (gap <= GAP_MAX_BYTES) groups.at(-1)?.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

/** Closes the file: the operator may replace it by an intact one. */
function damaged({ origin }: Reads, path: string): OriginError {
  origin.close?.(path);
  return new OriginError('damaged', path);
}
