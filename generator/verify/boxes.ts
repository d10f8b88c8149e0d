// Verifies the boxes of parts in an index against the boxes of their units (format/README.md, 'Index').
import { boxAt, liesWithin } from '../../format/boxes.ts';
import { i32At } from '../../format/element-at.ts';
import { type LevelIndex, PART_NUMBERS, PARTS_MAX } from '../../format/level-index.ts';

/** What is wrong with the parts of an index, whose positions ascend. */
export function partProblems({ arrays: { box, part } }: LevelIndex): string[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < part.length; at += PART_NUMBERS) {
    const position = i32At(part, at);
    counts.set(position, (counts.get(position) ?? 0) + 1);
    if (!liesWithin(boxAt(part, at + 1), boxAt(box, 4 * position)))
      return [`part[${at}] does not lie in the box of position ${position}`];
  }
  const [position, count] = [...counts].find(([, count]) => count === 1 || count > PARTS_MAX) ?? [];
  return count === undefined ? [] : [`position ${position} has ${count} parts, expected none, or 2 to ${PARTS_MAX}`];
}
