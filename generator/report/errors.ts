// The one error of the generator: a command fails whole and says what was wrong, where, and what to do.

/** A fault of the source, the options or the machine. `message` says what and where; `remedy` what to do. */
export class BuildError extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'BuildError';
    this.remedy = remedy;
  }
}

const DISK_REMEDY = 'mend the disk and run the command again';
const ACCESS_REMEDY = 'make the folder writable for this user and run the command again';

/** What to do about what the operating system refuses, by error code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on that disk and run the command again',
  EDQUOT: 'the quota is used up: free space and run the command again',
  EFBIG: 'the file would be larger than the limit (ulimit -f); raise it and run the command again',
  EIO: DISK_REMEDY,
  EROFS: ACCESS_REMEDY,
  EACCES: ACCESS_REMEDY,
  EPERM: ACCESS_REMEDY,
  EMFILE: 'raise the limit of open files (ulimit -n 4096) and run the command again',
  ENFILE: 'the machine has too many files open: end what holds them and run the command again',
};

/** A fault of the machine as a BuildError; any other error as it is. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BuildError || !('code' in error)) return error;
  const remedy = REMEDIES[String(error.code)];
  return remedy === undefined ? error : new BuildError(error.message, remedy);
}
