// The neighbours of a level's units, from its borders: which share an edge, and how many metres of edges. Used by
// write-borders.ts.
import { elementAt } from '../../format/element-at.ts';
import { LENGTHS_PER_METRE, type NeighbourArrays, Neighbours, SPHERE_METRES } from '../../format/neighbours.ts';
import type { Borders } from './borders.ts';
import type { LevelBorders } from './level-borders.ts';

/** The neighbours of a level's units: those that have an edge in common, at 180 degrees also from both sides. */
export function neighboursOf(level: LevelBorders): Neighbours {
  const { edges, meridian, units, grid } = level;
  const degrees = 360 / grid.full;
  /** Metres of border of each pair, the lower position times the number of units, and the higher. */
  const pairs = new Map<number, number>();
  const add = (borders: Borders, isCounted: (edge: number) => boolean): void => {
    for (const [set, metres] of lengthsOf(borders, degrees, isCounted)) {
      const sides = borders.unitsOf(set);
      for (let i = 0; i < sides.length; i++)
        for (let j = i + 1; j < sides.length; j++) {
          const pair = elementAt(sides, i) * units + elementAt(sides, j);
          pairs.set(pair, (pairs.get(pair) ?? 0) + metres);
        }
    }
  };
  add(edges, (edge) => level.isCounted(edge));
  add(meridian, () => true);
  return new Neighbours(arraysOf(pairs, units));
}

/** The metres of the edges that bound several units, by the number of the set of these. */
function lengthsOf(
  borders: Borders,
  degrees: number,
  isCounted: (edge: number) => boolean,
): (readonly [set: number, metres: number])[] {
  const metres = new Float64Array(borders.sets);
  const isUsed = new Uint8Array(borders.sets);
  for (let edge = 0; edge < borders.points; edge++) {
    const set = borders.setOf(edge);
    if (!borders.isShared(set) || !isCounted(edge)) continue;
    isUsed[set] = 1;
    metres[set] =
      elementAt(metres, set) +
      metresBetween(
        borders.y(edge) * degrees - 90,
        borders.y(edge + 1) * degrees - 90,
        (borders.x(edge + 1) - borders.x(edge)) * degrees,
      );
  }
  return Array.from(metres, (sum, set) => [set, sum] as const).filter(([set]) => isUsed[set] === 1);
}

const RADIANS = Math.PI / 180;

/**
 * Metres of the great circle between two places on the sphere, by haversines.
 * @param turn the difference of longitude
 */
export function metresBetween(latitude1: number, latitude2: number, turn: number): number {
  const along = Math.sin((latitude2 - latitude1) * (RADIANS / 2));
  const across = Math.sin(turn * (RADIANS / 2));
  const haversine = along * along + Math.cos(latitude1 * RADIANS) * Math.cos(latitude2 * RADIANS) * across * across;
  return 2 * SPHERE_METRES * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** @param pairs metres of each pair of units, as above */
function arraysOf(pairs: ReadonlyMap<number, number>, units: number): NeighbourArrays {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  const start = new Uint32Array(units + 1);
  const sidesOf = (key: number): [number, number] => [Math.floor(key / units), key % units];
  for (const [key] of sorted) for (const unit of sidesOf(key)) start[unit + 1] = elementAt(start, unit + 1) + 1;
  for (let unit = 0; unit < units; unit++) start[unit + 1] = elementAt(start, unit + 1) + elementAt(start, unit);
  const neighbour = new Uint32Array(2 * sorted.length);
  const length = new Uint32Array(2 * sorted.length);
  const next = start.slice();
  const put = (unit: number, other: number, tenths: number): void => {
    const at = elementAt(next, unit);
    neighbour[at] = other;
    length[at] = tenths;
    next[unit] = at + 1;
  };
  // Ascending by the lower position and then by the higher, so the neighbours of each unit ascend.
  for (const [key, metres] of sorted) {
    const [lower, higher] = sidesOf(key);
    const tenths = Math.round(LENGTHS_PER_METRE * metres);
    put(lower, higher, tenths);
    put(higher, lower, tenths);
  }
  return { start, neighbour, length };
}

/**
 * The table of neighbours: a line for each neighbour of each unit, both by position, as RFC 4180 has it. GIDs are there
 * as they are, also one that a spreadsheet takes for a formula.
 */
export function* neighbourLines(
  neighbours: Neighbours,
  fidAt: (position: number) => number,
  gidAt: (position: number) => string | null,
): Generator<string> {
  const unitAt = (position: number): string => `${fidAt(position)},${quoted(gidAt(position) ?? '')}`;
  yield 'fid,gid,neighbour_fid,neighbour_gid,metres\r\n';
  for (let position = 0; position + 1 < neighbours.arrays.start.length; position++) {
    const unit = unitAt(position);
    const lengths = neighbours.lengthsOf(position);
    for (const [i, other] of neighbours.of(position).entries())
      yield `${unit},${unitAt(other)},${(elementAt(lengths, i) / LENGTHS_PER_METRE).toFixed(1)}\r\n`;
  }
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
