// Texts for numbers and for lists: what a list has, with the types of the data in their own words, and which of its
// units lead somewhere.
import { type NamedUnit, titleOf } from './unit.ts';

/** So many units that have others inside are named. */
const NAMED_MAX = 3;

export function count(number: number) {
  return number.toLocaleString('en');
}

/** @param number of units */
export function unitsText(number: number) {
  return `${count(number)} ${number === 1 ? 'unit' : 'units'}`;
}

/** @param number of bytes */
export function size(number: number) {
  if (number < 1000) return `${number} B`;
  return number < 1_000_000 ? `${(number / 1000).toFixed(1)} kB` : `${(number / 1_000_000).toFixed(1)} MB`;
}

/** How many units have each type, the commonest first. */
export function commonestTypes(units: readonly { type: string | null }[]): [type: string | null, units: number][] {
  const counts: Map<string | null, number> = new Map();
  for (const { type } of units) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/**
 * What a list has, with its two commonest types: '17 × Autonomous Community, 2 × Free City'.
 * @param total how many there are, where the list is shorter
 */
export function summarize(units: readonly { type: string | null; level: number }[], total: number) {
  const [first, second, ...others] = commonestTypes(units);
  if (first === undefined || first[0] === null || total > units.length) return totalText(total, units[0]?.level);
  if (second === undefined) return typeText(first);
  if (others.length === 0 && second[0] !== null) return `${typeText(first)}, ${typeText(second)}`;
  return `${unitsText(total)}, among them ${typeText(first)}`;
}

function typeText([type, units]: [type: string | null, units: number]) {
  return `${count(units)} × ${type}`;
}

function totalText(total: number, level: number | undefined) {
  if (level !== 0) return unitsText(total);
  return `${count(total)} ${total === 1 ? 'country' : 'countries'}`;
}

/** Which units have others inside, where it is neither all nor none; empty otherwise. */
export function leadsText(rows: readonly Pick<NamedUnit, 'name' | 'gid' | 'fid' | 'children'>[]) {
  const leading = rows.filter(({ children }) => children > 0);
  if (leading.length === 0 || leading.length === rows.length) return '';
  if (leading.length > NAMED_MAX) return `${count(leading.length)} of ${count(rows.length)} have units inside.`;
  const names = leading.map(titleOf).sort();
  return `These have units inside: ${names.join(', ')}.`;
}
