// Whatever a request asks for, its body is exactly those features: compared with the stored text of the level, over
// pages whose blocks hold one feature, several, or more than is ever read at once.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { GZIP_HEADER } from '../format/gzip.ts';
import { FORMATS, LEVELS, levelName, PAGE_CAPS } from '../format/levels.ts';
import { groupTouches, touchesOf } from '../proxy/touch.ts';
import type { Answer } from './exchange.ts';
import { nextOf, send } from './exchange.ts';
import { buildRelease, temporaryFolder } from './fixture.ts';
import { startService } from './running.ts';
import { bodyOf, MANY_BLOCKS, readStored, writeWorld } from './world.ts';

const folder = temporaryFolder();
await buildRelease(writeWorld(join(folder, 'world.gpkg'), MANY_BLOCKS), folder);
const proxy = await startService(folder);
const stored = readStored(folder, 'r1');

/** Whole numbers below `below`, the same ones every time. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function gunzipAsOneMember(answer: Answer): string {
  assert.ok(answer.body.subarray(0, GZIP_HEADER.length).equals(GZIP_HEADER));
  return gunzipSync(answer.body).toString('utf8');
}

for (const coding of ['gzip', 'identity']) {
  test(`answers any request with exactly the features it asks for, as ${coding}`, async () => {
    const roll = dice(7);
    for (let round = 0; round < 400; round++) {
      const level = LEVELS[roll(6)] ?? 0;
      const format = FORMATS[roll(2)] ?? 'fc';
      const units = (stored[level]?.units ?? []).map((unit, i) => ({ ...unit, line: stored[level]?.lines[i] ?? '' }));
      const query = new URLSearchParams();
      let matching = units;
      for (let n = roll(3); n > 0; n--) {
        const column = roll(level + 1);
        const gid = units[roll(units.length)]?.gids[column] ?? '';
        if (query.has(`gid-${column}`)) continue;
        query.set(`gid-${column}`, gid);
        matching = matching.filter((unit) => unit.gids[column] === gid);
      }
      const cap = PAGE_CAPS[format][level];
      const size = 1 + roll(cap + 3);
      if (roll(4) > 0) query.set('page-size', String(size));
      const start = roll((units.at(-1)?.fid ?? 0) + 5);
      if (roll(3) > 0) query.set('start-at', String(start));
      const from = query.has('start-at') ? matching.filter((unit) => unit.fid >= start) : matching;
      const wanted = from.slice(0, query.has('page-size') ? Math.min(size, cap) : cap);
      const path = `/api/v1/${format}/${levelName(level)}?${query}`;
      const answer = await send(proxy, path, { 'accept-encoding': coding });
      assert.equal(answer.status, 200, path);
      const text = coding === 'gzip' ? gunzipAsOneMember(answer) : answer.body.toString('utf8');
      const expected = bodyOf(
        format,
        wanted.map((unit) => unit.line),
      );
      assert.ok(text === expected, `${path}: other text`);
      assert.equal(answer.headers['boundaries-matched'], String(matching.length), path);
      assert.equal(nextOf(answer) !== undefined, from.length > wanted.length, path);
    }
  });
}

test('reads blocks that follow each other at once, and a large one alone', () => {
  const manifest = stored[0]?.manifest;
  assert.ok(manifest);
  const groups = groupTouches(touchesOf(manifest, [0, 25]), 1024 * 1024);
  assert.deepEqual(
    groups.map((group) => group.map((touch) => touch.block.features)),
    [[3, 1, 1, 1], [1], [13], [1, 1, 15]],
  );
});
