// PMTiles 3: the header, the directories and the numbers of tiles of an archive, as its specification has them
// (protomaps/PMTiles, spec/v3). The generator writes archives, `verify` and the proxy read them.
import { elementAt, f64At, u32At } from './element-at.ts';
import { lastUpTo } from './last-up-to.ts';
import { FormatError } from './parse.ts';

/** Bytes of the header; the root directory follows. */
export const PMTILES_HEADER_BYTES = 127;
/** Header and root directory end before this byte. */
export const PMTILES_BEGIN_BYTES_MAX = 16_384;
/** The deepest zoom that is read here: tile ids stay far below 2^53. */
export const ZOOM_MAX = 15;
/** Maximum length of a directory, inflated or not: hundreds of thousands of entries, of which a leaf usually has 4,096. */
export const DIRECTORY_MAX_BYTES: number = 4 * 1024 * 1024;

/** Values of the header: gzip for directories and tiles; Mapbox Vector Tiles. */
export const GZIP = 2;
export const MVT = 1;

/** The entries of a directory, ascending by tile id. */
export interface TileDirectory {
  /** Of the first tile of each entry. */
  id: Float64Array;
  /** How many tiles, one after the other, have its content; 0 for a leaf directory. */
  run: Uint32Array;
  /** Bytes of the content, or of the leaf. */
  length: Uint32Array;
  /** Its offset among the contents, or among the leaves. */
  offset: Float64Array;
}

/** What the header says. Lengths and offsets in bytes. */
export interface TilesHeader {
  rootLength: number;
  metadata: { offset: number; length: number };
  leaves: { offset: number; length: number };
  data: { offset: number; length: number };
  /** Tiles that have a content, entries, contents. */
  tiles: number;
  entries: number;
  contents: number;
  minzoom: number;
  maxzoom: number;
  /** West, south, east, north in degrees. */
  bounds: readonly number[];
}

/** Where tiles of a zoom begin among all tile ids. */
export function firstIdOf(zoom: number): number {
  return (4 ** zoom - 1) / 3;
}

/** The id of a tile: zoom by zoom, along the Hilbert curve. @param zoom at most ZOOM_MAX */
export function tileIdOf(zoom: number, x: number, y: number): number {
  let [column, row] = [x, y];
  let along = 0;
  for (let side = 2 ** zoom / 2; side >= 1; side /= 2) {
    const east = column >= side ? 1 : 0;
    const south = row >= side ? 1 : 0;
    along = 4 * along + ((3 * east) ^ south);
    column -= east * side;
    row -= south * side;
    // The curve enters the upper quarters turned: there columns and rows change places, from the other end in the east.
    if (south === 0) [column, row] = east === 1 ? [side - 1 - row, side - 1 - column] : [row, column];
  }
  return firstIdOf(zoom) + along;
}

/** The zoom, column and row of a tile id. */
export function tileOfId(id: number): { zoom: number; x: number; y: number } {
  let zoom = 0;
  while (firstIdOf(zoom + 1) <= id) zoom++;
  let along = id - firstIdOf(zoom);
  let [x, y] = [0, 0];
  for (let side = 1; side < 2 ** zoom; side *= 2) {
    const quarter = along % 4;
    const east = quarter >> 1;
    const south = east ^ (quarter & 1);
    if (south === 0) [x, y] = east === 1 ? [side - 1 - y, side - 1 - x] : [y, x];
    x += east * side;
    y += south * side;
    along = Math.floor(along / 4);
  }
  return { zoom, x, y };
}

/** The number of the last entry whose first tile is not after a tile; -1 if there is none. */
export function entryOf({ id }: TileDirectory, tile: number): number {
  return lastUpTo(id, tile, -1);
}

/**
 * Reads the bytes of a directory.
 * @throws FormatError if they are cut, or ids do not ascend
 */
export function decodeDirectory(bytes: Uint8Array, file: string): TileDirectory {
  let at = 0;
  const take = (): number => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined || factor > 2 ** 49) throw new FormatError(file, 'has a directory that is cut');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  const count = take();
  // Each entry has at least four bytes.
  if (4 * count > bytes.length) throw new FormatError(file, `has a directory of ${count} entries, which is cut`);
  const id = new Float64Array(count);
  const run = new Uint32Array(count);
  const length = new Uint32Array(count);
  const offset = new Float64Array(count);
  for (let i = 0, last = 0; i < count; i++) {
    const step = take();
    if (i > 0 && step === 0) throw new FormatError(file, 'has a directory whose tiles do not ascend');
    last += step;
    id[i] = last;
  }
  for (let i = 0; i < count; i++) run[i] = take();
  for (let i = 0; i < count; i++) length[i] = take();
  for (let i = 0; i < count; i++) {
    const from = take();
    if (from === 0 && i === 0) throw new FormatError(file, 'has a directory whose first entry has no offset');
    offset[i] = from === 0 ? f64At(offset, i - 1) + u32At(length, i - 1) : from - 1;
  }
  if (at !== bytes.length) throw new FormatError(file, `has a directory of ${bytes.length} bytes, expected ${at}`);
  return { id, run, length, offset };
}

/** Degrees in the header are whole numbers of 1e-7. */
export const DEGREE = 1e7;

/** Reads the header. @throws FormatError if it is none that this project writes */
export function decodeHeader(bytes: Buffer, file: string): TilesHeader {
  const isWhole = bytes.length >= PMTILES_HEADER_BYTES && bytes.toString('latin1', 0, 7) === 'PMTiles';
  if (!isWhole || bytes[7] !== 3) throw new FormatError(file, 'does not begin as a PMTiles 3 archive');
  const sizes = Array.from({ length: 11 }, (_, i) => Number(bytes.readBigUInt64LE(8 + 8 * i)));
  const size = (i: number): number => elementAt(sizes, i);
  const kinds = [bytes[97], bytes[98], bytes[99]];
  if (size(0) !== PMTILES_HEADER_BYTES || kinds.join() !== `${GZIP},${GZIP},${MVT}`)
    throw new FormatError(file, 'has other compression or tiles than gzip and MVT');
  return {
    rootLength: size(1),
    metadata: { offset: size(2), length: size(3) },
    leaves: { offset: size(4), length: size(5) },
    data: { offset: size(6), length: size(7) },
    tiles: size(8),
    entries: size(9),
    contents: size(10),
    minzoom: elementAt(bytes, 100),
    maxzoom: elementAt(bytes, 101),
    bounds: [0, 1, 2, 3].map((i) => bytes.readInt32LE(102 + 4 * i) / DEGREE),
  };
}
