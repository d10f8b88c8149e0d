// `touches` and the table of neighbours against the neighbours that the features of a release say. Used by the tests
// of small datasets and of the sample.
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { StoredLevel } from '../support/datasets/large-dataset.ts';
import { fidsOf, send, type Target } from '../support/http/http-client.ts';
import { assertMetres, neighboursOf } from '../support/releases/neighbours-oracle.ts';

/** Asks for the neighbours of some units of a level, and compares the table. @returns pairs of neighbours */
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
    assert.deepEqual(
      fidsOf(answer),
      [...found].sort((a, b) => a - b),
      path,
    );
  }
  const { body } = await send(proxy, `/api/v1/download/${levelName(level)}.neighbours.csv.gz`);
  const rows = gunzipSync(body).toString().split('\r\n').slice(1, -1);
  const expected = neighbours.flatMap((own, position) =>
    [...own].map(([other, metres]) => ({ position, other, metres })),
  );
  assert.equal(rows.length, expected.length);
  for (const [i, { position, other, metres }] of expected.entries()) {
    const row = elementAt(rows, i);
    assert.ok(row.startsWith(`${elementAt(units, position).fid},`), row);
    assert.ok(row.includes(`,${elementAt(units, other).fid},`), row);
    assertMetres(Number(/,(\d+\.\d)$/.exec(row)?.[1]), metres, row);
  }
  return expected.length;
}
