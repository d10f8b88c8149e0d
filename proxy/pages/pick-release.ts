// The release for a request: the one that its cursor names, or the current one.
import { Problem } from '../http/problem.ts';
import type { LoadedRelease, Releases } from '../origin/releases.ts';
import type { PageRequest } from './parse-query.ts';

const RETRY_SECONDS = 5;

/**
 * The release for a request.
 * @throws Problem release-gone, not-ready
 * @throws OriginError, FormatError if a hosted release cannot be loaded
 */
export async function pickRelease(releases: Releases, { start }: PageRequest): Promise<LoadedRelease> {
  if (start === undefined || 'fid' in start) return servedRelease(releases);
  const release = await releases.find(start.cursor.release);
  if (release !== undefined) return release;
  throw new Problem(
    'release-gone',
    'The release of this cursor is no longer hosted. Start again at the first page, without a cursor.',
  );
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
