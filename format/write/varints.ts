// Writes whole numbers of any size, which VarintReader (../cell-numbers.ts) reads.

/** Most bytes of a whole number below 2^53, of which 7 bits are in each. */
export const VARINT_BYTES = 8;

/** 7 bits a byte, the lowest first; the highest bit of a byte says that more follow. @returns where the next one is put */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  // Operators on bits take 31 of them.
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) bytes[next++] = 128 + (rest % 128);
  for (; rest >= 128; rest >>>= 7) bytes[next++] = 128 | (rest & 127);
  bytes[next++] = rest;
  return next;
}

/** 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... @returns likewise */
export function writeSigned(bytes: Uint8Array, at: number, value: number): number {
  return writeVarint(bytes, at, value < 0 ? -2 * value - 1 : 2 * value);
}
