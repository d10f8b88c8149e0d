// The HTTP contract while releases change: a cursor stays on its release, a validator survives what did not change.
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { CURRENT_PATH, RELEASE_FILE, RELEASES_PATH, releasePath } from '../../format/layout.ts';
import type { StoredPages } from '../../format/levels.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { currentToJson } from '../../format/release.ts';
import { readStored, writeWorld } from '../support/datasets/large-dataset.ts';
import { sha256Of } from '../support/files.ts';
import { nextOf, send, textOf, walk } from '../support/http/http-client.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { inEverySetup } from './setups.ts';

const source = writeWorld(join(temporaryFolder(), 'world.gpkg'));
/** The same units, but for one of level 3 that is called something else. */
const corrected = writeWorld(join(temporaryFolder(), 'corrected.gpkg'), undefined, { '3.70': 'Renamed' });

/** Both as releases r1 and r2 of one folder. */
async function buildBoth(pages: StoredPages): Promise<string> {
  const folder = temporaryFolder();
  await buildRelease(source, folder, { release: 'r1', storedPages: pages, accept: ['empty-geometries'] });
  await buildRelease(corrected, folder, { release: 'r2', storedPages: pages, accept: ['empty-geometries'] });
  return folder;
}

const built = new Map(await Promise.all(STORED_PAGES.map(async (pages) => [pages, await buildBoth(pages)] as const)));

await inEverySetup(
  async ({ pages, start }) => {
    /** A proxy that serves r1, and what publishes r2 to it. */
    return async () => {
      const folder = temporaryFolder();
      // The releases are read only; what is served changes.
      symlinkSync(join(built.get(pages) ?? '', RELEASES_PATH), join(folder, RELEASES_PATH));
      const point = (release: string, hosted: string[]): void =>
        writeFileSync(join(folder, CURRENT_PATH), currentToJson({ release, hosted }));
      point('r1', ['r1']);
      const proxy = await start(folder);
      const publish = async (hosted = ['r1', 'r2']): Promise<void> => {
        point('r2', hosted);
        await proxy.releases.refresh();
      };
      return { folder, proxy, publish };
    };
  },
  (prepare) => {
    test('a client half-way when a release is published finishes on the release it began with', async () => {
      const { folder, proxy, publish } = await prepare();
      const path = '/api/v1/geojsonl/lv1?page-size=50';
      const first = await send(proxy, path);
      await publish();
      assert.equal((await send(proxy, path)).headers['boundaries-release'], 'r2');
      const next = nextOf(first) ?? '';
      assert.equal((await send(proxy, next)).headers['boundaries-release'], 'r1');
      const fids = readStored(folder, 'r1')[1]?.units.map(({ fid }) => fid) ?? [];
      assert.equal(fids.length, 130);
      assert.deepEqual(await walk(proxy, next), fids.slice(20));
    });

    test('a page or slice whose units did not change keeps its ETag in the next release, with the next cursor', async () => {
      const { proxy, publish } = await prepare();
      const paths = ['', '?page-size=7', '?start-at=3', '?page-size=9&gid-0=U0.3_1'].flatMap((query) => [
        `/api/v1/geojsonl/lv3${query}`,
        `/api/v1/fc/lv3${query}`,
      ]);
      const asked = ['gzip', 'identity'].flatMap((coding) =>
        paths.map((path) => ({ path, given: { 'accept-encoding': coding } })),
      );
      const before = await Promise.all(asked.map(({ path, given }) => send(proxy, path, given)));
      await publish();
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
      const { proxy, publish } = await prepare();
      const paths = ['geojsonl/lv3?page-size=50', 'geojsonl/lv3?gid-3=U3.70_1', 'fc/lv3'].map(
        (path) => `/api/v1/${path}${path.includes('?') ? '&' : '?'}start-at=110`,
      );
      const before = await Promise.all(paths.map((path) => send(proxy, path)));
      await publish();
      for (const [i, path] of paths.entries()) {
        const after = await send(proxy, path, { 'if-none-match': before[i]?.headers.etag });
        assert.equal(after.status, 200, path);
        assert.match(textOf(after), /Renamed/);
        assert.notEqual(after.headers.etag, before[i]?.headers.etag);
      }
    });

    test('a cursor whose release is no longer hosted gives 410, which says to start again', async () => {
      const { folder, proxy, publish } = await prepare();
      const digest = sha256Of(join(folder, releasePath('r1'), RELEASE_FILE));
      const cursor = encodeCursor({ release: 'r1', content: contentOf(digest), level: 2, position: 20 });
      assert.equal((await send(proxy, `/api/v1/fc/lv2?start-at=${cursor}`)).status, 200);
      await publish();
      assert.equal((await send(proxy, `/api/v1/fc/lv2?start-at=${cursor}`)).status, 200);
      await publish(['r2']);
      const answer = await send(proxy, `/api/v1/fc/lv2?start-at=${cursor}`);
      const problem = JSON.parse(answer.body.toString());
      assert.deepEqual([answer.status, problem.code], [410, 'release-gone']);
      assert.match(problem.detail, /start again/i);
    });
  },
);
