// What is wrong with a file of a release, for the messages of `verify` and `diff`.
import { codeOf } from '../../format/error-code.ts';
import { FormatError } from '../../format/parse.ts';

/** A file of a release, or a feature in it, is damaged; the message says how. */
export class FileError extends Error {}

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

/**
 * The problem of a file that cannot be read or has unexpected content.
 * @param file its name in the messages of FormatErrors, which is left out
 * @throws `error` if it is not a problem of the file
 */
export function problemOf(error: unknown, file = ''): string {
  if (error instanceof FileError) return error.message;
  if (error instanceof FormatError) return error.message.replace(file, '').replace(/^:? /, '');
  const problem = UNREADABLE[codeOf(error)];
  if (problem === undefined) throw error;
  return problem;
}
