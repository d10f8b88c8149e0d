// The generator's error: a command fails as a whole and says what is wrong, where, and what to do.

import { installCommand } from '../../format/command-line/messages.ts';
import { codeOf } from '../../format/error-code.ts';

/**
 * An error in the source, the options or the environment. `message` says what and where; `remedy` what to do. Passwords
 * in names of sources are left out of both.
 */
export class BuildError extends Error {
  /** The lines of the message: data in them may have line breaks of its own. */
  readonly lines: readonly string[];
  readonly remedy: string;

  /** @param message in one line, or in several of which the second and later ones are a list */
  constructor(message: string | readonly string[], remedy: string) {
    const lines = [message].flat().map(withoutSecrets);
    super(lines.join('\n  '));
    this.name = 'BuildError';
    this.lines = lines;
    this.remedy = withoutSecrets(remedy);
  }
}

const DISK_REMEDY = 'check the disk (dmesg, smartctl), then run the command again';
const ACCESS_REMEDY = 'give this user write access to the folder and run the command again';
const PATH_REMEDY = 'a file is in the place of a folder: use another --out, or move the file';

/** What to do about an error of the operating system, by error code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on that disk and run the command again',
  EDQUOT: 'the disk quota is used up: free space and run the command again',
  EFBIG: 'raise the limit of file sizes (ulimit -f) and run the command again',
  EIO: DISK_REMEDY,
  EROFS: ACCESS_REMEDY,
  EACCES: ACCESS_REMEDY,
  EPERM: ACCESS_REMEDY,
  ENOTDIR: PATH_REMEDY,
  EEXIST: PATH_REMEDY,
  EMFILE: 'raise the limit of open files (ulimit -n 4096) and run the command again',
  ENFILE: 'too many files are open on this machine: close some or raise fs.file-max, and run the command again',
};

/**
 * Turns an error of the operating system into a BuildError; returns any other error unchanged.
 * @param folder the output folder, named where the error has no path: that of a write has none
 */
export function toBuildError(error: unknown, folder?: string): unknown {
  const remedy = REMEDIES[codeOf(error)];
  if (!(error instanceof Error) || remedy === undefined) return error;
  const hasPath = 'path' in error && error.path !== undefined;
  return new BuildError(hasPath || folder === undefined ? error.message : `${folder}: ${error.message}`, remedy);
}

/**
 * The error for a feature whose packages are not installed; the remedy is the command that installs them.
 * @param what the feature that needs the packages
 * @param error the error of the import
 */
export function missingPackages(what: string, packages: readonly string[], error: unknown): BuildError {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return new BuildError(`${what} needs ${packages.join(', ')}: ${reason}`, installCommand(packages));
}

/** A text without the passwords that connection strings and URLs may have. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/\b(password|passwd|pwd)\s*=\s*('[^']*'|[^\s'";]+)/gi, '$1=...')
    .replaceAll(/(\/\/[^/@:\s]*):[^/@\s]*@/g, '$1:...@');
}
