// The invented world at any size, for benchmarks and tests at scale: the shares of the levels are close to GADM's.
import { elementAt } from '../../../../format/element-at.ts';
import type { Level } from '../../../../format/levels.ts';
import type { WriteOptions } from '../../../../generator/sample/write-geopackage.ts';
import { writeInvented } from '../large-dataset.ts';

/** Each level's share of the units, and its minimum number of units. */
const SHARES = [0.0007, 0.01, 0.12, 0.37, 0.36, 0.13];
const LEAST = [3, 6, 8, 10, 9, 8];

/** Positions of a unit: the fewest, and the slope of the long tail (smaller is longer); the mean is about 65. */
const LEAST_POSITIONS = 20;
const TAIL = 1.43;
const MOST_POSITIONS = 20_000;
const COUNTRY_FACTOR = 20;

/**
 * Writes a GeoPackage of about `units` units (at least 44). The same arguments always give the same bytes.
 * @returns the number of units of each level, ascending
 * @throws BuildError if `file` exists (unless `overwrite`), Error if it cannot be written
 */
export function writeSynthetic(file: string, units: number, options: WriteOptions = {}): number[] {
  const verticesOf = (level: Level, i: number): number => {
    const drawn = Math.abs(Math.sin(i * 12.9898 + level * 78.233) * 43_758.5453) % 1;
    const positions = Math.min(MOST_POSITIONS, LEAST_POSITIONS / (1 - drawn) ** (1 / TAIL));
    return Math.max(8, Math.round(positions * (level === 0 ? COUNTRY_FACTOR : 1)));
  };
  const counts = SHARES.map((share, level) => Math.max(elementAt(LEAST, level), Math.round(share * units)));
  return writeInvented(file, { counts, verticesOf, strayEvery: 200, isSparse: true }, options);
}
