// The synthetic dataset: six levels of about N units in GADM's schema, for tests and benchmarks at any scale. It has the
// irregularities of real files: units out of order, gaps in the fids, unusual GIDs, names and geometries.
import { elementAt } from '../../../../format/element-at.ts';
import type { Level } from '../../../../format/levels.ts';
import { LEVELS } from '../../../../format/levels.ts';
import { columnsOf, layerNameOf, valuesOf } from '../../../../generator/sample/units.ts';
import type { Unit, WriteOptions } from '../../../../generator/sample/write-geopackage.ts';
import { writeGeopackage } from '../../../../generator/sample/write-geopackage.ts';
import { gidOf, nameOf, typeOf } from './names.ts';
import { coordinatesOf } from './shape.ts';
import { growTree, pathOf, sizeOf, type Tree } from './tree.ts';

/** How to make the dataset. */
export interface SyntheticOptions extends WriteOptions {
  /** Seed of the random numbers, a whole number; 1 by default. */
  seed?: number | undefined;
  /** Multiplies the positions of every polygon; 1 by default, which is about 2 KB of GeoJSON a unit. */
  verticesScale?: number | undefined;
}

/** Attribution text of the synthetic dataset. */
export const SYNTHETIC_ATTRIBUTION: readonly string[] = ['Synthetic data: no place, name or border in it is real'];

/** One in this many units is at the end of its level, away from its siblings, like later corrections in real data. */
const STRAY_EVERY = 200;
const STRAY_RANK = 3;
/** Before one in this many units, one or more fids are left out. */
const GAP_EVERY = 50;
const GAP_INDEX = 5;
const GAP_MAX_FIDS = 4;

/**
 * Writes a GeoPackage of about `units` units (at least 44). The same arguments always give the same bytes.
 * @returns the number of units of each level, ascending
 * @throws Error if `file` exists (unless `overwrite`) or cannot be written
 */
export function writeSynthetic(file: string, units: number, options: SyntheticOptions = {}): number[] {
  const { seed = 1, verticesScale = 1, ...writeOptions } = options;
  const tree = growTree(units, seed);
  const layers = LEVELS.map((level) => ({
    name: layerNameOf(level),
    columns: columnsOf(level),
    count: sizeOf(tree, level),
    units: unitsOf(tree, level, seed, verticesScale),
  }));
  return writeGeopackage(file, layers, SYNTHETIC_ATTRIBUTION, writeOptions);
}

/** The units of a level in order of fid. */
function* unitsOf(tree: Tree, level: Level, seed: number, verticesScale: number): Generator<Unit> {
  let fid = 0;
  let index = 0;
  for (const rank of orderOf(sizeOf(tree, level))) {
    fid += index++ % GAP_EVERY === GAP_INDEX ? 2 + (rank % GAP_MAX_FIDS) : 1;
    const path = pathOf(tree, level, rank);
    const lineage = LEVELS.slice(0, level + 1).map((above) => {
      const unit = elementAt(path, above);
      return { gid: gidOf(tree, above, unit), name: nameOf(above, unit, seed) };
    });
    const type = typeOf(level);
    yield {
      fid,
      values: valuesOf(lineage, type, type, String(rank)),
      coordinates: coordinatesOf(tree, level, rank, seed, verticesScale),
    };
  }
}

/** Ranks in order, strays last. */
function* orderOf(size: number): Generator<number> {
  for (let rank = 0; rank < size; rank++) if (rank % STRAY_EVERY !== STRAY_RANK) yield rank;
  for (let rank = STRAY_RANK; rank < size; rank += STRAY_EVERY) yield rank;
}
