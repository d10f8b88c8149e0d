// The hierarchy of the synthetic dataset: sizes of the levels, depths of the countries, numbers of children.
import { elementAt } from '../../../../format/element-at.ts';
import type { Level } from '../../../../format/levels.ts';
import { LEVELS } from '../../../../format/levels.ts';
import { newRandom } from './random.ts';

/** The hierarchy. A unit is its level and its rank there; siblings have neighbouring ranks. */
export interface Tree {
  /** For each level the rank of each unit's parent in the level above; zeros at level 0. */
  parents: readonly Uint32Array[];
  /** For each level the number of each unit among its siblings, from 0; at level 0, its rank. */
  ordinals: readonly Uint32Array[];
  /** For each level the number of each unit's siblings, itself included. */
  siblings: readonly Uint32Array[];
}

/** Each level's share of the units, close to GADM's, and its minimum number of units. */
const SHARES: readonly number[] = [0.0007, 0.01, 0.12, 0.37, 0.36, 0.13];
const LEAST: readonly number[] = [3, 6, 8, 10, 9, 8];

/** Countries end at different levels, in this order over and over; the first two must reach level 5. */
const DEPTHS: readonly number[] = [5, 5, 2, 4, 3, 3, 4, 2, 3, 0];

/** Smaller values make the numbers of children more unequal. */
const EVENNESS = 0.05;

/** Makes a hierarchy of about `units` units, at least 44. */
export function growTree(units: number, seed: number): Tree {
  const sizes = SHARES.map((share, level) => Math.max(elementAt(LEAST, level), Math.round(share * units)));
  const countries = elementAt(sizes, 0);
  const parents = [new Uint32Array(countries)];
  const ordinals = [Uint32Array.from({ length: countries }, (_, rank) => rank)];
  const siblings = [new Uint32Array(countries).fill(countries)];
  let depths = Uint8Array.from({ length: countries }, (_, rank) => elementAt(DEPTHS, rank % DEPTHS.length));
  for (const level of LEVELS.slice(1)) {
    const size = elementAt(sizes, level);
    const children = childrenOf(depths, level, size, seed);
    const above = { parents: new Uint32Array(size), ordinals: new Uint32Array(size), siblings: new Uint32Array(size) };
    const depthsBelow = new Uint8Array(size);
    let rank = 0;
    for (const [parent, count] of children.entries()) {
      for (let ordinal = 0; ordinal < count; ordinal++) {
        above.parents[rank] = parent;
        above.ordinals[rank] = ordinal;
        above.siblings[rank] = count;
        depthsBelow[rank++] = elementAt(depths, parent);
      }
    }
    parents.push(above.parents);
    ordinals.push(above.ordinals);
    siblings.push(above.siblings);
    depths = depthsBelow;
  }
  return { parents, ordinals, siblings };
}

/** Number of units of a level. */
export function sizeOf(tree: Tree, level: Level): number {
  return elementAt(tree.parents, level).length;
}

/** The unit's rank and those of the units above it, country first. */
export function pathOf(tree: Tree, level: Level, rank: number): number[] {
  const path = [rank];
  for (let above = level; above > 0; above--)
    path.unshift(elementAt(elementAt(tree.parents, above), elementAt(path, 0)));
  return path;
}

/** Distributes the units of a level over the parents whose country reaches it, at least one each if there are enough. */
function childrenOf(depths: Uint8Array, level: Level, size: number, seed: number): Uint32Array {
  const random = newRandom(seed, 'tree', level, 0);
  const weights = Float64Array.from(depths, (depth) => (depth < level ? 0 : 1 / (EVENNESS + random())));
  let parentsLeft = weights.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0);
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  let left = size;
  const least = size >= parentsLeft ? 1 : 0;
  return Uint32Array.from(weights, (weight) => {
    if (weight === 0) return 0;
    parentsLeft--;
    const fair = parentsLeft === 0 ? left : Math.round((left * weight) / weightLeft);
    const count = Math.max(least, Math.min(fair, left - least * parentsLeft));
    weightLeft -= weight;
    left -= count;
    return count;
  });
}
