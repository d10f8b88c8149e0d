// All tiles of a level as a file that is saved, whole or a range: any PMTiles reader needs nothing else.

import { f64At } from '../../../format/element-at.ts';
import { lastUpTo } from '../../../format/last-up-to.ts';
import { FormatError } from '../../../format/parse.ts';
import { hasTileDigest, TILE_DIGEST_BYTES, TILE_RECORD_BYTES, tileDigestOf } from '../../../format/tiles.ts';
import type { Answer } from '../../bodies/answer.ts';
import type { QueuedReads, Recipient } from '../../origin/origin.ts';
import type { SavedEndpoint } from '../downloads/download-paths.ts';
import { type CheckedPiece, type FileContent, PiecedFile } from '../downloads/pieced-file.ts';
import { answerSaved, storedFilePath } from '../downloads/saved.ts';
import type { Listing } from '../pages/listing.ts';
import { type LevelTiles, noTiles, TILES } from './level-tiles.ts';

/** Its path. */
export const ARCHIVE_PATH = storedFilePath(
  '.pmtiles',
  'application/vnd.pmtiles',
  {
    operationId: 'download-tiles',
    summary: 'All vector tiles of a level as one PMTiles archive, which clients read in ranges',
  },
  ['TilesFile', 'PMTiles 3.'],
  answerArchive,
);

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
  const content: FileContent = { begin: tiles.begin, pieces: (...range) => piecesOf(tiles, ...range) };
  return answerSaved(listing, new PiecedFile(tiles.path, described, () => content), described.units);
}

/** The leaves and contents that a range of an archive meets, in order. */
async function* piecesOf(
  { leaves, header, digests, blocks }: LevelTiles,
  from: number,
  to: number,
  reads: QueuedReads,
  client: Recipient,
): AsyncGenerator<CheckedPiece> {
  const leafCount = digests.leaves.length / TILE_DIGEST_BYTES;
  for (let leaf = 0; leaf < leafCount; leaf++) {
    const { offset, length } = leaves.rangeOf(leaf);
    const isRight = (bytes: Uint8Array): boolean => hasTileDigest(digests.leaves, leaf, bytes);
    if (offset + length > from && offset < to) yield { offset, length, isRight };
  }
  const { offset: dataAt, length: dataBytes } = header.data;
  if (to <= dataAt) return;
  for (let block = lastUpTo(digests.firsts, from - dataAt); block < digests.firsts.length; block++) {
    const begin = dataAt + f64At(digests.firsts, block);
    if (begin >= to) return;
    const end = block + 1 < digests.firsts.length ? f64At(digests.firsts, block + 1) : dataBytes;
    const records = await blocks.get(block, reads.ofTask, client.principal);
    for (let at = 0; at < records.length; at += TILE_RECORD_BYTES) {
      const offset = dataAt + records.readDoubleLE(at);
      const next = at + TILE_RECORD_BYTES;
      const length = dataAt + (next < records.length ? records.readDoubleLE(next) : end) - offset;
      const digest = records.subarray(at + 8, at + 8 + TILE_DIGEST_BYTES);
      const isRight = (bytes: Uint8Array): boolean => tileDigestOf(bytes).equals(digest);
      if (offset < to && offset + length > from) yield { offset, length, isRight };
    }
  }
}
