// The HTTP contract while releases change: a cursor stays on its release, a validator survives what did not change.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { sha256Of } from '../support/files.ts';
import { nextOf, send, textOf, walk } from '../support/http/http-client.ts';
import type { World } from './world.ts';

/** Tests what happens to a client when r2 follows r1. */
export function testReleases({ folder, proxy, publish }: World): void {
  beforeEach(() => publish('r1'));
  after(() => publish('r1'));

  test('a client half-way when a release is published finishes on the release it began with', async () => {
    const path = '/api/v1/geojsonl/lv1?page-size=50';
    const first = await send(proxy, path);
    await publish('r2', ['r1', 'r2']);
    assert.equal((await send(proxy, path)).headers['boundaries-release'], 'r2');
    const next = nextOf(first) ?? '';
    assert.equal((await send(proxy, next)).headers['boundaries-release'], 'r1');
    const fids = readStored(folder, 'r1')[1]?.units.map(({ fid }) => fid) ?? [];
    assert.equal(fids.length, 130);
    assert.deepEqual(await walk(proxy, next), fids.slice(20));
  });

  test('a page or slice whose units did not change keeps its ETag in the next release, with the next cursor', async () => {
    const paths = ['', '?page-size=7', '?start-at=3', '?page-size=9&gid-0=U0.3_1'].flatMap((query) => [
      `/api/v1/geojsonl/lv3${query}`,
      `/api/v1/fc/lv3${query}`,
    ]);
    const asked = ['gzip', 'identity'].flatMap((coding) =>
      paths.map((path) => ({ path, given: { 'accept-encoding': coding } })),
    );
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
    const paths = ['geojsonl/lv3?page-size=50', 'geojsonl/lv3?gid-3=U3.70_1', 'fc/lv3'].map(
      (path) => `/api/v1/${path}${path.includes('?') ? '&' : '?'}start-at=110`,
    );
    const before = await Promise.all(paths.map((path) => send(proxy, path)));
    await publish('r2', ['r1', 'r2']);
    for (const [i, path] of paths.entries()) {
      const after = await send(proxy, path, { 'if-none-match': before[i]?.headers.etag });
      assert.equal(after.status, 200, path);
      assert.match(textOf(after), /Renamed/);
      assert.notEqual(after.headers.etag, before[i]?.headers.etag);
    }
  });

  test('a cursor whose release is no longer hosted gives 410, which says to start again', async () => {
    const digest = sha256Of(join(folder, releasePath('r1'), RELEASE_FILE));
    const cursor = encodeCursor({ release: 'r1', content: contentOf(digest), level: 2, position: 20 });
    assert.equal((await send(proxy, `/api/v1/fc/lv2?start-at=${cursor}`)).status, 200);
    await publish('r2', ['r1', 'r2']);
    assert.equal((await send(proxy, `/api/v1/fc/lv2?start-at=${cursor}`)).status, 200);
    await publish('r2');
    const answer = await send(proxy, `/api/v1/fc/lv2?start-at=${cursor}`);
    const problem = JSON.parse(answer.body.toString());
    assert.deepEqual([answer.status, problem.code], [410, 'release-gone']);
    assert.match(problem.detail, /start again/i);
  });
}
