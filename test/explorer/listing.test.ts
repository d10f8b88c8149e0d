// The explorer's state, module by module: the pages of a listing, addresses of places, what units are called, requests
// that begin early, and the code of a request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../proxy/explorer/api/client.js';
import { attributesAlone, shapesAt } from '../../proxy/explorer/api/geometry.js';
import { boxToText, textToBox } from '../../proxy/explorer/api/page-request.js';
import { leadsText, summarize } from '../../proxy/explorer/api/type-names.js';
import { codeFor, LANGUAGES } from '../../proxy/explorer/panels/code-samples.js';
import { Listing } from '../../proxy/explorer/state/listing.js';
import { inside, worldOf } from '../../proxy/explorer/state/place.js';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Address {
  hashToPlace(hash: string, levels: readonly unknown[]): unknown;
  placeToHash(place: unknown, levels: readonly unknown[]): string;
}
interface Refinement {
  runsOf(wanted: number[], order: number[], limits: { max: number; gap: number }): Record<string, string>[];
}
// Both have to do with the page, too, and the tests are checked without the types of a browser.
const STATE = '../../proxy/explorer/state';
const { hashToPlace, placeToHash }: Address = await import(`${STATE}/address.js`);
const { runsOf }: Refinement = await import(`${STATE}/refinement.js`);

const PAGE_BYTES = 20 * 1024 * 1024;

type Added = [ids: unknown[], isFirst: boolean] | string;
type Parts = ConstructorParameters<typeof Listing>[0];
type Unit = Awaited<ReturnType<Parts['fetchPage']>>['units'][number];

function unit(id: number): Unit {
  return { type: 'Feature', id, geometry: null, properties: {} };
}

/** A listing of six pages of two units, of which the second is on the next page again; each page has 20 MB of text. */
function listingOf(parts: Partial<Parts> = {}): { listing: Listing; added: Added[] } {
  const added: Added[] = [];
  const exchange = { status: 200, statusText: 'OK', headers: [], ms: 0, sentBytes: 0, textBytes: PAGE_BYTES };
  const listing = new Listing({
    url: '0',
    fetchPage: async (url) => {
      const index = Number(url);
      const next = index < 5 ? String(index + 1) : undefined;
      return { ...exchange, url, units: [unit(index), unit(index + 1)], matched: 7, release: 'r1', next };
    },
    onPage: (units, isFirst) => added.push([units.map(({ id }) => id), isFirst]),
    onChange: () => {},
    ...parts,
  });
  return { listing, added };
}

function stateOf({ halt, index, loaded, isBusy }: Listing): unknown[] {
  return [halt, index, loaded, isBusy];
}

test("'load all' pauses after 64 MB of text, goes on from there, and has each unit once", async () => {
  const { listing, added } = listingOf();
  await listing.loadAll();
  assert.deepEqual(stateOf(listing), ['paused', 3, 5, false]);
  await listing.loadAll();
  assert.deepEqual(stateOf(listing), [undefined, 5, 7, false]);
  assert.equal(listing.hasNext, false);
  assert.deepEqual(added, [[[0, 1], true], ...[2, 3, 4, 5, 6].map((id) => [[id], false])]);
});

test('a listing that is had by one download has its first page, each unit once, in batches, and pauses as well', async () => {
  const releases: string[] = [];
  const { listing, added } = listingOf({
    fetchWhole: async function* (release) {
      releases.push(release);
      for (const id of [0, 1, 2, 3, 4, 5, 6]) yield { units: [unit(id)], characters: PAGE_BYTES };
    },
  });
  await listing.loadAll();
  assert.deepEqual(stateOf(listing), ['paused', 0, 5, false]);
  await listing.loadAll();
  await listing.loadAll();
  assert.deepEqual(stateOf(listing), [undefined, 0, 7, false]);
  assert.deepEqual(added, [
    [[0, 1], true],
    [[2, 3, 4], false],
    [[5, 6], false],
  ]);
  assert.deepEqual(releases, ['r1', 'r1']);
});

test('a listing that is stopped says so, and an older request does not overtake a newer one', async () => {
  const { listing } = listingOf();
  const all = listing.loadAll();
  listing.stop();
  await all;
  assert.equal(listing.halt, 'stopped');
  await listing.open();
  await Promise.all([listing.go(1), listing.loadAll()]);
  assert.deepEqual([listing.halt, listing.error, listing.loaded], ['paused', undefined, 6]);
});

test('a request that has begun is sent once, and answers whoever has the token that it began with', async () => {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  const sent: unknown[] = [];
  const { url } = await startService(folder, { observe: ({ headers }) => sent.push(headers.authorization) });
  let token = TOKEN;
  const client = createClient({ base: `${url}/`, token: () => token });
  const { signal } = new AbortController();
  client.begin('overview');
  assert.equal((await client.json('overview', signal)).exchange.status, 200);
  assert.deepEqual(sent.splice(0), [`Bearer ${TOKEN}`]);
  await client.json('overview', signal);
  assert.deepEqual(sent.splice(0), [`Bearer ${TOKEN}`]);
  client.begin('overview');
  token = 'another';
  await assert.rejects(client.json('overview', signal), { status: 401 });
  assert.deepEqual(new Set(sent), new Set([`Bearer ${TOKEN}`, 'Bearer another']));
});

test('an address restores every part of a place; what is no place is the world', () => {
  const levels = [0, 1, 2, 3].map((level) => ({ level, gidColumns: ['x'], nameColumn: '' }));
  const again = (hash: string): string => placeToHash(hashToPlace(hash, levels), levels);
  for (const hash of [
    '#lv1?gid-0=ESP&unit=ESP.1_1&map=5.20/40.10/-3.50&format=fc&page-size=50',
    '#lv2?gid-0=A%27B%26&gid-1=%C3%A9&fid=12&start-at=c_x',
    '#lv0?map=0.07/-27.62/-190.00',
    '#lv2?gid-0=ESP&geometry=point&page-size=9',
    '#lv3',
    '',
  ])
    assert.equal(again(hash), hash);
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
});

test('the shapes of a listing are the lightest of the release that look right at the zoom', () => {
  for (const [geometries, atZooms, attributes] of [
    [['full', 'medium', 'low', 'point', 'none'], ['low', 'medium', 'full'], 'none'],
    [['full', 'medium', 'none'], ['medium', 'medium', 'full'], 'none'],
    [['full', 'low'], ['low', 'full', 'full'], 'low'],
    [['full'], ['full', 'full', 'full'], 'full'],
  ] as const) {
    assert.deepEqual(
      [5, 8, 12].map((zoom) => shapesAt(zoom, geometries)),
      atZooms,
    );
    assert.equal(attributesAlone(geometries), attributes);
  }
});

test('units near one another in a listing share a request, of no more than a page has', () => {
  const order = Array.from({ length: 100 }, (_, i) => 10 * i);
  const runs = (wanted: number[], max: number): string[] =>
    runsOf(wanted, order, { max, gap: 2 }).map(({ startAt, pageSize }) => `${startAt}+${pageSize}`);
  assert.deepEqual(runs([500], 50), ['500+1']);
  assert.deepEqual(runs([0, 10, 40, 80, 990], 50), ['0+5', '80+1', '990+1']);
  assert.deepEqual(runs(order.slice(0, 7), 3), ['0+3', '30+3', '60+1']);
  for (const none of [[], [5]]) assert.deepEqual(runs(none, 50), []);
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
  assert.equal(leadsText(rows(0, 19, 0, 50)), 'Units inside: Unit 1, Unit 3.');
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
