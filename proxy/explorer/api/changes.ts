// What became of units: the changes that lead to a release, and what took the place of a unit that is gone.
import type { Client } from './client.ts';
import { encode } from './page-request.ts';

/** A pair of releases, the newer one that which is shown. */
export interface Change {
  /** The release before. */
  from: string;
  /** Of units by what became of them. */
  counts: Record<string, number>;
  /** Of the table, under api/v1/. */
  path: string;
}

/** A link to a unit that took the place of one that is gone. */
const SUCCESSOR = /<[^>]*[?&]gid-\d=([^&>]*)>; rel="successor-version"/g;

/**
 * @returns of several the newest; undefined where none lead to this release
 * @throws RefusalError
 */
export async function readChange(
  client: Client,
  release: string | undefined,
  signal: AbortSignal,
): Promise<Change | undefined> {
  const { json } = await client.json('changes', signal);
  const { changes } = json as { changes: { from: string; to: string; counts: Change['counts'] }[] };
  const change = changes.findLast(({ to }) => to === release);
  return change && { ...change, path: `changes/${encode(change.from)}..${encode(change.to)}.csv` };
}

/**
 * @param gone a GID that the release does not have
 * @returns the GIDs at its level that have its area now
 * @throws RefusalError
 */
export async function readSuccessors(
  client: Client,
  { level, gid, geometry }: { level: number; gid: string; geometry: string },
  signal: AbortSignal,
): Promise<string[]> {
  const path = `geojsonl/lv${level}?gid-${level}=${encode(gid)}&geometry=${geometry}`;
  const { link } = await client.page(client.urlOf(path), signal);
  return [...link.matchAll(SUCCESSOR)].map(([, own = '']) => decodeURIComponent(own));
}
