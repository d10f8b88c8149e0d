// What `verify` finds, by file.
import { grouped } from '../../format/grouped.ts';

/** One problem of one file. */
export interface FileFinding {
  /** In the end relative to the output folder. */
  path: string;
  problem: string;
}

/** The problem of a file that should not be there. */
export const FOREIGN = 'is not part of this release';

/** The problem of a pipe, a device or a socket. */
export const SPECIAL = 'is neither a file nor a folder: nothing else was verified';

/** Maximum problems of one file that are listed one by one. */
const LISTED = 3;

/** Findings by path; of a file with many problems, the first few and the number of the others. */
export function listedFindings(findings: readonly FileFinding[]): FileFinding[] {
  const byPath = grouped(findings, ({ path }) => path);
  const paths = [...byPath].sort(([a], [b]) => (a < b ? -1 : 1));
  return paths.flatMap(([path, found]) => {
    const more = found.length - LISTED;
    if (more <= 0) return found;
    return [...found.slice(0, LISTED), { path, problem: `and ${more} more problem${more === 1 ? '' : 's'}` }];
  });
}
