// Colours of the units of a level for maps: neighbours have different ones. Smallest-last order (Matula and Beck 1983)
// needs at most six on a map in the plane; colours in order of position run out more often.
import { f64At, i32At } from '../../format/element-at.ts';
import { NumberGroups } from '../rings/number-groups.ts';

/** How many there are. */
export const COLOURS = 6;

/** Pairs of units, each once, ascending: the lower index times the number of units, plus the higher one. */
export type UnitPairs = Float64Array;

/** The colours of a level. Plain data. */
export interface UnitColours {
  /** 0 to 5 for each unit. */
  colours: Uint8Array;
  /** The units that got the last colour because their neighbours had all, ascending. */
  crowded: readonly number[];
}

/** Colours units: each with the first colour that none of its neighbours has yet. @param units how many there are */
export function colourUnits(units: number, pairs: UnitPairs): UnitColours {
  const neighbours = neighboursIn(units, pairs);
  const colours = new Uint8Array(units).fill(COLOURS);
  const crowded: number[] = [];
  for (const unit of smallestLast(units, neighbours).reverse()) {
    let taken = 0;
    for (const other of neighbours.of(unit)) taken |= 1 << (colours[other] ?? COLOURS);
    let colour = 0;
    while (colour < COLOURS && ((taken >> colour) & 1) === 1) colour++;
    if (colour === COLOURS) crowded.push(unit);
    colours[unit] = Math.min(colour, COLOURS - 1);
  }
  return { colours, crowded: crowded.sort((a, b) => a - b) };
}

/** The neighbours of each unit. */
function neighboursIn(units: number, pairs: UnitPairs): NumberGroups {
  return new NumberGroups(units, (take) => {
    for (let i = 0; i < pairs.length; i++) {
      const lower = Math.floor(f64At(pairs, i) / units);
      const higher = f64At(pairs, i) - lower * units;
      take(lower, higher);
      take(higher, lower);
    }
  });
}

const NONE = -1;

/** All units: again and again the one with fewest neighbours among those that are left. */
function smallestLast(units: number, neighbours: NumberGroups): Int32Array {
  // Those that are left with each number of neighbours, as a list that is linked both ways.
  const degree = Int32Array.from({ length: units }, (_, unit) => neighbours.of(unit).length);
  const first = new Int32Array(degree.reduce((a, b) => Math.max(a, b), 0) + 1).fill(NONE);
  const after = new Int32Array(units).fill(NONE);
  const before = new Int32Array(units).fill(NONE);
  const link = (unit: number): void => {
    const own = i32At(degree, unit);
    const following = i32At(first, own);
    after[unit] = following;
    before[unit] = NONE;
    if (following !== NONE) before[following] = unit;
    first[own] = unit;
  };
  const unlink = (unit: number): void => {
    const [previous, following] = [i32At(before, unit), i32At(after, unit)];
    if (previous === NONE) first[i32At(degree, unit)] = following;
    else after[previous] = following;
    if (following !== NONE) before[following] = previous;
  };
  for (let unit = 0; unit < units; unit++) link(unit);
  const order = new Int32Array(units);
  for (let taken = 0, least = 0; taken < units; taken++) {
    while (first[least] === NONE) least++;
    const unit = i32At(first, least);
    unlink(unit);
    degree[unit] = NONE;
    order[taken] = unit;
    for (const other of neighbours.of(unit)) {
      if (degree[other] === NONE) continue;
      unlink(other);
      degree[other] = i32At(degree, other) - 1;
      link(other);
    }
    least = Math.max(0, least - 1);
  }
  return order;
}
