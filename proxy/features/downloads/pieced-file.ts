// A stored file of which ranges are sent: pieces that follow each other, each of which is checked before a byte of it is
// sent. As many are read together as a stream reads at a time.
import type { CheckedFile } from '../../../format/checked-files.ts';
import { type BodyPart, type Chunks, checkedStream, rangePart } from '../../bodies/checked-stream.ts';
import { FILE_TAG_CHARS } from '../../bodies/stored-file.ts';
import type { PieceDirectory } from '../../data/pieces.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import type { RangedFile, StreamedPart } from './saved.ts';

/** Bytes of a file that are checked together. */
export interface CheckedPiece extends ByteRange {
  isRight(bytes: Uint8Array): boolean;
}

/** What a file consists of. */
export interface FileContent {
  /** Bytes in memory that it begins with. */
  readonly begin: Uint8Array;
  /** The pieces behind these which have a byte from `from` up to, not including, `to`, in order. */
  pieces(
    from: number,
    to: number,
    reads: QueuedReads,
    client: Recipient,
  ): Iterable<CheckedPiece> | AsyncIterable<CheckedPiece>;
}

/** A directory of pieces that follow each other. */
interface OrderedDirectory extends PieceDirectory {
  /** The piece that a byte of the file is of. */
  pieceAt(offset: number): number;
}

const NOTHING = new Uint8Array();

/** Brings into memory what a range of a file is checked by. */
type LoadContent = (range: ByteRange, reads: QueuedReads, client: Recipient) => FileContent | Promise<FileContent>;

/** A file as an answer. */
export class PiecedFile implements RangedFile {
  readonly bytes: number;
  readonly tag: string;
  /** Relative to the origin. */
  readonly #path: string;
  readonly #load: LoadContent;

  constructor(path: string, { bytes, sha256 }: CheckedFile, load: LoadContent) {
    this.#path = path;
    this.bytes = bytes;
    this.tag = sha256.slice(0, FILE_TAG_CHARS);
    this.#load = load;
  }

  part(range: ByteRange): StreamedPart {
    const read: StreamedPart['read'] = (reads, client) => reads.later(client, () => this.stream(range, reads, client));
    // A piece takes as much memory for one of its bytes as for all.
    return { bytes: this.bytes, read };
  }

  /** The bytes of a range. */
  async stream(range: ByteRange, reads: QueuedReads, client: Recipient): Promise<Chunks> {
    const { offset, length } = range;
    const parts = this.#parts(await this.#load(range, reads, client), reads, client, offset, offset + length);
    return checkedStream(reads, parts, offset, offset + length);
  }

  async *#parts(
    { begin, pieces }: FileContent,
    reads: QueuedReads,
    client: Recipient,
    from: number,
    to: number,
  ): AsyncGenerator<BodyPart> {
    yield* memoryParts(reads, begin, from, to);
    if (to <= begin.length) return;
    let together: CheckedPiece[] = [];
    let bytes = 0;
    for await (const piece of pieces(Math.max(from, begin.length), to, reads, client)) {
      if (bytes > 0 && bytes + piece.length > reads.pieceBytes) {
        yield this.#part(reads, client, together, bytes);
        [together, bytes] = [[], 0];
      }
      together.push(piece);
      bytes += piece.length;
    }
    if (bytes > 0) yield this.#part(reads, client, together, bytes);
  }

  /** A part of pieces that follow each other. */
  #part(reads: QueuedReads, client: Recipient, pieces: readonly CheckedPiece[], length: number): BodyPart {
    const at = pieces[0]?.offset ?? 0;
    const range = { offset: at, length };
    return rangePart({ reads, client, path: this.#path, range, at, staysOpen: true }, (bytes) =>
      pieces.every((piece) => piece.isRight(bytes.subarray(piece.offset - at, piece.offset - at + piece.length))),
    );
  }
}

/** The parts of bytes in memory, of which `from` up to but not including `to` are sent. */
function* memoryParts(reads: QueuedReads, bytes: Uint8Array, from: number, to: number): Generator<BodyPart> {
  for (let at = from; at < Math.min(to, bytes.length); at += reads.pieceBytes)
    yield { at, read: () => Buffer.from(bytes.subarray(at, at + reads.pieceBytes)) };
}

/** The content of a file by its directory. @param begin bytes in memory that it begins with */
export function contentBy(directory: OrderedDirectory, begin: Uint8Array = NOTHING): FileContent {
  return {
    begin,
    *pieces(from, to) {
      for (let piece = directory.pieceAt(from), at = from; at < to; piece++) {
        const { offset, length } = directory.rangeOf(piece);
        at = offset + length;
        const isRight = (bytes: Uint8Array): boolean => directory.hasBytes(piece, bytes);
        if (length > 0) yield { offset, length, isRight };
      }
    },
  };
}
