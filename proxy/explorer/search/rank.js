// The best of the rows that match, in order: how they match, higher levels, more children, the order of the files.
import { MATCH, matchRows } from './match.js';
import { numberAt } from './segment.js';

/**
 * A row that matches.
 * @typedef {{ index: import('./name-index.js').NameIndex, row: number }} Found
 */

/** More than any number of children. */
const CHILDREN_SPAN = 2 ** 32;
const LEVEL_SPAN = 6;

/**
 * @param {readonly import('./name-index.js').NameIndex[]} indexes by level, ascending
 * @param {import('./match.js').Needle} needle
 * @param {number} limit
 * @returns {{ found: number, best: Found[] }} how many rows match, and the best `limit` of them
 */
export function bestRows(indexes, needle, limit) {
  const best = new Best(limit);
  for (const index of indexes)
    for (const segment of index.segments) {
      const matches = matchRows(segment, needle);
      for (let i = 0; i < matches.length; i++) {
        const match = numberAt(matches, i);
        if (match === MATCH.not) continue;
        const weight = (match * LEVEL_SPAN + index.level + 1) * CHILDREN_SPAN - numberAt(segment.children, i);
        best.offer(weight, index, segment.firstRow + i);
      }
    }
  return { found: best.offered, best: best.rows };
}

/** The rows of the least weight; of equal ones those that were offered first. */
class Best {
  offered = 0;
  /** @type {Found[]} */
  rows = [];
  /** @type {number[]} */
  #weights = [];
  #limit;
  /** From this weight on nothing is taken. */
  #bound = Infinity;

  /** @param {number} limit */
  constructor(limit) {
    this.#limit = limit;
    if (limit < 1) this.#bound = -Infinity;
  }

  /**
   * @param {number} weight
   * @param {import('./name-index.js').NameIndex} index
   * @param {number} row
   */
  offer(weight, index, row) {
    this.offered++;
    if (weight >= this.#bound) return;
    const place = this.#weights.findLastIndex((other) => other <= weight) + 1;
    this.#weights.splice(place, 0, weight);
    this.rows.splice(place, 0, { index, row });
    if (this.rows.length > this.#limit) {
      this.rows.pop();
      this.#weights.pop();
    }
    if (this.rows.length === this.#limit) this.#bound = this.#weights.at(-1) ?? Infinity;
  }
}
