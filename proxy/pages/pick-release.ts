// The release for a request: the one that its cursor names, or the current one.
import type { Cursor } from '../../format/cursor.ts';
import { Problem } from '../http/problem.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import { ReleaseBusyError } from '../releases/recent-releases.ts';
import type { Releases } from '../releases/releases.ts';

const RETRY_SECONDS = 5;

/**
 * The release for a request; a promise only if it is not in memory.
 * @throws Problem release-gone, not-ready
 * @throws OriginError, FormatError if a hosted release cannot be loaded
 */
export function pickRelease(releases: Releases, cursor: Cursor | undefined): LoadedRelease | Promise<LoadedRelease> {
  if (cursor === undefined) return servedRelease(releases);
  const known = releases.known(cursor.release);
  return known !== undefined && isNamedBy(cursor, known) ? known : findRelease(releases, cursor);
}

async function findRelease(releases: Releases, cursor: Cursor): Promise<LoadedRelease> {
  const found = await find(releases, cursor.release);
  if (found !== undefined && isNamedBy(cursor, found)) return found;
  // The release in memory may be one that was removed before another one got its id.
  if (found !== undefined && (await releases.recheck(found, true))) {
    const again = await find(releases, cursor.release);
    if (again !== undefined && isNamedBy(cursor, again)) return again;
  }
  throw new Problem(
    'release-gone',
    'The release of this cursor is no longer hosted. Start again at the first page, without a cursor.',
  );
}

function isNamedBy({ content }: Cursor, { digest }: LoadedRelease): boolean {
  return digest.startsWith(content);
}

async function find(releases: Releases, id: string): Promise<LoadedRelease | undefined> {
  try {
    return await releases.find(id);
  } catch (error) {
    if (!(error instanceof ReleaseBusyError)) throw error;
    const detail = 'Cursors of too many releases are in use. Try again later.';
    throw new Problem('not-ready', detail, { 'Retry-After': String(error.retrySeconds) });
  }
}

/**
 * The current release.
 * @throws Problem not-ready before one is loaded
 */
export function servedRelease(releases: Releases): LoadedRelease {
  if (releases.current !== undefined) return releases.current;
  throw notReady('No release is loaded yet.');
}

/** 503 with Retry-After: the service cannot respond yet. */
export function notReady(detail: string): Problem {
  return new Problem('not-ready', detail, { 'Retry-After': String(RETRY_SECONDS) });
}
