// The name that was probably meant by a mistyped option or command.
import { numberAt } from '../element-at.ts';

/** Insertions, deletions and replacements that a mistyped name may differ by. */
const EDITS_MAX = 2;

/** The name closest to `typed`, or one that begins with it; undefined if none is close. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editDistance(typed, name) }))
    .filter(({ name, edits }) => edits <= EDITS_MAX && edits < name.length)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.name ?? names.find((name) => typed.length > 1 && name.startsWith(typed));
}

/** The Levenshtein distance, one row of its table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = numberAt(row, j) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, numberAt(row, j + 1) + 1, numberAt(next, j) + 1));
    }
    row = next;
  }
  return numberAt(row, to.length);
}
