// What became of units: the changes that lead to a release, and what took the place of a unit that is gone.
import { encode } from './page-request.js';

/**
 * A pair of releases, the newer one that which is shown.
 * @typedef {object} Change
 * @property {string} from the release before
 * @property {Record<string, number>} counts of units by what became of them
 * @property {string} path of the table, under api/v1/
 */

/** A link to a unit that took the place of one that is gone. */
const SUCCESSOR = /<[^>]*[?&]gid-\d=([^&>]*)>; rel="successor-version"/g;

/**
 * @param {import('./client.js').Client} client
 * @param {string | undefined} release
 * @param {AbortSignal} signal
 * @returns {Promise<Change | undefined>} of several the newest; undefined where none lead to this release
 * @throws {import('./client.js').RefusalError}
 */
export async function readChange(client, release, signal) {
  const { json } = await client.json('changes', signal);
  const { changes } = /** @type {{ changes: { from: string, to: string, counts: Change['counts'] }[] }} */ (json);
  const change = changes.findLast(({ to }) => to === release);
  return change && { ...change, path: `changes/${encode(change.from)}..${encode(change.to)}.csv` };
}

/**
 * @param {import('./client.js').Client} client
 * @param {{ level: number, gid: string, geometry: string }} gone a GID that the release does not have
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>} the GIDs at its level that have its area now
 * @throws {import('./client.js').RefusalError}
 */
export async function readSuccessors(client, { level, gid, geometry }, signal) {
  const path = `geojsonl/lv${level}?gid-${level}=${encode(gid)}&geometry=${geometry}`;
  const { link } = await client.page(client.urlOf(path), signal);
  return [...link.matchAll(SUCCESSOR)].map(([, own = '']) => decodeURIComponent(own));
}
