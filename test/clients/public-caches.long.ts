// A public service behind caches, with the examples for Varnish and nginx: how few requests reach it when they are
// warm, and what clients see of a release switch. Skipped where the programs are not installed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { type Answer, fidsOf, nextOf, pagesFrom, send, textOf, walk } from '../support/http/http-client.ts';
import { AUTHORIZED, NO_TOKEN, startService } from '../support/http/in-process-proxy.ts';
import { missing, PUBLIC_CACHES } from '../support/processes/nginx-varnish.ts';
import { buildCountries, buildRelease } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { worldOutput } from '../support/releases/world.ts';

const REPLAYED = 1000;
const PASSED_MAX = 20;
/** What is not behind a cursor is kept for a minute, and sent once more while it is asked for again. */
const FRESH_MS = 60_000;
const SLACK_MS = 10_000;
const ASK_AGAIN_MS = 1_000;
const GZIP = { ...NO_TOKEN, 'accept-encoding': 'gzip' };

/** What clients ask: visits to the explorer, walks, points of a grid, and a map that is moved in QGIS. */
async function asked(at: { url: string }): Promise<string[]> {
  const page = textOf(await send(at, '/', NO_TOKEN));
  const files = [...page.matchAll(/(?:href|src)="(explorer\/[^"]+)"/g)].map(([, path]) => `/${path}`);
  const visit = ['/', '/about.json', ...files, '/api/v1/names/lv1', '/api/v1/names/lv2'];
  const walks: string[] = [];
  for (const start of ['/api/v1/geojsonl/lv2', '/api/v1/fc/lv3?geometry=low']) {
    walks.push(start);
    for await (const answer of pagesFrom(at, start, GZIP)) walks.push(...[nextOf(answer) ?? []].flat());
  }
  const degrees = Array.from({ length: 12 }, (_, i) => i * 10 - 55);
  const points = degrees.flatMap((east) => degrees.map((north) => `/api/v1/at?point=${east},${north}`));
  const views = degrees.map((west) => `/api/v1/ogc/collections/lv2/items?bbox=${west},-20,${west + 30},20&limit=1000`);
  return [...visit, ...walks, ...points, ...views, '/api/v1/ogc', '/api/v1/ogc/collections', '/api/v1/ogc/api'];
}

for (const { program, start } of PUBLIC_CACHES)
  describe(program, { skip: missing(program) }, () => {
    test('of 1,000 requests at most 20 reach the service when the cache is warm; tokens change nothing', async () => {
      const folder = await worldOutput();
      const service = await startService(folder, { isPublic: true, explorer: true, trustProxy: ['127.0.0.1'] });
      const cache = await start(service);
      const targets = await asked(cache);
      const bodies = new Map<string, Answer>();
      for (const target of targets) bodies.set(target, await send(cache, target, GZIP));
      service.requests.length = 0;
      for (let i = 0; i < REPLAYED; i++) {
        const target = targets[(i * 7919) % targets.length] ?? '/';
        // Some send tokens, which belong to no key of a cache.
        const answer = await send(cache, target, i % 3 === 0 ? { ...GZIP, ...AUTHORIZED } : GZIP);
        const known = bodies.get(target);
        assert.deepEqual([answer.status, answer.headers.etag], [200, known?.headers.etag], target);
        assert.ok(known && answer.body.equals(known.body), target);
      }
      assert.ok(service.requests.length <= PASSED_MAX, `${service.requests.length} requests reached the service`);
    });

    test('after a release switch a walk ends on its release, and a minute later nobody sees the old one', async () => {
      const folder = await buildCountries();
      await buildRelease(writeCountries(), folder, { release: 'r2' });
      pointTo(folder, 'r1', ['r1', 'r2']);
      const service = await startService(folder, { isPublic: true, trustProxy: ['127.0.0.1'] });
      const cache = await start(service);
      const path = '/api/v1/geojsonl/lv2?page-size=1';
      const whole = await walk(service, path, GZIP);
      const first = await send(cache, path, GZIP);
      assert.equal(first.headers['boundaries-release'], 'r1');
      pointTo(folder, 'r2', ['r1', 'r2']);
      await service.releases.refresh();
      const switched = performance.now();
      const got = fidsOf(first);
      for await (const answer of pagesFrom(cache, nextOf(first) ?? assert.fail('one page'), GZIP)) {
        assert.equal(answer.headers['boundaries-release'], 'r1');
        got.push(...fidsOf(answer));
      }
      assert.deepEqual(got, whole);
      const isOld = async (): Promise<boolean> =>
        (await send(cache, path, GZIP)).headers['boundaries-release'] === 'r1';
      while (await isOld()) {
        assert.ok(performance.now() - switched < FRESH_MS + SLACK_MS, 'the old release is still served');
        await pause(ASK_AGAIN_MS);
      }
      assert.equal(await isOld(), false);
    });

    test('of a service with tokens nothing is kept, nor passed on with them', async () => {
      const service = await startService(await worldOutput());
      const cache = await start(service);
      for (const headers of [AUTHORIZED, NO_TOKEN, AUTHORIZED])
        assert.equal((await send(cache, '/api/v1/fc/lv0', headers)).status, 401);
    });
  });
