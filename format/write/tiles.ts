// Writes tiles.digest, which ../tiles.ts reads: its head, and its records.
import { BLOCK_BYTES, COUNT_BYTES, TILE_DIGEST_BYTES, TILE_RECORD_BYTES, type TileDigests } from '../tiles.ts';

/** The bytes of the head. */
export function encodeTileDigests({ leaves, firsts, blocks }: Omit<TileDigests, 'bytes'>): Buffer {
  const head = Buffer.alloc(COUNT_BYTES + leaves.length + BLOCK_BYTES * firsts.length);
  head.writeUInt32LE(leaves.length / TILE_DIGEST_BYTES, 0);
  head.writeUInt32LE(firsts.length, 4);
  leaves.copy(head, COUNT_BYTES);
  for (const [block, first] of firsts.entries()) {
    const at = COUNT_BYTES + leaves.length + BLOCK_BYTES * block;
    head.writeDoubleLE(first, at);
    blocks.copy(head, at + 8, TILE_DIGEST_BYTES * block, TILE_DIGEST_BYTES * (block + 1));
  }
  return head;
}

/** The bytes of a record. */
export function encodeTileRecord(offset: number, digest: Uint8Array, crc: number, textBytes: number): Buffer {
  const record = Buffer.alloc(TILE_RECORD_BYTES);
  record.writeDoubleLE(offset, 0);
  record.set(digest, 8);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(textBytes, 20);
  return record;
}
