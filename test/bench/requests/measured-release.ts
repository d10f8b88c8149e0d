// The release that benchmarks measure: made of synthetic units where there is none yet, and kept.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CURRENT_PATH, releasePath } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { LEVELS } from '../../../format/levels.ts';
import { currentFromJson, type Release } from '../../../format/release-json.ts';
import { FORMAT_VERSION } from '../../../format/version.ts';
import { ACCEPTABLE } from '../../../generator/quality/findings.ts';
import { sha256 } from '../../support/files.ts';
import { readIndex, readRelease } from '../../support/releases/read-index.ts';
import { outputOf } from '../measure/measure.ts';

export interface ReleaseChoice {
  release: string | undefined;
  source: string | undefined;
  units: number;
  cache: string;
}

export const RELEASE_OPTIONS = {
  units: { type: 'number', default: 20_000, describe: 'how many synthetic units' },
  source: { type: 'string', describe: 'a dataset to build instead' },
  release: { type: 'string', describe: 'an output folder to measure as it is' },
  cache: {
    type: 'string',
    default: join(tmpdir(), 'boundaries-bench'),
    describe: 'folder where datasets and releases are kept for the next run',
  },
} as const;

/** A release and what its metadata says. */
export interface MeasuredRelease {
  out: string;
  /** The release's folder, relative to it. */
  path: string;
  about: Release;
  levels: readonly LevelIndex[];
}

/** Runs a program on a Node for which gdal-async is there. */
const WITH_GDAL = '.setup/with-gdal.js';

/** The release to measure, built first where it is not there. @throws Error when a build fails or `release` has none */
export async function releaseToMeasure({ release, source, units, cache }: ReleaseChoice): Promise<MeasuredRelease> {
  if (release !== undefined) return measuredRelease(resolve(release));
  mkdirSync(cache, { recursive: true });
  const dataset = source ?? join(cache, `synthetic-${units}.gpkg`);
  if (source === undefined && !existsSync(dataset))
    await run('test/support/datasets/synthetic/command.ts', String(units), dataset);
  const out = join(cache, `v${FORMAT_VERSION}-${source === undefined ? units : identityOf(source)}`);
  // A measurement is of any dataset, whatever its quality.
  const options = ['--source', dataset, '--out', out, '--release', 'bench', '--accept', ...ACCEPTABLE];
  if (!existsSync(join(out, CURRENT_PATH))) await run('generator/main.ts', 'build', ...options);
  else console.error(`measuring the release kept in ${out}; remove that folder to build it again`);
  return measuredRelease(out);
}

/** The file of the sample, built first where it is not there. */
export async function sampleSource(cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const source = join(cache, 'sample.gpkg');
  if (!existsSync(source)) await run('generator/main.ts', 'sample', '--out', source);
  return source;
}

async function run(program: string, ...args: string[]): Promise<void> {
  console.error(`${program} ${args.join(' ')}`);
  await outputOf(process.execPath, [WITH_GDAL, ...process.execArgv, program, ...args]);
}

/** A name that another file, or a changed one, does not have. */
function identityOf(source: string): string {
  const { size, mtimeMs } = statSync(source);
  return sha256(`${resolve(source)} ${size} ${mtimeMs}`).slice(0, 12);
}

function measuredRelease(out: string): MeasuredRelease {
  if (!existsSync(join(out, CURRENT_PATH)))
    throw new Error(`${out} has no ${CURRENT_PATH}: name an output folder of the generator with --release`);
  const { release } = currentFromJson(readFileSync(join(out, CURRENT_PATH), 'utf8'), join(out, CURRENT_PATH));
  const path = releasePath(release);
  const root = join(out, path);
  return { out, path, about: readRelease(root), levels: LEVELS.map((level) => readIndex(root, level)) };
}
