// current.json, the pointer to the current release.
import { type PublishedChanges, publishedChangesIn } from './changes.ts';
import { type CheckedFile, checkedFileIn } from './checked-files.ts';
import { isReleaseId, RELEASE_ID_RULE } from './layout.ts';
import { FormatError, type JsonObject, objectFrom, textIn, textsIn } from './parse.ts';
import { releaseIdIn, versioned } from './versioned-json.ts';

/** current.json. */
export interface Current {
  /** The release that answers requests without a cursor. */
  release: string;
  /** Every hosted release, the current one included. A cursor of any other release is answered 410. */
  hosted: readonly string[];
  /** SHA-256 of each release.json in hex, by id: the root of all other digests of a release. */
  digests: ReadonlyMap<string, string>;
  /** The changes between releases that are published, oldest first; undefined where there are none. */
  changes?: readonly PublishedChanges[] | undefined;
  /** gone.bin, beside them; undefined where there are none. */
  gone?: CheckedFile | undefined;
}

/** What current.json says of releases, and its members, of which others are of what lies beside them. */
export interface Pointer extends Pick<Current, 'release' | 'hosted' | 'digests'> {
  members: JsonObject;
}

/**
 * Reads current.json.
 * @throws FormatError that names the file, the member, what was got and what was expected; FormatVersionError first
 */
export function currentFromJson(text: string, file: string): Current {
  const { members, ...pointer } = pointerFromJson(text, file);
  return { ...pointer, ...changesIn(members, file) };
}

/** The changes that current.json names. @throws FormatError likewise */
export function changesIn(members: JsonObject, file: string): Pick<Current, 'changes' | 'gone'> {
  const gone = goneIn(members, file);
  return {
    ...(members['changes'] !== undefined && { changes: publishedChangesIn(members, file) }),
    ...(gone !== undefined && { gone }),
  };
}

/** What current.json says of gone.bin; undefined if there is none. @throws FormatError likewise */
export function goneIn(members: JsonObject, file: string): CheckedFile | undefined {
  return members['gone'] === undefined ? undefined : checkedFileIn(members, 'gone', file);
}

/** Reads current.json but for what lies beside the releases. @throws FormatError likewise */
export function pointerFromJson(text: string, file: string): Pointer {
  const members = versioned(text, file);
  const release = releaseIdIn(members, file);
  const hosted = textsIn(members, 'hosted', file);
  const invalid = hosted.find((id) => !isReleaseId(id));
  if (invalid !== undefined)
    throw new FormatError(file, `hosted names ${JSON.stringify(invalid)}, expected ${RELEASE_ID_RULE}`);
  if (!hosted.includes(release)) throw new FormatError(file, `release ${release} is not among the hosted ones`);
  const digests = objectFrom(members['digests'], `${file} digests`);
  for (const id of hosted)
    if (!/^[0-9a-f]{64}$/.test(textIn(digests, id, `${file} digests`)))
      throw new FormatError(file, `digests.${id} is ${JSON.stringify(digests[id])}, expected a SHA-256 in hex`);
  return {
    release,
    hosted,
    digests: new Map(hosted.map((id) => [id, textIn(digests, id, file)])),
    members,
  };
}
