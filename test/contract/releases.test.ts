// The HTTP contract while releases change: a cursor stays on its release, a validator survives what did not change.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { fidsOf, nextOf, refusal, send, textOf, walk } from '../support/http/http-client.ts';
import { DIRECTORY } from './setups.ts';
import { allFids, prepareWorld } from './world.ts';

const ITEMS = 'ogc/collections/lv1/items';

const { proxy, publish, stored } = await prepareWorld(DIRECTORY);

describe('when r2 follows r1', () => {
  beforeEach(() => publish('r1'));

  test('a client half-way when a release is published finishes on the release it began with', async () => {
    const paths = ['geojsonl/lv1?page-size=50', 'geojsonl/lv3?geometry=none&page-size=90', `${ITEMS}?limit=50`];
    const first = await Promise.all(paths.map((path) => send(proxy, `/api/v1/${path}`)));
    await publish('r2', ['r1', 'r2']);
    for (const [i, path] of paths.entries()) {
      assert.equal((await send(proxy, `/api/v1/${path}`)).headers['boundaries-release'], 'r2', path);
      const begun = elementAt(first, i);
      const next = nextOf(begun) ?? assert.fail(path);
      assert.equal((await send(proxy, next)).headers['boundaries-release'], 'r1', path);
      const fids = allFids(stored, path.includes('lv3') ? 3 : 1);
      assert.ok(fids.length > 100);
      assert.deepEqual([...fidsOf(begun), ...(await walk(proxy, next))], fids, path);
    }
    // No longer where it is no longer hosted.
    await publish('r2');
    for (const begun of first)
      assert.match(refusal(await send(proxy, nextOf(begun) ?? ''), 410, 'release-gone'), /start again/i);
  });

  test('a page or slice whose units did not change keeps its ETag in the next release, with the next cursor', async () => {
    const queries = ['', '?page-size=7', '?start-at=3', '?page-size=9&gid-0=U0.3_1', '?geometry=low&page-size=50'];
    const paths = queries.flatMap((query) => [`/api/v1/geojsonl/lv3${query}`, `/api/v1/fc/lv3${query}`]);
    const codings = ['gzip', 'identity'].map((coding) => ({ 'accept-encoding': coding }));
    const asked = codings.flatMap((given) => paths.map((path) => ({ path, given })));
    const before = await Promise.all(asked.map(({ path, given }) => send(proxy, path, given)));
    await publish('r2', ['r1', 'r2']);
    for (const [i, { path, given }] of asked.entries()) {
      const after = await send(proxy, path, given);
      assert.equal(after.headers['boundaries-release'], 'r2');
      assert.equal(after.headers.etag, before[i]?.headers.etag, path);
      assert.deepEqual(after.body, before[i]?.body);
      const held = await send(proxy, path, { ...given, 'if-none-match': before[i]?.headers.etag });
      assert.deepEqual([held.status, held.headers.link], [304, after.headers.link]);
      if (after.headers.link !== undefined) assert.notEqual(after.headers.link, before[i]?.headers.link);
    }
  });

  test('a page or slice with a unit that changed has another ETag in the next release', async () => {
    const listings = ['geojsonl/lv3?page-size=50&', 'geojsonl/lv3?gid-3=U3.70_1&', 'fc/lv3?'];
    const paths = listings.map((path) => `/api/v1/${path}start-at=110`);
    const before = await Promise.all(paths.map((path) => send(proxy, path)));
    await publish('r2', ['r1', 'r2']);
    for (const [i, path] of paths.entries()) {
      const after = await send(proxy, path, { 'if-none-match': before[i]?.headers.etag });
      assert.equal(after.status, 200, path);
      assert.match(textOf(after), /Renamed/);
      assert.notEqual(after.headers.etag, before[i]?.headers.etag);
    }
  });

  test('names are those of the current release, and keep their ETag where they did not change', async () => {
    const names = (level: number, coding: string) =>
      send(proxy, `/api/v1/names/lv${level}`, { 'accept-encoding': coding });
    for (const coding of ['gzip', 'identity']) {
      await publish('c1');
      // What was asked for before may come from the response cache.
      await names(1, coding);
      const before = [await names(1, coding), await names(2, coding)];
      await publish('c2');
      const after = [await names(1, coding), await names(2, coding)];
      for (const { headers } of after) assert.equal(headers['boundaries-release'], 'c2');
      const isSame = after.map(({ headers }, i) => headers.etag === before[i]?.headers.etag);
      assert.deepEqual(isSame, [true, false]);
      assert.match(textOf(elementAt(after, 1)), /Renamed/);
    }
  });

  test('a geometry that the next release lacks is refused, and goes on behind a cursor', async () => {
    const next = nextOf(await send(proxy, '/api/v1/geojsonl/lv3?geometry=low&page-size=90')) ?? '';
    await publish('c2', ['r1', 'c2']);
    const low = await send(proxy, next);
    assert.deepEqual([low.status, low.headers['boundaries-release']], [200, 'r1']);
    for (const value of ['low', 'medium', 'point', 'constructor']) {
      const detail = refusal(await send(proxy, `/api/v1/geojsonl/lv0?geometry=${value}`), 400, 'bad-parameter');
      assert.equal(detail, `geometry is "${value}". Allowed: one of full, none.`);
    }
    for (const value of ['full', 'none'])
      assert.equal((await send(proxy, `/api/v1/geojsonl/lv0?geometry=${value}`)).status, 200);
  });
});
