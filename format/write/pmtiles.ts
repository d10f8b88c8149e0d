// Writes the header and the directories of an archive of tiles, which ../pmtiles.ts reads.
import { elementAt, f64At, u32At } from '../element-at.ts';
import { DEGREE, GZIP, MVT, PMTILES_HEADER_BYTES, type TileDirectory, type TilesHeader } from '../pmtiles.ts';
import { writeVarint } from './varints.ts';

/** The bytes of some entries of a directory, before they are compressed. */
export function encodeDirectory({ id, run, length, offset }: TileDirectory, first = 0, end = id.length): Buffer {
  const bytes = Buffer.allocUnsafe(8 + 32 * (end - first));
  let at = 0;
  const put = (value: number): void => {
    at = writeVarint(bytes, at, value);
  };
  put(end - first);
  for (let i = first; i < end; i++) put(f64At(id, i) - (i === first ? 0 : f64At(id, i - 1)));
  for (let i = first; i < end; i++) put(u32At(run, i));
  for (let i = first; i < end; i++) put(u32At(length, i));
  for (let i = first; i < end; i++) {
    const follows = i > first && f64At(offset, i) === f64At(offset, i - 1) + u32At(length, i - 1);
    put(follows ? 0 : f64At(offset, i) + 1);
  }
  return bytes.subarray(0, at);
}

/** The bytes of the header. */
export function encodeHeader(header: TilesHeader): Buffer {
  const bytes = Buffer.alloc(PMTILES_HEADER_BYTES);
  bytes.write('PMTiles', 'latin1');
  bytes[7] = 3;
  const { rootLength, metadata, leaves, data, bounds } = header;
  const sizes = [
    ...[PMTILES_HEADER_BYTES, rootLength, metadata.offset, metadata.length, leaves.offset, leaves.length],
    ...[data.offset, data.length, header.tiles, header.entries, header.contents],
  ];
  for (const [i, size] of sizes.entries()) bytes.writeBigUInt64LE(BigInt(size), 8 + 8 * i);
  // Contents are in the order of their tiles.
  bytes.set([1, GZIP, GZIP, MVT, header.minzoom, header.maxzoom], 96);
  for (const [i, edge] of bounds.entries()) bytes.writeInt32LE(Math.round(edge * DEGREE), 102 + 4 * i);
  bytes[118] = header.minzoom;
  for (const axis of [0, 1]) {
    const middle = (elementAt(bounds, axis) + elementAt(bounds, axis + 2)) / 2;
    bytes.writeInt32LE(Math.round(middle * DEGREE), 119 + 4 * axis);
  }
  return bytes;
}
