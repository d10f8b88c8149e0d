// Checks the vector tiles of a level: header, directories, contents and their digests, and that features have the ids
// of units that are there.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Box, boxAt, FULL_TURN, touches } from '../../format/boxes.ts';
import type { CheckedFile, TilesFile } from '../../format/checked-files.ts';
import { f64At, u32At } from '../../format/element-at.ts';
import type { LevelArrays } from '../../format/level-index.ts';
import {
  DIRECTORY_MAX_BYTES,
  decodeDirectory,
  decodeHeader,
  firstIdOf,
  PMTILES_HEADER_BYTES,
  tileOfId,
} from '../../format/pmtiles.ts';
import {
  decodeTileDigests,
  hasTileDigest,
  TILE_BLOCK_RECORDS,
  TILE_RECORD_BYTES,
  tileContentAt,
  tileDigestOf,
} from '../../format/tiles.ts';
import { sha256Of } from '../files/checksums.ts';
import { FileError } from '../release-reader/file-error.ts';
import { gunzipWithin, readAt } from '../release-reader/inflate.ts';
import { featureIdsIn } from '../tiles/mvt.ts';
import { TILE_BUFFER } from '../tiles/quarter-tiles.ts';
import { TILE_EXTENT } from '../tiles/tile-arcs.ts';

/** What is known of the units of a level: `fid` and `box` of its index. */
type UnitArrays = Pick<LevelArrays, 'fid' | 'box'>;

/** What a tile has beyond its square, as a share of its side: the buffer, and what rounding moves. */
const AROUND = (TILE_BUFFER + 2) / TILE_EXTENT;

/**
 * Checks an archive and the file beside it.
 * @param arrays of the level's index
 * @throws FileError, FormatError
 */
export function checkTiles(file: string, beside: string, tiles: TilesFile, { fid, box }: UnitArrays): void {
  const digestFile = readFileSync(beside);
  const head = part(digestFile, tiles.digests.head, 'the head of tiles.digest');
  const digests = decodeTileDigests(head, 'tiles.digest');
  const blocks = digestFile.subarray(head.length);
  const blockBytes = TILE_BLOCK_RECORDS * TILE_RECORD_BYTES;
  for (const block of digests.firsts.keys())
    expectDigest(blocks.subarray(block * blockBytes, (block + 1) * blockBytes), digests.blocks, block, 'block');
  const handle = openSync(file, 'r');
  try {
    const begin = part(readAt(handle, 0, tiles.directory.bytes), tiles.directory, 'its beginning');
    const header = decodeHeader(begin, 'tiles.pmtiles');
    if (header.minzoom !== tiles.minzoom || header.maxzoom !== tiles.maxzoom)
      throw new FileError(`its zooms are ${header.minzoom} to ${header.maxzoom}, release.json has others`);
    const root = decodeDirectory(
      gunzipWithin(begin.subarray(PMTILES_HEADER_BYTES, PMTILES_HEADER_BYTES + header.rootLength), DIRECTORY_MAX_BYTES),
      'its root directory',
    );
    const positions = new Map(Array.from(fid, (own, position) => [own, position]));
    const seen = new Set<number>();
    let [next, leaf] = [firstIdOf(header.minzoom), 0];
    const checkEntries = (entries: typeof root): void => {
      for (const [i, id] of entries.id.entries()) {
        const [run, length, offset] = [u32At(entries.run, i), u32At(entries.length, i), f64At(entries.offset, i)];
        if (run === 0) {
          const bytes = readAt(handle, header.leaves.offset + offset, length);
          expectDigest(bytes, digests.leaves, leaf++, 'leaf');
          checkEntries(decodeDirectory(gunzipWithin(bytes, DIRECTORY_MAX_BYTES), `leaf ${leaf}`));
          continue;
        }
        if (id < next || id + run > firstIdOf(header.maxzoom + 1))
          throw new FileError(`tile ${id} is out of order, or not of its zooms`);
        next = id + run;
        const isDeepest = id >= firstIdOf(header.maxzoom);
        const bytes = readAt(handle, header.data.offset + offset, length);
        const record = tileContentAt(blocks, offset);
        if (record?.digest !== tileDigestOf(bytes).toString('hex') || record.crc !== crc32(bytes))
          throw new FileError(`tile ${id}: its digest or CRC-32 is not that of tiles.digest`);
        const text = gunzipWithin(bytes, record.textBytes);
        if (text.length !== record.textBytes)
          throw new FileError(`tile ${id} has ${text.length} bytes, tiles.digest has ${record.textBytes}`);
        const units: { own: number; unit: Box }[] = [];
        for (const { id: own, layer } of featureIdsIn(text)) {
          const position = positions.get(own);
          if (position === undefined) throw new FileError(`tile ${id} has a feature ${own}, which the level has not`);
          units.push({ own, unit: boxAt(box, 4 * position) });
          // A unit without an area on the grid has a label alone.
          if (isDeepest && layer === 'units') seen.add(own);
        }
        for (let tile = id; tile < id + run; tile++) {
          const place = boxOfTile(tile);
          const apart = units.find(({ unit }) => !touches(place, unit));
          if (apart !== undefined)
            throw new FileError(`tile ${tile} has a feature ${apart.own}, whose unit is elsewhere`);
        }
      }
    };
    checkEntries(root);
    if (seen.size !== tiles.units)
      throw new FileError(`has ${seen.size} units at zoom ${header.maxzoom}, release.json has ${tiles.units}`);
  } finally {
    closeSync(handle);
  }
}

function part(bytes: Buffer, { bytes: length, sha256 }: CheckedFile, what: string): Buffer {
  const own = bytes.subarray(0, length);
  if (sha256Of(own) !== sha256) throw new FileError(`the SHA-256 of ${what} is not that of release.json`);
  return own;
}

function expectDigest(bytes: Buffer, digests: Buffer, number: number, what: string): void {
  if (!hasTileDigest(digests, number, bytes)) throw new FileError(`${what} ${number} is not what tiles.digest says`);
}

/** Where a tile may have something, in units of the index: its square with the buffer. */
function boxOfTile(id: number): Box {
  const { zoom, x, y } = tileOfId(id);
  const longitude = (column: number): number => (column / 2 ** zoom) * FULL_TURN - FULL_TURN / 2;
  const latitude = (row: number): number =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 2 ** zoom))) / (2 * Math.PI)) * FULL_TURN;
  const [west, east] = [longitude(x - AROUND), longitude(x + 1 + AROUND)];
  return { west, south: latitude(y + 1 + AROUND), east, north: latitude(y - AROUND) };
}
