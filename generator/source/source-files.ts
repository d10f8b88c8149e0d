// The files and folders of a source: which names in a folder are left out, what is neither a file nor a folder, and the
// files with their sizes and SHA-256 for release.json, sorted, so that the order is reproducible.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../format/error-code.ts';
import type { SourceFile } from '../../format/release-json.ts';
import { BuildError } from '../report/errors.ts';
import { isRemote, sourceName } from './source-options.ts';

/**
 * Name, size and SHA-256 of every source file; a file in a folder has a path that begins with the folder's name. A URL
 * or a connection to a database has its name only, without user, password and query.
 */
export async function sourceFiles(source: readonly string[]): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of source) {
    if (isRemote(path)) files.push({ name: sourceName(path) });
    for (const [name, file] of localFiles([path]))
      files.push({ name, bytes: statSync(file).size, sha256: await sha256OfFile(file) });
  }
  return files;
}

/** Bytes of all files of a source; those of a URL or a database count nothing. */
export function sourceBytes(source: readonly string[]): number {
  return localFiles(source).reduce((sum, [, file]) => sum + statSync(file).size, 0);
}

/**
 * Notes how the local files of a source are, before they are read.
 * @returns a function that throws BuildError if one of them has been replaced or changed since
 */
export function watchFiles(source: readonly string[]): () => void {
  const stampOf = (file: string): string => {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  };
  const files = localFiles(source).map(([, file]) => [file, stampOf(file)] as const);
  return () => {
    const changed = files.find(([file, stamp]) => !existsSync(file) || stampOf(file) !== stamp);
    if (changed !== undefined)
      throw new BuildError(
        `${shown(changed[0])}: has changed while it was read`,
        'run the command again when nothing writes there any more',
      );
  };
}

/** The names of all local files of a source, and where they are. */
function localFiles(source: readonly string[]): [name: string, file: string][] {
  const local = source.filter((path) => !isRemote(path)).map((path) => resolve(path));
  return local.flatMap((path) => filesUnder(path, basename(path)));
}

/** The names of all files under a path, without hidden ones and those of operating systems, and where they are. */
function filesUnder(path: string, name: string): [name: string, file: string][] {
  if (!fileOrFolder(path).isDirectory()) return [[name, path]];
  return namesIn(path)
    .filter((entry) => !isHidden(entry) && !isSystemFile(entry))
    .flatMap((entry) => filesUnder(join(path, entry), `${name}/${entry}`));
}

/** SHA-256 of a file of any size, in hex. */
async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** What operating systems leave in folders and archives; it is skipped, and said once. */
const SYSTEM_FILES = /^(desktop\.ini|(eh)?thumbs(_vista)?\.db|\.ds_store|__macosx|\._.*)$/i;

/** Longest part of a name in a message. */
const SHOWN_LENGTH = 200;

/** What is wrong with a path, by error code of the operating system. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'no such file or folder',
  ELOOP: 'a symbolic link that leads back to itself',
  ENAMETOOLONG: 'the path is longer than the operating system allows',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

/** Is a name that of a file of the operating system, such as `desktop.ini`? */
export function isSystemFile(name: string): boolean {
  return SYSTEM_FILES.test(name);
}

/** Is a name hidden? Neither a dataset nor a file that `release.json` lists has one. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** The names in a local folder, in alphabetical order. @throws BuildError if it cannot be read */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw unreadable(folder, error);
  }
}

/**
 * A local file or folder.
 * @throws BuildError for anything else: a pipe, a socket or a device would be waited for or read without end
 */
export function fileOrFolder(path: string): Stats {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (stats.isFile() || stats.isDirectory()) return stats;
  const kind = stats.isFIFO() ? 'a named pipe' : stats.isSocket() ? 'a socket' : 'a device';
  throw new BuildError(`${shown(path)}: is ${kind}, neither a file nor a folder`, 'correct --source');
}

function unreadable(path: string, error: unknown): unknown {
  const problem = PROBLEMS[codeOf(error)];
  if (problem === undefined) return error;
  return new BuildError(`${shown(path)}: ${problem}`, 'correct --source');
}

function shown(path: string): string {
  return path.length <= SHOWN_LENGTH ? path : `${path.slice(0, SHOWN_LENGTH)}...`;
}
