// JSON that says the version of the format and which release it is of.
import { isReleaseId, RELEASE_ID_RULE } from './layout.ts';
import { FormatError, type JsonObject, numberIn, objectFrom, textIn } from './parse.ts';
import { FORMAT_VERSION, versionProblem } from './version.ts';

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
