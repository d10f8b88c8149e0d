// Makes the GID column of a level: the GIDs in order, and the runs of positions that each covers.
import { elementAt } from '../element-at.ts';
import { GidColumn } from '../gid-column.ts';
import { ascendingTexts } from './text-order.ts';

/**
 * Makes a column.
 * @param gids every GID that occurs, once, in any order
 * @param owners for each position the index of its GID in `gids`; -1 for no GID
 */
export function gidColumn(name: string, gids: readonly string[], owners: Int32Array): GidColumn {
  const order = ascendingTexts(gids);
  const numbers = new Uint32Array(gids.length);
  for (const [number, index] of order.entries()) numbers[index] = number;
  const texts = order.map((index) => Buffer.from(elementAt(gids, index)));
  const start = sums(Uint32Array.from(texts, ({ length }) => length));
  const count = new Uint32Array(gids.length);
  const runs = new Uint32Array(gids.length);
  for (const [position, owner] of owners.entries()) {
    if (owner === -1) continue;
    const number = elementAt(numbers, owner);
    count[number] = elementAt(count, number) + 1;
    if (position === 0 || owners[position - 1] !== owner) runs[number] = elementAt(runs, number) + 1;
  }
  const run = sums(runs);
  const first = new Uint32Array(elementAt(run, gids.length));
  const rank = new Uint32Array(first.length);
  const nextRun = run.slice();
  const seen = new Uint32Array(gids.length);
  for (const [position, owner] of owners.entries()) {
    if (owner === -1) continue;
    const number = elementAt(numbers, owner);
    if (position === 0 || owners[position - 1] !== owner) {
      const at = elementAt(nextRun, number);
      nextRun[number] = at + 1;
      first[at] = position;
      rank[at] = elementAt(seen, number);
    }
    seen[number] = elementAt(seen, number) + 1;
  }
  return new GidColumn(name, { start, text: Buffer.concat(texts), run, first, rank, count });
}

/** The sum of all values before each, and of all. */
function sums(values: Uint32Array): Uint32Array {
  const before = new Uint32Array(values.length + 1);
  let sum = 0;
  for (const [i, value] of values.entries()) {
    sum += value;
    if (sum > 0xffffffff) throw new RangeError(`the GIDs of a column take more than ${0xffffffff} bytes`);
    before[i + 1] = sum;
  }
  return before;
}
