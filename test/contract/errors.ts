// The HTTP contract: who is turned away, with which answer, and what it does not tell. Bytes that are hardly HTTP are
// compared in every setup (exchanges.ts); what they must get is in http/hostile-requests.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchReleases } from '../../proxy/data/watch-releases.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { type Answer, refusal, send } from '../support/http/http-client.ts';
import { authorizedWith, NO_TOKEN, startService, token } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { World } from './world.ts';

const PATH = '/api/v1/fc/lv0';
/** Where the metadata of the service with a public URL is: RFC 9728 puts the path last. */
const PUBLIC_METADATA = 'https://example.org/.well-known/oauth-protected-resource/boundaries';

/** Tests who is turned away. */
export function testErrors({ proxy, configured }: World): void {
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

  test('a bad token gets the challenge with the reason, of which nothing is logged', async () => {
    // test/auth/tokens.test.ts has every way in which one can be bad, and the words.
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
