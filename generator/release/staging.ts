// Publishes releases: the staging folder beside its target, the rename, and finally the pointer (current.json). It is one
// file because each step relies on what the others leave in the output folder: which releases are there, hosted, or half
// written, and what was recorded of them.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { changesPath } from '../../format/changes.ts';
import { upgradeRemedy } from '../../format/command-line/upgrade.ts';
import type { Current } from '../../format/current-json.ts';
import {
  CHECKSUMS_FILE,
  CURRENT_PATH,
  isReleaseId,
  RELEASE_FILE,
  RELEASES_PATH,
  releasePath,
} from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { type Release, releaseFromJson } from '../../format/release-json.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { readChecksums } from '../files/checksums.ts';
import { renameDurably, syncFiles, syncTree } from '../files/fsync.ts';
import { sizeAndSum } from '../release-reader/inflate.ts';
import { BuildError } from '../report/errors.ts';
import { changesTo, type ReleasePair, removeChanges } from './changes-files.ts';
import { currentIn, parsed, recordedIn, temporaryPath, writeCurrent } from './current-file.ts';

/** What mends a published release. */
export const BUILD_AGAIN = 'build the release again from its source with its options, which replaces what is damaged';

/** The folders of a release that is being built. */
export interface Staging {
  /** The folder that holds the other two. */
  root: string;
  /** The files of the release. */
  release: string;
  /** Working files of the build. */
  work: string;
}

/** The same of a release that is about to be finished. */
export interface SealedStaging extends Staging {
  /** Its number among the releases of the output folder. */
  sequence: number;
  /** If it was published already, the SHA-256 of its release.json then. */
  published: readonly string[];
}

/** The folders of a release, with what is known of it before it is built. The caller holds the lock. */
export function sealedStaging(staging: Staging, out: string, release: string): SealedStaging {
  return {
    ...staging,
    sequence: sequenceFor(out, release),
    published: recordedDigests(out, release).map(([, of]) => of),
  };
}

/** The number of a release: its own if it is built again, else the one after the highest. */
function sequenceFor(out: string, release: string): number {
  const described = new Map(publishedReleases(out).map((id) => [id, descriptionIn(out, id)]));
  const known = described.get(release);
  if (known !== undefined && !(known instanceof FormatError)) return known.sequence;
  let last = 0;
  for (const [id, other] of described) {
    if (other instanceof FormatError) continue;
    last = Math.max(last, other.sequence);
    if (last === Number.MAX_SAFE_INTEGER)
      throw new BuildError(
        `${releasePath(id)}/${RELEASE_FILE}: sequence is ${last}, after which there is no other number`,
        `the file is damaged: ${BUILD_AGAIN}; or remove that release`,
      );
  }
  return last + 1;
}

/**
 * Makes a staging folder with a new name. The caller holds the lock, so any other staging folder is a leftover of a
 * build that was killed: it is removed. A child process of that build may write there until it ends, so no name occurs
 * twice.
 * @throws BuildError if `release` is the id of a release of another format version, or of one that was removed and has
 *   changes that were kept
 */
export function openStaging(out: string, release: string): SealedStaging {
  const earlier = publishedReleases(out).includes(release) ? descriptionIn(out, release) : undefined;
  if (earlier instanceof FormatVersionError)
    throw new BuildError(
      `${join(out, releasePath(release))} exists already: ${earlier.message}`,
      'choose another --release, or remove that folder',
    );
  refuseKeptChanges(out, release);
  removeLeftovers(out);
  const root = stagingPath(out, release);
  const staging = { root, release: join(root, 'release'), work: join(root, 'work') };
  for (const folder of Object.values(staging)) mkdirSync(folder, { recursive: true });
  return sealedStaging(staging, out, release);
}

/** @throws BuildError if changes were kept that lead to another release with this id, which was removed */
function refuseKeptChanges(out: string, release: string): void {
  const [pair] = changesTo(out, release);
  if (pair === undefined || publishedReleases(out).includes(release) || recordedIn(out)?.digests.has(release)) return;
  throw new BuildError(
    `${join(out, changesPath(pair.from, release))}: leads to an earlier release ${release}`,
    'choose another --release, or remove that file and run changes for another pair',
  );
}

/**
 * A new folder for files of a release that are not finished. Hidden: no release id, which begins with a letter or
 * digit, names it.
 */
export function stagingPath(out: string, release: string): string {
  return join(out, RELEASES_PATH, `.${release}.${randomUUID()}.staging`);
}

/**
 * Moves the finished release to its place and removes the staging folder.
 * @throws BuildError if a release with that id and other content exists; of one with the same content those files are
 *   replaced that are missing or damaged
 */
export async function settle({ root, release: staged }: Staging, out: string, release: string): Promise<void> {
  const target = join(out, releasePath(release));
  if (existsSync(target)) {
    if (!isPublished(staged, out, release)) {
      throw new BuildError(
        `${target} exists already, with other content: a release never changes`,
        'choose another --release; diff shows how two releases differ',
      );
    }
    await repair(staged, target);
  } else {
    refuseKeptChanges(out, release);
    await syncTree(staged);
    await renameDurably(staged, target);
    await syncFiles([out, dirname(out)]);
  }
  removeFolder(root);
}

/**
 * Is a release that was built what was published with its id? Each of two files has a digest of all that it is; the other
 * one may be damaged. Where both are, what is recorded of release.json must be that of the new one.
 */
function isPublished(staged: string, out: string, release: string): boolean {
  const target = join(out, releasePath(release));
  if ([CHECKSUMS_FILE, RELEASE_FILE].some((file) => areEqual(join(staged, file), join(target, file)))) return true;
  if (publishedReleases(out).includes(release) && !(descriptionIn(out, release) instanceof FormatError)) return false;
  const recorded = recordedDigests(out, release);
  const { sha256 } = sizeAndSum(join(staged, RELEASE_FILE));
  return recorded.length > 0 && recorded.every(([, of]) => of === sha256);
}

function areEqual(file: string, other: string): boolean {
  return [file, other].every((path) => existsSync(path)) && readFileSync(file).equals(readFileSync(other));
}

/** Replaces the files of a release that are not what was built again. */
async function repair(staged: string, target: string): Promise<void> {
  const damaged = [...readChecksums(staged).sums].filter(([path, sha256]) => {
    const file = join(target, path);
    return !existsSync(file) || sizeAndSum(file).sha256 !== sha256;
  });
  const paths = damaged.map(([path]) => path);
  if (!areEqual(join(staged, CHECKSUMS_FILE), join(target, CHECKSUMS_FILE))) paths.push(CHECKSUMS_FILE);
  if (paths.length === 0) return;
  await syncTree(staged);
  for (const path of paths) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    await renameDurably(join(staged, path), join(target, path));
  }
}

/**
 * Makes a release the current one. Readable are, besides, those that were: one that was built for review stays unread.
 * @param isBuilt has it just been built? Then it is what is published, also where current.json has the digest of
 *   another one, whose folder was removed
 * @throws BuildError if it does not exist, or its release.json is not what was published
 */
export async function activate(out: string, release: string, isBuilt = false): Promise<void> {
  const hostable = hostableReleases(out);
  requireRelease(out, release, hostable);
  if (!isBuilt) requireDescription(out, release);
  // A damaged current.json does not say which ones were.
  const known =
    currentIn(out) instanceof FormatError ? hostable : hostedReleases(out).filter((id) => hostable.includes(id));
  // A release that was not hosted before is the newest.
  const hosted = hostedReleases(out).includes(release) ? known : [...known.filter((id) => id !== release), release];
  await writeCurrent(out, release, hosted, { renewed: release });
}

/**
 * Takes releases out of the pointer. Proxies may still read their files.
 * @param releases ids; not the current one
 * @param keepsChanges are the changes that lead to them kept when they are removed?
 */
export async function withdraw(out: string, releases: readonly string[], keepsChanges = false): Promise<void> {
  const current = readCurrent(out);
  if (current === undefined) return;
  const hostable = hostableReleases(out);
  const hosted = current.hosted.filter((id) => hostable.includes(id) && !releases.includes(id));
  await writeCurrent(out, current.release, hosted, { leaving: keepsChanges ? [] : releases });
}

/**
 * Removes withdrawn releases: first by a rename, then their files, so that no reader sees half a release.
 * @param keepsChanges are the changes that lead to them kept?
 */
export async function removeReleases(out: string, releases: readonly string[], keepsChanges: boolean): Promise<void> {
  for (const release of releases) {
    const removed = join(out, RELEASES_PATH, `.${release}.removed`);
    await renameDurably(join(out, releasePath(release)), removed);
    removeFolder(removed);
  }
  if (!keepsChanges) removeChanges(out, releases);
}

/** Removes leftovers of killed builds and prunes. The caller holds the lock. */
export function removeLeftovers(out: string): void {
  const folder = join(out, RELEASES_PATH);
  for (const name of readdirSync(folder)) {
    const leftover = join(folder, name);
    if (/^\..*\.removed$/.test(name)) removeFolder(leftover);
    if (/^\..*\.staging$/.test(name)) {
      // Renamed first: a child process of a killed build, until it ends, finds no folder to write new files in.
      const removed = join(folder, `.${randomUUID()}.removed`);
      renameSync(leftover, removed);
      removeFolder(removed);
    }
  }
  rmSync(temporaryPath(out), { force: true });
}

/** Removes a folder. Over NFS, a file that another process has open keeps its folder until that process ends. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Reads current.json; undefined before the first release of this format version.
 * @throws BuildError if it is damaged
 */
export function readCurrent(out: string): Current | undefined {
  const current = currentIn(out);
  if (!(current instanceof FormatError)) return current;
  throw new BuildError(
    current.message,
    `restore it with activate RELEASE; the releases are: ${publishedReleases(out).join(', ') || 'none'}`,
  );
}

/** release.json of a published release, or what is wrong with it. */
export function descriptionIn(out: string, release: string): Release | FormatError {
  const file = join(out, releasePath(release), RELEASE_FILE);
  return parsed(() => releaseFromJson(readFileSync(file, 'utf8'), RELEASE_FILE));
}

/** The error for a release of another format version. @param file where its version was found */
export function otherVersionError(out: string, file: string, error: FormatVersionError): BuildError {
  const problem = error.message.slice(error.message.indexOf(': ') + 2);
  return new BuildError(`${file}: ${problem}`, upgradeRemedy(error, out));
}

/**
 * Ids of all published releases, oldest first, as current.json records them: `hosted` is in the order in which releases
 * were hosted first. Others, which were never hosted or are so no more, stand before the first one with a higher
 * number; damaged ones come last, in alphabetical order.
 */
export function publishedReleases(out: string): string[] {
  const folder = join(out, RELEASES_PATH);
  if (!existsSync(folder)) return [];
  const published = readdirSync(folder)
    .filter((name) => isReleaseId(name) && existsSync(join(folder, name, RELEASE_FILE)))
    .sort();
  const ordered = hostedReleases(out).filter((id) => published.includes(id));
  const others = published.filter((id) => !ordered.includes(id));
  if (others.length === 0) return ordered;
  const numbers = new Map(published.map((id) => [id, numberOf(out, id)]));
  const of = (id: string): number => numbers.get(id) ?? Number.POSITIVE_INFINITY;
  for (const id of others.sort((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0))) {
    const next = ordered.findIndex((other) => of(other) > of(id));
    ordered.splice(next === -1 ? ordered.length : next, 0, id);
  }
  return ordered;
}

/** The number of a release among those of its output folder; infinite if it is damaged. */
function numberOf(out: string, release: string): number {
  const described = descriptionIn(out, release);
  return described instanceof FormatError ? Number.POSITIVE_INFINITY : described.sequence;
}

/** The releases that current.json lists, oldest first; none if it is missing or damaged, which `activate` repairs. */
function hostedReleases(out: string): readonly string[] {
  return recordedIn(out)?.hosted ?? [];
}

/** Ids of the published releases of another format version, which nothing of this version can read. */
export function otherVersions(out: string): string[] {
  return publishedReleases(out).filter((id) => descriptionIn(out, id) instanceof FormatVersionError);
}

/** Checks that a release is one of those that there are. @throws BuildError that lists them */
export function requireRelease(out: string, release: string, among: readonly string[] = publishedReleases(out)): void {
  if (among.includes(release)) return;
  throw new BuildError(
    `${join(out, releasePath(release))}: no such release`,
    among.length === 0 ? 'build a release first' : `use one of: ${among.join(', ')}`,
  );
}

/**
 * Checks that release.json is what was published: as checksums.txt and, if the release is hosted, current.json record
 * it.
 * @throws BuildError if it is not
 */
export function requireDescription(out: string, release: string): void {
  const folder = join(out, releasePath(release));
  const got = sizeAndSum(join(folder, RELEASE_FILE)).sha256;
  for (const [file, sha256] of recordedDigests(out, release))
    if (sha256 !== got)
      throw new BuildError(
        `${join(folder, RELEASE_FILE)}: its SHA-256 is ${got}, ${file} has ${sha256}: it is not what was published`,
        'restore the file; or, if its folder was removed and the release built again, build it once more without --no-activate, which compares all files; or build it under another id',
      );
}

/** The SHA-256 of the release.json of a published release, as the files beside it record it. */
function recordedDigests(out: string, release: string): [file: string, sha256: string][] {
  const folder = join(out, releasePath(release));
  const sums = existsSync(join(folder, CHECKSUMS_FILE)) ? readChecksums(folder).sums : undefined;
  const recorded: [string, string | undefined][] = [
    [CHECKSUMS_FILE, sums?.get(RELEASE_FILE)],
    [CURRENT_PATH, recordedIn(out)?.digests.get(release)],
  ];
  return recorded.filter((of): of is [string, string] => of[1] !== undefined);
}

function hostableReleases(out: string): string[] {
  const others = otherVersions(out);
  return publishedReleases(out).filter((id) => !others.includes(id));
}

/** Lists the files of changes in current.json, if there is one. @param renewed the pair whose file is new */
export async function relistChanges(out: string, renewed: ReleasePair): Promise<void> {
  const current = readCurrent(out);
  if (current !== undefined) await writeCurrent(out, current.release, current.hosted, { pair: renewed });
}

/** The folder of the shards of a release. Failed builds leave it; `seal` removes it. */
export function shardsPath(out: string, release: string): string {
  return join(out, RELEASES_PATH, `.${release}.shards`);
}
