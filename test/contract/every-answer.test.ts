// The HTTP contract: what all kinds of answers have in common, each kind asked for in turn. Of any page, download and
// point any-request.ts has more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HELD_HEADERS, lastingHeaders, refusal, send } from '../support/http/http-client.ts';
import { NO_TOKEN, TOKEN } from '../support/http/in-process-proxy.ts';
import { API, ITEM, KINDS, OPEN, PACKED, SAVED } from './kinds.ts';
import { DIRECTORY } from './setups.ts';
import { CACHING, prepareWorld } from './world.ts';

const CODINGS = ['gzip', 'identity'];

const { proxy } = await prepareWorld(DIRECTORY);

test('answers HEAD with the headers of GET and no body', async () => {
  for (const path of [...KINDS, `${API}/fc/lv9`])
    for (const coding of CODINGS) {
      const asked = { 'accept-encoding': coding };
      const answer = await send(proxy, path, asked);
      const { status, body } = answer;
      const expected = lastingHeaders(answer);
      const head = await send(proxy, path, { ...asked, range: 'bytes=3-9' }, 'HEAD');
      assert.deepEqual([head.status, head.body.length, lastingHeaders(head)], [status, 0, expected], path);
      assert.equal(head.headers['content-length'], String(body.length), path);
    }
});

test('If-None-Match with the tag, weak, in a list or as * gives 304 with the same headers', async () => {
  for (const path of KINDS)
    for (const coding of CODINGS) {
      const asked = { 'accept-encoding': coding };
      const { headers } = await send(proxy, path, asked, 'HEAD');
      const tag = String(headers.etag);
      for (const held of [tag, `W/${tag}`, `"a", ${tag}`, `"a",W/${tag} , "b"`, '*'])
        for (const method of ['GET', 'HEAD']) {
          const range = { range: 'bytes=99999999-' };
          const answer = await send(proxy, path, { ...asked, ...range, 'if-none-match': held }, method);
          assert.deepEqual([answer.status, answer.body.length], [304, 0], `${path} ${held}`);
          for (const name of HELD_HEADERS) assert.equal(answer.headers[name], headers[name], `${path} ${name}`);
        }
      for (const other of ['"a"', tag.slice(1, -1), `"${tag}"`, 'W/*'])
        assert.equal((await send(proxy, path, { ...asked, 'if-none-match': other }, 'HEAD')).status, 200, other);
    }
});

test('ETags are strong, and those of different bytes differ, of gzip and identity too', async () => {
  const tags = new Map<string, Buffer>();
  for (const path of KINDS)
    for (const coding of CODINGS) {
      const { headers, body } = await send(proxy, path, { 'accept-encoding': coding });
      const tag = String(headers.etag);
      assert.match(tag, /^"[A-Za-z0-9_-]+"$/, path);
      const isPacked = coding === 'gzip' && PACKED.includes(path) && path !== ITEM;
      assert.equal(headers['content-encoding'], isPacked ? 'gzip' : undefined, path);
      const isGzip = isPacked || (SAVED.includes(path) && !/\.(cells|parquet)$/.test(path));
      assert.equal(body.subarray(0, 2).toString('hex') === '1f8b', isGzip, path);
      assert.deepEqual(tags.get(tag) ?? body, body, path);
      tags.set(tag, body);
    }
  // A single feature is not compressed, and the file of nothing has the bytes of the page of nothing.
  assert.equal(tags.size, KINDS.length + PACKED.length - 2, [...tags.keys()].join());
});

test('ignores Range, but of what is saved', async () => {
  for (const path of PACKED) {
    const whole = await send(proxy, path);
    const { status, headers, body } = await send(proxy, path, { range: 'bytes=0-9' });
    assert.deepEqual([status, headers['content-range'], body], [200, undefined, whole.body], path);
  }
});

test('says the release, nosniff and how it may be kept, and lets any origin read the answer', async () => {
  const exposed = ['Link', 'ETag', 'Boundaries-Release', 'Boundaries-Matched', 'X-Request-Id'];
  for (const path of KINDS) {
    const { headers } = await send(proxy, path, { origin: 'https://app.test' }, 'HEAD');
    assert.equal(headers['boundaries-release'], 'r1', path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], CACHING.current);
    assert.equal(headers.vary, PACKED.includes(path) ? 'Accept-Encoding' : undefined);
    assert.equal(headers['access-control-allow-origin'], '*');
    const names = String(headers['access-control-expose-headers']).split(', ');
    const own = SAVED.includes(path) ? ['Accept-Ranges', 'Content-Disposition', 'Content-Range'] : [];
    for (const name of [...exposed, ...own]) assert.ok(names.includes(name), `${path} ${name}`);
  }
});

test('needs a token; other methods are 405 with Allow, also where no token is needed', async () => {
  for (const path of KINDS) {
    refusal(await send(proxy, path, NO_TOKEN), 401, 'token-missing');
    refusal(await send(proxy, path, { authorization: 'Bearer abc' }), 401, 'token-invalid');
  }
  for (const path of [...KINDS, ...OPEN]) {
    const headers = OPEN.includes(path) ? NO_TOKEN : {};
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const answer = await send(proxy, path, headers, method);
      refusal(answer, 405, 'method-not-allowed');
      assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS');
    }
    const options = await send(proxy, path, headers, 'OPTIONS');
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS'], path);
  }
});

test('never accepts a token in the query, nor what is not percent-encoded UTF-8, nor a parameter that it lacks', async () => {
  for (const path of KINDS) {
    const more = (query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;
    const asked = `access_token=${TOKEN}`;
    refusal(await send(proxy, more(asked), NO_TOKEN), 401, 'token-missing');
    const others = { '%zz=1': 'bad-encoding', 'gid-0=%ff': 'bad-encoding', 'x=1': 'unknown-parameter' };
    for (const [query, code] of Object.entries({ [asked]: 'token-in-query', ...others }))
      assert.ok(!refusal(await send(proxy, more(query)), 400, code).includes(TOKEN));
  }
});
