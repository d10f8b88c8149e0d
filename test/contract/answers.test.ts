// The HTTP contract: what a page looks like, how it leads to the next, and how caches may keep it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '@placemarkio/check-geojson';
import { decodeCursor } from '../../format/cursor.ts';
import { FORMATS, GEOMETRIES, LEVELS, levelName } from '../../format/levels.ts';
import { PAGE_CAPS } from '../../format/page-caps.ts';
import { ODD_GIDS, readStored } from '../support/datasets/large-dataset.ts';
import {
  fidsOf,
  lastingHeaders,
  nextOf,
  refusal,
  send,
  tamperedCursors,
  textOf,
  walk,
} from '../support/http/http-client.ts';
import { authorizedWith } from '../support/http/in-process-proxy.ts';
import { DIRECTORY } from './setups.ts';
import { allFids, CACHING, prepareWorld, SCOPE } from './world.ts';

const { folder, proxy, stored, configured, publish } = await prepareWorld(DIRECTORY);

test('every page is valid by a validator of RFC 7946 that is not ours', async () => {
  for (const geometry of GEOMETRIES) check(textOf(await send(proxy, `/api/v1/fc/lv2?geometry=${geometry}`)));
  for (const level of LEVELS) {
    check(textOf(await send(proxy, `/api/v1/fc/${levelName(level)}`)));
    const lines = textOf(await send(proxy, `/api/v1/geojsonl/${levelName(level)}?page-size=5`)).split('\n');
    for (const line of lines.slice(0, -1)) check(line);
  }
});

test('a Feature has type, id, bbox, properties with fid first and the columns of the source, and geometry', async () => {
  const { features } = JSON.parse(textOf(await send(proxy, '/api/v1/fc/lv2')));
  for (const feature of features) {
    const members = ['type', 'id', 'bbox', 'properties', 'geometry'];
    // Nothing bounds a unit without a geometry.
    assert.deepEqual(Object.keys(feature), feature.geometry === null ? members.toSpliced(2, 1) : members);
    assert.deepEqual(Object.keys(feature.properties), ['fid', 'GID_0', 'GID_1', 'GID_2', 'NAME_2']);
    assert.equal(feature.properties.fid, feature.id);
  }
  assert.equal(features[9].geometry, null);
  assert.equal(features[5].properties.NAME_2, 'Unit 5 "é東"');
});

test('following next gives every matching feature exactly once, in ascending order of fid', async () => {
  for (const format of FORMATS)
    for (const level of LEVELS) {
      const path = `/api/v1/${format}/${levelName(level)}`;
      assert.deepEqual(await walk(proxy, path), allFids(stored, level));
      const odd = level === 0 ? 'page-size=1' : 'page-size=13&gid-0=U0.3_1';
      const units = (stored[level]?.units ?? []).filter(({ gids }) => level === 0 || gids[0] === 'U0.3_1');
      const fids = units.map(({ fid }) => fid);
      assert.deepEqual(await walk(proxy, `${path}?${odd}`), fids);
    }
});

test("Link keeps the path, the filters and the request's page-size, and adds a cursor", async () => {
  const asked: [string, Record<string, string>][] = [
    ['/api/v1/geojsonl/lv1', {}],
    ['/api/v1/geojsonl/lv1', { 'page-size': '1000' }],
    ['/api/v1/fc/lv1', { 'page-size': '5', geometry: 'low', bbox: '-170.0,-90,170,90.0' }],
    ['/api/v1/geojsonl/lv2', { 'gid-1': ODD_GIDS[2] ?? '', 'page-size': '1' }],
    ['/api/v1/fc/lv2', { 'gid-0': stored[2]?.units[0]?.gids[0] ?? '', 'gid-1': ODD_GIDS[0] ?? '', 'page-size': '1' }],
  ];
  for (const [path, query] of asked) {
    const next = new URL(nextOf(await send(proxy, `${path}?${new URLSearchParams(query)}`)) ?? '', proxy.url);
    assert.equal(next.pathname, path);
    const { 'start-at': cursor, ...kept } = Object.fromEntries(next.searchParams);
    assert.deepEqual(kept, query);
    // Opaque, URL-safe and never all digits.
    assert.match(cursor ?? '', /^(?![0-9]+$)[A-Za-z0-9_-]+$/);
    assert.ok(decodeCursor(cursor ?? ''));
  }
});

test('Link begins with --public-url where there is one, else with the Host of the request', async () => {
  const path = '/api/v1/geojsonl/lv1';
  const host = await send(proxy, path, { host: 'maps.example.org:8443' });
  assert.match(String(host.headers.link), /^<http:\/\/maps\.example\.org:8443\/api\/v1\/geojsonl\/lv1\?/);
  const scoped = await authorizedWith({ scope: SCOPE });
  const answer = await send(configured, path, { host: 'evil.test', ...scoped });
  assert.match(String(answer.headers.link), /^<https:\/\/example\.org\/boundaries\/api\/v1\/geojsonl\/lv1\?/);
  const { links } = JSON.parse(textOf(await send(configured, '/api/v1/ogc', scoped)));
  assert.ok(links.length > 3);
  for (const { href } of links) assert.ok(href.startsWith('https://example.org/boundaries/api/v1/ogc'), href);
});

test('refuses a cursor with any one character changed, and one of another level', async () => {
  const next = nextOf(await send(proxy, '/api/v1/fc/lv3')) ?? '';
  const [path, cursor] = next.split('start-at=');
  assert.ok(cursor);
  for (const tampered of tamperedCursors(cursor))
    refusal(await send(proxy, `${path}start-at=${tampered}`), 400, 'bad-cursor');
  assert.match(refusal(await send(proxy, next.replace('lv3', 'lv2')), 400, 'bad-cursor'), /a cursor of lv3/);
});

test('pages have at most 100 features with low, 1,000 with point and none, as many as with full with medium', async () => {
  await publish('m1');
  for (const format of FORMATS) {
    const path = `/api/v1/${format}/lv1`;
    const caps = { full: PAGE_CAPS[format][1], medium: PAGE_CAPS[format][1], low: 100, point: 1000, none: 1000 };
    for (const geometry of GEOMETRIES)
      for (const query of ['', '&page-size=1001', '&page-size=1000000', '&start-at=3']) {
        const answer = await send(proxy, `${path}?geometry=${geometry}${query}`);
        assert.equal(fidsOf(answer).length, caps[geometry], `${geometry}${query}`);
        assert.equal(answer.headers['boundaries-matched'], '1010');
      }
    for (const geometry of ['point', 'none'])
      assert.deepEqual(await walk(proxy, `${path}?geometry=${geometry}`), allFids(readStored(folder, 'm1'), 1));
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

test('a box of the whole world selects every unit that has a geometry, with the pages of the whole level', async () => {
  for (const box of ['-180,-90,180,90', '0,-90,-0.0000000001,90']) {
    const { headers } = await send(proxy, `/api/v1/fc/lv2?bbox=${box}&geometry=none`);
    assert.equal(headers['boundaries-matched'], String(allFids(stored, 2).length - 1));
    const gzip = { 'accept-encoding': 'gzip' };
    const plain = await send(proxy, '/api/v1/fc/lv1', gzip);
    const page = await send(proxy, `/api/v1/fc/lv1?bbox=${box}`, gzip);
    assert.deepEqual([page.headers.etag, page.body], [plain.headers.etag, plain.body]);
  }
});

test('honours the q-values of Accept-Encoding', async () => {
  const odd = 'identity|br|gzip;q=0|gzip;q=0.000|gzip;q=0, *|*;q=0|gzip;q=x|gzip;q=2|gzip;q=0.5, identity|xgzip';
  const plain = [undefined, '', ...odd.split('|'), 'gzip;q=0.2, identity;q=0.3', 'identity;q=1, *;q=0'];
  const lists = 'gzip, deflate, br|br;q=1.0, gzip;q=0.8, *;q=0.1|identity;q=0.5, gzip;q=0.5|identity;q=0, gzip';
  const singles = 'gzip|GZIP|x-gzip|*|gzip;q=0.001| gzip ; q=1 |deflate, *;q=0.5|identity;q=0.1, *';
  const packed = [...lists.split('|'), ...singles.split('|')];
  for (const path of ['/api/v1/geojsonl/lv2', '/api/v1/geojsonl/lv2?page-size=5', '/api/v1/fc/lv2?gid-0=none']) {
    for (const accept of [...plain, ...packed]) {
      const { headers, body } = await send(proxy, path, { 'accept-encoding': accept });
      const isPacked = accept !== undefined && packed.includes(accept);
      assert.equal(headers['content-encoding'], isPacked ? 'gzip' : undefined, `${path} ${accept}`);
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.equal(body.readUInt16BE() === 0x1f8b, isPacked);
    }
  }
});

test('caches are private; a page behind a cursor may be kept for ever', async () => {
  const next = nextOf(await send(proxy, '/api/v1/fc/lv3')) ?? '';
  for (const path of ['/api/v1/fc/lv3', '/api/v1/fc/lv3?start-at=4', '/api/v1/fc/lv3?page-size=2'])
    assert.equal((await send(proxy, path)).headers['cache-control'], CACHING.current);
  for (const path of [next, next.replace('start-at', 'start-after')])
    assert.equal((await send(proxy, path)).headers['cache-control'], CACHING.cursor);
});

test('answers are the same bytes whatever other headers a request has', async () => {
  const plain = await send(proxy, '/api/v1/fc/lv2');
  const forwarded = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
  const odd = { origin: 'https://app.test', cookie: 'a=b', accept: 'text/html', 'accept-language': 'fr' };
  const answer = await send(proxy, '/api/v1/fc/lv2', { ...forwarded, ...odd });
  assert.deepEqual([lastingHeaders(answer), answer.body], [lastingHeaders(plain), plain.body]);
});
