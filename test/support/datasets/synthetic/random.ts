// Pseudorandom numbers, the same on every machine. Each unit and purpose has its own stream, so that a unit does not
// depend on the units made before it.

/** The next number, 0 <= number < 1. */
export type Random = () => number;

/** What a stream is for. */
const PURPOSES = { tree: 1, place: 2, shape: 3, name: 4 } as const;

/** Odd multipliers, the first near 2^32 / golden ratio: they spread small numbers over all bits. */
const SPREAD_A = 0x9e3779b1;
const SPREAD_B = 0x85ebca6b;
const SPREAD_C = 0xc2b2ae35;

/** The stream of one unit: xorshift with shifts 13, 17, 5 (George Marsaglia, "Xorshift RNGs", 2003), then a product. */
export function newRandom(seed: number, purpose: keyof typeof PURPOSES, level: number, rank: number): Random {
  let state = Math.imul(seed * 8 + PURPOSES[purpose] + 1, SPREAD_A);
  state = Math.imul(state ^ (state >>> 15) ^ (level + 1), SPREAD_B);
  state = Math.imul(state ^ (state >>> 13) ^ (rank + 1), SPREAD_C);
  state = (state ^ (state >>> 16)) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (Math.imul(state, SPREAD_A) >>> 0) / 2 ** 32;
  };
}
