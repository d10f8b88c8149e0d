// Verifies what stands above the pages of a release: current.json, release.json, checksums.txt and the manifests.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKSUMS_FILE,
  CURRENT_PATH,
  isReleaseId,
  manifestPath,
  RELEASE_FILE,
  RELEASES_PATH,
  releasePath,
} from '../format/layout.ts';
import { FORMATS, type Level } from '../format/levels.ts';
import { listingsOf } from '../format/listing.ts';
import { type Manifest, manifestFromJson } from '../format/manifest.ts';
import { currentFromJson, currentToJson, type Release, releaseFromJson } from '../format/release.ts';
import { type Checksums, readChecksums } from './checksums.ts';
import { BuildError } from './failure.ts';
import { type Faults, problemOf } from './faults.ts';

/** What a release says of itself, as far as it can be believed. */
export interface Metadata {
  out: string;
  id: string;
  /** The release's folder. */
  root: string;
  checksums: Checksums | undefined;
  description: Release | undefined;
  /** By level; undefined where a manifest is not the one that was written. */
  manifests: readonly (Manifest | undefined)[];
  /** Adds a problem of a file of the release. */
  fault(path: string, problem: string): void;
}

/** The release that current.json names; undefined where that cannot be told. */
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
 * @throws BuildError where there is no such release
 */
export function readMetadata(out: string, id: string, levels: readonly Level[], faults: Faults): Metadata {
  const root = join(out, releasePath(id));
  if (!isReleaseId(id) || !existsSync(root)) {
    throw new BuildError(`${root}: no such release`, `list shows the releases in ${join(out, RELEASES_PATH)}`);
  }
  const fault = (path: string, problem: string): void => faults.add(`${releasePath(id)}/${path}`, problem);
  const about = { out, id, root, fault, checksums: checksumsOf(root, fault) };
  const described = { ...about, description: descriptionOf(about) };
  return { ...described, manifests: levels.map((level) => manifestOf(level, described)) };
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

function descriptionOf({ id, root, checksums, fault }: Omit<Metadata, 'description' | 'manifests'>) {
  try {
    const bytes = readFileSync(join(root, RELEASE_FILE));
    const description = releaseFromJson(bytes.toString(), RELEASE_FILE);
    if (description.release !== id) fault(RELEASE_FILE, `is of release ${description.release}, expected ${id}`);
    const [got, expected] = [sha256Of(bytes), checksums?.sums.get(RELEASE_FILE)];
    if (expected !== undefined && got !== expected) {
      fault(RELEASE_FILE, `its SHA-256 is ${got}, ${CHECKSUMS_FILE} has ${expected}`);
      // Nothing else tells which of the two was changed.
      fault(CHECKSUMS_FILE, `has ${expected} for ${RELEASE_FILE}, which is ${got}`);
    }
    return description;
  } catch (error) {
    fault(RELEASE_FILE, problemOf(error, RELEASE_FILE));
    return undefined;
  }
}

/** Three say what a manifest's bytes are: it, release.json and checksums.txt. The one that stands alone is at fault. */
function manifestOf(
  level: Level,
  { id, root, checksums, description, fault }: Omit<Metadata, 'manifests'>,
): Manifest | undefined {
  const path = manifestPath(level);
  try {
    const bytes = readFileSync(join(root, path));
    const got = sha256Of(bytes);
    const sources = [
      { file: CHECKSUMS_FILE, has: checksums?.sums.get(path) },
      { file: RELEASE_FILE, has: description?.levels[level]?.manifest },
    ].filter(({ has }) => has !== undefined);
    const others = sources.filter(({ has }) => has !== got);
    const isBelieved = others.length < sources.length || sources.length === 0;
    if (isBelieved) for (const { file, has } of others) fault(file, `has ${has} for ${path}, which is ${got}`);
    else fault(path, `its SHA-256 is ${got}, expected ${sources[0]?.has}; its pages are verified by theirs alone`);
    const manifest = manifestFromJson(bytes.toString(), path);
    if (manifest.release !== id) fault(path, `is of release ${manifest.release}, expected ${id}`);
    if (manifest.level !== level) fault(path, `is of level ${manifest.level}, expected ${level}`);
    if (!isBelieved || manifest.level !== level) return undefined;
    // Whether a GID is listed twice is seen when one is looked up.
    for (const column of manifest.columns) column.find('');
    if (description) checkCounts(level, manifest, description, fault);
    return manifest;
  } catch (error) {
    fault(path, problemOf(error, path));
    return undefined;
  }
}

function checkCounts(level: Level, manifest: Manifest, { levels }: Release, fault: Metadata['fault']): void {
  const { columns, features, pages } = manifest;
  const summary = levels[level];
  const listings = listingsOf(level, features, columns).filter((listing) => listing.features > 0).length;
  const bytes = FORMATS.flatMap((format) => pages[format].bytes).reduce((sum, size) => sum + size, 0);
  const counts = [
    ['features', summary?.features, features],
    ['listings', summary?.listings, listings],
    ['bytes', summary?.bytes, bytes],
    ...FORMATS.map((format) => [`${format} pages`, summary?.pages[format], pages[format].bytes.length] as const),
  ] as const;
  for (const [what, has, expected] of counts) {
    if (has !== expected) fault(RELEASE_FILE, `level ${level} has ${has} ${what}, its manifest ${expected}`);
  }
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
