// The explorer's state, module by module: the pages of a request, addresses of places, what units are called, and the
// code of a request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesAlone } from '../../proxy/explorer/api/geometry.js';
import { boxToText, textToBox } from '../../proxy/explorer/api/page-request.js';
import { leadsText, summarize } from '../../proxy/explorer/api/type-names.js';
import type { UnitsInside } from '../../proxy/explorer/api/unit.js';
import { codeFor, LANGUAGES } from '../../proxy/explorer/panels/code-samples.js';
import { Pages } from '../../proxy/explorer/state/pages.js';
import { inside, worldOf } from '../../proxy/explorer/state/place.js';

interface Address {
  hashToPlace(hash: string, levels: readonly unknown[]): { view: unknown };
  placeToHash(place: unknown, levels: readonly unknown[]): string;
}
// It has to do with the page, too, and the tests are checked without the types of a browser.
const STATE = '../../proxy/explorer/state';
const { hashToPlace, placeToHash }: Address = await import(`${STATE}/address.js`);

test('pages are walked to the end and back, one at a time; the newest request wins, and what is stopped stays', async () => {
  const asked: string[] = [];
  const exchange = { status: 200, statusText: 'OK', headers: [], ms: 0, sentBytes: 0, textBytes: 9, release: 'r1' };
  const pages = new Pages(
    '0',
    async (url, signal) => {
      asked.push(url);
      await Promise.resolve();
      signal.throwIfAborted();
      if (url === '3') throw new Error('no such page');
      const units = [{ type: 'Feature' as const, id: Number(url), geometry: null, properties: {} }];
      return { ...exchange, url, units, matched: 7, next: String(Number(url) + 1) };
    },
    () => {},
  );
  const at = (): unknown[] => [pages.index, pages.url, pages.page?.units[0]?.id, pages.hasNext, pages.isBusy];
  await pages.go(-1);
  await pages.go(1);
  assert.deepEqual(at(), [0, '0', undefined, false, false]);
  await pages.go(0);
  await pages.go(1);
  assert.deepEqual(at(), [1, '1', 1, true, false]);
  await Promise.all([pages.go(1), pages.go(-1)]);
  assert.deepEqual(at(), [1, '1', 1, true, false]);
  await pages.go(-1);
  assert.deepEqual([at(), pages.pageSize], [[0, '0', 0, true, false], 1]);
  const going = pages.go(1);
  pages.stop();
  await going;
  assert.deepEqual(at(), [1, '1', 0, true, false]);
  for (const step of [0, 1, 1] as const) await pages.go(step);
  assert.deepEqual([String(pages.error), pages.isBusy], ['Error: no such page', false]);
  assert.deepEqual(asked, ['0', '1', '2', '1', '0', '1', '1', '2', '3']);
});

test('an address restores every part of a place; what is no place is the world', () => {
  const levels = [0, 1, 2, 3].map((level) => ({ level, gidColumns: ['x'], nameColumn: '' }));
  const again = (hash: string): string => placeToHash(hashToPlace(hash, levels), levels);
  for (const hash of [
    '#lv1?gid-0=ESP&unit=ESP.1_1&map=5.20/40.100/-3.500&format=fc&page-size=50',
    '#lv2?gid-0=A%27B%26&gid-1=%C3%A9&fid=12&start-at=c_x',
    '#lv0?map=0.07/-27.6/-190.0',
    '#lv0?map=-1.50/0.0/0.0',
    '#lv0?map=16.00/40.416800/-3.703800',
    '#lv2?gid-0=ESP&geometry=point&page-size=9',
    '#lv3',
    '',
  ])
    assert.equal(again(hash), hash);
  // As links had it before: two decimals at any zoom.
  const { view } = hashToPlace('#lv0?map=16.25/40.41/-3.70', levels);
  assert.deepEqual(view, { zoom: 16.25, latitude: 40.41, longitude: -3.7 });
  const others = ['#lv0', '#lv6', '#lv1?map=1/2', '#lv1?map=99/0/0', '#lv1?gid-0=', '#x', '#lv1?fid=x'];
  assert.deepEqual(others.map(again), ['', '', '#lv1', '#lv1', '#lv1', '', '#lv1']);
});

test('a box of the map is a little larger in its text, across the antimeridian and at the poles too', () => {
  assert.equal(boxToText([-3.9, 40.30001, -3.5, 40.6]), '-3.9001,40.3,-3.4999,40.6001');
  assert.equal(boxToText([170, -20, -170, 20]), '169.9999,-20.0001,-169.9999,20.0001');
  assert.equal(boxToText([-180, -90, 180, 90]), '-180,-90,180,90');
  assert.deepEqual(textToBox('1,2,3,4'), [1, 2, 3, 4]);
  for (const text of ['1,2,3', '1,2,3,x', '1,4,3,2', '', '1,2,3,4,5']) assert.equal(textToBox(text), undefined, text);
});

test('inside a unit are the units of the next level that has its GIDs', () => {
  const levels = [['a'], ['', 'b'], ['a', '', 'c'], [], ['a', 'b', 'c', '', 'd']].map((gidColumns, level) => ({
    level,
    gidColumns,
    nameColumn: '',
  }));
  const below = (level: number): unknown => inside({ level, gid: 'x' }, worldOf(levels), levels)?.level;
  assert.deepEqual([0, 1, 2, 4].map(below), [2, 4, 4, undefined]);
  // One that skips that level has its units at a deeper one.
  const skipping = { level: 0, gid: 'x', inside: [[4, 2, null] satisfies UnitsInside] };
  assert.equal(inside(skipping, worldOf(levels), levels)?.level, 4);
});

test('attributes come with the lightest geometry of the release', () => {
  for (const [geometries, attributes] of [
    [['full', 'medium', 'low', 'point', 'none'], 'none'],
    [['full', 'low'], 'low'],
    [['full'], 'full'],
  ] as const)
    assert.equal(attributesAlone(geometries), attributes);
});

test('lists are summed up in words: English types in the plural, others quoted, rare ones counted', () => {
  for (const [total, types, summary] of [
    [1, { Region: 1 }, '1 region'],
    [19, { 'Autonomous Community': 17, 'Free City': 2 }, '17 autonomous communities, 2 free cities'],
    [8, { Gemeinde: 8 }, '8 × Gemeinde'],
    [6, { County: 3, Parish: 2, Borough: 1 }, '6 units, among them 3 counties'],
    [40_000, { Commune: 10 }, '40,000 units'],
  ] as const) {
    const units = Object.entries(types).flatMap(([type, count]) => Array(count).fill({ type, level: 1 }));
    assert.equal(summarize(units, total), summary);
  }
});

test('units that have others inside are named, or counted where they are many; not where all have, or none', () => {
  const rows = (...children: number[]): Parameters<typeof leadsText>[0] =>
    children.map((number, fid) => ({
      fid,
      level: 0,
      gid: `G${fid}`,
      name: `Unit ${fid}`,
      type: null,
      children: number,
    }));
  assert.equal(leadsText(rows(0, 19, 0, 50)), 'These have units inside: Unit 1, Unit 3.');
  assert.equal(leadsText(rows(0, 1, 1, 1, 1)), '4 of 5 have units inside.');
  for (const same of [rows(1, 2), rows(0, 0), rows()]) assert.equal(leadsText(same), '');
});

test('a URL with characters that nothing encoded yet is the same URL between any quotation marks', () => {
  const gid = `'"; $(touch owned) \`touch owned\` \\'\\\n\${TOKEN} {1,2} [3-4] %41 &gid-1=x # * ? ! é東`;
  for (const { id } of LANGUAGES) {
    const code = codeFor(id, `http://x.test/api/v1/geojsonl/lv1?gid-0=${gid}`);
    const [, url = ''] = /url = ?['"](.*)['"]/i.exec(code) ?? /URL='(.*)'/.exec(code) ?? [];
    assert.match(url, /^http:\/\/x\.test\/api\/v1\/geojsonl\/lv1\?gid-0=%27%22;%20%24%28touch[\w.~:/?&=%+,;@-]*$/);
  }
});
