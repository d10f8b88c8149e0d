// The release for a request: the one that its cursor names, or the current one.
import { contentOf } from '../../format/cursor.ts';
import { Problem } from '../http/problem.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import { ReleaseBusyError } from '../releases/recent-releases.ts';
import type { Releases } from '../releases/releases.ts';
import type { PageRequest } from './parse-query.ts';

const RETRY_SECONDS = 5;

/**
 * The release for a request.
 * @throws Problem release-gone, not-ready
 * @throws OriginError, FormatError if a hosted release cannot be loaded
 */
export async function pickRelease(releases: Releases, { start }: PageRequest): Promise<LoadedRelease> {
  if (start === undefined || 'fid' in start) return servedRelease(releases);
  const { release: id, content } = start.cursor;
  const found = await findRelease(releases, id);
  if (found !== undefined && contentOf(found.digest) === content) return found;
  // The release in memory may be one that was removed before another one got its id.
  if (found !== undefined) {
    await releases.recheck(found, true);
    const again = await findRelease(releases, id);
    if (again !== undefined && contentOf(again.digest) === content) return again;
  }
  throw new Problem(
    'release-gone',
    'The release of this cursor is no longer hosted. Start again at the first page, without a cursor.',
  );
}

async function findRelease(releases: Releases, id: string): Promise<LoadedRelease | undefined> {
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
