// Uploads releases to a bucket or a folder; the table of contents of the command `upload`. Files come before the files
// that name them and current.json last, so that what is served is complete at every moment.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CURRENT_PATH, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { readCurrent } from '../release/staging.ts';
import { BuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import type { Content, ReleaseFile } from './content.ts';
import { contentFrom, readContent, releaseSteps, sizeOf } from './content.ts';
import { sideBySide } from './side-by-side.ts';
import type { StoredFile, Target } from './target.ts';

/** What is uploaded. */
export interface UploadOptions {
  /** The output folder. */
  out: string;
  /** Only this release, without current.json; undefined for all that current.json lists. */
  release: string | undefined;
  /** Files that are uploaded side by side. */
  concurrency: number;
  /** Is nothing written? */
  dryRun: boolean;
  /** Are the releases removed that current.json does not list? */
  removeOthers: boolean;
  /** Time between the new current.json and the removal, for responses in progress. */
  graceMs: number;
}

/** What was uploaded, or with `dryRun` what would be. */
export interface Uploaded {
  target: string;
  releases: readonly string[];
  /** Files of the releases, and current.json. */
  files: number;
  uploaded: { files: number; bytes: number };
  /** Ids of the removed releases. */
  removed: readonly string[];
}

/** Files up to this size are in memory side by side, larger ones one at a time. */
const SIDE_BY_SIDE_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Uploads what the target lacks.
 * @throws BuildError, S3Error; what was uploaded stays, and the next upload continues
 */
export async function upload(options: UploadOptions, target: Target, report: Report): Promise<Uploaded> {
  const { out, release, dryRun } = options;
  const pointer = release === undefined ? readPointer(out) : undefined;
  const releases = pointer?.hosted ?? [release].filter((id) => id !== undefined);
  const plans = releases.map((id) => ({ id, steps: releaseSteps(out, id) }));
  const files = plans.reduce((sum, { steps }) => sum + steps.flat().length, 0) + (pointer === undefined ? 0 : 1);
  report.expect('files', files);
  const uploaded = { files: 0, bytes: 0 };
  const put = async (content: Content): Promise<void> => {
    if (!dryRun) await target.put(content);
    uploaded.files++;
    uploaded.bytes += content.bytes.length;
  };
  for (const { id, steps } of plans) await uploadRelease({ ...options, id, steps }, target, put, report);
  if (!dryRun) await target.sync();
  if (pointer !== undefined) {
    if (!(await target.has(pointer.content))) await put(pointer.content);
    if (!dryRun) await target.sync();
    report.advance('files', 1);
  }
  const removed = options.removeOthers ? await removeOthers(options, releases, target, report) : [];
  report.end();
  return { target: target.name, releases, files, uploaded, removed };
}

/** current.json, read once: it may be replaced during the upload. */
function readPointer(out: string): { hosted: readonly string[]; content: Content } {
  const current = readCurrent(out);
  if (current === undefined)
    throw new BuildError(
      `${join(out, CURRENT_PATH)}: there is no release to upload`,
      'build one, or choose another output folder with --out',
    );
  return { hosted: current.hosted, content: contentFrom(CURRENT_PATH, readFileSync(join(out, CURRENT_PATH))) };
}

/** A release and its files, step by step. */
interface ReleaseUpload extends UploadOptions {
  id: string;
  steps: readonly (readonly ReleaseFile[])[];
}

async function uploadRelease(
  { out, concurrency, id, steps }: ReleaseUpload,
  target: Target,
  put: (content: Content) => Promise<void>,
  report: Report,
): Promise<void> {
  const stored = await target.list(releasePath(id));
  await refuseOther(out, id, stored, target);
  const uploadFile = async (file: ReleaseFile): Promise<void> => {
    const content = await readContent(out, id, file);
    if (!(await isStored(content, stored.get(file.path), target))) await put(content);
    report.advance('files', 1);
  };
  for (const step of steps) {
    const large: ReleaseFile[] = [];
    await sideBySide(step, concurrency, async (file) => {
      if ((await sizeOf(out, id, file)) > SIDE_BY_SIDE_MAX_BYTES) large.push(file);
      else await uploadFile(file);
    });
    await sideBySide(large, 1, uploadFile);
  }
}

/** A release never changes: another one with the same id must not be overwritten, its pages are being served. */
async function refuseOther(
  out: string,
  id: string,
  stored: ReadonlyMap<string, StoredFile>,
  target: Target,
): Promise<void> {
  const path = `${releasePath(id)}/${RELEASE_FILE}`;
  const theirs = stored.get(path);
  if (theirs === undefined) return;
  const mine = contentFrom(path, readFileSync(join(out, path)));
  if (await isStored(mine, theirs, target)) return;
  throw new BuildError(
    `${target.name}: has another release ${id}; a release never changes`,
    'build this one under another --release, or use another prefix',
  );
}

async function isStored(content: Content, stored: StoredFile | undefined, target: Target): Promise<boolean> {
  if (stored?.bytes !== content.bytes.length) return false;
  return stored.md5 === content.md5 || target.has(content);
}

/** Removes every release but those of `kept`: release.json first, so that none looks complete. */
async function removeOthers(
  { concurrency, dryRun, graceMs }: UploadOptions,
  kept: readonly string[],
  target: Target,
  report: Report,
): Promise<string[]> {
  const others = (await target.releases()).filter((id) => !kept.includes(id));
  if (dryRun || others.length === 0) return others;
  await setTimeout(graceMs);
  for (const id of others) {
    const description = `${releasePath(id)}/${RELEASE_FILE}`;
    const paths = [...(await target.list(releasePath(id))).keys()].filter((path) => path !== description);
    report.expect('removed files', paths.length);
    await target.remove(description);
    await sideBySide(paths, concurrency, async (path) => {
      await target.remove(path);
      report.advance('removed files', 1);
    });
  }
  return others;
}
