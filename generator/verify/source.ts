// Verifies a release against the dataset that it was built from: the files themselves, then each level's features.
import { RELEASE_FILE } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import type { Release, SourceFile } from '../../format/release.ts';
import { BuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import { findLevels, type LevelLayer } from '../source/dataset.ts';
import { sourceFiles } from '../source/source-files.ts';
import type { Pool } from '../workers/pool.ts';
import { workIn } from '../workers/work.ts';
import type { CompareResult } from './compare-level.ts';
import type { Metadata } from './metadata.ts';

const COMPARE = workIn<typeof import('./compare-level.ts'), 'compareLevel'>(
  import.meta.url,
  './compare-level',
  'compareLevel',
);

/**
 * Compares every level that has a manifest and an index with the source.
 * @throws BuildError if the source cannot be opened or lacks a layer that the release was built from
 */
export async function verifySource(
  source: readonly string[],
  metadata: Metadata,
  pool: Pool,
  report: Report,
): Promise<CompareResult[]> {
  const { out, id, description } = metadata;
  // Only release.json names the layers and the decimals.
  if (description === undefined) return [];
  const layers = layersOf(source, description, metadata);
  // The largest first, so that all child processes finish at about the same time: a level is one task.
  const ordered = layers.toSorted((a, b) => b.features - a.features);
  const comparing = ordered.map(async (found) => {
    report.expect('features compared', found.features);
    const task = { out, release: id, level: found.level, found, precision: description.precision };
    const result = await pool.run(COMPARE, task);
    report.advance('features compared', result.features);
    return result;
  });
  const [compared] = await Promise.all([Promise.all(comparing), verifyFiles(source, description, metadata)]);
  return compared;
}

/** The source's layers, by the names of layers and GID columns in the release. */
function layersOf(source: readonly string[], { levels }: Release, { manifests, indexes }: Metadata): LevelLayer[] {
  const published = levels.filter(({ layer }) => layer !== '');
  // Several files may have layers of the same name; then the columns decide.
  const isNamed = new Set(published.map(({ layer }) => layer)).size === published.length;
  const layers = isNamed ? Object.fromEntries(published.map(({ level, layer }) => [level, layer])) : {};
  const columns = manifests.flatMap((manifest) => manifest?.columns.map(({ name }, n) => [n, name] as const) ?? []);
  const gidColumns = Object.fromEntries(columns.filter(([, name]) => name !== ''));
  const isReadable = (level: Level): boolean => indexes[level] !== undefined;
  try {
    const found = findLevels({ source, layers, gidColumns, levels: published.map(({ level }) => level) });
    const missing = published.find(({ level }) => !found.some((layer) => layer.level === level));
    if (missing) throw new BuildError(`no layer of the source is level ${missing.level}`, '');
    return found.filter(({ level }) => isReadable(level));
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    throw new BuildError(error.message, 'set --source to the files that the release was built from');
  }
}

/** Compares the given files with those in release.json. Names may repeat across folders: identical files match first. */
async function verifyFiles(
  source: readonly string[],
  { source: recorded }: Release,
  { fault }: Metadata,
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
    if (file === undefined) fault(RELEASE_FILE, `was built from ${name}, which is not among the given files`);
    else fault(RELEASE_FILE, `was built from ${name} with SHA-256 ${sha256}; the given one has ${file.sha256}`);
  }
  for (const { name } of given) fault(RELEASE_FILE, `was not built from ${name}, which is among the given files`);
}
