// What became of units: the changes that lead to a release, and what took the place of a unit that is gone.
import type { About } from './about.ts';
import type { Client } from './client.ts';
import { encode, listingToPath } from './page-request.ts';
import { type NamedUnit, unitToRow } from './unit.ts';

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
  const { json } = await client.json(client.urlOf('changes'), signal);
  const { changes } = json as { changes: { from: string; to: string; counts: Change['counts'] }[] };
  const change = changes.findLast(({ to }) => to === release);
  return change && { ...change, path: `changes/${encode(change.from)}..${encode(change.to)}.csv` };
}

/**
 * The units that have now the area of one that is gone.
 * @param gone a GID that the release does not have
 * @throws RefusalError
 */
export async function readSuccessors(
  client: Client,
  gone: { level: number; gid: string },
  about: About,
  signal: AbortSignal,
): Promise<NamedUnit[]> {
  const { level, gid } = gone;
  const pageOf = (own: string) => {
    const path = listingToPath({ level, filters: new Map([[level, own]]) }, about.lightest);
    return client.page(client.urlOf(path), signal);
  };
  const { link } = await pageOf(gid);
  const gids = [...link.matchAll(SUCCESSOR)].map(([, own = '']) => decodeURIComponent(own));
  const pages = await Promise.all(gids.map(pageOf));
  const columns = about.levels[level];
  return columns === undefined
    ? []
    : pages.flatMap(({ units }) => units.map((unit) => unitToRow(unit, columns, about.lang)));
}
