// Which units of a level share a border, and how long it is: neighbours.bin.
import { u32At } from './element-at.ts';
import { FormatError } from './parse.ts';
import { FORMAT_VERSION, versionProblem } from './version.ts';

/** The first bytes of the file. */
export const NEIGHBOURS_MAGIC: Buffer = Buffer.from('touches\0');
/** Magic, then version, units, neighbours of all units as u32, and four bytes of zeros. */
const NEIGHBOURS_HEADER_BYTES = 24;
/** Units of the lengths of borders in a metre. */
export const LENGTHS_PER_METRE = 10;
/** Radius in metres of the sphere on which borders are measured: the mean radius of the Earth. */
export const SPHERE_METRES = 6_371_008.8;

/** The arrays of a level with n units, as README.md describes them; each border is there from both sides. */
export interface NeighbourArrays {
  /** Neighbours of the units before each position, and of all: n + 1. */
  start: Uint32Array;
  /** The positions of the neighbours of one unit after the other, ascending. */
  neighbour: Uint32Array;
  /** How long the border with each is, in tenths of a metre. */
  length: Uint32Array;
}

/** The neighbours of a level's units. */
export class Neighbours {
  readonly arrays: NeighbourArrays;

  constructor(arrays: NeighbourArrays) {
    this.arrays = arrays;
  }

  /** Bytes of the arrays. */
  get bytes(): number {
    const { start, neighbour, length } = this.arrays;
    return start.byteLength + neighbour.byteLength + length.byteLength;
  }

  /** The positions of the units that share a border with the one at a position, ascending. */
  of(position: number): Uint32Array {
    const { start, neighbour } = this.arrays;
    return neighbour.subarray(u32At(start, position), u32At(start, position + 1));
  }

  /** The lengths of its borders with them, in tenths of a metre. */
  lengthsOf(position: number): Uint32Array {
    const { start, length } = this.arrays;
    return length.subarray(u32At(start, position), u32At(start, position + 1));
  }
}

/** Units that are checked in a step. */
const STEP_UNITS = 1024;

/**
 * Reads neighbours.bin in steps, between which others may work: there may be millions of neighbours.
 * @param features number of units
 * @throws FormatError that says what was got and what was expected
 */
export function* decodingNeighbours(bytes: Uint8Array, features: number, file: string): Generator<void, Neighbours> {
  const own = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  const refuse = (problem: string): never => {
    throw new FormatError(file, problem);
  };
  if (own.length < NEIGHBOURS_HEADER_BYTES || !NEIGHBOURS_MAGIC.equals(own.subarray(0, NEIGHBOURS_MAGIC.length)))
    refuse('does not begin like a file of neighbours');
  const view = (offset: number, length: number): Uint32Array =>
    new Uint32Array(own.buffer, own.byteOffset + offset, length);
  const [version = 0, units, count = 0] = view(NEIGHBOURS_MAGIC.length, 3);
  if (version !== FORMAT_VERSION) refuse(versionProblem(version));
  if (units !== features) refuse(`has the neighbours of ${units} units, expected ${features}`);
  const expected = NEIGHBOURS_HEADER_BYTES + 4 * (features + 1 + 2 * count);
  if (own.length !== expected) refuse(`has ${own.length} bytes, expected ${expected}`);
  const first = NEIGHBOURS_HEADER_BYTES + 4 * (features + 1);
  const arrays = {
    start: view(NEIGHBOURS_HEADER_BYTES, features + 1),
    neighbour: view(first, count),
    length: view(first + 4 * count, count),
  };
  const problem = yield* neighboursProblem(arrays);
  return problem === undefined ? new Neighbours(arrays) : refuse(problem);
}

/** What is wrong with the arrays of a file. */
function* neighboursProblem({ start, neighbour, length }: NeighbourArrays): Generator<void, string | undefined> {
  const features = start.length - 1;
  if (u32At(start, 0) !== 0 || u32At(start, features) !== neighbour.length)
    return `start does not lead from 0 to ${neighbour.length}`;
  // As both sides ascend, the next neighbour of each unit that has not been seen from the other side is the one before.
  const next = start.slice();
  for (let position = 0; position < features; position++) {
    if (position % STEP_UNITS === 0) yield;
    const [begin, end] = [u32At(start, position), u32At(start, position + 1)];
    if (end < begin || end > neighbour.length) return `start does not ascend at position ${position}`;
    for (let i = begin; i < end; i++) {
      const other = u32At(neighbour, i);
      if (other >= features) return `position ${position} has neighbour ${other}, there are ${features} units`;
      if (other === position) return `position ${position} is its own neighbour`;
      if (i > begin && u32At(neighbour, i - 1) >= other) return `the neighbours of position ${position} do not ascend`;
      const back = u32At(next, other);
      if (back >= u32At(start, other + 1) || neighbour[back] !== position)
        return `position ${position} has neighbour ${other}, which does not have it`;
      if (length[back] !== u32At(length, i))
        return `positions ${position} and ${other} have different lengths of their border`;
      next[other] = back + 1;
    }
  }
  // Each neighbour was the next one of a list that has an end, so all lists are through.
  return undefined;
}
