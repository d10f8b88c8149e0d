// The explorer's state, module by module: addresses of places, what units are called, and the code of a request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { attributesAlone } from '../../proxy/explorer/api/geometry.ts';
import { boxToText, textToBox } from '../../proxy/explorer/api/page-request.ts';
import { leadsText, summarize } from '../../proxy/explorer/api/texts.ts';
import type { UnitsInside } from '../../proxy/explorer/api/unit.ts';
import { codeFor, LANGUAGES } from '../../proxy/explorer/share/code-samples.ts';
import { levelsBelow } from '../../proxy/explorer/state/levels-below.ts';
import { inside, worldOf } from '../../proxy/explorer/state/place.ts';
import { hashToLanguage, hashToPlace, placeToHash } from '../../proxy/explorer/state/place-hash.ts';

test('an address restores every part of a place; what is no place is the world', () => {
  const levels = [0, 1, 2, 3].map((level) => ({ level, gidColumns: ['x'], nameColumn: '' }));
  const again = (hash: string): string =>
    placeToHash(hashToPlace(hash, levels), { levels, lang: hashToLanguage(hash) });
  for (const hash of [
    '#lv1?gid-0=ESP&unit=ESP.1_1&map=5.20/40.100/-3.500',
    '#lv2?gid-0=A%27B%26&gid-1=%C3%A9&fid=12',
    '#lv0?map=0.07/-27.6/-190.0',
    '#lv0?map=-1.50/0.0/0.0',
    '#lv0?map=-24.00/0/0',
    '#lv0?map=16.00/40.416800/-3.703800',
    '#lv2?gid-0=ESP&bbox=-4.5,39.5,-3,41',
    '#lv2?contains=-3.7,40.4',
    '#lv3',
    '#lv0?lang=ar',
    '#lv1?lang=pt-BR&gid-0=ESP&unit=ESP.1_1',
    '',
  ])
    assert.equal(again(hash), hash);
  // As links had it before: the form of a request, and two decimals at any zoom.
  assert.equal(again('#lv2?gid-0=ESP&format=fc&geometry=point&page-size=9&start-at=c_x'), '#lv2?gid-0=ESP');
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
  const below = (level: number): unknown => inside({ level, gid: 'x' }, levels)?.level;
  assert.deepEqual([0, 1, 2, 4].map(below), [2, 4, 4, undefined]);
  // One that skips that level has its units at a deeper one.
  const skipping = { level: 0, gid: 'x', inside: [[4, 2, null] satisfies UnitsInside] };
  assert.equal(inside(skipping, levels)?.level, 4);
});

test('a point may list every level that has units, from that of the units that it is limited to down', () => {
  const levels = [['x'], ['x', 'x'], [], ['x', 'x', '', 'x']].map((gidColumns, level) => ({
    level,
    gidColumns,
    nameColumn: '',
  }));
  const below = (...filters: [number, string][]): number[] => {
    const place = signal({ ...worldOf(levels), contains: '-3.7,40.4', filters: new Map(filters) });
    const shown = { place, lineage: signal([]), opened: signal(undefined) };
    return levelsBelow(shown, levels).map(({ level }) => level);
  };
  assert.deepEqual(
    [below(), below([0, 'a']), below([0, 'a'], [1, 'b'])],
    [
      [0, 1, 3],
      [0, 1, 3],
      [1, 3],
    ],
  );
});

test('attributes come with the lightest geometry of the release', () => {
  for (const [geometries, attributes] of [
    [['full', 'medium', 'low', 'point', 'none'], 'none'],
    [['full', 'low'], 'low'],
    [['full'], 'full'],
  ] as const)
    assert.equal(attributesAlone(geometries), attributes);
});

test('lists are summed up in the words of the data; rare types are counted', () => {
  for (const [total, types, summary] of [
    [1, { Region: 1 }, '1 × Region'],
    [19, { 'Autonomous Community': 17, 'Free City': 2 }, '17 × Autonomous Community, 2 × Free City'],
    [8, { Gemeinde: 8 }, '8 × Gemeinde'],
    [6, { County: 3, Parish: 2, Borough: 1 }, '6 units, among them 3 × County'],
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
  const urls = LANGUAGES.map(({ id }) => {
    const code = codeFor(id, `http://x.test/api/v1/geojsonl/lv1?gid-0=${gid}`);
    return (/url = ?['"](.*)['"]/i.exec(code) ?? /URL='(.*)'/.exec(code))?.[1] ?? '';
  });
  assert.equal(new Set(urls).size, 1, urls.join('\n'));
  assert.match(
    urls.join(),
    /^http:\/\/x\.test\/api\/v1\/geojsonl\/lv1\?gid-0=%27%22;%20%24%28touch[\w.~:/?&=%+,;@-]*$/,
  );
});
