// What units are called, from the types in the data: a list '19 regions' or '50 states, 1 federal district', a level
// 'Regions'; and which units lead somewhere.
import { titleOf } from './unit.js';

/** So many units that have others inside are named. */
const NAMED_MAX = 3;

/**
 * English words for administrative units: only their plural is formed. Types in other languages are quoted unchanged.
 */
const ENGLISH =
  /(^|[\s-])(area|arrondissement|borough|canton|city|circle|commune|community|country|county|department|dependency|district|division|emirate|governorate|island|kingdom|locality|municipality|nation|oblast|parish|prefecture|principality|province|quarter|region|republic|sector|state|subdistrict|suburb|territory|town|township|union|village|voivodeship|ward|zone)$/i;

/**
 * @param {number} count
 * @param {string} type as in the data
 * @returns {string} '1 county', '50 counties', '8 × Comunidad Autónoma'
 */
export function countOf(count, type) {
  const number = count.toLocaleString('en');
  if (!ENGLISH.test(type)) return `${number} × ${type}`;
  const lower = type.toLowerCase();
  return `${number} ${count === 1 ? lower : plural(lower)}`;
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
 * What a list has, with its two commonest types.
 * @param {readonly { type: string | null, level: number }[]} units
 * @param {number} total how many there are, where the list is shorter
 */
export function summarize(units, total) {
  const [first, second, ...others] = commonestTypes(units);
  const isCut = total > units.length;
  if (first === undefined || first[0] === null || isCut) return unnamed(total, units[0]?.level);
  if (second === undefined) return countOf(first[1], first[0]);
  if (others.length === 0 && second[0] !== null)
    return `${countOf(first[1], first[0])}, ${countOf(second[1], second[0])}`;
  return `${unnamed(total, undefined)}, among them ${countOf(first[1], first[0])}`;
}

/**
 * What the units of a level are called: 'Regions', 'Comunidad Autónoma', by the commonest type; 'Level 2' where most
 * have no type or it is not known.
 * @param {number} level
 * @param {string | null} type the commonest one
 */
export function levelTitle(level, type) {
  if (type === null) return `Level ${level}`;
  const title = plural(type.toLowerCase());
  return ENGLISH.test(type) ? title.charAt(0).toUpperCase() + title.slice(1) : type;
}

/**
 * @param {number} total
 * @param {number | undefined} level
 */
function unnamed(total, level) {
  return countOf(total, level === 0 ? 'country' : 'unit').replace('× ', '') + (level === 0 || total === 1 ? '' : 's');
}

/** @param {string} noun */
function plural(noun) {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/**
 * Which units have others inside, where it is neither all nor none; empty otherwise.
 * @param {readonly Pick<import('./unit.js').NamedUnit, 'name' | 'gid' | 'fid' | 'children'>[]} rows
 */
export function leadsText(rows) {
  const leading = rows.filter(({ children }) => children > 0);
  if (leading.length === 0 || leading.length === rows.length) return '';
  if (leading.length > NAMED_MAX)
    return `${leading.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')} have units inside.`;
  const names = leading.map(titleOf).sort();
  return `These have units inside: ${names.join(', ')}.`;
}
