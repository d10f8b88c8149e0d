// The neighbours of a level's units, from its borders: which share an edge, and how many metres of edges.
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { LENGTHS_PER_METRE, type NeighbourArrays, Neighbours, SPHERE_METRES } from '../../format/neighbours.ts';
import { BuildError } from '../report/errors.ts';
import { NumberGroups } from '../rings/number-groups.ts';
import type { Borders } from './borders.ts';
import type { LevelBorders } from './level-borders.ts';

/** The most pairs of units of a level, which take half a gigabyte; real levels have three for each unit. */
const PAIRS_MAX = 2 ** 23;
/** How many units of a crowded edge are named. */
const NAMED_UNITS = 3;

/** What a level and its units are called. */
interface LevelNames {
  level: Level;
  unitAt(position: number): string;
}

/**
 * The neighbours of a level's units: those that have an edge in common, at 180 degrees also from both sides.
 * @throws BuildError if there are too many pairs of them, as where units are there once for each of many dates
 */
export function neighboursOf(level: LevelBorders, names: LevelNames): Neighbours {
  const { units, grid } = level;
  const crowded = mostUnits(level);
  const refuseAbove = (count: number): void => {
    if (count > PAIRS_MAX) throw tooManyPairs(level, crowded, names);
  };
  // Before any pair is made.
  refuseAbove((crowded.units * (crowded.units - 1)) / 2);
  /** Metres of border of each pair, the lower position times the number of units, and the higher. */
  const pairs = new Map<number, number>();
  for (const borders of [level.edges, level.meridian])
    for (const [set, metres] of lengthsOf(level, borders, 360 / grid.full)) {
      const sides = borders.unitsOf(set);
      for (let i = 0; i < sides.length; i++)
        for (let j = i + 1; j < sides.length; j++) {
          const pair = elementAt(sides, i) * units + elementAt(sides, j);
          pairs.set(pair, (pairs.get(pair) ?? 0) + metres);
        }
      refuseAbove(pairs.size);
    }
  return new Neighbours(arraysOf(pairs, units));
}

/** Is it an edge that several units share? Each is once in the borders of a level. */
function isShared(level: LevelBorders, borders: Borders, edge: number): boolean {
  return borders.isShared(borders.setOf(edge)) && (borders === level.meridian || level.isCounted(edge));
}

/** An edge with the most units, and how many these are. */
function mostUnits(level: LevelBorders): { borders: Borders; edge: number; units: number } {
  let most = { borders: level.edges, edge: 0, units: 0 };
  for (const borders of [level.edges, level.meridian]) {
    const counts = new Uint32Array(borders.sets);
    for (let set = 1; set < counts.length; set++) counts[set] = elementAt(counts, borders.withoutLast(set)) + 1;
    for (let edge = 0; edge < borders.points; edge++) {
      const units = elementAt(counts, borders.setOf(edge));
      if (units > most.units && isShared(level, borders, edge)) most = { borders, edge, units };
    }
  }
  return most;
}

function tooManyPairs(
  { grid, precision }: LevelBorders,
  { borders, edge, units }: ReturnType<typeof mostUnits>,
  { level, unitAt }: LevelNames,
): BuildError {
  const degrees = (value: number, zero: number): string => `${+((value * 360) / grid.full - zero).toFixed(precision)}`;
  const place = (point: number): string => `${degrees(borders.x(point), 180)}, ${degrees(borders.y(point), 90)}`;
  const named = borders.unitsOf(borders.setOf(edge)).slice(0, NAMED_UNITS).map(unitAt);
  return new BuildError(
    `${levelName(level)}: more than ${PAIRS_MAX.toLocaleString('en')} pairs of units share an edge; the edge from ${place(edge)} to ${place(edge + 1)} has ${units.toLocaleString('en')} units: ${named.join('; ')}`,
    'build without neighbours: --no-neighbours; or, if units are there several times, choose those of one date with --where',
  );
}

/** The metres of the edges that bound several units, by the number of the set of these. */
function lengthsOf(level: LevelBorders, borders: Borders, degrees: number): (readonly [set: number, metres: number])[] {
  const metres = new Float64Array(borders.sets);
  const isUsed = new Uint8Array(borders.sets);
  for (let edge = 0; edge < borders.points; edge++) {
    if (!isShared(level, borders, edge)) continue;
    const set = borders.setOf(edge);
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

/** What 32 bits have room for: 429,000 km, ten times around the globe. */
const LONGEST = 0xffffffff;

/** @param pairs metres of each pair of units, as above */
function arraysOf(pairs: ReadonlyMap<number, number>, units: number): NeighbourArrays {
  // Ascending by the lower position and then by the higher, so the neighbours of each unit ascend.
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  const sidesOf = (key: number): [number, number] => [Math.floor(key / units), key % units];
  const pairsOf = new NumberGroups(units, (take) => {
    for (const [pair, [key]] of sorted.entries()) for (const unit of sidesOf(key)) take(unit, pair);
  });
  const [neighbour, length] = [new Uint32Array(2 * sorted.length), new Uint32Array(2 * sorted.length)];
  for (let unit = 0, at = 0; unit < units; unit++)
    for (const pair of pairsOf.of(unit)) {
      const [key, metres] = elementAt(sorted, pair);
      const [lower, higher] = sidesOf(key);
      neighbour[at] = lower === unit ? higher : lower;
      length[at++] = Math.min(Math.round(LENGTHS_PER_METRE * metres), LONGEST);
    }
  return { start: Uint32Array.from(pairsOf.begins), neighbour, length };
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
