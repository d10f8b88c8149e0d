// tiles.digest: what the parts of an archive of tiles must be. It begins with its head, which release.json has the
// SHA-256 of: the digest of each leaf directory of tiles.pmtiles, and of each block of the records that follow. A
// record is the offset of a content among the contents, its digest, its CRC-32, and the length of its text. The
// generator writes it (generator/tiles/archive.ts); described in README.md, 'Tiles'.
import { hash } from 'node:crypto';
import type { Level } from './levels.ts';
import { FormatError } from './parse.ts';

/** The deepest zoom that tiles may have: on its grid places are below 2^24. */
export const TILES_ZOOM_MAX = 12;
/** A digest is the beginning of a SHA-256. */
export const TILE_DIGEST_BYTES = 8;
/** Offset as f64, digest, CRC-32 and length of the text as u32. */
export const TILE_RECORD_BYTES = 24;
/** Records of a block but the last one: 16,320 bytes. */
export const TILE_BLOCK_RECORDS = 680;
/** Numbers of leaves and blocks, as u32. */
export const COUNT_BYTES = 8;
/** Of a block: the offset of its first content as f64, and its digest. */
export const BLOCK_BYTES = 16;

/** The head. */
export interface TileDigests {
  /** Digests of the leaves, one after the other. */
  leaves: Buffer;
  /** The offset of the first content of each block, ascending. */
  firsts: Float64Array;
  /** Digests of the blocks, one after the other. */
  blocks: Buffer;
  /** Bytes of the head. */
  bytes: number;
}

/** Credits as TileJSON and the metadata of an archive have them: MapLibre shows them as HTML, and they are text. */
export function tileAttribution(credits: readonly string[]): string {
  return credits.join('; ').replaceAll('<', '&lt;');
}

/** What is known of a content before it is read. */
export interface TileContent {
  /** Hex: it is named by it. */
  digest: string;
  /** CRC-32 of what is stored: it is checked by it whenever it is read, which costs a tenth of a digest. */
  crc: number;
  textBytes: number;
}

/** The digest of some bytes. */
export function tileDigestOf(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, TILE_DIGEST_BYTES);
}

/** Are bytes those that the digest at a place among several is of? */
export function hasTileDigest(digests: Buffer, number: number, bytes: Uint8Array): boolean {
  const at = TILE_DIGEST_BYTES * number;
  return tileDigestOf(bytes).equals(digests.subarray(at, at + TILE_DIGEST_BYTES));
}

/** Reads the head. @throws FormatError if it has another length than it says */
export function decodeTileDigests(head: Buffer, file: string): TileDigests {
  const leafCount = head.length < COUNT_BYTES ? 0 : head.readUInt32LE(0);
  const blockCount = head.length < COUNT_BYTES ? 0 : head.readUInt32LE(4);
  const leafEnd = COUNT_BYTES + TILE_DIGEST_BYTES * leafCount;
  const bytes = leafEnd + BLOCK_BYTES * blockCount;
  if (head.length !== bytes) throw new FormatError(file, `has a head of ${head.length} bytes, expected ${bytes}`);
  const firsts = Float64Array.from({ length: blockCount }, (_, i) => head.readDoubleLE(leafEnd + BLOCK_BYTES * i));
  const blocks = Buffer.alloc(TILE_DIGEST_BYTES * blockCount);
  for (let block = 0; block < blockCount; block++) {
    const at = leafEnd + BLOCK_BYTES * block + 8;
    head.copy(blocks, TILE_DIGEST_BYTES * block, at, at + TILE_DIGEST_BYTES);
  }
  return { leaves: head.subarray(COUNT_BYTES, leafEnd), firsts, blocks, bytes };
}

/** The record of a content in a block; undefined if it has none with this offset. */
export function tileContentAt(block: Buffer, offset: number): TileContent | undefined {
  let [low, high] = [0, Math.floor(block.length / TILE_RECORD_BYTES)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block.readDoubleLE(TILE_RECORD_BYTES * middle) < offset) low = middle + 1;
    else high = middle;
  }
  const at = TILE_RECORD_BYTES * low;
  if (at + TILE_RECORD_BYTES > block.length || block.readDoubleLE(at) !== offset) return undefined;
  const [crc, textBytes] = [block.readUInt32LE(at + 16), block.readUInt32LE(at + 20)];
  return { digest: block.toString('hex', at + 8, at + 16), crc, textBytes };
}

/** Borders are drawn from so many zooms after the first. */
export const BORDERS_AFTER = 2;

/** A layer as TileJSON 3.0.0 describes it. */
export interface VectorLayer {
  id: string;
  fields: Readonly<Record<string, string>>;
  minzoom: number;
  maxzoom: number;
}

/** The name of the attribute with names in a language. */
export function languageAttribute(tag: string): string {
  return `name:${tag}`;
}

/** The layers of a level's tiles. @param languages the tags of those that they have names in */
export function vectorLayers(
  level: Level,
  minzoom: number,
  maxzoom: number,
  languages: readonly string[] = [],
): VectorLayer[] {
  const parents = Object.fromEntries(Array.from({ length: level }, (_, n) => [`gid_${n}`, 'String']));
  const unit = { gid: 'String', ...parents };
  const names = Object.fromEntries(['name', ...languages.map(languageAttribute)].map((name) => [name, 'String']));
  const layers = [
    { id: 'units', fields: { ...unit, colour: 'Number', leaf: 'Boolean', ...names }, minzoom, maxzoom },
    { id: 'borders', fields: { level: 'Number', ...parents }, minzoom: minzoom + BORDERS_AFTER, maxzoom },
    { id: 'labels', fields: { ...unit, ...names, rank: 'Number', zoom: 'Number' }, minzoom, maxzoom },
  ];
  return layers.filter((layer) => layer.minzoom <= maxzoom);
}
