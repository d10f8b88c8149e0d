// The explorer's state, module by module in a browser: the pages of a listing, addresses of places, what units are
// called, and requests that begin early.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { onPageAt, runInPage, WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = AUTHORIZED.authorization.slice('Bearer '.length);

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);
const proxy = await startService(folder, { explorer: 'modules' });

/** Runs a script in a page of the proxy, with the exports of a module of the explorer in `module`. */
function withModule<T>(path: string, body: string): Promise<T> {
  return onPageAt(`${proxy.url}/docs`, (page) =>
    runInPage<T>(page, `const module = await import('/explorer/${path}');${body}`),
  );
}

/** A listing of six pages of two units, of which the second is on the next page again; each page has 20 MB of text. */
const LISTING = `
  const added = [];
  const listing = new module.Listing({
    url: '0',
    fetchPage: async (url) => {
      const index = Number(url);
      const units = [{ id: index }, { id: index + 1 }];
      return { url, units, matched: 7, textBytes: 20 * 1024 * 1024, next: index < 5 ? String(index + 1) : undefined };
    },
    onPage: (units, isFirst) => added.push([units.map(({ id }) => id), isFirst]),
    onChange: () => {},
  });`;

test("'load all' pauses after 64 MB of text, goes on from there, and has each unit once", { skip: SKIP }, async () => {
  const result = await withModule(
    'state/listing.js',
    `${LISTING}
    await listing.loadAll();
    const first = [listing.halt, listing.index, listing.loaded, listing.isBusy];
    await listing.loadAll();
    return [first, listing.halt ?? null, listing.index, listing.loaded, listing.hasNext, added];`,
  );
  const pages = [[[0, 1], true], ...[2, 3, 4, 5, 6].map((id) => [[id], false])];
  assert.deepEqual(result, [['paused', 3, 5, false], null, 5, 7, false, pages]);
});

test('a listing that is had by one download has its first page, each unit once, in batches, and pauses as well', {
  skip: SKIP,
}, async () => {
  const result = await withModule(
    'state/listing.js',
    `${LISTING.replace(
      'onPage:',
      `fetchWhole: async function* (release) {
        added.push(release);
        for (const id of [0, 1, 2, 3, 4, 5, 6]) yield { units: [{ id }], characters: 20 * 1024 * 1024 };
      },
      onPage:`,
    ).replace('return { url,', "return { url, release: 'r1',")}
    await listing.loadAll();
    const first = [listing.halt, listing.index, listing.loaded, listing.isBusy];
    await listing.loadAll();
    await listing.loadAll();
    return [first, listing.halt ?? null, listing.index, listing.loaded, listing.hasNext, added];`,
  );
  const batches = [[[0, 1], true], 'r1', [[2, 3, 4], false], 'r1', [[5, 6], false]];
  assert.deepEqual(result, [['paused', 0, 5, false], null, 0, 7, true, batches]);
});

test('a listing that is stopped says so, and an older request does not overtake a newer one', {
  skip: SKIP,
}, async () => {
  const result = await withModule(
    'state/listing.js',
    `${LISTING}
    const all = listing.loadAll();
    listing.stop();
    await all;
    const stopped = listing.halt;
    await listing.open();
    const slow = listing.go(1);
    const back = listing.loadAll();
    await Promise.all([slow, back]);
    return [stopped, listing.halt ?? null, listing.error ?? null, listing.loaded];`,
  );
  assert.deepEqual(result, ['stopped', 'paused', null, 6]);
});

test('a request that has begun is sent once, and answers whoever has the token that it began with', {
  skip: SKIP,
}, async () => {
  const [sent, status] = await withModule<[string[], number]>(
    'api/client.js',
    `
    const sent = [];
    const own = fetch;
    globalThis.fetch = (url, init) => {
      sent.push(init.headers.Authorization);
      return own(url, init);
    };
    let token = ${JSON.stringify(TOKEN)};
    const client = module.createClient({ base: location.origin + '/', token: () => token });
    const { signal } = new AbortController();
    client.begin('overview');
    const { exchange } = await client.json('overview', signal);
    await client.json('overview', signal);
    client.begin('overview');
    token = 'another';
    await client.json('overview', signal).catch(({ status }) => sent.push(status));
    return [sent, exchange.status];`,
  );
  const own = `Bearer ${TOKEN}`;
  assert.deepEqual([sent, status], [[own, own, own, 'Bearer another', 401], 200]);
});

test('an address restores every part of a place; what is no place is the world', { skip: SKIP }, async () => {
  const hashes = [
    '#lv1?gid-0=ESP&unit=ESP.1_1&map=5.20/40.10/-3.50&format=fc&page-size=50',
    '#lv2?gid-0=A%27B%26&gid-1=%C3%A9&fid=12&start-at=c_x',
    '#lv0?map=0.07/-27.62/-190.00',
    '#lv2?gid-0=ESP&geometry=point&page-size=9',
    '#lv3',
    '',
  ];
  const others = ['#lv0', '#lv6', '#lv1?map=1/2', '#lv1?map=99/0/0', '#lv1?gid-0=', '#x', '#lv1?fid=x'];
  const result = await withModule<string[][]>(
    'state/address.js',
    `const levels = [0, 1, 2, 3].map((level) => ({ level, gidColumns: ['x'], nameColumn: '' }));
    const again = (hash) => module.placeToHash(module.hashToPlace(hash, levels), levels);
    return [${JSON.stringify(hashes)}.map(again), ${JSON.stringify(others)}.map(again)];`,
  );
  assert.deepEqual(result, [hashes, ['', '', '#lv1', '#lv1', '#lv1', '', '#lv1']]);
});

test('inside a unit are the units of the next level that has its GIDs', { skip: SKIP }, async () => {
  const result = await withModule(
    'state/place.js',
    `const levels = [['a'], ['', 'b'], ['a', '', 'c'], [], ['a', 'b', 'c', '', 'd']]
      .map((gidColumns, level) => ({ level, gidColumns, nameColumn: '' }));
    const below = (level) => module.inside({ level, gid: 'x' }, module.worldOf(levels), levels)?.level ?? null;
    return [0, 1, 2, 4].map(below);`,
  );
  assert.deepEqual(result, [2, 4, 4, null]);
});

test('the shapes of a listing are the lightest of the release that look right at the zoom', {
  skip: SKIP,
}, async () => {
  const releases = [['full', 'medium', 'low', 'point', 'none'], ['full', 'medium', 'none'], ['full', 'low'], ['full']];
  const result = await withModule<string[][]>(
    'api/geometry.js',
    `return ${JSON.stringify(releases)}.map((geometries) =>
      [...[5, 8, 12].map((zoom) => module.shapesAt(zoom, geometries)), module.attributesAlone(geometries)]);`,
  );
  assert.deepEqual(result, [
    ['low', 'medium', 'full', 'none'],
    ['medium', 'medium', 'full', 'none'],
    ['low', 'full', 'full', 'low'],
    ['full', 'full', 'full', 'full'],
  ]);
});

test('units near one another in a listing share a request, of no more than a page has', { skip: SKIP }, async () => {
  const result = await withModule(
    'state/refinement.js',
    `const order = Array.from({ length: 100 }, (_, i) => 10 * i);
    const runs = (wanted, max) => module.runsOf(wanted, order, { max, gap: 2 })
      .map(({ startAt, pageSize }) => startAt + '+' + pageSize);
    return [runs([500], 50), runs([0, 10, 40, 80, 990], 50), runs(order.slice(0, 7), 3), runs([], 50), runs([5], 50)];`,
  );
  assert.deepEqual(result, [['500+1'], ['0+5', '80+1', '990+1'], ['0+3', '30+3', '60+1'], [], []]);
});

test('lists are summed up in words: English types in the plural, others quoted, rare ones counted', {
  skip: SKIP,
}, async () => {
  const lists = [
    [1, { Region: 1 }],
    [19, { 'Autonomous Community': 17, 'Free City': 2 }],
    [8, { Gemeinde: 8 }],
    [6, { County: 3, Parish: 2, Borough: 1 }],
    [40_000, { Commune: 10 }],
  ];
  const result = await withModule(
    'api/type-names.js',
    `return ${JSON.stringify(lists)}.map(([total, types]) => module.summarize(
      Object.entries(types).flatMap(([type, count]) => Array.from({ length: count }, () => ({ type, level: 1 }))), total));`,
  );
  assert.deepEqual(result, [
    '1 region',
    '17 autonomous communities, 2 free cities',
    '8 × Gemeinde',
    '6 units, among them 3 counties',
    '40,000 units',
  ]);
});
