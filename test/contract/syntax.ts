// The HTTP contract: paths, tokens and the form of a query. It depends on neither the origin nor the stored pages.
// What a query may not say is in refusals.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal, send } from '../support/http/http-client.ts';
import { AUTHORIZED, NO_TOKEN, PREFLIGHT } from '../support/http/in-process-proxy.ts';
import { KINDS } from './every-answer.ts';
import type { World } from './world.ts';

/** Paths that need no token. */
const OPEN = ['/healthz', '/readyz', '/openapi.json', '/.well-known/oauth-protected-resource'];

/** Tests what is accepted and refused before anything is read. */
export function testSyntax({ proxy }: World): void {
  test('answers any other path under /api/ with 404, which names the paths', async () => {
    // More of them, byte by byte, are in http/hostile-requests.test.ts.
    for (const path of [
      '/api/',
      '/api/v2/fc/lv0',
      ...['fc', 'overview', 'names', 'names/LV0'].map((path) => `/api/v1/${path}`),
    ])
      assert.match(refusal(await send(proxy, path), 404, 'not-found'), /and \/api\/v1\/names\/<LEVEL>/, path);
  });

  test('answers a CORS preflight without a token, whatever the path', async () => {
    for (const path of [...KINDS, ...OPEN, '/api/nothing']) {
      const { status, headers } = await send(proxy, path, PREFLIGHT, 'OPTIONS');
      assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*'], path);
      assert.match(String(headers['access-control-allow-methods']), /\bGET\b/);
      const allowed = 'Authorization, If-Match, If-None-Match, If-Range, Range';
      assert.equal(headers['access-control-allow-headers'], allowed);
      assert.ok(Number(headers['access-control-max-age']) > 0);
    }
  });

  test('paths that need no token have the same methods', async () => {
    for (const path of OPEN) {
      const options = await send(proxy, path, NO_TOKEN, 'OPTIONS');
      assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS'], path);
      const refused = await send(proxy, path, NO_TOKEN, 'DELETE');
      refusal(refused, 405, 'method-not-allowed');
      assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS');
    }
  });

  test('checks the token before anything else', async () => {
    for (const path of ['/api/v1/fc/lv0', '/api/', '/api/v1/fc/lv0?page-size=0', '/api/v1/fc/lv0?access_token=x'])
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
        refusal(await send(proxy, path, NO_TOKEN, method), 401, 'token-missing');
    assert.equal((await send(proxy, '/api/v1/fc/lv0', NO_TOKEN, 'HEAD')).status, 401);
  });

  test('takes the scheme of the token in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      const authorization = AUTHORIZED.authorization.replace('Bearer', scheme);
      assert.equal((await send(proxy, '/api/v1/fc/lv0', { authorization })).status, 200);
    }
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
