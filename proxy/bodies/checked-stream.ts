// A body, or a range of one, that is sent as a stream: in parts, each of which is read when the client takes more, and
// checked before a byte of it is sent.
import type { ByteRange, QueuedReads, Recipient } from '../origin/origin.ts';

export type Chunks = AsyncGenerator<Buffer, void, undefined>;

/** A part of a body. */
export interface BodyPart {
  /** Of its first byte in the body. */
  readonly at: number;
  /**
   * Its bytes, checked.
   * @param take memory that it may be read into: no other may be taken between parts
   * @throws OriginError if stored bytes are missing or damaged
   */
  read(take: (bytes: number) => Buffer): Buffer | Promise<Buffer>;
}

/** The bytes `from` up to but not including `to` of the body. @param parts in order, at least those that have some */
export async function* checkedStream(
  reads: QueuedReads,
  parts: Iterable<BodyPart> | AsyncIterable<BodyPart>,
  from: number,
  to: number,
): Chunks {
  const take = reads.pieceMemory();
  for await (const part of parts) {
    const bytes = await part.read(take);
    const own = bytes.subarray(Math.max(0, from - part.at), Math.max(0, to - part.at));
    if (own.length > 0) yield own;
  }
}

/** A range of a file that is sent unchanged. */
export interface SentRange {
  reads: QueuedReads;
  client: Recipient;
  /** Relative to the origin. */
  path: string;
  range: ByteRange;
  /** Where it begins in the body. */
  at: number;
  /** Will other ranges of the file be read soon? */
  staysOpen?: boolean;
}

/** The part with a range. @param isRight are its bytes as they should be? */
export function rangePart(
  { reads, client, path, range, at, staysOpen = false }: SentRange,
  isRight: (bytes: Buffer) => boolean,
): BodyPart {
  return {
    at,
    async read(take) {
      const bytes = await reads.range(path, range, client, take, staysOpen);
      if (!isRight(bytes)) throw reads.damaged(path, `bytes from ${range.offset}`);
      return bytes;
    },
  };
}

/**
 * The parts of a range that is too large to be in memory as a whole: no file and no connection is kept while a client
 * takes them.
 * @param isRight receives each part before it is sent, and says with the last one whether all are as they should be
 */
export function* rangeParts(
  sent: SentRange,
  isRight: (bytes: Buffer, isLast: boolean, at: number) => boolean,
): Generator<BodyPart> {
  const { offset, length } = sent.range;
  for (let done = 0, bytes: number; done < length; done += bytes) {
    bytes = Math.min(sent.reads.pieceBytes, length - done);
    const [at, isLast] = [sent.at + done, done + bytes === length];
    const range = { offset: offset + done, length: bytes };
    yield rangePart({ ...sent, range, at }, (part) => isRight(part, isLast, at));
  }
}

/** The parts of bytes in memory, of which `from` up to but not including `to` are sent. */
export function* memoryParts(reads: QueuedReads, bytes: Uint8Array, from: number, to: number): Generator<BodyPart> {
  for (let at = from; at < Math.min(to, bytes.length); at += reads.pieceBytes)
    yield { at, read: () => Buffer.from(bytes.subarray(at, at + reads.pieceBytes)) };
}
