// The HTTP contract: what a request asks for, by its level, size, start and filters.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, LEVELS, levelName, PAGE_CAPS } from '../../format/levels.ts';
import { ODD_GIDS } from '../support/datasets/large-dataset.ts';
import { fidsOf, nextOf, send, textOf } from '../support/http/http-client.ts';
import { allFids, type World } from './world.ts';

/** Tests which features are selected. */
export function testRequests({ proxy, stored }: World): void {
  test('answers at /api/v1/geojsonl/<LEVEL> and /api/v1/fc/<LEVEL> for each of the six levels', async () => {
    for (const format of FORMATS)
      for (const level of LEVELS)
        assert.equal((await send(proxy, `/api/v1/${format}/${levelName(level)}`)).status, 200);
  });

  test('answers HEAD with the headers of GET and no body', async () => {
    for (const coding of ['gzip', 'identity'])
      for (const path of ['geojsonl/lv2', 'fc/lv3?page-size=7', 'fc/lv0?gid-0=none', 'geojsonl/lv9']) {
        const get = await send(proxy, `/api/v1/${path}`, { 'accept-encoding': coding });
        const head = await send(proxy, `/api/v1/${path}`, { 'accept-encoding': coding }, 'HEAD');
        assert.equal(head.status, get.status);
        assert.equal(head.body.length, 0);
        const { date: _, 'transfer-encoding': __, ...expected } = get.headers;
        const { date: ___, ...headers } = head.headers;
        assert.deepEqual(headers, expected);
      }
  });

  test('cuts pages at the cap of their format and level, where page-size is absent or larger', async () => {
    for (const format of FORMATS)
      for (const level of LEVELS)
        for (const query of ['', `?page-size=${PAGE_CAPS[format][level] + 1}`, '?page-size=99999999999999999999999']) {
          const answer = await send(proxy, `/api/v1/${format}/${levelName(level)}${query}`);
          const features = textOf(answer).match(/"type":"Feature"/g)?.length;
          assert.equal(features, PAGE_CAPS[format][level]);
        }
  });

  test('takes any page-size from 1', async () => {
    for (const size of [1, 2, 3, 19, 20])
      assert.deepEqual(
        fidsOf(await send(proxy, `/api/v1/geojsonl/lv1?page-size=${size}`)),
        allFids(stored, 1).slice(0, size),
      );
  });

  test('starts at the first feature whose fid is at least start-at: at each fid, in gaps, before, past the end', async () => {
    const fids = allFids(stored, 0);
    for (let fid = 0; fid < (fids.at(-1) ?? 0) + 3; fid++) {
      const answer = await send(proxy, `/api/v1/geojsonl/lv0?page-size=2&start-at=${fid}`);
      assert.deepEqual(fidsOf(answer), fids.filter((known) => known >= fid).slice(0, 2));
    }
    assert.deepEqual(fidsOf(await send(proxy, '/api/v1/geojsonl/lv0?start-at=9007199254740991')), []);
  });

  test('starts behind start-after', async () => {
    const fids = allFids(stored, 0);
    for (let fid = 0; fid < (fids.at(-1) ?? 0) + 3; fid++) {
      const answer = await send(proxy, `/api/v1/geojsonl/lv0?page-size=2&start-after=${fid}`);
      assert.deepEqual(fidsOf(answer), fids.filter((known) => known > fid).slice(0, 2));
    }
    assert.deepEqual(fidsOf(await send(proxy, '/api/v1/geojsonl/lv0?start-after=9007199254740991')), []);
  });

  test('takes a cursor in start-at and in start-after alike', async () => {
    const next = nextOf(await send(proxy, '/api/v1/geojsonl/lv2?page-size=3')) ?? '';
    const expected = allFids(stored, 2).slice(3, 6);
    assert.deepEqual(fidsOf(await send(proxy, next)), expected);
    assert.deepEqual(fidsOf(await send(proxy, next.replace('start-at', 'start-after'))), expected);
  });

  test('filters by the GIDs of ancestors and of the unit itself, all of them at once', async () => {
    const units = stored[2]?.units ?? [];
    const [top = '', middle = '', own = ''] = units[40]?.gids ?? [];
    const [otherTop = ''] = units[200]?.gids ?? [];
    const asked: Record<string, string>[] = [
      { 0: top },
      { 1: middle },
      { 2: own },
      { 0: top, 1: middle },
      { 0: top, 1: middle, 2: own },
      { 0: otherTop, 2: own },
    ];
    for (const filters of asked) {
      const wanted = Object.entries(filters);
      const expected = units.filter(({ gids }) => wanted.every(([n, gid]) => gids[Number(n)] === gid));
      const query = new URLSearchParams(wanted.map(([n, gid]): [string, string] => [`gid-${n}`, gid]));
      const answer = await send(proxy, `/api/v1/geojsonl/lv2?${query}`);
      assert.deepEqual(
        fidsOf(answer),
        expected.map(({ fid }) => fid),
      );
      assert.equal(answer.headers['boundaries-matched'], String(expected.length));
    }
  });

  test('matches GIDs exactly, on the percent-decoded value', async () => {
    for (const [i, gid] of ODD_GIDS.entries()) {
      const answer = await send(proxy, `/api/v1/geojsonl/lv1?gid-1=${encodeURIComponent(gid)}`);
      assert.deepEqual(fidsOf(answer), [allFids(stored, 1)[i]], gid);
      const below = await send(proxy, `/api/v1/fc/lv2?gid-1=${encodeURIComponent(gid)}`);
      const children = (stored[2]?.units ?? []).filter(({ gids }) => gids[1] === gid);
      assert.deepEqual(
        JSON.parse(textOf(below)).features.map((unit: { id: number }) => unit.id),
        children.map(({ fid }) => fid),
      );
    }
    for (const gid of ['u0.1_1', 'U0.1_1%20', '%20U0.1_1', 'Same', '%2e%2e%2f', 'U0.1_1%00'])
      assert.deepEqual(fidsOf(await send(proxy, `/api/v1/geojsonl/lv2?gid-0=${gid}`)), []);
  });

  test('answers a GID that is not in the data with 200 and an empty result', async () => {
    assert.deepEqual(fidsOf(await send(proxy, '/api/v1/geojsonl/lv3?gid-2=nowhere')), []);
    assert.deepEqual(JSON.parse(textOf(await send(proxy, '/api/v1/fc/lv3?gid-0=nowhere&gid-3=nobody'))).features, []);
  });
}
