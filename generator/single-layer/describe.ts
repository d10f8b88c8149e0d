// Describes what the split of a single layer costs, before it begins. Runs in a child process, so that the parent process
// does not hold the memory of GDAL.
import { planSplit } from './plan.ts';
import type { SingleLayer } from './source-units.ts';

/** What a split costs. */
export interface SplitCost {
  /** Number of features in the layer. */
  sourceUnits: number;
  /** Number of units, by level. */
  levels: readonly number[];
  /** Bytes of the geometries of each part as WKB. */
  partBytes: readonly number[];
}

/** Reads the layer once to find what its split costs. @throws BuildError as `planSplit` does */
export function describeSingleLayer(source: SingleLayer): SplitCost {
  const { sourceUnits, levels, parts } = planSplit(source);
  return { sourceUnits, levels: levels.map(({ units }) => units), partBytes: parts.map(({ bytes }) => bytes) };
}
