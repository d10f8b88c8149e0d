// Finds the row of a GID: a hash table of row numbers, 8 bytes a row instead of the 100 of a Map with the texts.
import { numberAt } from './segment.js';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * FNV-1a over UTF-16 units.
 * @param {string} text
 * @returns {number} 1 to 2^32 - 1
 */
export function hashOf(text) {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0 || 1;
}

/** Row numbers by the hash of their GID, with open addressing. */
export class GidTable {
  /** Row + 1; 0 where there is none. A power of two, at most half full. */
  #slots;

  /** @param {readonly Uint32Array[]} parts the hash of each row's GID, in order of rows; 0 for a row without one */
  constructor(parts) {
    const rows = parts.reduce((sum, { length }) => sum + length, 0);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * rows + 1)));
    const mask = this.#slots.length - 1;
    let row = 0;
    for (const hashes of parts)
      for (const hash of hashes) {
        row++;
        if (hash === 0) continue;
        let slot = hash & mask;
        while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
        this.#slots[slot] = row;
      }
  }

  /**
   * @param {string} gid
   * @param {(row: number) => boolean} isThatOf does the row have this GID?
   * @returns {number} the first row with it; -1 if there is none
   */
  rowOf(gid, isThatOf) {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(gid) & mask; ; slot = (slot + 1) & mask) {
      const row = numberAt(this.#slots, slot) - 1;
      if (row === -1 || isThatOf(row)) return row;
    }
  }
}
