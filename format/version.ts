// The version of the format: of every file that says its own, which release it is of, and what is said of another one.
import { isReleaseId, RELEASE_ID_RULE } from './layout.ts';
import { FormatError, type JsonObject, numberIn, objectFrom, textIn } from './parse.ts';

/** The version of everything in `format/`; readers refuse any other. */
export const FORMAT_VERSION = 7;

/** What is wrong with a file of another version, and what to do. */
export function versionProblem(version: number): string {
  const remedy = version < FORMAT_VERSION ? 'build the release again from its source' : 'read it with a newer version';
  return `format version is ${version}, expected ${FORMAT_VERSION}: ${remedy}`;
}

/** A file of a release of another format version. */
export class FormatVersionError extends FormatError {
  readonly version: number;
  /** The release that it is of, or names; undefined if it says none. */
  readonly release: string | undefined;

  constructor(file: string, version: number, release?: string) {
    super(file, versionProblem(version));
    this.version = version;
    this.release = release;
  }
}

/** A file that says its version, as an object. @throws FormatVersionError if that is another one, FormatError */
export function versioned(text: string, file: string): JsonObject {
  const json = objectFrom(text, file);
  const version = numberIn(json, 'version', file);
  if (version !== FORMAT_VERSION) {
    const { release } = json;
    const isNamed = typeof release === 'string' && isReleaseId(release);
    throw new FormatVersionError(file, version, isNamed ? release : undefined);
  }
  return json;
}

/** The id of its release. @throws FormatError if it is none */
export function releaseIdIn(json: JsonObject, file: string): string {
  const id = textIn(json, 'release', file);
  if (!isReleaseId(id)) throw new FormatError(file, `release is ${JSON.stringify(id)}, expected ${RELEASE_ID_RULE}`);
  return id;
}
