// The codes of errors of Node.js and of the operating system.

/** The code of an error, such as ENOENT; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
