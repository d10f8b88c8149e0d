// Verifies the metadata of a release: current.json, release.json, checksums.txt, the manifests and the feature indexes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeatureIndex } from '../../format/feature-index.ts';
import {
  CHECKSUMS_FILE,
  CURRENT_PATH,
  indexPath,
  isReleaseId,
  manifestPath,
  RELEASE_FILE,
  releasePath,
} from '../../format/layout.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { type Manifest, manifestFromJson } from '../../format/manifest.ts';
import { currentFromJson, currentToJson, type Release, releaseFromJson } from '../../format/release.ts';
import { type Checksums, readChecksums, sha256Of } from '../release/checksums.ts';
import { BuildError } from '../report/errors.ts';
import { type Faults, problemOf } from '../report/faults.ts';
import { checkIndexCounts, checkManifestCounts, checkStoredPages } from './counts.ts';

/** The metadata of a release, without the files that are damaged. */
export interface Metadata {
  out: string;
  id: string;
  /** The release's folder. */
  root: string;
  checksums: Checksums | undefined;
  description: Release | undefined;
  /** Whether release.json has the SHA-256 that checksums.txt has for it, or that has none. */
  isSealed: boolean;
  /** By level; undefined if the manifest is damaged. */
  manifests: readonly (Manifest | undefined)[];
  /** By level; undefined if the manifest or the index is damaged. */
  indexes: readonly (FeatureIndex | undefined)[];
  /** Adds a problem of a file of the release. */
  fault(path: string, problem: string): void;
}

/** What is known before the levels are read. */
type Described = Omit<Metadata, 'manifests' | 'indexes'>;

/** The current release; undefined if current.json is damaged or names a release that does not exist. */
export function currentRelease(out: string, faults: Faults): string | undefined {
  try {
    const text = readFileSync(join(out, CURRENT_PATH), 'utf8');
    const current = currentFromJson(text, CURRENT_PATH);
    if (text !== currentToJson(current)) faults.add(CURRENT_PATH, 'is not written as it should be');
    for (const id of current.hosted) {
      if (!existsSync(join(out, releasePath(id)))) faults.add(CURRENT_PATH, `names ${id}, which is not there`);
    }
    return existsSync(join(out, releasePath(current.release))) ? current.release : undefined;
  } catch (error) {
    faults.add(CURRENT_PATH, problemOf(error, CURRENT_PATH));
    return undefined;
  }
}

/**
 * Reads and verifies the metadata of a release.
 * @throws BuildError if the release does not exist
 */
export function readMetadata(out: string, id: string, faults: Faults): Metadata {
  const root = join(out, releasePath(id));
  if (!isReleaseId(id) || !existsSync(root)) {
    throw new BuildError(`${root}: no such release`, `run list --out ${out} to see the releases`);
  }
  const fault = (path: string, problem: string): void => faults.add(`${releasePath(id)}/${path}`, problem);
  const about = { out, id, root, fault, checksums: checksumsOf(root, fault) };
  const described = { ...about, ...descriptionOf(about) };
  const manifests = LEVELS.map((level) => manifestOf(level, described));
  const indexes = manifests.map((manifest) => manifest && indexOf(manifest, described));
  if (described.description) checkStoredPages(described.description, manifests, fault);
  return { ...described, manifests, indexes };
}

function checksumsOf(root: string, fault: Metadata['fault']): Checksums | undefined {
  try {
    const checksums = readChecksums(root);
    for (const problem of checksums.problems) fault(CHECKSUMS_FILE, problem);
    return checksums;
  } catch (error) {
    fault(CHECKSUMS_FILE, problemOf(error));
    return undefined;
  }
}

function descriptionOf({
  id,
  root,
  checksums,
  fault,
}: Omit<Described, 'description' | 'isSealed'>): Pick<Described, 'description' | 'isSealed'> {
  try {
    const bytes = readFileSync(join(root, RELEASE_FILE));
    const description = releaseFromJson(bytes.toString(), RELEASE_FILE);
    if (description.release !== id) fault(RELEASE_FILE, `is of release ${description.release}, expected ${id}`);
    const [got, expected] = [sha256Of(bytes), checksums?.sums.get(RELEASE_FILE)];
    const isSealed = expected === undefined || got === expected;
    if (!isSealed) {
      fault(RELEASE_FILE, `its SHA-256 is ${got}, ${CHECKSUMS_FILE} has ${expected}`);
      // Either of the two may have been changed.
      fault(CHECKSUMS_FILE, `has ${expected} for ${RELEASE_FILE}, which is ${got}`);
    }
    return { description, isSealed };
  } catch (error) {
    fault(RELEASE_FILE, problemOf(error, RELEASE_FILE));
    return { description: undefined, isSealed: false };
  }
}

function manifestOf(level: Level, described: Described): Manifest | undefined {
  const { id, description, fault } = described;
  const path = manifestPath(level);
  try {
    const sum = description?.levels[level]?.manifest;
    const others = '; the other files of its level are verified by theirs alone';
    const { bytes, isBelieved } = readBelieved(path, sum, described, others);
    const manifest = manifestFromJson(bytes.toString(), path);
    if (manifest.release !== id) fault(path, `is of release ${manifest.release}, expected ${id}`);
    if (manifest.level !== level) fault(path, `is of level ${manifest.level}, expected ${level}`);
    if (!isBelieved || manifest.level !== level) return undefined;
    // The first lookup checks that no GID is listed twice.
    for (const column of manifest.columns) column.find('');
    if (description) checkManifestCounts(manifest, description, fault);
    return manifest;
  } catch (error) {
    fault(path, problemOf(error, path));
    return undefined;
  }
}

function indexOf(manifest: Manifest, described: Described): FeatureIndex | undefined {
  const { description, fault } = described;
  const { level, features, featuresPerFile } = manifest;
  const path = indexPath(level);
  try {
    const others = '; the feature files of its level are verified by theirs alone';
    const { bytes, isBelieved } = readBelieved(path, description?.levels[level]?.index, described, others);
    if (!isBelieved) return undefined;
    const index = new FeatureIndex(bytes, features, featuresPerFile, path);
    if (description) checkIndexCounts(level, index, description, fault);
    return index;
  } catch (error) {
    fault(path, problemOf(error, path));
    return undefined;
  }
}

/**
 * Reads a manifest, an index or a file that is served whole. Its SHA-256 is in release.json and in checksums.txt: of the
 * three files, the one that differs from the other two is damaged.
 * @param sum its SHA-256 in release.json
 * @param others which files cannot be verified without it, for messages
 */
export function readBelieved(
  path: string,
  sum: string | undefined,
  { root, checksums, fault }: Described,
  others = '',
): { bytes: Buffer; isBelieved: boolean } {
  const bytes = readFileSync(join(root, path));
  const got = sha256Of(bytes);
  const sources = [
    { file: CHECKSUMS_FILE, has: checksums?.sums.get(path) },
    { file: RELEASE_FILE, has: sum },
  ].filter(({ has }) => has !== undefined);
  const different = sources.filter(({ has }) => has !== got);
  const isBelieved = different.length < sources.length || sources.length === 0;
  if (isBelieved) for (const { file, has } of different) fault(file, `has ${has} for ${path}, which is ${got}`);
  else fault(path, `its SHA-256 is ${got}, expected ${sources[0]?.has}${others}`);
  return { bytes, isBelieved };
}
