// Which release answers a request: the one that its cursor names, or the one that is served.
import { Problem } from '../http/problem.ts';
import type { Catalogue, LoadedRelease } from '../origin/releases.ts';
import type { PageRequest } from './parse-query.ts';

const RETRY_SECONDS = 5;

/**
 * The release for a request.
 * @throws Problem release-gone, not-ready
 * @throws OriginError, FormatError when a hosted release cannot be read
 */
export async function pickRelease(catalogue: Catalogue, { start }: PageRequest): Promise<LoadedRelease> {
  if (start === undefined || 'fid' in start) return servedRelease(catalogue);
  const release = await catalogue.find(start.cursor.release);
  if (release !== undefined) return release;
  throw new Problem(
    'release-gone',
    'The release that this cursor belongs to is no longer hosted. Start again without start-at.',
  );
}

/**
 * The release that is served.
 * @throws Problem not-ready while there is none
 */
export function servedRelease(catalogue: Catalogue): LoadedRelease {
  if (catalogue.current !== undefined) return catalogue.current;
  throw notReady('No release has been loaded yet.');
}

/** The problem of a service that cannot answer yet. */
export function notReady(detail: string): Problem {
  return new Problem('not-ready', detail, { 'Retry-After': String(RETRY_SECONDS) });
}
