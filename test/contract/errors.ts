// The HTTP contract: who is turned away, with which answer, and what it does not tell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchReleases } from '../../proxy/data/watch-releases.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import type { Answer } from '../support/http/http-client.ts';
import { refusal, send, sendRaw } from '../support/http/http-client.ts';
import { AUDIENCE, AUTHORIZED, startService, token } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { World } from './world.ts';

const PATH = '/api/v1/fc/lv0';
/** Where the metadata of the service with a public URL is: RFC 9728 puts the path last. */
const PUBLIC_METADATA = 'https://example.org/.well-known/oauth-protected-resource/boundaries';

/** When a test begins, not the file: the setups before it took their time. */
function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** Asserts a raw answer that closes the connection, with a problem. */
function rawRefusal(text: string, status: number, code: string): void {
  assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), text.slice(0, 300));
  assert.match(text, /\r\nContent-Type: application\/problem\+json\r\n/);
  assert.equal(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).code, code);
}

/** Tests who is turned away. */
export function testErrors({ proxy, configured, setup }: World): void {
  const { exceptions } = setup;
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

  test('a request without a token gets the challenge alone', async () => {
    const others = ['', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Digest a="b"'];
    for (const authorization of [undefined, ...others, await token()]) {
      const answer = await send(proxy, PATH, { authorization });
      refusal(answer, 401, 'token-missing');
      assert.equal(challengeOf(answer), 'Bearer realm="boundaries"');
      assert.match(String(answer.headers['access-control-expose-headers']), /WWW-Authenticate/);
    }
  });

  test('a bad token gets invalid_token and always the same words', async () => {
    // test/auth/tokens.test.ts has every way in which one can be bad.
    const bad = ['secret', await token({ exp: secondsNow() - 32 }), (await token()).slice(0, -2)];
    for (const text of bad) {
      const answer = await send(proxy, PATH, { authorization: `Bearer ${text}` });
      const words = refusal(answer, 401, 'token-invalid');
      assert.match(words, /^The token is expired, damaged, or not meant for this service/);
      assert.match(
        challengeOf(answer),
        /^Bearer realm="boundaries", error="invalid_token", error_description="[^"]+"$/,
      );
    }
    assert.deepEqual(proxy.log, []);
  });

  test('allows for clocks that are 30 seconds apart, and for one audience of several', async () => {
    const now = secondsNow();
    for (const claims of [{ exp: now - 20 }, { nbf: now + 20 }, { aud: ['other', AUDIENCE] }])
      assert.equal((await send(proxy, PATH, { authorization: `Bearer ${await token(claims)}` })).status, 200);
  });

  test('a token without the configured scope gets 403 and insufficient_scope', async () => {
    const ask = async (claims: Record<string, unknown>) =>
      send(configured, PATH, { authorization: `Bearer ${await token(claims)}` });
    for (const claims of [
      {},
      { scope: 'boundaries' },
      { scope: 'boundaries:read2' },
      { scope: 5 },
      { scp: ['read'] },
    ]) {
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

  test('refuses two Authorization or Host headers, and a Host that is none', {
    skip: exceptions['repeated headers'] ?? false,
  }, async () => {
    const start = `GET ${PATH} HTTP/1.1\r\nConnection: close\r\n`;
    const auth = `Authorization: ${AUTHORIZED.authorization}\r\n`;
    rawRefusal(await sendRaw(proxy, `${start}Host: a.test\r\n${auth}${auth}\r\n`), 400, 'duplicate-header');
    rawRefusal(await sendRaw(proxy, `${start}Host: a.test\r\nhost: b.test\r\n${auth}\r\n`), 400, 'duplicate-header');
    rawRefusal(await sendRaw(proxy, `${start}${auth}\r\n`), 400, 'bad-host');
    for (const host of ['', 'a b', 'a/b', 'a.test:x', '"a>', 'u@a'])
      rawRefusal(await sendRaw(proxy, `${start}Host: ${host}\r\n${auth}\r\n`), 400, 'bad-host');
    for (const host of ['a.test', 'a_b:80', '127.0.0.1:8080', '[::1]:8080', '[::1]'])
      assert.match(await sendRaw(proxy, `${start}Host: ${host}\r\n${auth}\r\n`), /^HTTP\/1\.1 200 /);
  });

  test('a request line or headers that are too large get 414 or 431, however large', {
    skip: exceptions['too large headers'] ?? false,
  }, async () => {
    const auth = `Host: a.test\r\nConnection: close\r\nAuthorization: ${AUTHORIZED.authorization}\r\n`;
    for (const size of [9_000, 20_000, 70_000]) {
      const filling = 'a'.repeat(size);
      const target = await sendRaw(proxy, `GET ${PATH}?gid-0=${filling} HTTP/1.1\r\n${auth}\r\n`);
      // Of more than 64 KiB the service does not see where the target ends.
      if (size < 65_536) rawRefusal(target, 414, 'uri-too-long');
      else rawRefusal(target, 431, 'headers-too-large');
      const header = await sendRaw(proxy, `GET ${PATH} HTTP/1.1\r\n${auth}X-Long: ${filling}${filling}\r\n\r\n`);
      rawRefusal(header, 431, 'headers-too-large');
    }
  });

  test('what is no HTTP gets 400 and the connection closed', {
    skip: exceptions['invalid HTTP'] ?? false,
  }, async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET ${PATH} HTTP/1.1\r\nHo st: a\r\n\r\n`,
      '\0\0\0\0\r\n\r\n',
    ])
      rawRefusal(await sendRaw(proxy, bytes), 400, 'malformed-request');
  });

  test('unparsable bytes behind a good request do not spoil its answer', {
    skip: exceptions['requests in one packet'] ?? false,
  }, async () => {
    const good = `GET /healthz HTTP/1.1\r\nHost: a.test\r\n\r\n`;
    const text = await sendRaw(proxy, `${good}nonsense\r\n\r\n`);
    assert.ok(text === '' || text.startsWith('HTTP/1.1 200 '), text);
  });

  test('outside /api/ there are healthz and readyz, without a token, and nothing else', async () => {
    const anonymous = { authorization: undefined };
    for (const path of ['/healthz', '/readyz'])
      for (const method of ['GET', 'HEAD']) {
        const answer = await send(proxy, path, anonymous, method);
        assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-store']);
      }
    refusal(await send(proxy, '/healthz', anonymous, 'POST'), 405, 'method-not-allowed');
    for (const path of [
      '/',
      '/api',
      '/healthz/',
      '/releases/r1/release.json',
      '/current.json',
      '/API/v1/fc/lv0',
      '//api/',
    ])
      refusal(await send(proxy, path, anonymous), 404, 'not-found');
  });
}

/** Tests what no setup changes: a service before its first release. */
export function testStart(): void {
  test('without a release readyz and pages get 503 and Retry-After; one that is published is picked up', async () => {
    const empty = temporaryFolder();
    const late = await startService(empty, { early: true });
    for (const path of ['/readyz', PATH]) {
      const answer = await send(late, path);
      refusal(answer, 503, 'not-ready');
      assert.ok(Number(answer.headers['retry-after']) > 0);
    }
    assert.equal((await send(late, '/healthz')).status, 200);
    let stopWatching = () => {};
    const served = new Promise<string>((resolve) => {
      stopWatching = watchReleases(late.releases, (line) => {
        if (line.startsWith('serving')) resolve(line);
      });
    });
    await buildRelease(writeCountries(), empty, { release: 'first' });
    assert.equal(await served, 'serving release first');
    for (const path of ['/readyz', PATH]) assert.equal((await send(late, path)).status, 200);
    stopWatching();
  });
}
