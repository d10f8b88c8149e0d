// The HTTP contract: what a request may say, and what it may not. It depends on neither the origin nor the stored
// pages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GEOMETRIES, LEVELS, levelName } from '../../format/levels.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { AUTHORIZED, token } from '../support/http/in-process-proxy.ts';
import type { World } from './world.ts';

const NO_TOKEN = { authorization: undefined };

/** Tests what is accepted and refused before anything is read. */
export function testSyntax({ proxy, publish }: World): void {
  test('answers any other path under /api/ with 404', async () => {
    const below = 'fc fc/ fc/lv6 fc/lv0/ fc/LV0 fc/lv00 FC/lv0 geojson/lv0 fc/%6cv0 ../v1/fc/lv0 fc%2flv0 fc/lv0;a=b';
    const paths = ['/api/', '/api/v1', '/api/v2/fc/lv0', '/api//v1/fc/lv0', '/api/../healthz'];
    paths.push(...below.split(' ').map((path) => `/api/v1/${path}`));
    for (const path of paths) refusal(await send(proxy, path), 404, 'not-found');
  });

  test('answers a CORS preflight without a token, whatever the path', async () => {
    const asked = { ...NO_TOKEN, origin: 'https://app.test', 'access-control-request-method': 'GET' };
    for (const path of ['/api/v1/fc/lv0', '/api/nothing']) {
      const answer = await send(proxy, path, asked, 'OPTIONS');
      assert.equal(answer.status, 204);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      assert.match(String(answer.headers['access-control-allow-methods']), /\bGET\b/);
      assert.match(String(answer.headers['access-control-allow-headers']), /\bAuthorization\b/);
      assert.ok(Number(answer.headers['access-control-max-age']) > 0);
    }
  });

  test('checks the token before anything else', async () => {
    for (const path of ['/api/v1/fc/lv0', '/api/', '/api/v1/fc/lv0?page-size=0', '/api/v1/fc/lv0?access_token=x'])
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
        refusal(await send(proxy, path, NO_TOKEN, method), 401, 'token-missing');
    assert.equal((await send(proxy, '/api/v1/fc/lv0', NO_TOKEN, 'HEAD')).status, 401);
  });

  test('takes the scheme of the token in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      assert.equal(
        (await send(proxy, '/api/v1/fc/lv0', { authorization: AUTHORIZED.authorization.replace('Bearer', scheme) }))
          .status,
        200,
      );
  });

  test('never accepts a token in the query', async () => {
    const path = `/api/v1/fc/lv0?access_token=${await token()}`;
    const detail = refusal(await send(proxy, path), 400, 'token-in-query');
    assert.doesNotMatch(detail, /eyJ/);
    refusal(await send(proxy, path, NO_TOKEN), 401, 'token-missing');
  });

  test('refuses a page-size that is no decimal integer of at least 1', async () => {
    for (const size of '|0|000|-1|+1|%2B1|1.0|1e1|0x5|ten|%20|1%20|1,2|%D9%A1|NaN'.split('|')) {
      const detail = refusal(await send(proxy, `/api/v1/fc/lv0?page-size=${size}`), 400, 'bad-parameter');
      assert.match(detail, /page-size .*at least 1/);
    }
  });

  test('refuses a start that is neither a fid nor a cursor', async () => {
    for (const name of ['start-at', 'start-after']) {
      for (const value of ['', '9007199254740992', '99999999999999999999'])
        assert.match(refusal(await send(proxy, `/api/v1/fc/lv0?${name}=${value}`), 400, 'bad-parameter'), /cursor/);
      for (const value of ['-1', '1.5', '1e3', 'abc', '%20', '0x1', 'c_', 'c_AAAA'])
        refusal(await send(proxy, `/api/v1/fc/lv0?${name}=${value}`), 400, 'bad-cursor');
    }
  });

  test('refuses start-at and start-after together', async () => {
    const detail = refusal(await send(proxy, '/api/v1/fc/lv0?start-at=1&start-after=1'), 400, 'bad-parameter');
    assert.match(detail, /start-at.*start-after/);
  });

  test('refuses a filter below the level, and an empty one', async () => {
    for (const level of LEVELS) {
      for (const column of LEVELS.filter((n) => n > level)) {
        const answer = await send(proxy, `/api/v1/fc/${levelName(level)}?gid-${column}=x`);
        assert.match(refusal(answer, 400, 'bad-parameter'), new RegExp(`gid-${column} .*gid-0 to gid-${level}`));
      }
      assert.match(refusal(await send(proxy, `/api/v1/fc/${levelName(level)}?gid-0=`), 400, 'bad-parameter'), /gid-0/);
      refusal(await send(proxy, `/api/v1/fc/${levelName(level)}?gid-0`), 400, 'bad-parameter');
    }
  });

  test('refuses an unknown parameter and names it and the allowed ones', async () => {
    for (const name of 'page_size Page-Size gid-6 gid- limit start_at constructor __proto__ %00'.split(' ')) {
      const detail = refusal(await send(proxy, `/api/v1/fc/lv1?${name}=1`), 400, 'unknown-parameter');
      assert.ok(detail.includes(JSON.stringify(decodeURIComponent(name))), detail);
      assert.match(detail, /Allowed: page-size, start-at, start-after, gid-0, gid-1, bbox, contains, geometry\./);
    }
  });

  test('refuses a parameter that is given twice and names it', async () => {
    for (const query of [
      'page-size=2&page-size=2',
      'gid-0=a&gid-0=b',
      'start-at=1&page-size=1&start%2Dat=2',
      'geometry=low&geometry=low',
      'bbox=1&bbox=2&bbox=3&bbox=4',
    ]) {
      const detail = refusal(await send(proxy, `/api/v1/fc/lv1?${query}`), 400, 'duplicate-parameter');
      assert.match(detail, /(page-size|gid-0|start-at|geometry|bbox) occurs more than once; .* as one value: ./);
      assert.equal(query.startsWith('bbox'), detail.includes('one value: west,south,east,north'));
    }
  });

  test('refuses a geometry that the release does not have, whatever the level, and names those that it has', async () => {
    const all = GEOMETRIES.join(', ');
    for (const level of LEVELS)
      for (const value of ['small', 'Low', 'low,none', '%20', '']) {
        const detail = refusal(
          await send(proxy, `/api/v1/fc/${levelName(level)}?geometry=${value}`),
          400,
          'bad-parameter',
        );
        const named = JSON.stringify(decodeURIComponent(value));
        assert.equal(detail, `geometry is ${named}. Allowed: one of ${all}.`);
      }
    refusal(await send(proxy, '/api/v1/fc/lv2?geometry'), 400, 'bad-parameter');
    await publish('c2');
    for (const value of ['low', 'medium', 'point', 'constructor']) {
      const detail = refusal(await send(proxy, `/api/v1/geojsonl/lv0?geometry=${value}`), 400, 'bad-parameter');
      assert.equal(detail, `geometry is "${value}". Allowed: one of full, none.`);
    }
    for (const value of ['full', 'none'])
      assert.equal((await send(proxy, `/api/v1/geojsonl/lv0?geometry=${value}`)).status, 200);
    await publish('r1');
  });

  test('refuses a query that is not percent-encoded UTF-8', async () => {
    for (const value of ['%', '%4', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%f8%88%80%80%80', 'a%e2%82'])
      refusal(await send(proxy, `/api/v1/fc/lv1?gid-0=${value}`), 400, 'bad-encoding');
  });

  test('has parameters in one order in Link, whatever that of the request is', async () => {
    const pairs = ['gid-0=U0.3_1', 'bbox=-180,-90,180,90', 'geometry=none', 'page-size=1', 'start-at=0'];
    const links = [pairs, pairs.toReversed(), [...pairs.slice(2), ...pairs.slice(0, 2)]].map(
      async (given) => (await send(proxy, `/api/v1/geojsonl/lv1?${given.join('&')}`)).headers.link,
    );
    const [link, ...others] = await Promise.all(links);
    assert.match(String(link), /\?gid-0=.*&bbox=.*&geometry=none&page-size=1&start-at=.*>; rel="next"$/);
    for (const other of others) assert.equal(other, link);
  });

  test('skips empty pairs of the query, as forms do', async () => {
    for (const query of ['', '&', '&&page-size=1&', 'page-size=1&&'])
      assert.equal((await send(proxy, `/api/v1/fc/lv1?${query}`)).status, 200);
  });
}
