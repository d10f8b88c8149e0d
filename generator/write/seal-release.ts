// Writes the last files of a release, once its levels are finalised: release.json and checksums.txt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKSUMS_FILE, RELEASE_FILE } from '../../format/layout.ts';
import { languagesOf } from '../../format/level-json.ts';
import { FormatError } from '../../format/parse.ts';
import { RELEASE_MAX_BYTES, type Release, type ReleaseAbout, releaseFromJson } from '../../format/release-json.ts';
import { releaseToJson } from '../../format/write/texts.ts';
import { sha256Of } from '../files/checksums.ts';
import { writeDurably, writePartsDurably } from '../files/fsync.ts';
import { byLevel } from '../quality/findings.ts';
import type { SealedStaging } from '../release/staging.ts';
import { BuildError } from '../report/errors.ts';
import { type Checksum, checksumLines, type FinalizedLevel } from './finalize.ts';

/**
 * Writes release.json and checksums.txt.
 * @param levels all six, ascending
 * @throws BuildError if nobody could read its release.json
 */
export function sealRelease(
  { release: out, sequence, published }: SealedStaging,
  about: ReleaseAbout,
  levels: readonly FinalizedLevel[],
): Release {
  const quality = byLevel([...about.quality, ...levels.flatMap(({ findings }) => findings)]);
  const summaries = levels.map(({ summary }) => summary);
  const described = { ...about, quality, sequence, languages: languagesOf(summaries), levels: summaries };
  const release = numbered(described, published);
  const json = releaseToJson(release);
  requireReadable(json);
  writeDurably(join(out, RELEASE_FILE), json);
  const own = { path: RELEASE_FILE, sha256: sha256Of(json) };
  writePartsDurably(join(out, CHECKSUMS_FILE), checksumParts(levels, own));
  return release;
}

/** So many releases may have been built into the folder since, and removed again. */
const REMOVED_MAX = 1_000;
/** Higher numbers are not tried: a damaged release.json may have any. */
const TRIED_MAX = 10_000;

/**
 * A release with its own number. One that is built again has the number that it was published with: where its
 * release.json is damaged, only the digest of that file tells which one.
 */
function numbered(release: Release, published: readonly string[]): Release {
  const numbers = [release.sequence];
  const most = published.length === 0 ? 0 : Math.min(release.sequence + REMOVED_MAX, TRIED_MAX);
  for (let n = 1; n < most; n++) numbers.push(n);
  const of = (sequence: number): Release => ({ ...release, sequence });
  const own = numbers.find((sequence) => published.includes(sha256Of(releaseToJson(of(sequence)))));
  return own === undefined ? release : of(own);
}

/** What readers refuse is not published. */
function requireReadable(json: string): void {
  const bytes = Buffer.byteLength(json);
  const remedy = 'give fewer or shorter names of columns, languages, codes, credits and source files';
  if (bytes > RELEASE_MAX_BYTES)
    throw new BuildError(`${RELEASE_FILE} would have ${bytes} bytes, at most ${RELEASE_MAX_BYTES} are read`, remedy);
  try {
    releaseFromJson(json, RELEASE_FILE);
  } catch (error) {
    if (error instanceof FormatError) throw new BuildError(`nobody could read this release: ${error.message}`, remedy);
    throw error;
  }
}

/** The lines of checksums.txt, in order of path: the folders lv0 to lv5, then release.json. */
function* checksumParts(levels: readonly FinalizedLevel[], own: Checksum): Generator<string | Uint8Array> {
  for (const { checksums } of levels) yield readFileSync(checksums);
  yield checksumLines([own]);
}
