// All tiles of a level as a file that is saved, whole or a range: any PMTiles reader needs nothing else.
import { hash } from 'node:crypto';
import { lastUpTo } from '../../../format/cells.ts';
import { f64At } from '../../../format/element-at.ts';
import { FormatError } from '../../../format/parse.ts';
import { TILE_DIGEST_BYTES, TILE_RECORD_BYTES } from '../../../format/tiles.ts';
import type { Answer } from '../../bodies/answer.ts';
import { type BodyPart, checkedStream, memoryParts, rangePart } from '../../bodies/checked-stream.ts';
import type { Row } from '../../bodies/row.ts';
import { StoredFile, TAG_CHARS } from '../../bodies/stored-file.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import type { SavedEndpoint } from '../downloads/endpoints.ts';
import { answerSaved, type RangedFile, type StreamedPart, savedRow } from '../downloads/saved.ts';
import type { Listing } from '../pages/listing.ts';
import { type LevelTiles, noTiles, TILES } from './level-tiles.ts';

/** The row of an endpoint. */
export function archiveRow(endpoint: SavedEndpoint): Row {
  return savedRow(endpoint, [], answerArchive);
}

/**
 * The answer with the tiles of a level, whole or a range. Reading its body throws OriginError or FormatError.
 * @throws Problem range-not-satisfiable; not-found if the level has none
 */
async function answerArchive(listing: Listing<SavedEndpoint>): Promise<Answer> {
  const { level, representation, loads } = listing;
  const { tiles: described } = level.summary;
  if (described === undefined) throw noTiles(representation.release.id);
  const tiles = await loads.part(level, TILES);
  const { data } = tiles.header;
  if (data.offset + data.length !== described.bytes)
    throw new FormatError(tiles.path, `ends at byte ${data.offset + data.length}, expected ${described.bytes}`);
  const file = new StoredTiles(tiles, described.bytes, described.sha256.slice(0, TAG_CHARS));
  return answerSaved(listing, file, described.units);
}

/** A leaf or content with its digest, 16 hex digits. */
interface CheckedRange extends ByteRange {
  digest: string;
}

/**
 * An archive of which ranges are sent: its beginning from memory, each leaf and content once it is read and checked.
 */
class StoredTiles extends StoredFile implements RangedFile {
  readonly #tiles: LevelTiles;

  constructor(tiles: LevelTiles, bytes: number, tag: string) {
    super(tiles.path, bytes, tag);
    this.#tiles = tiles;
  }

  part({ offset, length }: ByteRange): StreamedPart {
    const to = offset + length;
    const read: StreamedPart['read'] = (reads, client) =>
      reads.later(client, () => checkedStream(reads, this.#parts(reads, client, offset, to), offset, to));
    // A piece takes as much memory for one of its bytes as for all.
    return { bytes: this.bytes, read };
  }

  async *#parts(reads: QueuedReads, client: Recipient, from: number, to: number): AsyncGenerator<BodyPart> {
    const { begin } = this.#tiles;
    yield* memoryParts(reads, begin, from, to);
    let together: CheckedRange[] = [];
    let bytes = 0;
    for await (const range of this.#ranges(reads, client, Math.max(from, begin.length), to)) {
      if (bytes > 0 && bytes + range.length > reads.pieceBytes) {
        yield this.#part(reads, client, together);
        [together, bytes] = [[], 0];
      }
      together.push(range);
      bytes += range.length;
    }
    if (together.length > 0) yield this.#part(reads, client, together);
  }

  /** The leaves and contents that a range of the archive meets, in order. */
  async *#ranges(reads: QueuedReads, client: Recipient, from: number, to: number): AsyncGenerator<CheckedRange> {
    const { leaves, header, digests, blocks } = this.#tiles;
    const leafCount = digests.leaves.length / TILE_DIGEST_BYTES;
    for (let leaf = 0; leaf < leafCount; leaf++) {
      const { offset, length } = leaves.rangeOf(leaf);
      const digest = digests.leaves.toString('hex', TILE_DIGEST_BYTES * leaf, TILE_DIGEST_BYTES * (leaf + 1));
      if (offset + length > from && offset < to) yield { offset, length, digest };
    }
    const { offset: dataAt, length: dataBytes } = header.data;
    if (to <= dataAt) return;
    for (let block = lastUpTo(digests.firsts, from - dataAt); block < digests.firsts.length; block++) {
      const begin = dataAt + f64At(digests.firsts, block);
      if (begin >= to) return;
      const end = block + 1 < digests.firsts.length ? f64At(digests.firsts, block + 1) : dataBytes;
      const records = await blocks.get(block, reads.withoutQueue, client.principal);
      for (let at = 0; at < records.length; at += TILE_RECORD_BYTES) {
        const offset = records.readDoubleLE(at);
        const next = at + TILE_RECORD_BYTES;
        const length = (next < records.length ? records.readDoubleLE(next) : end) - offset;
        const digest = records.toString('hex', at + 8, at + 8 + TILE_DIGEST_BYTES);
        if (dataAt + offset < to && dataAt + offset + length > from) yield { offset: dataAt + offset, length, digest };
      }
    }
  }

  /** A part of ranges that follow each other. */
  #part(reads: QueuedReads, client: Recipient, ranges: readonly CheckedRange[]): BodyPart {
    const at = ranges[0]?.offset ?? 0;
    const range = { offset: at, length: ranges.reduce((sum, { length }) => sum + length, 0) };
    return rangePart({ reads, client, path: this.path, range, at, staysOpen: true }, (bytes) =>
      ranges.every(({ offset, length, digest }) =>
        hash('sha256', bytes.subarray(offset - at, offset - at + length), 'hex').startsWith(digest),
      ),
    );
  }
}
