// Which units of a level share a border, and for how many metres, as a table that is saved: the stored file.
import { createHash } from 'node:crypto';
import type { CheckedFile } from '../../../format/checked-files.ts';
import { neighboursTablePath } from '../../../format/layout.ts';
import { TILE_DIGEST_BYTES, tileDigestOf } from '../../../format/tiles.ts';
import type { Answer } from '../../bodies/answer.ts';
import { BlockFile } from '../../data/block-file.ts';
import { Coming } from '../../data/known.ts';
import type { Part, Sized } from '../../data/loaded-release.ts';
import { Problem } from '../../http/problem.ts';
import { type ByteRange, NOBODY } from '../../origin/origin.ts';
import { GZIP_FILE } from '../downloads/description.ts';
import type { SavedEndpoint } from '../downloads/download-paths.ts';
import { contentBy, type FileContent, PiecedFile } from '../downloads/pieced-file.ts';
import { answerSaved, storedFilePath } from '../downloads/saved.ts';
import type { Listing } from '../pages/listing.ts';

/** Its path. */
export const TABLE_PATH = storedFilePath(
  '.neighbours.csv.gz',
  'application/gzip',
  {
    operationId: 'download-neighbours',
    summary: 'Adjacency: which units of a level share a border, and for how many metres, as CSV in one gzip file',
  },
  GZIP_FILE,
  answerTable,
);

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
  const path = `${level.folder}/${neighboursTablePath(level.index.level)}`;
  const table = checkedTable(path, neighbours.table, () => level.load(CHECKED_TABLE));
  return answerSaved(listing, table, features);
}

/** Bytes of a block; the pieces in which streams are read have a whole number of them. */
const BLOCK_BYTES = 64 * 1024;

/** What is remembered of a table that was right: the digest of each block, so that a range is checked by itself. */
class CheckedTable implements Sized {
  blocks: BlockFile | undefined;
  /** A platform may cancel a read with the request that began it; then it is begun again. */
  readonly coming = new Coming<BlockFile>();

  get bytes(): number {
    return this.blocks?.bytes ?? 0;
  }
}

const CHECKED_TABLE: Part<CheckedTable> = {
  name: 'blocks of the table of neighbours',
  type: CheckedTable,
  load: async () => new CheckedTable(),
};

/**
 * The table as a file. What describes it is its SHA-256: it is read as a whole before the first range, then only the
 * blocks that a range meets.
 */
function checkedTable(path: string, stored: CheckedFile, load: () => Promise<CheckedTable>): PiecedFile {
  const { bytes } = stored;
  const whole: ByteRange = { offset: 0, length: bytes };
  const file = new PiecedFile(path, stored, async ({ length }, reads, client) => {
    const known = await load();
    if (known.blocks === undefined && length === bytes) return contentOnce(known, stored);
    const read = async (): Promise<BlockFile> => {
      for await (const _ of await file.stream(whole, reads, NOBODY));
      if (known.blocks === undefined) throw reads.damaged(path);
      return known.blocks;
    };
    return contentBy(known.blocks ?? (await known.coming.load('', reads.ofTask, client.principal, read)));
  });
  return file;
}

/** The content that is right if the file has its digest: then the digests of its blocks are remembered. */
function contentOnce(known: CheckedTable, { bytes: fileBytes, sha256 }: CheckedFile): FileContent {
  const hash = createHash('sha256');
  const digests = Buffer.alloc(TILE_DIGEST_BYTES * Math.ceil(fileBytes / BLOCK_BYTES));
  const blocks = new BlockFile(fileBytes, BLOCK_BYTES, digests);
  return contentBy({
    pieceAt: (offset) => blocks.pieceAt(offset),
    rangeOf: (block) => blocks.rangeOf(block),
    hasBytes(block, bytes) {
      hash.update(bytes);
      tileDigestOf(bytes).copy(digests, TILE_DIGEST_BYTES * block);
      const { offset, length } = blocks.rangeOf(block);
      if (offset + length < fileBytes) return true;
      const isRight = hash.digest('hex') === sha256;
      if (isRight) known.blocks = blocks;
      return isRight;
    },
  });
}
