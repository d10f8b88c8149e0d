// The way from the world to what is shown. Requests name GIDs alone; the names are remembered from units looked at.

/** @typedef {import('../request/unit.js').Step} Step */

/** By level and GID. @type {Map<string, Step[]>} */
const known = new Map();

/**
 * Remembers the steps to a unit, and to each one above it.
 * @param {readonly Step[]} lineage
 */
export function remember(lineage) {
  for (const [i, { level, gid }] of lineage.entries()) known.set(`${level} ${gid}`, lineage.slice(0, i + 1));
}

/**
 * The steps to the deepest unit that is asked for: remembered ones, else the bare GIDs.
 * @param {ReadonlyMap<number, string>} filters
 * @returns {readonly Step[]}
 */
export function stepsTo(filters) {
  const ascending = [...filters].sort(([a], [b]) => a - b);
  const remembered = known.get(ascending.at(-1)?.join(' ') ?? '');
  return remembered ?? ascending.map(([level, gid]) => ({ level, gid, name: gid }));
}
