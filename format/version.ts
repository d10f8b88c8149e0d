// The version of the format, and what is said of another one: of every file that says its own.

/** The version of everything in `format/`; readers refuse any other. */
export const FORMAT_VERSION = 7;

/** What is wrong with a file of another version, and what to do. */
export function versionProblem(version: number): string {
  const remedy = version < FORMAT_VERSION ? 'build the release again from its source' : 'read it with a newer version';
  return `format version is ${version}, expected ${FORMAT_VERSION}: ${remedy}`;
}
