// Restores an output folder from where it is published, as far as the next release needs it: current.json, the
// description of each hosted release, the changes, and of the current release what `changes` compares. Pages, tiles and
// cells stay where they are.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import pLimit from 'p-limit';
import { CHANGES_PATH, changesPath, GONE_PATH, type GoneUnit, goneFromText } from '../../format/changes.ts';
import { upgradeRemedy } from '../../format/command-line/upgrade.ts';
import { type Current, currentFromJson } from '../../format/current-json.ts';
import { elementAt } from '../../format/element-at.ts';
import {
  CHECKSUMS_FILE,
  CURRENT_MAX_BYTES,
  CURRENT_PATH,
  RELEASE_FILE,
  RELEASES_PATH,
  releasePath,
  SIGNATURE_ENDING,
  SIGNED_FILE,
} from '../../format/layout.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import { FormatError } from '../../format/parse.ts';
import { RELEASE_MAX_BYTES, type Release } from '../../format/release-json.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { readChecksums } from '../files/checksums.ts';
import { renameDurably, syncTree, writeDurably } from '../files/fsync.ts';
import { gunzipWithin, sizeAndSum } from '../release-reader/inflate.ts';
import { BuildError } from '../report/errors.ts';
import { type Report, SILENT } from '../report/progress.ts';
import { CHANGES_TEXT_MAX_BYTES } from './changes-files.ts';
import { temporaryPath } from './current-file.ts';
import { type HostedFile, HostedFolder } from './hosted-folder.ts';
import { knownSuccessors, releaseFiles } from './manage.ts';
import { withLock } from './output-lock.ts';
import {
  descriptionIn,
  publishedReleases,
  readCurrent,
  removeFolder,
  removeLeftovers,
  stagingPath,
} from './staging.ts';

/** What was restored. */
export interface Restored {
  current: string;
  hosted: readonly string[];
  files: number;
  bytes: number;
  /** Units that are gone and whose successors the published gone.bin has, but no file of changes that is listed. */
  lost: readonly GoneUnit[];
}

/** Requests at a time. */
const REQUESTS = 8;
/** Of Ed25519. */
const SIGNATURE_BYTES = 64;
/** Of signed.json. */
const SIGNED_MAX_BYTES = 64 * 1024;
/** What `changes` reads of a level, relative to the release's folder: the level, the geometry, the file. */
const COMPARED = /^lv([0-5])\/(?:(medium)\/)?(manifest\.json|index\.bin|names\.jsonl\.gz|(?:features|alone)\/[^/]+)$/;
/** A line of checksums.txt: a digest, and the longest path that there is. */
const CHECKSUM_LINE_MAX_BYTES = 256;

/**
 * Restores an output folder. Releases that are here stay; current.json is replaced last.
 * @param from the address of the published folder
 * @throws BuildError, before anything is changed, if there is none, it is of another format, it is not complete, or
 *   this folder has something else
 */
export async function restore(out: string, from: string, report: Report = SILENT): Promise<Restored> {
  const hosted = new HostedFolder(from);
  const { text, current } = await publishedPointer(hosted);
  return withLock(out, async (lock) => {
    refuseOthers(out, hosted.url, current);
    removeLeftovers(out);
    const staging = stagingPath(out, current.release);
    try {
      const fetching = new Fetching(hosted, staging, report);
      await fetchAll(fetching, current, out, staging);
      await syncTree(staging);
      lock.assertHeld();
      await moveAll(staging, out);
      writeDurably(temporaryPath(out), text);
      await renameDurably(temporaryPath(out), join(out, CURRENT_PATH));
      const { files, bytes } = fetching;
      return { current: current.release, hosted: current.hosted, files, bytes, lost: lostSuccessors(out) };
    } finally {
      removeFolder(staging);
    }
  });
}

/** current.json as it is published. @throws BuildError if there is none, or nothing that this version reads */
async function publishedPointer(hosted: HostedFolder): Promise<{ text: Buffer; current: Current }> {
  const file = `${hosted.url}/${CURRENT_PATH}`;
  const text = await hosted.read(CURRENT_PATH, CURRENT_MAX_BYTES);
  if (text === undefined)
    throw new BuildError(
      `${file}: is not there`,
      'use the address that current.json is below; where nothing is published yet, build without restoring',
    );
  try {
    return { text, current: currentFromJson(text.toString(), file) };
  } catch (error) {
    throw unreadable(error, 'use the address of an output folder: what answers there is none');
  }
}

/** @throws BuildError if this folder has, by the same name or not, what is not published there */
function refuseOthers(out: string, url: string, { hosted, digests }: Current): void {
  const dropped = (readCurrent(out)?.hosted ?? []).filter((id) => !hosted.includes(id));
  if (dropped.length > 0)
    throw new BuildError(
      `${join(out, CURRENT_PATH)}: lists ${dropped.join(', ')}, which ${url} does not host`,
      'upload this folder, or restore into another one: --out FOLDER',
    );
  const other = publishedReleases(out).find((id) => {
    const sha256 = digests.get(id);
    return sha256 !== undefined && sizeAndSum(join(out, releasePath(id), RELEASE_FILE)).sha256 !== sha256;
  });
  if (other !== undefined)
    throw new BuildError(
      `${join(out, releasePath(other))}: is another release than that of ${url}`,
      'restore into another folder: --out FOLDER',
    );
}

/** Files that are fetched, each counted. */
class Fetching {
  files = 0;
  bytes = 0;
  readonly #hosted: HostedFolder;
  readonly #staging: string;
  readonly #report: Report;

  constructor(hosted: HostedFolder, staging: string, report: Report) {
    this.#hosted = hosted;
    this.#staging = staging;
    this.#report = report;
  }

  async each(wanted: readonly Omit<HostedFile, 'file'>[]): Promise<void> {
    this.#report.expect('files', wanted.length);
    await pLimit(REQUESTS).map(wanted, async (own) => {
      this.bytes += await this.#hosted.save({ ...own, file: join(this.#staging, own.path) });
      this.files++;
      this.#report.advance('files', 1);
    });
  }

  /** The signature of a file, and what is signed with it, if there is one. @returns is there? */
  async signature(path: string): Promise<boolean> {
    const signature = await this.#hosted.read(path + SIGNATURE_ENDING, SIGNED_MAX_BYTES);
    // Some hosts answer with a page where nothing is.
    if (signature?.length !== SIGNATURE_BYTES) return false;
    this.#keep(path + SIGNATURE_ENDING, signature);
    return true;
  }

  /** A small file that a signed release may have. */
  async small(path: string): Promise<void> {
    const content = await this.#hosted.read(path, SIGNED_MAX_BYTES);
    if (content !== undefined) this.#keep(path, content);
  }

  #keep(path: string, content: Buffer): void {
    writeFileSync(join(this.#staging, path), content);
    this.files++;
    this.bytes += content.length;
  }
}

/** Fetches to a staging folder, which is laid out as an output folder is, what this folder lacks. */
async function fetchAll(
  fetching: Fetching,
  { release, hosted, digests, changes = [], gone }: Current,
  out: string,
  staging: string,
): Promise<void> {
  const root = `${releasePath(release)}/`;
  // First what says of which format they are.
  const fileOf = (id: string, file: string): string => `${releasePath(id)}/${file}`;
  await fetching.each(
    hosted.map((id) => ({ path: fileOf(id, RELEASE_FILE), sha256: digests.get(id), most: RELEASE_MAX_BYTES })),
  );
  const descriptions = new Map<string, Release>();
  for (const id of hosted) {
    const description = descriptionIn(staging, id);
    if (description instanceof FormatError) throw unreadable(description, 'publish that release again');
    descriptions.set(id, description);
  }
  await fetching.each(
    [...descriptions].map(([id, { levels }]) => {
      return {
        path: fileOf(id, CHECKSUMS_FILE),
        sha256: undefined,
        most: CHECKSUM_LINE_MAX_BYTES * releaseFiles(levels),
      };
    }),
  );
  for (const id of hosted) {
    const { sums, problems } = readChecksums(join(staging, releasePath(id)));
    if (problems.length > 0 || sums.get(RELEASE_FILE) !== digests.get(id))
      throw new BuildError(
        `${fileOf(id, CHECKSUMS_FILE)}: is not that of its release`,
        'upload the release again, or try again',
      );
    const signed = fileOf(id, SIGNED_FILE);
    if (!(await fetching.signature(fileOf(id, RELEASE_FILE)))) continue;
    if (await fetching.signature(signed)) await fetching.small(signed);
  }
  const pairs = changes.map(({ from, to, sha256, bytes: most }) => ({ path: changesPath(from, to), sha256, most }));
  const ofChanges = gone === undefined ? pairs : [...pairs, { path: GONE_PATH, sha256: gone.sha256, most: gone.bytes }];
  await fetching.each(ofChanges);
  for (const { path } of ofChanges) await fetching.signature(path);
  const { sums } = readChecksums(join(staging, root));
  const levels = descriptions.get(release)?.levels ?? [];
  await fetching.each(
    [...sums].flatMap(([path, sha256]) => {
      const most = comparedMost(levels, path);
      return most === undefined || existsSync(join(out, root, path)) ? [] : [{ path: root + path, sha256, most }];
    }),
  );
}

/** The bytes that a file may have which `changes` reads; undefined for any other. */
function comparedMost(levels: readonly LevelSummary[], path: string): number | undefined {
  const [, level, geometry, file] = COMPARED.exec(path) ?? [];
  if (file === undefined) return undefined;
  const summary = elementAt(levels, Number(level));
  const own = geometry === undefined ? summary : summary.geometries.medium;
  if (file === 'manifest.json') return summary.manifest.bytes;
  if (file === 'names.jsonl.gz') return summary.names.bytes;
  return file === 'index.bin' ? own?.index.bytes : own?.featureFiles.bytes;
}

/** Moves what was fetched into the output folder: a release that is not here as a whole, files of others one by one. */
async function moveAll(staging: string, out: string): Promise<void> {
  const folder = join(staging, RELEASES_PATH);
  for (const id of readdirSync(folder)) {
    if (existsSync(join(out, releasePath(id)))) await moveFiles(join(folder, id), join(out, releasePath(id)));
    else await renameDurably(join(folder, id), join(out, releasePath(id)));
  }
  await moveFiles(join(staging, CHANGES_PATH), join(out, CHANGES_PATH));
}

async function moveFiles(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, file));
    mkdirSync(dirname(target), { recursive: true });
    await renameDurably(file, target);
  }
}

/** The units of the published gone.bin that the next one, which is made of the files of changes, would not have. */
function lostSuccessors(out: string): GoneUnit[] {
  const file = join(out, GONE_PATH);
  if (!existsSync(file)) return [];
  const known = knownSuccessors(out);
  const text = gunzipWithin(readFileSync(file), CHANGES_TEXT_MAX_BYTES).toString();
  return goneFromText(text, GONE_PATH).filter(({ level, gid }) => !known.has(`${level} ${gid}`));
}

/** The error for a published file that cannot be read. */
function unreadable(error: unknown, remedy: string): unknown {
  if (error instanceof FormatVersionError) return new BuildError(error.message, upgradeRemedy(error));
  return error instanceof FormatError ? new BuildError(error.message, remedy) : error;
}
