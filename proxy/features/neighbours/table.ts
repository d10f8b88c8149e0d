// Which units of a level share a border, and for how many metres, as a table that is saved: the stored file.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { neighboursTablePath } from '../../../format/layout.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { Answer } from '../../bodies/answer.ts';
import { type Chunks, checkedStream, rangeParts, type SentRange } from '../../bodies/checked-stream.ts';
import type { Row } from '../../bodies/row.ts';
import { StoredFile, TAG_CHARS } from '../../bodies/stored-file.ts';
import { Loaded } from '../../data/loaded.ts';
import type { Part, Sized } from '../../data/release.ts';
import { Problem } from '../../http/problem.ts';
import { API_PATH } from '../../http/request.ts';
import { type ByteRange, lastingClient, type QueuedReads, type Recipient } from '../../origin/origin.ts';
import { RELEASE, type SavedEndpoint } from '../downloads/endpoints.ts';
import { answerSaved, type RangedFile, type StreamedPart, savedRow } from '../downloads/saved.ts';
import type { Listing } from '../pages/listing.ts';

/** How names of tables end. */
export const TABLE_EXTENSION = '.neighbours.csv.gz';

/** The endpoints that return the tables of neighbours. */
export const TABLE_ENDPOINTS: readonly SavedEndpoint[] = LEVELS.map((level) => ({
  path: `${API_PATH}/download/${levelName(level)}${TABLE_EXTENSION}`,
  level,
  mediaType: 'application/gzip',
  parameters: [RELEASE],
  extension: TABLE_EXTENSION,
}));

/** The row of an endpoint. */
export function tableRow(endpoint: SavedEndpoint): Row {
  return savedRow(endpoint, [], answerTable);
}

/**
 * The answer with the table of a level, whole or a range. Reading its body throws OriginError.
 * @throws Problem range-not-satisfiable; not-found if the release has none
 */
function answerTable(listing: Listing<SavedEndpoint>): Answer {
  const { level, representation } = listing;
  const { neighbours, features } = level.summary;
  if (neighbours === undefined)
    throw new Problem(
      'not-found',
      `Release ${representation.release.id} has no neighbours: it was built with --no-neighbours.`,
    );
  const { bytes, sha256 } = neighbours.table;
  const path = `${level.folder}/${neighboursTablePath(level.index.level)}`;
  const table = new StoredTable(path, bytes, sha256.slice(0, TAG_CHARS), () => level.load(CHECKED_BLOCKS));
  return answerSaved(listing, table, features);
}

/** Bytes of a block; the pieces in which streams are read have a whole number of them. */
const BLOCK_BYTES = 64 * 1024;

/** What is remembered of a table that was right: the CRC-32 of each block, so that a range is checked by itself. */
class CheckedBlocks implements Sized {
  sums: Uint32Array | undefined;
  /**
   * Those that find them, by principal: each waits for turns of its own. A platform may cancel a read with the request
   * that began it; then it is begun again.
   */
  readonly coming = new Loaded<string, Uint32Array>(() => performance.now());

  get bytes(): number {
    return this.sums?.byteLength ?? 0;
  }
}

const CHECKED_BLOCKS: Part<CheckedBlocks> = {
  name: 'blocks of the table of neighbours',
  type: CheckedBlocks,
  load: async () => new CheckedBlocks(),
};

/**
 * A stored file of which ranges are sent. What describes it is its SHA-256: it is read as a whole before the first
 * range, then only the blocks that a range meets.
 */
class StoredTable extends StoredFile implements RangedFile {
  readonly #load: () => Promise<CheckedBlocks>;

  /** @param load brings what is remembered of it into memory */
  constructor(path: string, bytes: number, tag: string, load: () => Promise<CheckedBlocks>) {
    super(path, bytes, tag);
    this.#load = load;
  }

  part({ offset, length }: ByteRange): StreamedPart {
    const stream = (blocks: CheckedBlocks, reads: QueuedReads, client: Recipient) =>
      length === this.bytes
        ? this.#whole(blocks, reads, client)
        : this.#range(blocks, reads, client, offset, offset + length);
    const read: StreamedPart['read'] = (reads, client) =>
      reads.later(client, async () => stream(await this.#load(), reads, client));
    return { bytes: this.bytes, read };
  }

  /** All of it: the last part is sent once the file has its digest, and its blocks are remembered then. */
  #whole(blocks: CheckedBlocks, reads: QueuedReads, client: Recipient): Chunks {
    const sha256 = createHash('sha256');
    const sums: number[] = [];
    const parts = rangeParts(this.#sent(reads, client, 0, this.bytes), (part, isLast) => {
      sha256.update(part);
      sums.push(...sumsOf(part));
      if (!isLast) return true;
      const isRight = sha256.digest('hex').startsWith(this.tag);
      if (isRight) blocks.sums = Uint32Array.from(sums);
      return isRight;
    });
    return checkedStream(reads, parts, 0, this.bytes);
  }

  async #range(blocks: CheckedBlocks, reads: QueuedReads, client: Recipient, from: number, to: number) {
    const sums = blocks.sums ?? (await this.#find(blocks, reads, client.principal));
    const first = from - (from % BLOCK_BYTES);
    const end = Math.min(this.bytes, Math.ceil(to / BLOCK_BYTES) * BLOCK_BYTES);
    const parts = rangeParts(this.#sent(reads, client, first, end), (part, _isLast, at) =>
      sumsOf(part).every((sum, i) => sum === sums[at / BLOCK_BYTES + i]),
    );
    return checkedStream(reads, parts, from, to);
  }

  #sent(reads: QueuedReads, client: Recipient, from: number, to: number): SentRange {
    return { reads, client, path: this.path, range: { offset: from, length: to - from }, at: from };
  }

  /** Reads all of it. @throws OriginError if it is not the table */
  #find(blocks: CheckedBlocks, reads: QueuedReads, principal: string): Promise<Uint32Array> {
    const client = lastingClient(principal);
    const read = async (): Promise<Uint32Array> => {
      for await (const _ of this.#whole(blocks, reads, client));
      if (blocks.sums === undefined) throw reads.damaged(this.path);
      return blocks.sums;
    };
    return blocks.coming.load(principal, () => read().finally(() => blocks.coming.free(principal)));
  }
}

/** The CRC-32 of each block of a piece. */
function sumsOf(piece: Buffer): number[] {
  const count = Math.ceil(piece.length / BLOCK_BYTES);
  return Array.from({ length: count }, (_, i) => crc32(piece.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES)));
}
