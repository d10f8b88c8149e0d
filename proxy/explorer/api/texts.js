// Texts for numbers and for lists: what a list has, with the types of the data in their own words, and which of its
// units lead somewhere.
import { titleOf } from './unit.js';

/** So many units that have others inside are named. */
const NAMED_MAX = 3;

/** @param {number} number */
export function count(number) {
  return number.toLocaleString('en');
}

/** @param {number} number of units */
export function unitsText(number) {
  return `${count(number)} ${number === 1 ? 'unit' : 'units'}`;
}

/** @param {number} number of bytes */
export function size(number) {
  if (number < 1000) return `${number} B`;
  return number < 1_000_000 ? `${(number / 1000).toFixed(1)} kB` : `${(number / 1_000_000).toFixed(1)} MB`;
}

/**
 * How many units have each type, the commonest first.
 * @param {readonly { type: string | null }[]} units
 * @returns {[type: string | null, units: number][]}
 */
export function commonestTypes(units) {
  /** @type {Map<string | null, number>} */
  const counts = new Map();
  for (const { type } of units) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/**
 * What a list has, with its two commonest types: '17 × Autonomous Community, 2 × Free City'.
 * @param {readonly { type: string | null, level: number }[]} units
 * @param {number} total how many there are, where the list is shorter
 */
export function summarize(units, total) {
  const [first, second, ...others] = commonestTypes(units);
  if (first === undefined || first[0] === null || total > units.length) return totalText(total, units[0]?.level);
  if (second === undefined) return typeText(first);
  if (others.length === 0 && second[0] !== null) return `${typeText(first)}, ${typeText(second)}`;
  return `${unitsText(total)}, among them ${typeText(first)}`;
}

/** @param {[type: string | null, units: number]} counted */
function typeText([type, units]) {
  return `${count(units)} × ${type}`;
}

/**
 * @param {number} total
 * @param {number | undefined} level
 */
function totalText(total, level) {
  if (level !== 0) return unitsText(total);
  return `${count(total)} ${total === 1 ? 'country' : 'countries'}`;
}

/**
 * Which units have others inside, where it is neither all nor none; empty otherwise.
 * @param {readonly Pick<import('./unit.js').NamedUnit, 'name' | 'gid' | 'fid' | 'children'>[]} rows
 */
export function leadsText(rows) {
  const leading = rows.filter(({ children }) => children > 0);
  if (leading.length === 0 || leading.length === rows.length) return '';
  if (leading.length > NAMED_MAX) return `${count(leading.length)} of ${count(rows.length)} have units inside.`;
  const names = leading.map(titleOf).sort();
  return `These have units inside: ${names.join(', ')}.`;
}
