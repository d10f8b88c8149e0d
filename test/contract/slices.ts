// Random slices of a world with units of every size, compared with the stored text of the level, in each choice of stored pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { FORMATS, LEVELS, levelName, PAGE_CAPS, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { bodyOf, MANY_SIZES, readStored, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { dice } from '../support/dice.ts';
import type { Answer } from '../support/http/http-client.ts';
import { nextOf, send } from '../support/http/http-client.ts';
import { type RunningService, startService } from '../support/http/in-process-proxy.ts';
import { worldOutput } from '../support/releases/world.ts';

/** A running proxy, and what it serves. */
export interface SliceWorld {
  pages: StoredPages;
  folder: string;
  proxy: RunningService;
  stored: StoredLevel[];
}

/** Starts a proxy for each choice of stored pages. */
export async function startSliceWorlds(): Promise<SliceWorld[]> {
  return Promise.all(
    STORED_PAGES.map(async (pages) => {
      const folder = await worldOutput({ size: MANY_SIZES, pages });
      return { pages, folder, proxy: await startService(folder), stored: readStored(folder, 'r1') };
    }),
  );
}

/** Compares the answers to `rounds` random requests. */
export function testSlices(worlds: readonly SliceWorld[], rounds: number): void {
  for (const { pages, proxy, stored } of worlds)
    for (const coding of ['gzip', 'identity']) {
      test(`answers any request with exactly the features it asks for, as ${coding}, ${pages} pages stored`, async () => {
        const roll = dice(7);
        for (let round = 0; round < rounds; round++) {
          const level = LEVELS[roll(6)] ?? 0;
          const format = FORMATS[roll(2)] ?? 'fc';
          const units = (stored[level]?.units ?? []).map((unit, i) => ({
            ...unit,
            line: stored[level]?.lines[i] ?? '',
          }));
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
          assert.equal(answer.headers['content-length'], String(answer.body.length), path);
          assert.equal(answer.headers['boundaries-matched'], String(matching.length), path);
          assert.equal(nextOf(answer) !== undefined, from.length > wanted.length, path);
        }
      });
    }
}

function gunzipAsOneMember(answer: Answer): string {
  assert.ok(answer.body.subarray(0, MEMBER_HEADER.length).equals(MEMBER_HEADER));
  return gunzipSync(answer.body).toString('utf8');
}
