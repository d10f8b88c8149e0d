// Slices: bodies with any runs of features, made of byte ranges of feature files without inflating or deflating. Length
// and entity tag follow from the index; each range is checked against it before the last byte is sent. One file: what is
// read, checked and put in its place is planned together.
import pLimit from 'p-limit';
import { joinCrcs, swapSeparator } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import type { FrameData } from '../../format/gzip.ts';
import { MEMBER_END_BYTES, MEMBER_HEADER, SEPARATORS, writeMemberEnd } from '../../format/gzip.ts';
import type { LoadedTable } from '../data/loaded-release.ts';
import type { ByteRange, QueuedReads, Recipient } from '../origin/origin.ts';
import type { Body, BodySource } from './answer.ts';
import { type BodyPart, type Chunks, checkedStream, crcCheck, rangeParts } from './checked-stream.ts';
import { addPiece, joined, type Read, rangeOf } from './reads.ts';
import { bytesOf, type Piece, Runs } from './runs.ts';
import { WHOLE_MAX_BYTES } from './stored-file.ts';

/** Reads of one body that are made at once: the units of a search, when nobody says how many. */
const NOW_MAX_READS = 20;
/** Concurrent reads for one body. */
const READS_MAX = 8;

/** The bytes `from` up to but not including `to` of the body, which are in memory at a time. */
interface Chunk {
  from: number;
  to: number;
  reads: Read[];
}

/** A slice as one gzip member: a buffer, or a stream if it is large. */
export class Slice implements BodySource {
  readonly #frame: FrameData;
  readonly #frameTag: string;
  readonly runs: Runs;

  /**
   * @param sources the files that each run is cut from; the last ones are those of all further runs
   * @param frameTag tells the frame from others in the entity tag
   * @param ranges pairs of the first position of a run and the one after its last; its own from now on
   */
  constructor(sources: readonly LoadedTable[], frame: FrameData, frameTag: string, ranges: number[]) {
    this.#frame = frame;
    this.#frameTag = frameTag;
    this.runs = new Runs(sources, frame, ranges);
  }

  get bytes(): number {
    return this.runs.end + this.#frame.after.data.length + MEMBER_END_BYTES;
  }

  get ownBytes(): number {
    return this.#frame.before.data.length + this.#frame.after.data.length;
  }

  /** Bytes of the text. */
  get textBytes(): number {
    return this.#frame.before.length + this.runs.textBytes + this.#frame.after.length;
  }

  /** Entity tag without quotes: the same in every release with the same bytes. */
  get tag(): string {
    return `${this.runs.tag}-${this.#frameTag}`;
  }

  read(reads: QueuedReads, client: Recipient): Body | Promise<Body> {
    if (this.bytes > WHOLE_MAX_BYTES)
      return reads.later(client, () => this.#stream(reads, client, 0, this.bytes, false));
    const [chunk = { from: 0, to: 0, reads: [] }] = this.#chunks(0, this.bytes, WHOLE_MAX_BYTES);
    if (chunk.reads.length <= NOW_MAX_READS) {
      const body = reads.buffer(this.bytes);
      if (chunk.reads.every((read) => this.#readNow(reads, read, body, 0)))
        return this.#surround(body, 0, this.runs.crc);
    }
    return reads.later(client, async () => {
      const body = Buffer.allocUnsafe(this.bytes);
      const plan = reads.origin.readNow === undefined ? joined(chunk.reads) : chunk.reads;
      await this.#readLater(reads, client, { ...chunk, reads: plan }, body);
      return this.#surround(body, 0, this.runs.crc);
    });
  }

  /**
   * A range of its bytes, for a download: always a stream. A client that was cut off continues behind what it has,
   * which therefore is right: each piece is read and checked whole before a byte of it is sent.
   */
  part({ offset, length }: ByteRange): { bytes: number; read(reads: QueuedReads, client: Recipient): Promise<Chunks> } {
    // A piece takes as much memory for one of its bytes as for all.
    const stream = (reads: QueuedReads, client: Recipient): Chunks =>
      this.#stream(reads, client, offset, offset + length, true);
    return { bytes: this.bytes, read: (reads, client) => reads.later(client, () => stream(reads, client)) };
  }

  /** What is read for some bytes of the body. @param maxBytes of data in a chunk, unless it is one feature */
  *#chunks(from: number, to: number, maxBytes: number): Generator<Chunk> {
    let chunk: Chunk | undefined;
    for (const piece of this.runs.pieces(from, to, maxBytes)) {
      const end = piece.at + bytesOf(piece);
      if (chunk !== undefined && end - chunk.from > maxBytes) {
        yield chunk;
        chunk = undefined;
      }
      // What is before the data is sent with it, so that an error can still become a problem response.
      chunk ??= { from: piece.at === this.runs.begin ? 0 : piece.at, to: end, reads: [] };
      chunk.to = end;
      addPiece(chunk.reads, piece);
    }
    if (chunk !== undefined) yield chunk;
  }

  /** Reads into memory that begins with the byte `from` of the body. @returns false if that would have to wait */
  #readNow(reads: QueuedReads, read: Read, memory: Buffer, from: number): boolean {
    const { path, pieces } = read;
    const range = rangeOf(read);
    // A piece by itself is read to its place.
    const at = pieces.length === 1 ? elementAt(pieces, 0).at - from : undefined;
    const bytes = at === undefined ? Buffer.allocUnsafe(range.length) : memory.subarray(at, at + range.length);
    if (!reads.now(path, range, bytes, 0, true)) return false;
    this.#put(reads, read, bytes, memory, from, at !== undefined);
    return true;
  }

  /** Reads a chunk into memory, in the thread pool or from a host. */
  async #readLater(reads: QueuedReads, client: Recipient, { reads: plan, from }: Chunk, memory: Buffer): Promise<void> {
    const limit = pLimit(READS_MAX);
    const readOne = async (read: Read): Promise<void> => {
      // Several that are made at once would follow one another without an end of the turn; one by itself is long.
      if (this.#readNow(reads, read, memory, from))
        return plan.length > 1 ? reads.pace(client, read.wanted) : undefined;
      this.#put(reads, read, await reads.read(read.path, rangeOf(read), client), memory, from, false);
    };
    await Promise.all(plan.map((read) => limit(readOne, read)));
  }

  /** Checks what was read, puts it in its place unless it is there, and sets the separators. */
  #put(reads: QueuedReads, read: Read, bytes: Buffer, memory: Buffer, from: number, isInPlace: boolean): void {
    const { data, path, first, end, pieces } = read;
    if (!data.isIntact(bytes, first, end)) throw reads.damaged(path);
    for (const piece of pieces) {
      const begin = data.bytes(first, piece.first);
      if (!isInPlace) bytes.copy(memory, piece.at - from, begin, begin + bytesOf(piece));
      if (this.#frame.format !== 'geojsonl') this.#separate(memory, piece, from);
    }
  }

  /** Sets the last byte of the data of every feature but the last one of the body. */
  #separate(memory: Buffer, { data, first, end, at }: Piece, from: number): void {
    const last = at + data.bytes(first, end) === this.runs.end ? end - 1 : end;
    for (let position = first + 1; position <= last; position++)
      memory[at - from + data.bytes(first, position) - 1] = SEPARATORS[this.#frame.format];
  }

  /**
   * Writes what is around the data, if memory that begins with the byte `from` of the body has room for it.
   * @param crc of the text up to the end of the data, as if all features had separators
   */
  #surround(memory: Buffer, from: number, crc: number): Buffer {
    const { before, after, format } = this.#frame;
    if (from === 0) before.data.copy(memory, MEMBER_HEADER.copy(memory));
    if (from + memory.length < this.bytes) return memory;
    const text = joinCrcs(
      format === 'fc' && this.runs.features > 0 ? swapSeparator(crc) : crc,
      after.crc,
      after.length,
    );
    writeMemberEnd(memory, memory.length - MEMBER_END_BYTES, text, this.textBytes);
    after.data.copy(memory, this.runs.end - from);
    return memory;
  }

  /** Some bytes of the body. Of a large one at most two chunks, or one feature that is larger, are in memory. */
  #stream(reads: QueuedReads, client: Recipient, from: number, to: number, isCheckedFirst: boolean): Chunks {
    return checkedStream(reads, this.#parts(reads, client, from, to, isCheckedFirst), from, to);
  }

  /** @param isCheckedFirst is a large feature read twice, so that nothing of it is sent unchecked? */
  *#parts(
    reads: QueuedReads,
    client: Recipient,
    from: number,
    to: number,
    isCheckedFirst: boolean,
  ): Generator<BodyPart> {
    // What is before the first feature is sent with it.
    for (const chunk of this.#chunks(from, Math.max(to, this.runs.begin + 1), reads.pieceBytes)) {
      const at = chunk.from;
      const piece = chunk.reads[0]?.pieces[0];
      if (piece !== undefined && bytesOf(piece) > WHOLE_MAX_BYTES)
        yield* this.#large(reads, client, piece, at, isCheckedFirst);
      else
        yield {
          at,
          read: async (take) => {
            const memory = this.#surround(take(chunk.to - at), at, 0);
            await this.#readLater(reads, client, chunk, memory);
            return memory;
          },
        };
    }
    const at = this.runs.features === 0 ? 0 : this.runs.end;
    if (to > at) yield { at, read: () => this.#surround(Buffer.allocUnsafe(this.bytes - at), at, this.runs.crc) };
  }

  /**
   * The parts of a large feature, of which the last one is sent once all of it is checked.
   * @param from the first byte of the body: what is before the first feature is sent with it
   */
  *#large(
    reads: QueuedReads,
    client: Recipient,
    piece: Piece,
    from: number,
    isCheckedFirst: boolean,
  ): Generator<BodyPart> {
    const { data, path, first, end, at: begin } = piece;
    const sent = { reads, client, path, range: rangeOf(piece), at: begin };
    const parts = () => rangeParts(sent, crcCheck(data.crcBefore(end), data.crcBefore(first)));
    for (const part of parts()) {
      const isFirst = part.at === begin;
      const at = isFirst ? from : part.at;
      yield {
        at,
        read: async (take) => {
          if (isFirst && isCheckedFirst) {
            // What is taken of the memory of the stream must be sent.
            const own = reads.pieceMemory();
            for (const checked of parts()) await checked.read(own);
          }
          const bytes = await part.read(take);
          const memory =
            at < part.at ? this.#surround(Buffer.concat([Buffer.alloc(part.at - at), bytes]), 0, 0) : bytes;
          if (at + memory.length === begin + bytesOf(piece)) this.#separate(memory, piece, at);
          return memory;
        },
      };
    }
  }
}
