// Verifies a release against the dataset that it was built from: the files themselves, then each level's features.
import { join } from 'node:path';
import { RELEASE_FILE } from '../../format/layout.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { Release, SourceFile } from '../../format/release.ts';
import { describeSource, prepareLevels } from '../describe-source.ts';
import { optionsOf } from '../option-texts.ts';
import { makeScratchFolder } from '../release/scratch-folder.ts';
import { BuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import { sourceFiles } from '../source/source-files.ts';
import type { SourceOptions } from '../source/source-options.ts';
import type { Pool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { CompareResult, compareLevel } from './compare-level.ts';
import type { Metadata } from './metadata.ts';

/**
 * A source, and the options in which it differs from what the release records. All levels of the release are compared.
 */
export type GivenSource = Pick<SourceOptions, 'source'> & Partial<SourceOptions>;

/**
 * Compares every level whose index is intact with the source.
 * @throws BuildError if the source cannot be opened or lacks a level that the release has
 */
export async function verifySource(
  given: GivenSource,
  metadata: Metadata,
  pool: Pool,
  report: Report,
): Promise<CompareResult[]> {
  const { description } = metadata;
  // Only release.json has the decimals.
  if (description === undefined) return [];
  const { path: scratch, remove } = makeScratchFolder('verify');
  try {
    const published = description.levels.filter(({ layer }) => layer !== '').map(({ level }) => level);
    const { precision } = description;
    const wanted = { ...optionsOf(description), ...given, precision, levels: published };
    const described = await describeSource(wanted, pool);
    const { levels } = await prepareLevels(described, wanted, scratch, { pool, report });
    refuseMissing(published, levels);
    const [compared] = await Promise.all([
      compareLevels(levels, description, metadata, { pool, report, scratch }),
      verifyFiles(given.source, description, metadata),
    ]);
    return compared;
  } finally {
    remove();
  }
}

function refuseMissing(published: readonly Level[], levels: readonly LevelSource[]): void {
  const missing = published.find((level) => !levels.some((source) => source.level === level));
  if (missing === undefined) return;
  throw new BuildError(
    `no layer of the source is level ${missing}`,
    'set --source as for the build, and the options in which it differs (--layer, --gid-column ...)',
  );
}

function compareLevels(
  levels: readonly LevelSource[],
  description: Release,
  { out, id, levels: indexes }: Metadata,
  { pool, report, scratch }: { pool: Pool; report: Report; scratch: string },
): Promise<CompareResult[]> {
  const readable = levels.filter(({ level }) => indexes[level] !== undefined);
  // The largest first, so that all child processes finish at about the same time: a level is one task.
  const ordered = readable.toSorted((a, b) => featureCount(b) - featureCount(a));
  return Promise.all(
    ordered.map(async (source) => {
      report.expect('features compared', featureCount(source));
      const isRenumbered = description.levels[source.level]?.isRenumbered === true;
      const own = join(scratch, levelName(source.level));
      const { precision } = description;
      const result = await pool.run<typeof compareLevel>(TASKS.compareLevel, {
        out,
        release: id,
        source,
        isRenumbered,
        precision,
        scratch: own,
      });
      report.advance('features compared', result.features);
      return result;
    }),
  );
}

/**
 * Compares the given files with those in release.json. Names may repeat across folders: identical files match first.
 */
async function verifyFiles(
  source: readonly string[],
  { source: recorded }: Release,
  { found }: Metadata,
): Promise<void> {
  const given = await sourceFiles(source);
  const isGiven = ({ name, bytes, sha256 }: SourceFile): boolean => {
    const at = given.findIndex((file) => file.name === name && file.bytes === bytes && file.sha256 === sha256);
    if (at !== -1) given.splice(at, 1);
    return at !== -1;
  };
  for (const { name, sha256 } of recorded.filter((file) => !isGiven(file))) {
    const at = given.findIndex((file) => file.name === name);
    const [file] = at === -1 ? [] : given.splice(at, 1);
    if (file === undefined) found(RELEASE_FILE, `was built from ${name}, which is not among the given files`);
    else found(RELEASE_FILE, `was built from ${name} with SHA-256 ${sha256}; the given one has ${file.sha256}`);
  }
  for (const { name } of given) found(RELEASE_FILE, `was not built from ${name}, which is among the given files`);
}
