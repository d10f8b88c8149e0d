// A body, or a range of one, that is sent as a stream: in parts, each of which is read when the client takes more, and
// checked before a byte of it is sent.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
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

/** Receives the bytes of a range in order, and says with the last ones whether all are as they should be. */
export type Check = (part: Buffer, isLast: boolean) => boolean;

/** @param expected with what the SHA-256 begins, in hex */
export function sha256Check(expected: string): Check {
  const sha256 = createHash('sha256');
  return (part, isLast) => {
    sha256.update(part);
    return !isLast || sha256.digest('hex').startsWith(expected);
  };
}

/** @param expected,before the CRC-32 up to the end, and up to the begin */
export function crcCheck(expected: number, before = 0): Check {
  let crc = before;
  return (part, isLast) => {
    crc = crc32(part, crc);
    return !isLast || crc === expected;
  };
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
 */
export function* rangeParts(sent: SentRange, isRight: Check): Generator<BodyPart> {
  const { offset, length } = sent.range;
  for (let done = 0, bytes: number; done < length; done += bytes) {
    bytes = Math.min(sent.reads.pieceBytes, length - done);
    const isLast = done + bytes === length;
    const range = { offset: offset + done, length: bytes };
    yield rangePart({ ...sent, range, at: sent.at + done }, (part) => isRight(part, isLast));
  }
}
