// The faults that `verify` finds, by file, and the problem of a file that `verify` or `diff` cannot read.
import { FormatError } from '../../format/parse.ts';
import { FileError } from '../reader/inflate.ts';

/** One problem of one file. */
export interface Fault {
  /** Relative to the output folder; a file of the source as it was given. */
  path: string;
  problem: string;
}

/** Collects faults. */
export interface Faults {
  add(path: string, problem: string): void;
  /** Faults by path; of a file with many problems, the first few and the number of the others. */
  list(): Fault[];
}

/** Maximum problems of one file that are listed one by one. */
const LISTED = 3;

/** Problems of a file by error code of the operating system. Other codes are not problems of the file. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'is missing',
  ENOTDIR: 'is missing',
  EISDIR: 'is a folder',
  ELOOP: 'is a link to itself',
  EACCES: 'cannot be read: this user may not',
  EPERM: 'cannot be read: this user may not',
  EIO: 'cannot be read: the disk fails (EIO)',
  ERR_STRING_TOO_LONG: 'holds a text too long to parse',
};

/** No faults yet. */
export function newFaults(): Faults {
  const byPath = new Map<string, { listed: string[]; more: number }>();
  return {
    add(path, problem) {
      const problems = byPath.get(path) ?? { listed: [], more: 0 };
      byPath.set(path, problems);
      if (problems.listed.length < LISTED) problems.listed.push(problem);
      else problems.more++;
    },
    list() {
      return [...byPath]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([path, { listed, more }]) => {
          const all = more === 0 ? listed : [...listed, `and ${more} more problem${more === 1 ? '' : 's'}`];
          return all.map((problem) => ({ path, problem }));
        });
    },
  };
}

/**
 * The problem of a file that cannot be read or has unexpected content.
 * @param file its name in the messages of FormatErrors, which is left out
 * @throws `error` if it is not a problem of the file
 */
export function problemOf(error: unknown, file = ''): string {
  if (error instanceof FileError) return error.message;
  if (error instanceof FormatError) return error.message.replace(file, '').replace(/^:? /, '');
  const problem = error instanceof Error && 'code' in error ? UNREADABLE[String(error.code)] : undefined;
  if (problem === undefined) throw error;
  return problem;
}
