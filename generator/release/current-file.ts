// current.json of an output folder: reads it, and replaces it at once.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Current, currentFromJson } from '../../format/current-json.ts';
import { CURRENT_MAX_BYTES, CURRENT_PATH, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { currentToJson } from '../../format/write/texts.ts';
import { sha256Of } from '../files/checksums.ts';
import { renameDurably, writeDurably } from '../files/fsync.ts';
import { BuildError } from '../report/errors.ts';
import { listedChanges, type ReleasePair } from './changes-files.ts';

/** current.json, or what is wrong with it; undefined before the first release of this format version. */
export function currentIn(out: string): Current | FormatError | undefined {
  const file = join(out, CURRENT_PATH);
  if (!existsSync(file)) return undefined;
  const current = parsed(() => currentFromJson(readFileSync(file, 'utf8'), file));
  return current instanceof FormatVersionError ? undefined : current;
}

/** What `parse` returns, or the error of a file that is not as it should be. */
export function parsed<T>(parse: () => T): T | FormatError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/** current.json; undefined if it is missing or damaged. */
export function recordedIn(out: string): Current | undefined {
  const current = currentIn(out);
  return current instanceof FormatError ? undefined : current;
}

/**
 * Replaces current.json. Digests that it records stay: a release.json that has been damaged since is not what was
 * published.
 * @param renewed the release whose digest is that of its file now
 * @param pair the pair of releases whose changes are new: those of the oldest pairs are left out where there are too
 *   many
 * @param leaving releases whose changes are about to be removed
 * @throws BuildError if it would be larger than what proxies read
 */
export async function writeCurrent(
  out: string,
  release: string,
  hosted: readonly string[],
  { renewed, pair, leaving = [] }: { renewed?: string; pair?: ReleasePair; leaving?: readonly string[] },
): Promise<void> {
  const recorded = recordedIn(out);
  const digestOf = (id: string): string =>
    (id === renewed ? undefined : recorded?.digests.get(id)) ??
    sha256Of(readFileSync(join(out, releasePath(id), RELEASE_FILE)));
  const temporary = temporaryPath(out);
  const digests = new Map(hosted.map((id) => [id, digestOf(id)]));
  const { changes, ...gone } = listedChanges(out, hosted, leaving, recorded ?? {}, pair);
  const textWith = (listed: typeof changes): string =>
    currentToJson({ release, hosted, digests, ...(listed.length > 0 && { changes: listed }), ...gone });
  const bytesWith = (listed: typeof changes): number => Buffer.byteLength(textWith(listed));
  while (changes.length > 0 && bytesWith(changes) > CURRENT_MAX_BYTES) changes.shift();
  const bytes = bytesWith(changes);
  if (bytes > CURRENT_MAX_BYTES)
    throw new BuildError(
      `${join(out, CURRENT_PATH)} would have ${bytes} bytes with its ${hosted.length} releases; proxies read at most ${CURRENT_MAX_BYTES}`,
      `remove old releases: prune --keep ${Math.floor(hosted.length / 2)}; then activate ${release}`,
    );
  writeDurably(temporary, textWith(changes));
  await renameDurably(temporary, join(out, CURRENT_PATH));
}

/** Where current.json is before it is renamed. */
export function temporaryPath(out: string): string {
  return join(out, `.${CURRENT_PATH}.new`);
}
