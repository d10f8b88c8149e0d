// The HTTP contract: the same units with less geometry, by the parameter `geometry`. That they have the same heads is
// seen by the oracle in every release, and by requests.ts in every answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, GEOMETRIES, PAGE_CAPS } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { fidsOf, nextOf, refusal, send, walk } from '../support/http/http-client.ts';
import { allFids, type World } from './world.ts';

/** Tests what depends on the geometry that is asked for, and what does not. */
export function testGeometries({ folder, proxy, stored, publish }: World): void {
  const asked = (path: string, geometry: string): string =>
    `${path}${path.includes('?') ? '&' : '?'}geometry=${geometry}`;

  test('pages have at most 100 features with low, 1,000 with point and none, as many as with full with medium', async () => {
    await publish('m1');
    for (const format of FORMATS) {
      const path = `/api/v1/${format}/lv1`;
      const caps = { full: PAGE_CAPS[format][1], medium: PAGE_CAPS[format][1], low: 100, point: 1000, none: 1000 };
      for (const geometry of GEOMETRIES)
        for (const query of ['', '&page-size=1001', '&page-size=1000000', '&start-at=3']) {
          const answer = await send(proxy, `${asked(path, geometry)}${query}`);
          assert.equal(fidsOf(answer).length, caps[geometry], `${geometry}${query}`);
          assert.equal(answer.headers['boundaries-matched'], '1010');
        }
      for (const geometry of ['point', 'none'])
        assert.deepEqual(await walk(proxy, asked(path, geometry)), allFids(readStored(folder, 'm1'), 1));
    }
    await publish('r1');
  });

  test('a cursor works for any geometry and either format', async () => {
    const next = nextOf(await send(proxy, '/api/v1/fc/lv3?geometry=low&page-size=20')) ?? '';
    for (const geometry of GEOMETRIES) {
      const other = next.replace('geometry=low', `geometry=${geometry}`);
      const answer = await send(proxy, other);
      assert.deepEqual(fidsOf(answer), allFids(stored, 3).slice(20, 40));
      assert.deepEqual(fidsOf(await send(proxy, other.replace('/fc/', '/geojsonl/'))), fidsOf(answer));
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
    await publish('r1');
  });
}
