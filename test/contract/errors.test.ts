// The HTTP contract: who is turned away, with which answer, and what it does not tell; paths, tokens, the form of a query
// and what it may not say. A path with each code, and bytes that are hardly HTTP, are compared in every setup
// (exchanges.ts); what such bytes must get is in proxy/node/hostile-requests.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, refusal, send } from '../support/http/http-client.ts';
import {
  AUTHORIZED,
  authorizedWith,
  NO_TOKEN,
  PREFLIGHT,
  startService,
  token,
} from '../support/http/in-process-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { KINDS, OPEN } from './kinds.ts';
import { REFUSED } from './refused.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

const PATH = '/api/v1/fc/lv0';
/** Where the metadata of the service with a public URL is: RFC 9728 puts the path last. */
const PUBLIC_METADATA = 'https://example.org/.well-known/oauth-protected-resource/boundaries';

const { proxy, configured } = await prepareWorld(DIRECTORY);

/** The challenge of an answer without the URL of the metadata. */
function challengeOf({ headers }: Answer, url = `${proxy.url}/.well-known/oauth-protected-resource`): string {
  const challenge = String(headers['www-authenticate']);
  const metadata = `, resource_metadata="${url}"`;
  assert.ok(challenge.endsWith(metadata), challenge);
  return challenge.slice(0, -metadata.length);
}

test('an error is a problem with type, title, status, detail and a stable code, that nobody stores', async () => {
  const answer = await send(proxy, `${PATH}?limit=3`);
  const problem = JSON.parse(answer.body.toString());
  assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'code']);
  assert.equal(problem.type, 'urn:administrative-boundaries:problem:unknown-parameter');
  assert.deepEqual([answer.status, problem.status, problem.code], [400, 400, 'unknown-parameter']);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
});

test('a request without a token gets the challenge alone, one with a bad token the reason, too; nothing is logged', async () => {
  const others = ['', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Digest a="b"'];
  for (const authorization of [undefined, ...others, await token()]) {
    const answer = await send(proxy, PATH, { authorization });
    refusal(answer, 401, 'token-missing');
    assert.equal(challengeOf(answer), 'Bearer realm="boundaries"');
    assert.match(String(answer.headers['access-control-expose-headers']), /WWW-Authenticate/);
  }
  // test/proxy/auth/tokens.test.ts has every way in which one can be bad, and the words.
  const answer = await send(proxy, PATH, { authorization: 'Bearer secret' });
  refusal(answer, 401, 'token-invalid');
  assert.match(challengeOf(answer), /^Bearer realm="boundaries", error="invalid_token", error_description="[^"]+"$/);
  assert.deepEqual(proxy.log, []);
});

test('a token without the configured scope gets 403 and insufficient_scope', async () => {
  const ask = async (claims: Record<string, unknown>) => send(configured, PATH, await authorizedWith(claims));
  const others = [{ scope: 'boundaries' }, { scope: 'boundaries:read2' }, { scope: 5 }, { scp: ['read'] }];
  for (const claims of [{}, ...others]) {
    const answer = await ask(claims);
    refusal(answer, 403, 'scope-missing');
    assert.equal(
      challengeOf(answer, PUBLIC_METADATA),
      'Bearer realm="boundaries", error="insufficient_scope", scope="boundaries:read"',
    );
  }
  const scopes = 'a boundaries:read b';
  for (const claims of [{ scope: scopes }, { scp: scopes.split(' ') }, { scp: scopes }])
    assert.equal((await ask(claims)).status, 200);
});

test('outside /api/ there are healthz and readyz, without a token, and nothing else', async () => {
  for (const path of ['/healthz', '/readyz'])
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(proxy, path, NO_TOKEN, method);
      assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-store']);
    }
  for (const path of ['/', '/api', '/healthz/', '/current.json', '/API/v1/fc/lv0', '//api/'])
    refusal(await send(proxy, path, NO_TOKEN), 404, 'not-found');
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

test('without a release readyz and pages get 503 and Retry-After, health checks 200', async () => {
  const late = await startService(temporaryFolder(), { early: true });
  for (const path of ['/readyz', PATH]) {
    const answer = await send(late, path);
    refusal(answer, 503, 'not-ready');
    assert.ok(Number(answer.headers['retry-after']) > 0);
  }
  assert.equal((await send(late, '/healthz')).status, 200);
});

for (const [what, rows] of Object.entries(REFUSED))
  test(`refuses ${what}`, async () => {
    for (const [path, code, detail = /./] of rows)
      assert.match(refusal(await send(proxy, `/api/v1/${path}`), 400, code), detail, path);
  });

test('refuses an unknown parameter and names it and the allowed ones', async () => {
  for (const name of 'page_size Page-Size gid-6 gid- limit start_at constructor __proto__ %00'.split(' ')) {
    const detail = refusal(await send(proxy, `/api/v1/fc/lv1?${name}=1`), 400, 'unknown-parameter');
    assert.ok(detail.includes(JSON.stringify(decodeURIComponent(name))), detail);
    assert.match(
      detail,
      /Allowed: page-size, start-at, start-after, gid-0, gid-1, bbox, contains, touches, geometry\./,
    );
  }
});
