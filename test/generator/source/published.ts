// Builds the sources of the tests of this folder, checks each release against its source, and reads it back.
import { join } from 'node:path';
import type { Geometry, Level } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { featuresIn, linesIn } from '../../support/releases/features-in.ts';
import { assertAsSource } from '../../support/releases/source-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Options of a build that is typed, with as little to do besides as there can be; it prints the result as JSON. */
export const LEAST: readonly string[] =
  '--pages none --geometry full --no-cells --no-neighbours --no-tiles --workers 0 --json --quiet'.split(' ');

/** What a source has become. */
export interface Published {
  out: string;
  release: Release;
  /** Of the features of each level. */
  counts: number[];
  /** The findings, a line each. */
  quality: string[];
  linesOf(level: Level): string;
  unitsOf(level: Level, geometry?: Geometry): ReturnType<typeof featuresIn>;
  /** The properties of the units of a level with these names, an array for each unit. */
  valuesOf(level: Level, ...names: string[]): unknown[][];
  /** The GIDs of a level, or another of its columns. */
  gidsOf(level: Level, column?: string): unknown[];
  columnsOf(level: Level): string[];
}

/** Builds a source in a folder of its own, and verifies it against the source. */
export async function published(
  source: string | string[],
  options: Partial<BuildOptions> = {},
  out = join(temporaryFolder(), 'out'),
): Promise<Published> {
  const release = await buildRelease(source, out, options);
  await assertAsSource(source, out);
  const unitsOf = (level: Level, geometry?: Geometry) => featuresIn(out, level, geometry);
  const valuesOf = (level: Level, ...names: string[]): unknown[][] =>
    unitsOf(level).map(({ properties }) => names.map((name) => properties[name]));
  return {
    out,
    release,
    counts: release.levels.map(({ features }) => features),
    quality: linesFrom(release.quality),
    linesOf: (level) => linesIn(out, level),
    unitsOf,
    valuesOf,
    gidsOf: (level, column = `GID_${level}`) => valuesOf(level, column).flat(),
    columnsOf: (level) => Object.keys(unitsOf(level)[0].properties),
  };
}

function linesFrom(quality: Release['quality']): string[] {
  return quality.map(({ level, kind, count, example }) => `lv${level} ${kind} ${count} ${example}`);
}
