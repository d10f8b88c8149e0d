// Verifies current.json, and finds the release that it names.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentFromJson } from '../../format/current-json.ts';
import { CHECKSUMS_FILE, CURRENT_PATH, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { currentToJson } from '../../format/write/texts.ts';
import { readChecksums, sha256Of } from '../files/checksums.ts';
import { otherVersionError } from '../release/staging.ts';
import { problemOf } from '../release-reader/file-error.ts';
import type { FileFinding } from './file-findings.ts';
import { specialFiles } from './special-files.ts';

/**
 * The current release; undefined if current.json is damaged or lists a release that does not exist as the current one.
 * @throws BuildError if it is of another format version
 */
export function currentRelease(out: string, findings: FileFinding[]): string | undefined {
  const found = (problem: string): unknown => findings.push({ path: CURRENT_PATH, problem });
  try {
    const text = readFileSync(join(out, CURRENT_PATH), 'utf8');
    const current = currentFromJson(text, CURRENT_PATH);
    if (text !== currentToJson(current)) found('is not in canonical form');
    const missing = current.hosted.filter((id) => !existsSync(join(out, releasePath(id))));
    for (const id of missing) found(`lists ${id}, which does not exist`);
    for (const [id, digest] of current.digests) {
      const got = intactSum(join(out, releasePath(id)));
      if (got !== undefined && got !== digest)
        found(`has the SHA-256 ${digest} for ${releasePath(id)}/${RELEASE_FILE}, which is ${got}`);
    }
    return missing.includes(current.release) ? undefined : current.release;
  } catch (error) {
    if (error instanceof FormatVersionError) throw otherVersionError(out, join(out, CURRENT_PATH), error);
    found(problemOf(error, CURRENT_PATH));
    return undefined;
  }
}

/**
 * The SHA-256 of a release.json; undefined if it is damaged, by checksums.txt or without it: a finding of its release.
 */
function intactSum(root: string): string | undefined {
  if ([RELEASE_FILE, CHECKSUMS_FILE].some((file) => specialFiles(root, file).length > 0)) return undefined;
  try {
    const sum = sha256Of(readFileSync(join(root, RELEASE_FILE)));
    return readChecksums(root).sums.get(RELEASE_FILE) === sum ? sum : undefined;
  } catch {
    return undefined;
  }
}
