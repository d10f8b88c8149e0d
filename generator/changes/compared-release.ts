// A release as `changes` and `diff` read it: its checksums, and level by level its index, its names and single units.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { ownersOf } from '../../format/gid-column.ts';
import { grouped } from '../../format/grouped.ts';
import { CHECKSUMS_FILE, indexPath, manifestPath, namesPath, releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Level } from '../../format/levels.ts';
import { nameColumns, valuesIn } from '../../format/names.ts';
import type { Release } from '../../format/release-json.ts';
import { readChecksums, sha256Of } from '../files/checksums.ts';
import { readRelease } from '../release/manage.ts';
import { FileError, problemOf } from '../release-reader/file-error.ts';
import { gunzipWithin } from '../release-reader/inflate.ts';
import { type FeatureReader, levelFrom } from '../release-reader/read-level.ts';
import { BuildError } from '../report/errors.ts';

/** A release that is compared with another. */
export interface ComparedRelease {
  release: string;
  /** Its folder. */
  root: string;
  /** The content of checksums.txt: SHA-256 in hex by path. */
  sums: ReadonlyMap<string, string>;
  /** What release.json says of it. */
  precision: number;
  levels: Release['levels'];
}

/**
 * Opens a release of an output folder.
 * @throws BuildError if it is missing, or what describes its files is damaged
 */
export function openRelease(out: string, release: string): ComparedRelease {
  const root = join(out, releasePath(release));
  const { precision, levels } = readRelease(out, release);
  return reading(release, root, () => {
    const { sums, problems } = readChecksums(root);
    if (problems[0] !== undefined) throw damaged(release, `${root}: ${CHECKSUMS_FILE}: ${problems[0]}`);
    return { release, root, sums, precision, levels };
  });
}

/** A level of one release. */
export interface ComparedUnits {
  index: LevelIndex;
  /** The positions of each GID of the level; null: of the units without one. */
  byGid: ReadonlyMap<string | null, readonly number[]>;
  /**
   * What two units with the same fid and text have in common: not the digest, because versions of zlib compress it
   * differently.
   */
  keyAt(position: number): string;
  /** The names by position; empty for a unit without one. */
  names(): string[];
}

/**
 * Reads the index of a level.
 * @throws BuildError if a file is missing or damaged, also from `names`
 */
export function openComparedUnits(opened: ComparedRelease, level: Level): ComparedUnits {
  const { release, root } = opened;
  const [manifest, bytes] = [readListed(opened, manifestPath(level)), readListed(opened, indexPath(level))];
  const index = reading(release, join(root, manifestPath(level)), () => levelFrom(manifest, bytes, release, level));
  const own = elementAt(index.columns, level);
  const owners = ownersOf(own, index.features);
  const byGid = grouped(owners.keys(), (position) => {
    const number = elementAt(owners, position);
    return number === -1 ? null : own.gidAt(number);
  });
  const textBytes = (position: number): number => index.textBytes(position, position + 1);
  return {
    index,
    byGid,
    keyAt: (position) => `${index.fidAt(position)} ${textBytes(position)} ${index.textCrc(position, position + 1)}`,
    names: () => readNames(opened, level),
  };
}

/** The names of a level's units. */
function readNames(opened: ComparedRelease, level: Level): string[] {
  const path = namesPath(level);
  const bytes = readListed(opened, path);
  return reading(opened.release, join(opened.root, path), () => {
    const { textBytes } = elementAt(opened.levels, level).names;
    const [header = '', ...lines] = gunzipWithin(bytes, textBytes).toString().trimEnd().split('\n');
    const [at = -1] = nameColumns(header, ['name'], path);
    return lines.map((line, i) => String(valuesIn(line, `${path} line ${i + 2}`)[at] ?? ''));
  });
}

/** Reads a file and compares it with its line of checksums.txt. */
function readListed({ release, root, sums }: ComparedRelease, path: string): Buffer {
  return reading(release, join(root, path), () => {
    const bytes = readFileSync(join(root, path));
    const sum = sha256Of(bytes);
    if (sum !== sums.get(path)) throw new FileError(`its SHA-256 is ${sum}, ${CHECKSUMS_FILE} has ${sums.get(path)}`);
    return bytes;
  });
}

/** Reads the text of a unit. @throws BuildError if it is damaged */
export function unitText(
  { root, release }: Pick<ComparedRelease, 'root' | 'release'>,
  { features, index }: { features: FeatureReader; index: LevelIndex },
  position: number,
): Buffer {
  return reading(release, join(root, features.pathOf(position)), () => {
    try {
      return features.textAt(position);
    } catch (error) {
      throw error instanceof FileError ? new FileError(`fid ${index.fidAt(position)}: ${error.message}`) : error;
    }
  });
}

/** Runs `read`; a problem of `file` becomes a BuildError. */
export function reading<T>(release: string, file: string, read: () => T): T {
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
