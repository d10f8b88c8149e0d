// `touches` against the neighbours that the features of a release say, as the oracle compares their table. Used by the
// tests of small datasets and of the sample.
import assert from 'node:assert/strict';
import { elementAt } from '../../../../format/element-at.ts';
import { type Level, levelName } from '../../../../format/levels.ts';
import type { StoredLevel } from '../../../support/datasets/large-dataset.ts';
import { fidsOf, send, type Target } from '../../../support/http/http-client.ts';
import { neighboursOf } from '../../../support/releases/neighbours-oracle.ts';

/** Asks for the neighbours of some units of a level. @returns pairs of neighbours */
export async function assertTouches(
  proxy: Target,
  stored: readonly StoredLevel[],
  level: Level,
  of: <Unit>(units: readonly Unit[]) => readonly Unit[],
): Promise<number> {
  const { lines, units } = elementAt(stored, level);
  const neighbours = neighboursOf(
    lines.map((line) => JSON.parse(line)),
    7,
  );
  const byGid = new Map<string, Set<number>>();
  for (const [position, { gids }] of units.entries()) {
    const gid = elementAt(gids, level);
    const found = byGid.get(gid) ?? new Set();
    for (const other of elementAt(neighbours, position).keys()) found.add(elementAt(units, other).fid);
    byGid.set(gid, found);
  }
  for (const [gid, found] of of([...byGid])) {
    // At most 1,000 have room on a page without geometry.
    const path = `/api/v1/fc/${levelName(level)}?touches=${encodeURIComponent(gid)}&geometry=none`;
    const answer = await send(proxy, path);
    assert.equal(answer.headers['boundaries-matched'], String(found.size), path);
    const fids = [...found].sort((a, b) => a - b);
    assert.deepEqual(fidsOf(answer), fids, path);
  }
  return neighbours.reduce((sum, own) => sum + own.size, 0);
}
