// Verifies the files of changes that lead to a release: digests, signatures, sums of shares, and that each GID is in
// its release.
import { type KeyObject, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeRow, changesPath, GONE_PATH, goneFromText, type PublishedChanges } from '../../format/changes.ts';
import type { CheckedFile } from '../../format/checked-files.ts';
import { elementAt } from '../../format/element-at.ts';
import { RELEASE_FILE, releasePath, SIGNATURE_ENDING } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { sha256Of } from '../files/checksums.ts';
import { CHANGES_TEXT_MAX_BYTES, changeCounts, changesTo, decodeChanges } from '../release/changes-files.ts';
import { recordedIn } from '../release/current-file.ts';
import { NO_SIGNATURE } from '../release/sign.ts';
import { FileError, problemOf } from '../release-reader/file-error.ts';
import { gunzipWithin } from '../release-reader/inflate.ts';
import { readLevel } from '../release-reader/read-level.ts';
import type { FileFinding } from './file-findings.ts';

/** Shares of a unit sum to 1 at most, within this and what each of them was rounded by. */
const TOLERANCE = 0.001;
const ROUNDED_BY = 0.00005;

/**
 * Verifies the changes that lead to a release: those that current.json lists, and those that are not listed yet,
 * without a digest; and gone.bin.
 */
export function checkChanges(out: string, release: string, keys: readonly KeyObject[], findings: FileFinding[]): void {
  const current = recordedIn(out);
  const checked = (path: string, file: CheckedFile | undefined, check: (bytes: Buffer) => void): void => {
    try {
      const bytes = readFileSync(join(out, path));
      const sum = sha256Of(bytes);
      if (file !== undefined && sum !== file.sha256)
        throw new FileError(`its SHA-256 is ${sum}, current.json has ${file.sha256}`);
      check(bytes);
      checkSignature(out, path, bytes, keys);
    } catch (error) {
      findings.push({ path, problem: problemOf(error, path) });
    }
  };
  const listed = new Map<string, PublishedChanges | undefined>(
    changesTo(out, release).map(({ from }) => [from, undefined]),
  );
  for (const pair of current?.changes ?? []) if (pair.to === release) listed.set(pair.from, pair);
  for (const [from, pair] of listed) {
    const path = changesPath(from, release);
    checked(path, pair, (bytes) => {
      const rows = decodeChanges(bytes, path);
      if (pair !== undefined && JSON.stringify(changeCounts(rows)) !== JSON.stringify(pair.counts))
        throw new FileError('has other numbers of rows than current.json says');
      checkShares(rows);
      checkGids(out, release, rows, (row) => row.toGid);
      if (existsSync(join(out, releasePath(from), RELEASE_FILE))) checkGids(out, from, rows, (row) => row.fromGid);
    });
  }
  if (current?.gone !== undefined)
    checked(GONE_PATH, current.gone, (bytes) => goneFromText(gunzipText(bytes), GONE_PATH));
}

function gunzipText(bytes: Buffer): string {
  try {
    return gunzipWithin(bytes, CHANGES_TEXT_MAX_BYTES).toString();
  } catch (error) {
    throw new FormatError(GONE_PATH, `is damaged: ${error instanceof Error ? error.message : error}`);
  }
}

/** @throws FileError for a signature by another key; without keys it need not have one */
function checkSignature(out: string, path: string, bytes: Buffer, keys: readonly KeyObject[]): void {
  if (keys.length === 0) return;
  const file = join(out, `${path}${SIGNATURE_ENDING}`);
  if (!existsSync(file)) throw new FileError('has no signature: run changes again with --sign-key');
  const signature = readFileSync(file);
  if (!keys.some((key) => verify(null, bytes, key, signature))) throw new FileError(`its signature ${NO_SIGNATURE}`);
}

/** @throws FileError where the shares of a unit are more than the unit */
function checkShares(rows: readonly ChangeRow[]): void {
  for (const [side, gidOf, shareOf] of [
    ['from', (row: ChangeRow) => row.fromGid, (row: ChangeRow) => row.shareOfFrom],
    ['to', (row: ChangeRow) => row.toGid, (row: ChangeRow) => row.shareOfTo],
  ] as const) {
    const sums = new Map<string, { share: number; rows: number }>();
    for (const row of rows) {
      const key = `level ${row.level}, ${side}_gid ${gidOf(row)}`;
      const sum = sums.get(key) ?? { share: 0, rows: 0 };
      sums.set(key, { share: sum.share + shareOf(row), rows: sum.rows + 1 });
    }
    for (const [key, { share, rows: count }] of sums)
      if (share > 1 + TOLERANCE + ROUNDED_BY * count) throw new FileError(`${key}: its shares sum to ${share}`);
  }
}

/** @throws FileError for a GID that is not in the release */
function checkGids(out: string, release: string, rows: readonly ChangeRow[], gidOf: (row: ChangeRow) => string): void {
  const root = join(out, releasePath(release));
  const columns = new Map<Level, { find(gid: string): number }>();
  for (const row of rows) {
    const gid = gidOf(row);
    if (gid === '') continue;
    const column = columns.get(row.level) ?? elementAt(readLevel(root, release, row.level).columns, row.level);
    columns.set(row.level, column);
    if (column.find(gid) === -1) throw new FileError(`level ${row.level}: ${gid} is not in ${release}`);
  }
}
