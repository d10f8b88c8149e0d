// Publishes releases: the staging folder beside its target, the rename, and finally the pointer (current.json).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  CHECKSUMS_FILE,
  CURRENT_PATH,
  isReleaseId,
  RELEASE_FILE,
  RELEASE_ID_RULE,
  RELEASES_PATH,
  releasePath,
} from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { type Current, currentFromJson, currentToJson } from '../../format/release.ts';
import { BuildError } from '../report/errors.ts';
import { renameDurably, syncFiles, syncTree, writeDurably } from './fsync.ts';

/** The folders of a release that is being built. */
export interface Staging {
  /** The files of the release. */
  release: string;
  /** Working files of the build. */
  work: string;
}

/**
 * Makes an empty staging folder for a release. The caller holds the lock, so any other staging folder is a leftover of a
 * build that was killed: it is removed.
 * @throws BuildError if `release` is not a release id
 */
export function openStaging(out: string, release: string): Staging {
  if (!isReleaseId(release)) throw new BuildError(`--release ${release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  removeLeftovers(out);
  const root = stagingPath(out, release);
  const staging = { release: join(root, 'release'), work: join(root, 'work') };
  for (const folder of Object.values(staging)) mkdirSync(folder, { recursive: true });
  return staging;
}

/**
 * Moves the finished release to its place and removes the staging folder.
 * @throws BuildError if a release with that id and other content exists; one with the same content is kept
 */
export async function settle(out: string, release: string): Promise<void> {
  await settleFrom(stagingPath(out, release), out, release);
}

/** Like `settle`, for any staging folder: the release is in `root`/release. */
export async function settleFrom(root: string, out: string, release: string): Promise<void> {
  const staged = join(root, 'release');
  const target = join(out, releasePath(release));
  if (existsSync(target)) {
    const [mine, theirs] = [staged, target].map((folder) => checksumsIn(folder));
    if (mine !== theirs) {
      throw new BuildError(
        `${target} exists already, with other content: a release never changes`,
        'choose another --release; diff shows how two releases differ',
      );
    }
  } else {
    await syncTree(staged);
    await renameDurably(staged, target);
    await syncFiles([out, dirname(out)]);
  }
  rmSync(root, { recursive: true, force: true });
}

/**
 * Makes a release the current one.
 * @throws BuildError if it does not exist
 */
export async function activate(out: string, release: string): Promise<void> {
  const hosted = publishedReleases(out);
  if (!hosted.includes(release)) {
    throw new BuildError(
      `${join(out, releasePath(release))}: no such release`,
      hosted.length === 0 ? 'build a release first' : `use one of: ${hosted.join(', ')}`,
    );
  }
  await writeCurrent(out, { release, hosted });
}

/**
 * Removes releases: first from the pointer, then by a rename, then their files, so that no reader sees half a release.
 * @param releases ids; not the current one
 */
export async function removeReleases(out: string, releases: readonly string[]): Promise<void> {
  const current = readCurrent(out);
  if (current)
    await writeCurrent(out, { ...current, hosted: publishedReleases(out).filter((id) => !releases.includes(id)) });
  for (const release of releases) {
    const removed = join(out, RELEASES_PATH, `.${release}.removed`);
    await renameDurably(join(out, releasePath(release)), removed);
    rmSync(removed, { recursive: true, force: true });
  }
}

/** Removes leftovers of killed builds and prunes. The caller holds the lock. */
export function removeLeftovers(out: string): void {
  const folder = join(out, RELEASES_PATH);
  const isLeftover = (name: string): boolean => /^\..*\.(staging|removed)$/.test(name);
  for (const name of readdirSync(folder).filter(isLeftover))
    rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(temporaryPath(out), { force: true });
}

/** Reads current.json; undefined before the first release. @throws BuildError if it is damaged */
export function readCurrent(out: string): Current | undefined {
  const file = join(out, CURRENT_PATH);
  if (!existsSync(file)) return undefined;
  try {
    return currentFromJson(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new BuildError(
      error.message,
      `restore it with activate RELEASE; the releases are: ${publishedReleases(out).join(', ') || 'none'}`,
    );
  }
}

/** Ids of all published releases, in alphabetical order. */
export function publishedReleases(out: string): string[] {
  const folder = join(out, RELEASES_PATH);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => isReleaseId(name) && existsSync(join(folder, name, RELEASE_FILE)))
    .sort();
}

async function writeCurrent(out: string, current: Current): Promise<void> {
  const temporary = temporaryPath(out);
  rmSync(temporary, { force: true });
  writeDurably(temporary, currentToJson(current));
  await renameDurably(temporary, join(out, CURRENT_PATH));
}

function temporaryPath(out: string): string {
  return join(out, `.${CURRENT_PATH}.new`);
}

function checksumsIn(folder: string): string {
  const file = join(folder, CHECKSUMS_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** The folder of the shards of a release. Failed builds leave it; `seal` removes it. */
export function shardsPath(out: string, release: string): string {
  return join(out, RELEASES_PATH, `.${release}.shards`);
}

// Hidden, so that no release id (which begins with a letter or digit) can name it.
function stagingPath(out: string, release: string): string {
  return join(out, RELEASES_PATH, `.${release}.staging`);
}
