// The HTTP contract: the same units with less geometry, by the parameter `geometry`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, GEOMETRIES, LEVELS, levelName, PAGE_CAPS } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { type Answer, fidsOf, nextOf, refusal, send, textOf, walk } from '../support/http/http-client.ts';
import { allFids, type World } from './world.ts';

/** The features of a page; what is compared here is the text of each without its geometry. */
function featuresOf(answer: Answer): { geometry: { type: string } | null }[] {
  const text = textOf(answer);
  return text.startsWith('{') && text.includes('"FeatureCollection"')
    ? JSON.parse(text).features
    : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Tests what depends on the geometry that is asked for, and what does not. */
export function testGeometries({ folder, proxy, stored, publish }: World): void {
  const asked = (path: string, geometry: string): string =>
    `${path}${path.includes('?') ? '&' : '?'}geometry=${geometry}`;

  test('type, id, bbox and properties of any page are the same with each geometry, which is of its kind', async () => {
    for (const level of LEVELS) {
      const path = `/api/v1/${elementAt(FORMATS, level % 2)}/${levelName(level)}?start-at=2&page-size=5`;
      const pages = await Promise.all(GEOMETRIES.map((geometry) => send(proxy, asked(path, geometry))));
      const [full = [], ...others] = pages.map(featuresOf);
      assert.ok(full.length > 1, path);
      for (const [i, page] of others.entries()) {
        const geometry = elementAt(GEOMETRIES, i + 1);
        const withFull = page.map((feature, at) => ({ ...feature, geometry: full[at]?.geometry }));
        assert.equal(JSON.stringify(withFull), JSON.stringify(full), `${path}: ${geometry}`);
        for (const [at, unit] of page.entries()) {
          const type = unit.geometry?.type;
          if (geometry === 'none' || full[at]?.geometry === null) assert.equal(unit.geometry, null);
          else if (geometry === 'point') assert.equal(type, 'Point');
          else assert.match(type ?? '', /^(Multi)?Polygon$/);
        }
      }
    }
  });

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
