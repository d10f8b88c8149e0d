// Loads the metadata of a release from an origin: manifests and feature indexes, verified and prepared for look-ups. Used
// by releases.ts.
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { WorkerOptions } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import { elementAt } from '../../format/element-at.ts';
import { indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { LEVELS } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import type { LevelSummary, Release } from '../../format/release.ts';
import { releaseFromJson } from '../../format/release.ts';
import type { Origin } from '../origin/origin.ts';
import type { LevelFiles, LevelTables, LoadedLevel, MetadataFile } from './level-tables.ts';
import { filesToTables, tablesToLevel } from './level-tables.ts';
import type { ThreadMessage } from './load-thread.ts';
import type { TakeTurn } from './turns.ts';

/** Metadata up to this size is parsed on the event loop, level by level; a thread would take longer to start. */
const INLINE_MAX_BYTES = 512 * 1024;

/** A release whose metadata has been loaded and verified. */
export interface LoadedRelease {
  id: string;
  /** SHA-256 of release.json in hex: two releases with the same one have the same bytes in every file. */
  digest: string;
  /** Credits to show with the data. */
  attribution: readonly string[];
  /** What release.json says of each level. */
  summaries: readonly LevelSummary[];
  /** What it says of the overview. */
  overview: Release['overview'];
  /**
   * The metadata of a level.
   * @throws OriginError, FormatError if levels are loaded when they are first requested
   */
  level(number: Level): LoadedLevel | Promise<LoadedLevel>;
}

/** A release with the metadata of all levels in memory. */
export interface WholeRelease extends LoadedRelease {
  level(number: Level): LoadedLevel;
}

/** release.json and its SHA-256 in hex. */
export interface Description {
  release: Release;
  digest: string;
}

/**
 * Loads the metadata of a release, and verifies it with the digests in its release.json.
 * @param takeTurn parsing waits for its turn; reading may not
 * @throws OriginError, FormatError
 */
export type LoadRelease = (origin: Origin, description: Description, takeTurn: TakeTurn) => Promise<LoadedRelease>;

/**
 * Reads the release.json of a release.
 * @throws OriginError, FormatError
 */
export async function readDescription(origin: Origin, id: string): Promise<Description> {
  const file = `${releasePath(id)}/${RELEASE_FILE}`;
  const bytes = await origin.read(file);
  const release = releaseFromJson(bytes.toString('utf8'), file);
  if (release.release !== id) throw new FormatError(file, `release is ${release.release}, expected ${id}`);
  return { release, digest: hash('sha256', bytes, 'hex') };
}

/**
 * Loads all levels of a release; a large one in a thread.
 * @param takeTurn parsing waits for its turn; reading does not
 * @throws OriginError, FormatError
 */
export async function loadRelease(
  origin: Origin,
  { release, digest }: Description,
  takeTurn: TakeTurn,
): Promise<WholeRelease> {
  const files: LevelFiles[] = [];
  for (const level of LEVELS) files.push(await readLevel(origin, release, level));
  const bytes = files.reduce((sum, { manifest, index }) => sum + manifest.bytes.length + index.bytes.length, 0);
  const parsed = await takeTurn(() => (bytes > INLINE_MAX_BYTES ? parseInThread(files) : parseHere(files)));
  const level = (number: Level): LoadedLevel => elementAt(parsed, number);
  const { release: id, attribution, levels: summaries, overview } = release;
  return { id, digest, attribution, summaries, overview, level };
}

/**
 * Reads the files of a level's metadata, which are not verified yet.
 * @throws OriginError
 */
export async function readLevel(origin: Origin, { release, levels }: Release, level: Level): Promise<LevelFiles> {
  const read = async (name: string, sha256: string): Promise<MetadataFile> => {
    const path = `${releasePath(release)}/${name}`;
    // A copy in memory that is shared with no other buffer, so that it can be moved to the thread.
    return { path, bytes: new Uint8Array(await origin.read(path)), sha256 };
  };
  const summary = elementAt(levels, level);
  const [manifest, index] = await Promise.all([
    read(manifestPath(level), summary.manifest),
    read(indexPath(level), summary.index),
  ]);
  return { release, level, manifest, index };
}

/** Other events are handled between levels. */
async function parseHere(files: readonly LevelFiles[]): Promise<LoadedLevel[]> {
  const levels: LoadedLevel[] = [];
  for (const level of files) {
    levels.push(tablesToLevel(filesToTables(level)));
    await setImmediate();
  }
  return levels;
}

/** @throws FormatError */
async function parseInThread(files: readonly LevelFiles[]): Promise<LoadedLevel[]> {
  const thread = startThread({
    workerData: files,
    transferList: files.flatMap(({ manifest, index }) => [manifest.bytes.buffer, index.bytes.buffer]),
  });
  const parsed: LevelTables[] = [];
  let formatError: string | undefined;
  thread.on('message', (message: ThreadMessage) => {
    if ('tables' in message) parsed.push(message.tables);
    else formatError = message.formatError;
  });
  // Its last event; an error of the thread rejects.
  const [code] = await once(thread, 'exit');
  if (formatError !== undefined) throw messageToFormatError(formatError);
  if (parsed.length < files.length) throw new Error(`the thread that loads a release exited with code ${code}`);
  const levels: LoadedLevel[] = [];
  for (const tables of parsed) {
    levels.push(tablesToLevel(tables));
    await setImmediate();
  }
  return levels;
}

/** Starts load-thread.ts; if this program runs from its TypeScript source, tsx must be loaded in the thread, too. */
function startThread(options: WorkerOptions): Worker {
  const extension = extname(import.meta.url);
  const module = new URL(`./load-thread${extension}`, import.meta.url);
  if (extension !== '.ts') return new Worker(module, options);
  const tsx = import.meta.resolve('tsx/esm/api');
  return new Worker(`import('${tsx}').then((tsx) => tsx.register()).then(() => import('${module}'))`, {
    ...options,
    eval: true,
  });
}

/** Only the text of an error moves between threads. */
function messageToFormatError(message: string): FormatError {
  const colon = message.indexOf(': ');
  return new FormatError(message.slice(0, colon), message.slice(colon + 2));
}
