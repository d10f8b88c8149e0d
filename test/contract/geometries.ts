// The HTTP contract: the same units with less geometry, by the parameter `geometry`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, GEOMETRIES, type Geometry, PAGE_CAPS } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { type Answer, fidsOf, nextOf, send, textOf } from '../support/http/http-client.ts';
import { anyListing, pathOf } from '../support/listings.ts';
import { allFids, cachingOf, type World } from './world.ts';

/** Listings whose answers are compared in each setup. */
const RUNS = 30;
const SEED = 20261123;
const CODINGS = ['gzip', 'identity'];

/** The features of a page; what is compared here is the text of each without its geometry. */
function featuresOf(answer: Answer): { geometry: { type: string } | null }[] {
  const text = textOf(answer);
  return text.startsWith('{') && text.includes('"FeatureCollection"')
    ? JSON.parse(text).features
    : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Tests what depends on the geometry that is asked for, and what does not. */
export function testGeometries(world: World): void {
  const { folder, proxy, stored, publish } = world;
  const asked = (path: string, geometry: string): string =>
    `${path}${path.includes('?') ? '&' : '?'}geometry=${geometry}`;

  test('type, id, bbox and properties of any page are the same with each geometry, which is of its kind', async () => {
    const property = fc.asyncProperty(anyListing(stored), async (listing) => {
      // As many as every geometry has on a page.
      const pageSize = String(Math.min(Number(listing.pageSize ?? 5), PAGE_CAPS[listing.format][listing.level]));
      const pages = await Promise.all(
        GEOMETRIES.map((geometry) => send(proxy, pathOf({ ...listing, pageSize, geometry }))),
      );
      const features = pages.map(featuresOf);
      const [full = []] = features;
      for (const [g, geometry] of GEOMETRIES.entries()) {
        const page = elementAt(features, g);
        const withFull = page.map((feature, i) => ({ ...feature, geometry: full[i]?.geometry }));
        assert.equal(JSON.stringify(withFull), JSON.stringify(full), `${pathOf(listing)}: ${geometry}`);
        assert.equal(
          elementAt(pages, g).headers['boundaries-matched'],
          elementAt(pages, 0).headers['boundaries-matched'],
        );
        for (const [i, unit] of page.entries()) {
          const type = unit.geometry?.type;
          if (geometry === 'none' || full[i]?.geometry === null) assert.equal(unit.geometry, null);
          else if (geometry === 'point') assert.equal(type, 'Point');
          else assert.match(type ?? '', /^(Multi)?Polygon$/);
        }
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

  test('full is what a request gets that does not say', async () => {
    for (const path of ['/api/v1/geojsonl/lv2', '/api/v1/fc/lv3?page-size=7', '/api/v1/fc/lv3?gid-0=none'])
      for (const coding of CODINGS) {
        const [said, unsaid] = await Promise.all(
          [asked(path, 'full'), path].map((target) => send(proxy, target, { 'accept-encoding': coding })),
        );
        assert.ok(said && unsaid && said.body.equals(unsaid.body), path);
        assert.equal(said.headers.etag, unsaid.headers.etag);
        assert.equal(new URL(nextOf(said) ?? '/', proxy.url).searchParams.has('geometry'), nextOf(said) !== undefined);
        assert.equal(new URL(nextOf(unsaid) ?? '/', proxy.url).searchParams.has('geometry'), false);
      }
  });

  test('pages have at most 100 features with low, 1,000 with point and none, as many as with full with medium', async () => {
    await publish('m1');
    for (const format of FORMATS) {
      const path = `/api/v1/${format}/lv1`;
      const caps: [Geometry, number][] = [
        ['full', PAGE_CAPS[format][1]],
        ['medium', PAGE_CAPS[format][1]],
        ['low', 100],
        ['point', 1000],
        ['none', 1000],
      ];
      for (const [geometry, cap] of caps)
        for (const query of ['', '&page-size=1001', '&page-size=1000000', '&start-at=3']) {
          const answer = await send(proxy, `${asked(path, geometry)}${query}`);
          assert.equal(fidsOf(answer).length, cap, `${geometry}${query}`);
          assert.equal(answer.headers['boundaries-matched'], '1010');
        }
      for (const geometry of ['point', 'none']) {
        const page = await send(proxy, asked(path, geometry));
        const last = await send(proxy, nextOf(page) ?? '');
        assert.deepEqual([...fidsOf(page), ...fidsOf(last)], allFids(readStored(folder, 'm1'), 1));
        assert.equal(nextOf(last), undefined);
      }
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
      assert.equal(answer.headers['cache-control'], cachingOf(world.setup).cursor);
    }
  });

  test('a client half-way through a geometry when a release is published finishes on the release it began with', async () => {
    const path = '/api/v1/geojsonl/lv3?geometry=none&page-size=90';
    const first = await send(proxy, path);
    await publish('r2', ['r1', 'r2']);
    const changed = await send(proxy, path);
    assert.equal(changed.headers['boundaries-release'], 'r2');
    assert.match(textOf(changed), /Renamed/);
    const next = await send(proxy, nextOf(first) ?? '');
    assert.equal(next.headers['boundaries-release'], 'r1');
    assert.deepEqual([...fidsOf(first), ...fidsOf(next)], allFids(stored, 3));
    // What did not change keeps its ETag.
    const unchanged = '/api/v1/fc/lv3?geometry=low&page-size=50';
    const { etag } = (await send(proxy, unchanged)).headers;
    await publish('r1');
    assert.equal((await send(proxy, unchanged)).headers.etag, etag);
    // A geometry that the next release lacks: the cursor stays on its own.
    await publish('c2', ['r1', 'c2']);
    const low = await send(proxy, (nextOf(first) ?? '').replace('none', 'low'));
    assert.deepEqual([low.status, low.headers['boundaries-release']], [200, 'r1']);
    assert.equal((await send(proxy, '/api/v1/fc/lv2?geometry=low')).status, 400);
    await publish('r1');
  });
}
