// The release that benchmarks measure: made of synthetic units where there is none yet, and kept.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { currentFromJson } from '../../format/current-json.ts';
import { CURRENT_PATH, releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { LEVELS } from '../../format/levels.ts';
import type { Release } from '../../format/release-json.ts';
import { FORMAT_VERSION } from '../../format/version.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { sha256 } from '../support/files.ts';
import { readIndex, readRelease } from '../support/releases/read-index.ts';
import { outputOf } from './measure.ts';

interface ReleaseChoice {
  release: string | undefined;
  source: string | undefined;
  units: number;
}

export const RELEASE_OPTIONS = {
  units: { type: 'number', default: 20_000, describe: 'how many synthetic units' },
  source: { type: 'string', describe: 'a dataset to build instead, or sample' },
  release: { type: 'string', describe: 'an output folder to measure as it is' },
} as const;

/** A release and what its metadata says. */
export interface MeasuredRelease {
  out: string;
  /** The release's folder, relative to it. */
  path: string;
  about: Release;
  levels: readonly LevelIndex[];
}

/** Where datasets and releases are kept for the next run. */
const CACHE = join(tmpdir(), 'boundaries-bench');
/** Runs a program on a Node for which gdal-async is there. */
const WITH_GDAL = '.setup/with-gdal.js';

/** The release to measure, built first where it is not there. @throws Error when a build fails or `release` has none */
export async function releaseToMeasure({ release, source, units }: ReleaseChoice): Promise<MeasuredRelease> {
  if (release !== undefined) return measuredRelease(resolve(release));
  mkdirSync(CACHE, { recursive: true });
  const dataset = source === undefined || source === 'sample' ? join(CACHE, `${source ?? units}.gpkg`) : source;
  if (source === 'sample' && !existsSync(dataset)) await run('generator/main.ts', 'sample', '--out', dataset);
  if (source === undefined && !existsSync(dataset))
    await run('test/support/datasets/synthetic/command.ts', String(units), dataset);
  // Another file, or a changed one, has another name.
  const { size, mtimeMs } = statSync(dataset);
  const identity = sha256(`${resolve(dataset)} ${size} ${mtimeMs}`).slice(0, 12);
  const out = join(CACHE, `v${FORMAT_VERSION}-${identity}`);
  // A measurement is of any dataset, whatever its quality.
  const options = ['--source', dataset, '--out', out, '--release', 'bench', '--accept', ...ACCEPTABLE];
  if (!existsSync(join(out, CURRENT_PATH))) await run('generator/main.ts', 'build', ...options);
  else console.error(`measuring the release kept in ${out}; remove that folder to build it again`);
  return measuredRelease(out);
}

async function run(program: string, ...args: string[]): Promise<void> {
  console.error(`${program} ${args.join(' ')}`);
  await outputOf(process.execPath, [WITH_GDAL, ...process.execArgv, program, ...args]);
}

function measuredRelease(out: string): MeasuredRelease {
  const { release } = currentFromJson(readFileSync(join(out, CURRENT_PATH), 'utf8'), join(out, CURRENT_PATH));
  const path = releasePath(release);
  const root = join(out, path);
  return { out, path, about: readRelease(root), levels: LEVELS.map((level) => readIndex(root, level)) };
}
