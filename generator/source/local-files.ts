// The files and folders of a source: which names in a folder are left out, and what is neither a file nor a folder. Used
// where datasets are found and where the files of the source are listed.
import { readdirSync, type Stats, statSync } from 'node:fs';
import { BuildError } from '../report/errors.ts';

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
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem = PROBLEMS[code];
  if (problem === undefined) return error;
  return new BuildError(`${shown(path)}: ${problem}`, 'correct --source');
}

function shown(path: string): string {
  return path.length <= SHOWN_LENGTH ? path : `${path.slice(0, SHOWN_LENGTH)}...`;
}
