// The arcs of a zoom as a file of numbers: written and read without a copy in memory, as there may be millions. Used by
// prepare-tiles.ts.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { elementAt } from '../../format/element-at.ts';

/** Arcs: see shapes/edge-squares.ts. */
interface Arcs {
  x: Int32Array;
  y: Int32Array;
  arcEnds: Int32Array;
}

/** Bytes that are read or written at once: fewer than 2^31. */
const AT_ONCE = 2 ** 30;

/** Writes arcs in the byte order of the machine: how many arcs and places there are, then the numbers. */
export function writeArcs(path: string, { x, y, arcEnds }: Arcs): void {
  const file = openSync(path, 'w');
  try {
    for (const numbers of [Int32Array.of(arcEnds.length, x.length), arcEnds, x, y]) {
      const bytes = bytesOf(numbers);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(AT_ONCE, bytes.length - at));
    }
  } finally {
    closeSync(file);
  }
}

/** Reads them. @throws RangeError if the file is too short */
export function readArcs(path: string): Arcs {
  const file = openSync(path, 'r');
  const read = (length: number): Int32Array => {
    const numbers = new Int32Array(length);
    const bytes = bytesOf(numbers);
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(file, bytes, at, Math.min(AT_ONCE, bytes.length - at), null);
      if (count === 0) throw new RangeError(`${path} ends early`);
      at += count;
    }
    return numbers;
  };
  try {
    const counts = read(2);
    const arcEnds = read(elementAt(counts, 0));
    const [x, y] = [read(elementAt(counts, 1)), read(elementAt(counts, 1))];
    return { x, y, arcEnds };
  } finally {
    closeSync(file);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
