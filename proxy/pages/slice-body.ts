// The body of a slice: the gzip members of its features are read from feature files, verified against the feature index
// and joined into one member, without inflating or deflating.
import { createHash, hash } from 'node:crypto';
import pLimit from 'p-limit';
import type { DeflatedText, FrameData, TextSum } from '../../format/gzip-members.ts';
import {
  FRAME_DATA,
  MEMBER_END_BYTES,
  MEMBER_FRAME_BYTES,
  MEMBER_HEADER,
  MemberAssembly,
  memberEnd,
} from '../../format/gzip-members.ts';
import { featureFilePath, releasePath } from '../../format/layout.ts';
import type { Origin } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { Slice } from './slice.ts';
import { withholdLast } from './withhold-last.ts';

/** Maximum stored size of a body that is assembled in memory; of a larger one at most this is in memory at a time. */
const READ_MAX_BYTES = 1024 * 1024;
/** Members of one file are read together if the gap between them is at most this. */
const GAP_MAX_BYTES = 64 * 1024;
/** Concurrent reads for one body. */
const READS_MAX = 8;

/**
 * The body of a slice as one gzip member: a buffer, or a stream for a large body.
 * @throws OriginError if stored bytes do not match the index: before the first byte of a buffered body; in a stream
 * before the last chunk of the damaged member, so that no gunzip accepts what was sent
 */
export function sliceToGzip(origin: Origin, slice: Slice): Promise<Buffer> | AsyncGenerator<Buffer, void, undefined> {
  const reads = readsOf(slice);
  const stored = reads.reduce((sum, { length }) => sum + length, 0);
  return stored > READ_MAX_BYTES ? streamBody(origin, slice, reads) : joinBody(origin, slice, reads);
}

/** One read of a feature file, and the members in it. A read above READ_MAX_BYTES has one member. */
interface Read {
  path: string;
  /** Number of the feature file. */
  file: number;
  /** In bytes. */
  offset: number;
  length: number;
  /** In order, at least one. */
  members: Member[];
}

/** The location of a feature's member. */
interface Member {
  position: number;
  /** Of the first byte in the file. */
  offset: number;
  /** In bytes. */
  length: number;
}

/** The reads for all features, in order. */
export function readsOf({ level: { manifest, index }, ranges }: Slice): Read[] {
  const reads: Read[] = [];
  for (const { first, end } of ranges) {
    for (let position = first; position < end; position++) {
      const file = index.fileOf(position);
      const offset = index.offsetAt(position);
      const length = index.bytesAt(position);
      const member = { position, offset, length };
      const last = reads[reads.length - 1];
      const isNear = last?.file === file && offset - (last.offset + last.length) <= GAP_MAX_BYTES;
      if (last !== undefined && isNear && offset + length - last.offset <= READ_MAX_BYTES) {
        last.length = offset + length - last.offset;
        last.members.push(member);
      } else {
        const path = `${releasePath(manifest.release)}/${featureFilePath(manifest.level, file)}`;
        reads.push({ path, file, offset, length, members: [member] });
      }
    }
  }
  return reads;
}

async function joinBody(origin: Origin, slice: Slice, reads: readonly Read[]): Promise<Buffer> {
  const assembly = new FramedAssembly(FRAME_DATA[slice.format]);
  for (const features of await readSideBySide(origin, slice, reads))
    for (const feature of features) assembly.add(feature);
  assembly.end();
  return Buffer.concat(assembly.take(), slice.gzipBytes);
}

async function readSideBySide(origin: Origin, slice: Slice, reads: readonly Read[]): Promise<DeflatedText[][]> {
  const [only, second] = reads;
  if (only !== undefined && second === undefined) return [await readFeatures(origin, slice, only)];
  return pLimit(READS_MAX).map(reads, (read) => readFeatures(origin, slice, read));
}

/** The body in chunks. At most one read, or one chunk of a feature above READ_MAX_BYTES, is in memory. */
async function* streamBody(
  origin: Origin,
  slice: Slice,
  reads: readonly Read[],
): AsyncGenerator<Buffer, void, undefined> {
  const assembly = new FramedAssembly(FRAME_DATA[slice.format]);
  for (const read of reads) {
    if (read.length > READ_MAX_BYTES) {
      let isBegun = false;
      const [member] = read.members;
      if (member === undefined) continue;
      for await (const data of streamFeature(origin, slice, read, member)) {
        // Header and separator are sent with the first chunk of the feature, once that has been read.
        if (!isBegun) assembly.add({ data, ...sumAt(slice, member.position) });
        yield isBegun ? data : Buffer.concat(assembly.take());
        isBegun = true;
      }
    } else {
      for (const feature of await readFeatures(origin, slice, read)) assembly.add(feature);
      yield Buffer.concat(assembly.take());
    }
  }
  assembly.end();
  yield Buffer.concat(assembly.take());
}

/** Joins features in the frame of a format into one gzip member. */
class FramedAssembly {
  readonly #frame: FrameData;
  readonly #member = new MemberAssembly();

  constructor(frame: FrameData) {
    this.#frame = frame;
    this.#member.add(frame.before);
  }

  add(feature: DeflatedText): void {
    const { before, between } = this.#frame;
    if (this.#member.textBytes > before.length) this.#member.add(between);
    this.#member.add(feature);
  }

  end(): void {
    this.#member.add(this.#frame.after);
    this.#member.end();
  }

  /** The bytes added since the last call. */
  take(): Buffer[] {
    return this.#member.take();
  }
}

function sumAt({ level: { index } }: Slice, position: number): TextSum {
  return { crc: index.crcAt(position), length: index.textBytesAt(position) };
}

/**
 * Reads neighbouring members, and verifies each with its digest.
 * @throws OriginError
 */
async function readFeatures(origin: Origin, slice: Slice, read: Read): Promise<DeflatedText[]> {
  const bytes = await origin.read(read.path, read);
  return read.members.map(({ position, offset, length }) => {
    const start = offset - read.offset;
    const member = bytes.subarray(start, start + length);
    if (!slice.level.index.hasDigest(position, hash('sha256', member, 'binary'))) throw damaged(origin, read);
    return { data: member.subarray(MEMBER_HEADER.length, -MEMBER_END_BYTES), ...sumAt(slice, position) };
  });
}

/**
 * Reads the deflate data of one large member. The last chunk is withheld until the digest matches.
 * @throws OriginError
 */
async function* streamFeature(
  origin: Origin,
  slice: Slice,
  read: Read,
  { position, offset, length }: Member,
): AsyncGenerator<Buffer, void, undefined> {
  const sha256 = createHash('sha256').update(MEMBER_HEADER);
  const range = { offset: offset + MEMBER_HEADER.length, length: length - MEMBER_FRAME_BYTES };
  yield* withholdLast(
    origin.stream(read.path, range),
    (chunk) => sha256.update(chunk),
    () => {
      sha256.update(memberEnd(sumAt(slice, position)));
      if (!slice.level.index.hasDigest(position, sha256.digest('binary'))) throw damaged(origin, read);
    },
  );
}

/** Closes the file: the operator may replace it by an intact one. */
function damaged(origin: Origin, { path }: Read): OriginError {
  origin.close?.(path);
  return new OriginError('damaged', path);
}
