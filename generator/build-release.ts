// The package's own function for programs: builds a release with the defaults of the command line.
import { availableParallelism } from 'node:os';
import type { Release } from '../format/release.ts';
import { type BuildOptions, build as buildWith, DEFAULTS } from './build.ts';
import { type Report, SILENT } from './report/progress.ts';

export type { BuildOptions } from './build.ts';
export { BuildError } from './report/errors.ts';
export type { Report } from './report/progress.ts';

/** The source, the output folder and the id of the release; all other options have defaults. */
export type ReleaseOptions = Pick<BuildOptions, 'source' | 'out' | 'release'> & Partial<BuildOptions>;

/**
 * Builds a release, publishes it and, unless `activate` is false, makes it current. Needs gdal-async.
 * @param report receives the progress; by default nothing is shown
 * @returns the content of release.json
 * @throws BuildError, with `message` and `remedy`; then nothing is published
 * @example await build({ source: ['gadm_410-levels.gpkg'], out: 'output', release: 'gadm-4.1' })
 */
export function build(options: ReleaseOptions, report: Report = SILENT): Promise<Release> {
  return buildWith({ ...DEFAULTS, workers: availableParallelism(), activate: true, ...options }, report);
}
