// Lists, activates and prunes the releases of an output folder.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { GoneUnit } from '../../format/changes.ts';
import { upgradeRemedy } from '../../format/command-line/upgrade.ts';
import { RELEASE_FILE, releasePath } from '../../format/layout.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import type { StoredPages } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { type RecordedBuild, recordedBuildFrom } from '../../format/recorded-build.ts';
import type { Release } from '../../format/release-json.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { BuildError } from '../report/errors.ts';
import { goneIn } from './changes-files.ts';
import { withLock } from './output-lock.ts';
import { SIGNATURE_FILES } from './sign.ts';
import {
  activate,
  BUILD_AGAIN,
  descriptionIn,
  otherVersionError,
  publishedReleases,
  readCurrent,
  removeLeftovers,
  removeReleases,
  requireRelease,
  withdraw,
} from './staging.ts';

/** A release in the list. */
export interface ListedRelease {
  release: string;
  /** When its files were written here: for people, a copy may have another. */
  date: Date;
  isCurrent: boolean;
  /** Does current.json list it, so that proxies answer for it? */
  isHosted: boolean;
  /** What is wrong with its release.json; undefined, with the size below, if nothing is. */
  damage?: string;
  /** Its format version, if it is another one, and what to do about it; likewise. */
  otherFormat?: { version: number; remedy: string };
  units?: number;
  /** Which pages are stored as files. */
  storedPages?: StoredPages;
  /** Number of all its files. */
  files?: number;
  /** Bytes of pages and of feature files, those of all geometries. */
  bytes?: number;
}

/** Every release of an output folder, oldest first as current.json records; those with a damaged release.json, too. */
export function listReleases(out: string): ListedRelease[] {
  const { release: current, hosted = [] } = readCurrent(out) ?? {};
  return publishedReleases(out).map((release) => {
    const date = statSync(join(out, releasePath(release), RELEASE_FILE)).mtime;
    const listed = { release, date, isCurrent: release === current, isHosted: hosted.includes(release) };
    const described = descriptionIn(out, release);
    if (described instanceof FormatVersionError) {
      const { version } = described;
      return { ...listed, otherFormat: { version, remedy: upgradeRemedy(described, out) } };
    }
    if (described instanceof FormatError) return { ...listed, damage: damageOf(out, release, described) };
    const { levels, storedPages } = described;
    return {
      ...listed,
      units: sum(levels, ({ features }) => features),
      storedPages,
      files: releaseFiles(levels) + signatureFiles(out, release),
      bytes: sum(
        levels,
        ({ bytes, featureFiles, geometries }) =>
          bytes +
          [featureFiles, ...Object.values(geometries).map((other) => other.featureFiles)].reduce(
            (total, own) => total + own.bytes,
            0,
          ),
      ),
    };
  });
}

/** release.json and checksums.txt. */
const FILES_BESIDE_LEVELS = 2;

/** Number of files of a release without signatures. */
export function releaseFiles(levels: readonly LevelSummary[]): number {
  return FILES_BESIDE_LEVELS + sum(levels, filesOf);
}

/** Number of files that a signed release has besides. */
function signatureFiles(out: string, release: string): number {
  return SIGNATURE_FILES.filter((file) => existsSync(join(out, releasePath(release), file))).length;
}

/**
 * Number of files of a level: pages, feature files with those beside them, tables of each geometry, manifest, names,
 * words, cells, neighbours and their table, tiles and their digests, the table of units and its digests.
 */
function filesOf({ pages, featureFiles, geometries, cells, neighbours, tiles, parquet }: LevelSummary): number {
  const others = Object.values(geometries).map((geometry) => geometry.featureFiles);
  const all = [featureFiles, ...others].reduce((total, { files }) => total + 2 * files + 1, 0);
  const pairs = [neighbours, tiles, parquet].filter((pair) => pair !== undefined);
  return pages.geojsonl + pages.fc + all + 3 + (cells === undefined ? 0 : 1) + 2 * pairs.length;
}

/** The description of the current release; undefined if there is none, or it is damaged. */
export function readServedRelease(out: string): Release | undefined {
  try {
    const current = readCurrent(out)?.release;
    return current === undefined ? undefined : readRelease(out, current);
  } catch {
    // `verify` reports what is damaged; it does not prevent a new release.
    return undefined;
  }
}

/** Makes a release the current one. @throws BuildError if it does not exist or its release.json is damaged */
export async function activateRelease(out: string, release: string): Promise<void> {
  await withLock(out, async (lock) => {
    if (publishedReleases(out).includes(release)) readRelease(out, release);
    lock.assertHeld();
    await activate(out, release);
  });
}

/** How to prune. */
export interface PruneOptions {
  /**
   * Time between the removal from current.json and that of the files, for proxies that read them; what is made current
   * meanwhile stays.
   */
  graceMs?: number;
  /** Waits for so many milliseconds. */
  wait?: (ms: number) => Promise<unknown>;
  /** Are the changes that lead to removed releases kept? */
  keepsChanges?: boolean;
}

/**
 * Removes all but the newest hosted releases. The current one is always kept. Damaged ones and those of other formats
 * are neither removed nor counted: an operator may want to look at them.
 * @param keep number of hosted releases to keep, the current one included
 * @returns ids of the removed releases
 */
export async function pruneReleases(
  out: string,
  keep: number,
  { graceMs = 0, wait = setTimeout, keepsChanges = false }: PruneOptions = {},
): Promise<string[]> {
  const old = await withLock(out, async (lock) => {
    removeLeftovers(out);
    const old = releasesToPrune(out, keep);
    lock.assertHeld();
    await withdraw(out, old, keepsChanges);
    return old;
  });
  if (old.length === 0) return [];
  // Without the lock: builds go on meanwhile. Another prune waits as long before it removes the same ones.
  await wait(graceMs);
  return withLock(out, async (lock) => {
    const [published, hosted] = [publishedReleases(out), readCurrent(out)?.hosted ?? []];
    const gone = old.filter((id) => published.includes(id) && !hosted.includes(id));
    lock.assertHeld();
    await removeReleases(out, gone, keepsChanges);
    return gone;
  });
}

/**
 * The units that are gone and whose successors the changes of a folder know, by level and GID.
 * @param leaving releases whose changes are left out
 */
export function knownSuccessors(out: string, leaving: readonly string[] = []): ReadonlyMap<string, GoneUnit> {
  return goneIn(out, publishedReleases(out), leaving);
}

/**
 * The releases that a prune removes, the newest first: hosted ones but the current one and the newest, `keep` together;
 * and what is not hosted and older than those that stay, as a prune leaves it that was ended while it waited.
 */
export function releasesToPrune(out: string, keep: number): string[] {
  const newestFirst = listReleases(out)
    .filter(({ units }) => units !== undefined)
    .toReversed();
  const others = newestFirst.filter(({ isHosted, isCurrent }) => isHosted && !isCurrent);
  const kept = others.slice(0, keep - 1);
  const oldest = kept.at(-1) ?? newestFirst.find(({ isCurrent }) => isCurrent);
  const older = oldest === undefined ? [] : newestFirst.slice(newestFirst.indexOf(oldest) + 1);
  const old = newestFirst.filter((one) =>
    one.isHosted ? others.includes(one) && !kept.includes(one) : older.includes(one),
  );
  return old.map(({ release }) => release);
}

/**
 * Removes a release that is not hosted, such as one that was built for review.
 * @param keepsChanges are the changes that lead to it kept?
 * @throws BuildError if it is hosted, or there is no such release
 */
export async function removeRelease(out: string, release: string, keepsChanges = false): Promise<void> {
  await withLock(out, async (lock) => {
    requireRelease(out, release);
    const { release: current, hosted = [] } = readCurrent(out) ?? {};
    if (hosted.includes(release))
      throw new BuildError(
        `${join(out, releasePath(release))}: release ${release} is ${release === current ? 'current' : 'hosted'}: proxies answer for it`,
        release === current
          ? 'make another release current with activate, then use prune'
          : 'use prune --keep N, which takes the oldest ones out of current.json before it removes their files',
      );
    lock.assertHeld();
    await withdraw(out, [release], keepsChanges);
    await removeReleases(out, [release], keepsChanges);
  });
}

function sum(levels: readonly LevelSummary[], pick: (level: LevelSummary) => number): number {
  return levels.reduce((total, level) => total + pick(level), 0);
}

/** Reads release.json. @throws BuildError if there is no such release, or the file is damaged */
export function readRelease(out: string, id: string): Release {
  requireRelease(out, id);
  const described = descriptionIn(out, id);
  if (!(described instanceof FormatError)) return described;
  if (described instanceof FormatVersionError)
    throw otherVersionError(out, join(out, releasePath(id), RELEASE_FILE), described);
  throw new BuildError(
    damageOf(out, id, described),
    `run verify --release ${id} to see all problems, then ${BUILD_AGAIN}`,
  );
}

/**
 * The options that a release was built with, of any format version.
 * @param like its id in the output folder, or the path of its folder
 * @throws BuildError if there is no such release, or its release.json is damaged
 */
export function readRecordedBuild(out: string, like: string): RecordedBuild {
  const isPath = /[/\\]/.test(like);
  if (!isPath) requireRelease(out, like);
  const file = join(isPath ? like : join(out, releasePath(like)), RELEASE_FILE);
  if (!existsSync(file))
    throw new BuildError(
      `--like ${like}: it has no ${RELEASE_FILE}`,
      'name the folder of a release, output/releases/ID',
    );
  try {
    return recordedBuildFrom(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof FormatError)
      throw new BuildError(error.message, 'give the options of the build without --like');
    throw error;
  }
}

function damageOf(out: string, release: string, { message }: FormatError): string {
  return `${join(out, releasePath(release))}/${message}`;
}
