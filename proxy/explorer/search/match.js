// How well the rows of a segment match what is typed. Used by the search over all levels.
import { foldGids, foldName } from './fold.js';
import { numberAt } from './segment.js';

/** @typedef {import('./segment.js').Segment} Segment */

/** How a row matches, best first. */
export const MATCH = Object.freeze({ exact: 0, prefix: 1, wordStart: 2, inside: 3, gidPrefix: 4, not: 255 });

/**
 * What is searched for: a part of a name, or the start of a GID.
 * @typedef {{ name: string, gid: string }} Needle
 */

/**
 * @param {string} text as typed
 * @returns {Needle | undefined} undefined where there is nothing to search for
 */
export function readNeedle(text) {
  const needle = { name: foldName(text), gid: foldGids([text.trim()]) };
  return needle.gid === '' ? undefined : needle;
}

/**
 * @param {Segment} segment
 * @param {Needle} needle
 * @returns {Uint8Array} MATCH of each row
 */
export function matchRows(segment, needle) {
  const matches = new Uint8Array(segment.length).fill(MATCH.not);
  if (needle.name !== '') matchNames(segment, needle.name, matches);
  matchGids(segment, needle.gid, matches);
  return matches;
}

/**
 * @param {Segment} segment
 * @param {string} needle
 * @param {Uint8Array} matches
 */
function matchNames({ names, nameStarts }, needle, matches) {
  let row = 0;
  let end = numberAt(nameStarts, 1) - 1;
  for (let at = names.indexOf(needle); at !== -1; ) {
    for (; at > end; end = numberAt(nameStarts, row + 1) - 1) row++;
    const match = matchIn(names, at, { start: numberAt(nameStarts, row), end, length: needle.length });
    if (match < numberAt(matches, row)) matches[row] = match;
    // The next occurrence may be a better one only where this one is inside a word.
    at = names.indexOf(needle, match === MATCH.inside ? at + 1 : end + 1);
  }
}

/**
 * @param {string} names
 * @param {number} at where the needle occurs
 * @param {{ start: number, end: number, length: number }} row where its name is, and the needle's length
 */
function matchIn(names, at, { start, end, length }) {
  if (at === start) return at + length === end ? MATCH.exact : MATCH.prefix;
  return names[at - 1] === ' ' ? MATCH.wordStart : MATCH.inside;
}

/**
 * @param {Segment} segment
 * @param {string} needle
 * @param {Uint8Array} matches
 */
function matchGids({ gids, gidStarts }, needle, matches) {
  // Most segments end here. A search for the line feed alone would stop at every row.
  if (!gids.includes(needle)) return;
  let row = 0;
  const lineNeedle = `\n${needle}`;
  for (let at = gids.startsWith(needle) ? 0 : gids.indexOf(lineNeedle) + 1 || -1; at !== -1; ) {
    while (numberAt(gidStarts, row) < at) row++;
    const isWhole = at + needle.length === numberAt(gidStarts, row + 1) - 1;
    const match = isWhole ? MATCH.exact : MATCH.gidPrefix;
    if (match < numberAt(matches, row)) matches[row] = match;
    at = gids.indexOf(lineNeedle, at) + 1 || -1;
  }
}
