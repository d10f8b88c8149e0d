// The arcs of a zoom as a file of numbers: written and read without a copy in memory, as there may be millions.
import { readFileSync, writeFileSync } from 'node:fs';
import { elementAt } from '../../format/element-at.ts';
import type { Arcs } from './arcs.ts';

/** Writes arcs in the byte order of the machine: how many arcs and places there are, then the numbers. */
export function writeArcs(path: string, { x, y, arcEnds }: Arcs): void {
  writeFileSync(path, Int32Array.of(arcEnds.length, x.length));
  for (const numbers of [arcEnds, x, y]) writeFileSync(path, numbers, { flag: 'a' });
}

/** Reads them. @throws RangeError if the file is too short */
export function readArcs(path: string): Arcs {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const numbers = new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
  const [arcs, places] = [elementAt(numbers, 0), elementAt(numbers, 1)];
  if (numbers.length !== 2 + arcs + 2 * places) throw new RangeError(`${path} ends early`);
  const begin = 2 + arcs;
  return {
    arcEnds: numbers.subarray(2, begin),
    x: numbers.subarray(begin, begin + places),
    y: numbers.subarray(begin + places, begin + 2 * places),
  };
}
