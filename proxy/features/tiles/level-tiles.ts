// What is kept of the tiles of a level: the root directory of its archive and the digests of all its parts, and for a
// while leaf directories and records of contents.
import { gunzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { f64At, u32At } from '../../../format/element-at.ts';
import { lastUpTo } from '../../../format/last-up-to.ts';
import { tileDigestsPath, tilesPath } from '../../../format/layout.ts';
import { FormatError } from '../../../format/parse.ts';
import {
  DIRECTORY_MAX_BYTES,
  decodeDirectory,
  decodeHeader,
  entryOf,
  PMTILES_HEADER_BYTES,
  type TileDirectory,
  type TilesHeader,
} from '../../../format/pmtiles.ts';
import {
  decodeTileDigests,
  hasTileDigest,
  TILE_BLOCK_RECORDS,
  TILE_RECORD_BYTES,
  type TileContent,
  type TileDigests,
  tileContentAt,
} from '../../../format/tiles.ts';
import { BlockFile } from '../../data/block-file.ts';
import type { LoadedLevel, Part } from '../../data/loaded-release.ts';
import { type Loads, withLoaded } from '../../data/loads.ts';
import { Pieces } from '../../data/pieces.ts';
import { Problem } from '../../http/problem.ts';

/** Size of the leaf directories that are kept decoded for each level. */
const KEPT_MAX_BYTES = 1024 * 1024;
/** Of an entry of a directory. */
const ENTRY_BYTES = 24;
const BLOCK_BYTES = TILE_BLOCK_RECORDS * TILE_RECORD_BYTES;

/** Where a tile is in the archive. */
export interface StoredTile extends TileContent {
  /** In the archive. */
  offset: number;
  length: number;
}

/** The tiles of a level. */
export class LevelTiles {
  /** Of the archive, relative to the origin. */
  readonly path: string;
  /** The bytes that the archive begins with: header, root directory, metadata. */
  readonly begin: Buffer;
  readonly header: TilesHeader;
  readonly digests: TileDigests;
  readonly leaves: Pieces;
  readonly blocks: Pieces;
  readonly #root: TileDirectory;
  readonly #decoded = new LRUCache<number, TileDirectory>({ maxSize: KEPT_MAX_BYTES });

  /** @throws FormatError */
  constructor(folder: string, { index }: Pick<LoadedLevel, 'index'>, begin: Buffer, head: Buffer, digestBytes: number) {
    this.path = `${folder}/${tilesPath(index.level)}`;
    const beside = `${folder}/${tileDigestsPath(index.level)}`;
    this.begin = begin;
    this.header = decodeHeader(begin, this.path);
    const { rootLength, leaves } = this.header;
    this.#root = directoryIn(begin.subarray(PMTILES_HEADER_BYTES, PMTILES_HEADER_BYTES + rootLength), this.path);
    this.digests = decodeTileDigests(head, beside);
    const root = this.#root;
    this.leaves = new Pieces(this.path, {
      rangeOf(leaf) {
        return { offset: leaves.offset + f64At(root.offset, leaf), length: u32At(root.length, leaf) };
      },
      hasBytes: (leaf, bytes) => hasTileDigest(this.digests.leaves, leaf, bytes),
    });
    const blocks = new BlockFile(digestBytes, BLOCK_BYTES, this.digests.blocks, head.length);
    this.blocks = new Pieces(beside, blocks, true);
  }

  get bytes(): number {
    const own = this.begin.length + this.digests.bytes + ENTRY_BYTES * this.#root.id.length;
    return own + this.#decoded.calculatedSize;
  }

  /** A tile; null if nothing is there. @throws OriginError; FormatError if the archive contradicts itself */
  tileAt(id: number, loads: Loads): StoredTile | null | Promise<StoredTile | null> {
    const root = this.#root;
    const entry = entryOf(root, id);
    if (entry === -1 || u32At(root.run, entry) > 0) return this.#tileIn(root, id, loads);
    const leaf = this.#decoded.get(entry) ?? this.#leaf(entry, loads);
    return withLoaded(leaf, (directory) => this.#tileIn(directory, id, loads));
  }

  #tileIn(directory: TileDirectory, id: number, loads: Loads): StoredTile | null | Promise<StoredTile | null> {
    const entry = entryOf(directory, id);
    if (entry === -1 || id >= f64At(directory.id, entry) + u32At(directory.run, entry)) return null;
    const offset = f64At(directory.offset, entry);
    return withLoaded(this.blocks.load(lastUpTo(this.digests.firsts, offset), loads), (block) => {
      const content = tileContentAt(block, offset);
      if (content === undefined) throw new FormatError(this.path, `has a tile ${id} that tiles.digest has not`);
      // Not `...content`: that takes longer than all the rest.
      const { digest, crc, textBytes } = content;
      const at = this.header.data.offset + offset;
      return { digest, crc, textBytes, offset: at, length: u32At(directory.length, entry) };
    });
  }

  async #leaf(leaf: number, loads: Loads): Promise<TileDirectory> {
    const decoded = directoryIn(await this.leaves.load(leaf, loads), this.path);
    this.#decoded.set(leaf, decoded, { size: ENTRY_BYTES * (decoded.id.length + 1) });
    return decoded;
  }
}

/** They are brought into memory for tiles, and for the download of all. */
export const TILES: Part<LevelTiles> = {
  name: 'tiles',
  type: LevelTiles,
  /** @throws Problem not-found if the level has none */
  async load(level) {
    const { tiles } = level.summary;
    const { index, folder } = level;
    if (tiles === undefined) throw noTiles(folder.slice(folder.lastIndexOf('/') + 1));
    const [begin, head] = await Promise.all([
      level.read(tilesPath(index.level), tiles.directory, true),
      level.read(tileDigestsPath(index.level), tiles.digests.head, true),
    ]);
    return new LevelTiles(folder, level, begin, head, tiles.digests.bytes);
  },
};

/** What is said of a level without tiles. */
export function noTiles(release: string): Problem {
  return new Problem(
    'not-found',
    `Release ${release} has no tiles of this level: it was built with --no-tiles, or no unit of the level has an area.`,
  );
}

/** @throws FormatError if it is none, or too large, or leads to a leaf that is */
function directoryIn(gzipped: Uint8Array, path: string): TileDirectory {
  let bytes: Buffer;
  try {
    bytes = gunzipSync(gzipped, { maxOutputLength: DIRECTORY_MAX_BYTES });
  } catch {
    throw new FormatError(path, `has a directory that is not gzip of at most ${DIRECTORY_MAX_BYTES} bytes`);
  }
  const directory = decodeDirectory(bytes, path);
  if (directory.length.some((length, i) => directory.run[i] === 0 && length > DIRECTORY_MAX_BYTES))
    throw new FormatError(path, `has a leaf of more than ${DIRECTORY_MAX_BYTES} bytes`);
  return directory;
}
