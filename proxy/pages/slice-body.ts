// The body of a slice: the gzip members of its features are read from feature files, verified against the feature index
// and joined into one member, without inflating or deflating.
import { createHash, hash } from 'node:crypto';
import pLimit from 'p-limit';
import { elementAt } from '../../format/element-at.ts';
import type { DeflatedText, FrameData, TextSum } from '../../format/gzip-members.ts';
import {
  EMPTY_SUM,
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
import { withholdLast } from './page-body.ts';
import type { Slice } from './slice.ts';

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

/** One read of a feature file, and the features whose members are wanted. Above READ_MAX_BYTES it is one feature. */
interface Read {
  path: string;
  /** Number of the feature file. */
  file: number;
  /** In bytes. */
  offset: number;
  length: number;
  /** Ascending, at least one. */
  positions: number[];
}

/** The reads for all features, in order. */
export function readsOf({ level: { manifest, index }, ranges }: Slice): Read[] {
  const reads: Read[] = [];
  let last: Read | undefined;
  for (const { first, end } of ranges) {
    for (let position = first; position < end; position++) {
      const file = index.fileOf(position);
      const offset = index.offsetAt(position);
      const length = index.bytesAt(position);
      const isNear = last?.file === file && offset - (last.offset + last.length) <= GAP_MAX_BYTES;
      if (last !== undefined && isNear && offset + length - last.offset <= READ_MAX_BYTES) {
        last.length = offset + length - last.offset;
        last.positions.push(position);
      } else {
        const path = `${releasePath(manifest.release)}/${featureFilePath(manifest.level, file)}`;
        last = { path, file, offset, length, positions: [position] };
        reads.push(last);
      }
    }
  }
  return reads;
}

async function joinBody(origin: Origin, slice: Slice, reads: readonly Read[]): Promise<Buffer> {
  const features =
    reads.length === 1
      ? await readFeatures(origin, slice, elementAt(reads, 0))
      : (await pLimit(READS_MAX).map(reads, (read) => readFeatures(origin, slice, read))).flat();
  const frame = FRAME_DATA[slice.format];
  const body = new MemberAssembly();
  body.add(frame.before);
  for (const feature of features) {
    separate(body, frame);
    body.add(feature);
  }
  body.add(frame.after);
  body.end();
  return Buffer.concat(body.take(), slice.gzipBytes);
}

/** The body in chunks. At most one read, or one chunk of a feature above READ_MAX_BYTES, is in memory. */
async function* streamBody(
  origin: Origin,
  slice: Slice,
  reads: readonly Read[],
): AsyncGenerator<Buffer, void, undefined> {
  const frame = FRAME_DATA[slice.format];
  const body = new MemberAssembly();
  body.add(frame.before);
  for (const read of reads) {
    if (read.length > READ_MAX_BYTES) {
      separate(body, frame);
      for await (const piece of streamFeature(origin, slice, read)) {
        body.add(piece);
        yield* body.take();
      }
    } else {
      for (const feature of await readFeatures(origin, slice, read)) {
        separate(body, frame);
        body.add(feature);
      }
      yield Buffer.concat(body.take());
    }
  }
  body.add(frame.after);
  body.end();
  yield Buffer.concat(body.take());
}

/** Adds the text between two features, unless the body has no feature yet. */
function separate(body: MemberAssembly, { before, between }: FrameData): void {
  if (body.textBytes > before.length) body.add(between);
}

function sumAt({ level: { index } }: Slice, position: number): TextSum {
  return { crc: index.crcAt(position), length: index.textBytesAt(position) };
}

/**
 * Reads the members of neighbouring features, and verifies each with its digest.
 * @throws OriginError
 */
async function readFeatures(origin: Origin, slice: Slice, read: Read): Promise<DeflatedText[]> {
  const { index } = slice.level;
  const bytes = await origin.read(read.path, read);
  return read.positions.map((position) => {
    const start = index.offsetAt(position) - read.offset;
    const end = start + index.bytesAt(position);
    if (!index.hasDigest(position, hash('sha256', bytes.subarray(start, end), 'binary')))
      throw damaged(origin, read.path);
    return { data: bytes.subarray(start + MEMBER_HEADER.length, end - MEMBER_END_BYTES), ...sumAt(slice, position) };
  });
}

/**
 * Reads one large member: its deflate data in pieces, the first with the sum of the whole text. The last piece is
 * withheld until the digest matches.
 * @throws OriginError
 */
async function* streamFeature(
  origin: Origin,
  slice: Slice,
  { path, offset, length, positions }: Read,
): AsyncGenerator<DeflatedText, void, undefined> {
  const position = elementAt(positions, 0);
  const sha256 = createHash('sha256').update(MEMBER_HEADER);
  const range = { offset: offset + MEMBER_HEADER.length, length: length - MEMBER_FRAME_BYTES };
  const chunks = withholdLast(
    origin.stream(path, range),
    (chunk) => sha256.update(chunk),
    () => {
      sha256.update(memberEnd(sumAt(slice, position)));
      if (!slice.level.index.hasDigest(position, sha256.digest('binary'))) throw damaged(origin, path);
    },
  );
  let sum = sumAt(slice, position);
  for await (const data of chunks) {
    yield { data, ...sum };
    sum = EMPTY_SUM;
  }
}

/** Closes the file: the operator may replace it by an intact one. */
function damaged(origin: Origin, path: string): OriginError {
  origin.close?.(path);
  return new OriginError('damaged', path);
}
