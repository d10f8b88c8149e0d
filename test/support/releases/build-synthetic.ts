// Releases of synthetic datasets, for tests that need many units of every level.
import type { Release } from '../../../format/release-json.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { writeSynthetic } from '../datasets/synthetic/synthetic.ts';
import { buildRelease } from './build-release.ts';

/**
 * Writes a synthetic dataset of about `units` units to `source` and builds a release of it in `out`. Its units without
 * a geometry are accepted.
 */
export function buildSynthetic(
  source: string,
  units: number,
  out: string,
  options: Partial<BuildOptions> = {},
): Promise<Release> {
  writeSynthetic(source, units);
  return buildRelease(source, out, { accept: ['empty-geometries'], ...options });
}
