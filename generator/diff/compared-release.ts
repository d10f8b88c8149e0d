// A release as `diff` reads it: its checksums, and level by level its manifest, its index and single units.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeatureIndex } from '../../format/feature-index.ts';
import {
  CHECKSUMS_FILE,
  featureFilePath,
  indexPath,
  isReleaseId,
  manifestPath,
  RELEASE_ID_RULE,
  releasePath,
} from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { manifestFromJson } from '../../format/manifest.ts';
import { valuesOf } from '../../format/runs.ts';
import { openFeatures } from '../reader/feature-reader.ts';
import { FileError } from '../reader/inflate.ts';
import { readChecksums, sha256Of } from '../release/checksums.ts';
import { publishedReleases } from '../release/staging.ts';
import { BuildError } from '../report/errors.ts';
import { problemOf } from '../report/faults.ts';
import type { UnitTable } from './units.ts';

/** A release that is compared with another. */
export interface ComparedRelease {
  release: string;
  /** Its folder. */
  root: string;
  /** The content of checksums.txt: SHA-256 in hex by path. */
  sums: ReadonlyMap<string, string>;
}

/**
 * Opens a release of an output folder.
 * @throws BuildError if it is missing or its checksums are damaged
 */
export function openRelease(out: string, release: string): ComparedRelease {
  const root = join(out, releasePath(release));
  if (!isReleaseId(release)) throw new BuildError(`${release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  const published = publishedReleases(out);
  if (!published.includes(release))
    throw new BuildError(
      `${root}: no such release`,
      published.length === 0 ? 'build a release first' : `use one of: ${published.join(', ')}`,
    );
  return reading(release, root, () => {
    const { sums, problems } = readChecksums(root);
    if (problems[0] !== undefined) throw damaged(release, `${root}: ${CHECKSUMS_FILE}: ${problems[0]}`);
    return { release, root, sums };
  });
}

/**
 * Reads the manifest and the index of a level; `read` reads single units.
 * @throws BuildError if a file is missing or damaged, also from `read`
 */
export function openUnits(opened: ComparedRelease, level: Level): UnitTable & { close(): void } {
  const { release, root } = opened;
  const manifest = readChecked(opened, manifestPath(level), (bytes, path) => {
    const parsed = manifestFromJson(bytes.toString(), path);
    // The first lookup checks that no GID is listed twice.
    parsed.columns[level]?.find('');
    return parsed;
  });
  const { features, featuresPerFile, columns, fids } = manifest;
  const index = readChecked(
    opened,
    indexPath(level),
    (bytes, path) => new FeatureIndex(bytes, features, featuresPerFile, path),
  );
  const reader = openFeatures(root, level, index);
  const own = columns[level];
  if (own === undefined) throw new RangeError(`manifest of level ${level} without column ${level}`);
  const ordered = Float64Array.from(valuesOf(fids));
  const fidAt = (position: number): number => {
    const fid = ordered[position];
    if (fid === undefined) throw new RangeError(`position ${position} of ${features}`);
    return fid;
  };
  return {
    index,
    fidAt,
    own,
    read(position, use) {
      const path = featureFilePath(level, index.fileOf(position));
      return reading(release, join(root, path), () => {
        try {
          return use(reader.textAt(position));
        } catch (error) {
          throw error instanceof FileError ? new FileError(`fid ${fidAt(position)}: ${error.message}`) : error;
        }
      });
    },
    close: reader.close,
  };
}

/** Reads a file and compares it with its line of checksums.txt. */
function readChecked<T>(
  { release, root, sums }: ComparedRelease,
  path: string,
  parse: (bytes: Buffer, path: string) => T,
): T {
  const file = join(root, path);
  return reading(release, file, () => {
    const bytes = readFileSync(file);
    const sum = sha256Of(bytes);
    if (sum !== sums.get(path)) throw new FileError(`its SHA-256 is ${sum}, ${CHECKSUMS_FILE} has ${sums.get(path)}`);
    return parse(bytes, file);
  });
}

/** Runs `read`; a problem of `file` becomes a BuildError. */
function reading<T>(release: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw damaged(release, `${file}: ${problemOf(error, file)}`);
  }
}

function damaged(release: string, problem: string): BuildError {
  return new BuildError(problem, `run verify --release ${release} to see all problems, or list to see the releases`);
}
