// Writes neighbours.bin, which ../neighbours.ts reads.
import { NEIGHBOURS_MAGIC, type NeighbourArrays } from '../neighbours.ts';
import { FORMAT_VERSION } from '../version.ts';

/** Serialises the neighbours of a level. */
export function encodeNeighbours({ start, neighbour, length }: NeighbourArrays): Buffer {
  const head = Uint32Array.of(FORMAT_VERSION, start.length - 1, neighbour.length, 0);
  const parts = [head, start, neighbour, length].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  return Buffer.concat([NEIGHBOURS_MAGIC, ...parts]);
}
