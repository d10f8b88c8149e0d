// Keys that change: rotation, outage, floods of unknown keys and broken answers, against an issuer that counts who
// asks.
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { Authenticator } from '../../../proxy/auth/authenticate.ts';
import { optionsToTokenRules } from '../../../proxy/config/issuers.ts';
import { jwksToKeySet, readKeySet } from '../../../proxy/keys/key-set.ts';
import { RotatingKeys } from '../../../proxy/keys/rotating-keys.ts';
import { type Answer, send } from '../../support/http/http-client.ts';
import {
  authorizedWith,
  JWKS,
  NO_TOKEN,
  type RunningService,
  rulesWith,
  startService,
} from '../../support/http/in-process-proxy.ts';
import {
  type Clock,
  type IssuerKey,
  issuerKey,
  keysOf,
  POLICY,
  type RunningIssuer,
  signedBy,
  startIssuer,
} from '../../support/http/issuer.ts';
import { listen } from '../../support/http/listen.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries();

const PATH = '/api/v1/fc/lv0';

interface Stage {
  issuer: RunningIssuer;
  proxy: RunningService;
  clock: Clock;
  first: IssuerKey;
  /** Asks with a token of this key; the status. */
  ask(key: IssuerKey): Promise<number>;
  answerTo(key: IssuerKey): Promise<Answer>;
}

/** A service that follows the keys of an issuer. @param read reads them from somewhere else */
async function stage(read?: () => Promise<string>, policy = POLICY): Promise<Stage> {
  const issuer = await startIssuer('https://issuer.test');
  const clock = { ms: 0 };
  const keys = read === undefined ? keysOf(issuer, clock) : keysReadBy(read, clock, issuer.log, policy);
  const proxy = await startService(folder, { issuers: new Map([[issuer.name, keys]]) });
  const answerTo = async (key: IssuerKey): Promise<Answer> => send(proxy, PATH, await signedBy(issuer, key));
  const first = elementAt(issuer.published, 0);
  return { issuer, proxy, clock, first, answerTo, ask: async (key) => (await answerTo(key)).status };
}

function keysReadBy(read: () => Promise<string>, clock: Clock, log: string[] = [], policy = POLICY): RotatingKeys {
  const say = (line: string): number => log.push(line);
  return new RotatingKeys({ name: 'keys.json', read }, policy, say, () => clock.ms);
}

function setOf(...keys: readonly IssuerKey[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

/** An issuer that answers when the test says so. */
function slowReader(): { read: () => Promise<string>; pending: ((text: string) => void)[] } {
  const pending: ((text: string) => void)[] = [];
  return { read: () => new Promise((resolve) => pending.push(resolve)), pending };
}

test('keys are asked for once, however many requests come at the same time; a new one after one more time', async () => {
  const { issuer, clock, ask, first } = await stage();
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, () => ask(first)))), new Set([200]));
  assert.equal(issuer.fetches, 1);
  const second = issuerKey('two');
  issuer.published.push(second);
  clock.ms += POLICY.cooldownMs;
  // The old one, which is still published, goes on.
  assert.deepEqual(await Promise.all([ask(second), ask(second), ask(first)]), [200, 200, 200]);
  assert.equal(issuer.fetches, 2);
});

test('a removed key is refused within the cache time, also where its token was verified before', async () => {
  const { issuer, proxy, clock } = await stage();
  const header = await signedBy(issuer);
  const again = async (): Promise<number> => (await send(proxy, PATH, header)).status;
  assert.equal(await again(), 200);
  issuer.published = [issuerKey('two')];
  assert.equal(await again(), 200);
  clock.ms += POLICY.cacheMs;
  assert.equal(await again(), 401);
});

test('keys in use are renewed before they are too old, without a request waiting for it', async () => {
  const { issuer, clock, ask, first } = await stage();
  await ask(first);
  const asked = new Promise<() => void>((resolve) => {
    issuer.fault = (res) => resolve(() => res.end(setOf(first)));
  });
  clock.ms += POLICY.cacheMs / 2;
  assert.equal(await ask(first), 200);
  (await asked)();
  assert.equal(issuer.fetches, 2);
});

test('after idle time a slow issuer keeps no remembered token waiting: old keys go on working while it is asked', async () => {
  const { read, pending } = slowReader();
  const { issuer, proxy, clock, first } = await stage(read);
  const header = await signedBy(issuer);
  const ask = async (): Promise<number> => (await send(proxy, PATH, header)).status;
  const cold = ask();
  await until(() => pending.length === 1, 'the keys are not asked for');
  pending[0]?.(setOf(first));
  assert.equal(await cold, 200);
  clock.ms = POLICY.staleMs - 1;
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [200, 200, 200]);
  // The next ones wait for nothing; the answer to the one question counts when it comes.
  assert.deepEqual([await ask(), pending.length], [200, 2]);
  pending[1]?.(setOf(issuerKey('two')));
  await until(async () => (await ask()) === 401, 'the revoked key goes on working');
  // Older keys than that do not work, however slow the issuer is.
  clock.ms += POLICY.staleMs;
  const waiting = ask();
  await until(() => pending.length === 3, 'the keys are not asked for');
  pending[2]?.(setOf(first));
  assert.equal(await waiting, 200);
  const changes = ['two', 'one'].map((kid) => `key set keys.json has changed: 1 key, kid "${kid}"`);
  assert.deepEqual(issuer.log, changes);
});

test('keys that become too old while a slow issuer is asked are waited for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { ms: 0 };
  const { read, pending } = slowReader();
  const keys = keysReadBy(read, clock);
  const first = keys.load();
  pending[0]?.(JWKS);
  await first;
  clock.ms = POLICY.staleMs - 1;
  const waiting = keys.load();
  clock.ms += 2;
  // The half second after which old keys would be enough is over.
  t.mock.timers.tick(700);
  pending[1]?.(JWKS);
  assert.ok((await waiting) !== undefined);
});

test('an attempt to read keys that never ends is begun anew; what it brings later does not count', async () => {
  const clock = { ms: 0 };
  const { read, pending } = slowReader();
  const keys = keysReadBy(read, clock);
  void keys.load().catch(() => {});
  // Longer than any attempt is waited for.
  clock.ms += 10_001;
  const later = keys.load();
  assert.equal(pending.length, 2);
  clock.ms += 1;
  pending[1]?.(JWKS);
  const set = await later;
  pending[0]?.('{"keys":[]}');
  await Promise.resolve();
  assert.equal(keys.known(), set);
});

// https://github.com/jpadilla/pyjwt/security/advisories/GHSA-fhv5-28vv-h8m8
test('100 unknown kids cost one fetch a cooldown, whether the issuer answers or not (CVE-2026-48524)', async () => {
  const { issuer, clock, ask, first } = await stage();
  await ask(first);
  const flood = async (): Promise<Set<number>> => {
    const strangers = Array.from({ length: 100 }, (_, i) => ({ ...first, kid: `stranger ${i}` }));
    return new Set(await Promise.all(strangers.map((key) => ask(key))));
  };
  clock.ms += POLICY.cooldownMs;
  assert.deepEqual(await flood(), new Set([401]));
  assert.equal(issuer.fetches, 2);
  issuer.fault = (res) => res.writeHead(429).end();
  clock.ms += POLICY.cooldownMs;
  // Whether they are keys by now cannot be found out, so it is not said that the tokens are bad.
  assert.deepEqual(await flood(), new Set([503]));
  assert.equal(issuer.fetches, 3);
  assert.equal(await ask(first), 200);
});

test('a known key keeps working through an outage for the configured time, then gets 503 and never 401', async () => {
  const { issuer, clock, ask, answerTo, first } = await stage();
  await ask(first);
  issuer.fault = (res) => res.writeHead(500).end('<html>');
  for (; clock.ms < POLICY.staleMs; clock.ms += POLICY.cooldownMs * 20) assert.equal(await ask(first), 200);
  assert.ok(issuer.fetches > 2);
  clock.ms = POLICY.staleMs + 1;
  const answer = await answerTo(first);
  assert.deepEqual([answer.status, JSON.parse(answer.body.toString()).code], [503, 'keys-unavailable']);
  assert.ok(Number(answer.headers['retry-after']) >= 1);
  assert.equal(answer.headers['www-authenticate'], undefined);
  issuer.fault = undefined;
  clock.ms += POLICY.cooldownMs;
  assert.equal(await ask(first), 200);
  assert.deepEqual(issuer.log, [
    'key set of the issuer: status 500, expected 200; using the cached keys',
    'key set of the issuer: available again',
  ]);
});

test('cold and without its issuer it answers 503 with Retry-After, is not ready and says why', async () => {
  const { issuer, proxy, clock, ask, answerTo, first } = await stage();
  issuer.fault = (res) => res.destroy();
  const answer = await answerTo(first);
  assert.deepEqual([answer.status, JSON.parse(answer.body.toString()).code], [503, 'keys-unavailable']);
  assert.equal(answer.headers['retry-after'], String(POLICY.cooldownMs / 1000));
  for (let i = 0; i < 20; i++) assert.equal(await ask(first), 503);
  assert.equal(issuer.fetches, 1);
  const ready = await send(proxy, '/readyz', NO_TOKEN);
  assert.equal(ready.status, 503);
  assert.match(JSON.parse(ready.body.toString()).detail, /keys/);
  assert.equal((await send(proxy, '/healthz', NO_TOKEN)).status, 200);
  assert.equal((await send(proxy, PATH, NO_TOKEN)).status, 401);
  issuer.fault = undefined;
  clock.ms += POLICY.cooldownMs;
  assert.equal((await send(proxy, '/readyz', NO_TOKEN)).status, 200);
  assert.equal(await ask(first), 200);
});

test('no broken answer replaces a good set', async () => {
  const { issuer, clock, ask, first } = await stage();
  await ask(first);
  const text = (body: string) => (res: Parameters<NonNullable<RunningIssuer['fault']>>[0]) => res.end(body);
  const set = (...keys: unknown[]) => text(JSON.stringify({ keys }));
  const elsewhere = createServer((_req, res) => res.end(setOf(issuerKey('one'))));
  const Location = `http://127.0.0.1:${await listen(elsewhere)}/`;
  const faults: Record<string, RunningIssuer['fault']> = {
    'no set': text('{}'),
    'an empty body': text(''),
    'a page of HTML': text('<html><body>login</body></html>'),
    'a list': text('[]'),
    'keys that are no list': text('{"keys":{}}'),
    'keys that are no objects': set(1, null),
    'a private key': set({ ...first.jwk, kid: 'one', d: 'AAAA' }),
    'a secret': set({ kty: 'oct', k: 'AAAA', kid: 'one' }),
    'keys of unknown kinds': set({ kty: 'AKP', kid: 'one' }, { kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' }),
    'an encryption key': set({ ...issuerKey('one').jwk, use: 'enc' }),
    'a redirect': (res) => res.writeHead(302, { Location }).end(),
    'a permanent redirect': (res) => res.writeHead(308, { Location }).end(),
    '204': (res) => res.writeHead(204).end(),
    '403': (res) => res.writeHead(403).end(setOf(issuerKey('one'))),
    '503': (res) => res.writeHead(503).end(),
    'a cut body': (res) => res.writeHead(200, { 'Content-Length': '1000' }).write('{"keys":', () => res.destroy()),
    'a closed connection': (res) => res.destroy(),
    'no HTTP': (res) => res.socket?.end('nonsense\r\n\r\n'),
    'more than 512 KiB': set({ ...issuerKey('one').jwk, padding: 'a'.repeat(600 * 1024) }),
    'an endless body': (res) => {
      const fill = (): void => {
        while (!res.destroyed && res.write(Buffer.alloc(64 * 1024, ' ')));
      };
      res.on('drain', fill);
      fill();
    },
    'no answer': () => {},
  };
  for (const [what, fault] of Object.entries(faults)) {
    issuer.fault = fault;
    clock.ms += POLICY.cooldownMs;
    const before = issuer.fetches;
    await ask({ ...first, kid: 'unknown' });
    assert.equal(issuer.fetches, before + 1, what);
    assert.equal(await ask(first), 200, what);
  }
  const log = issuer.log.join('\n');
  for (const reason of ['status 302, expected 200', 'more than 524288 bytes', 'within 1000 ms', 'no usable key'])
    assert.ok(log.includes(reason), `${reason}: ${log}`);
  assert.doesNotMatch(log, /login/);
});

test('several issuers have their own keys: a key of one signs nothing for another', async () => {
  const clock = { ms: 0 };
  const [a, b] = [await startIssuer('https://a.test/'), await startIssuer('https://b.test/')];
  const proxy = await startService(folder, { issuers: new Map([a, b].map((one) => [one.name, keysOf(one, clock)])) });
  const ask = async (issuer: RunningIssuer, { published } = issuer): Promise<number> =>
    (await send(proxy, PATH, await signedBy(issuer, published[0]))).status;
  assert.deepEqual([await ask(a), await ask(b), await ask(a, b), await ask(b, a)], [200, 200, 401, 401]);
  for (const name of ['https://a.test', 'https://A.test/', 'https://a.test/#', ' https://a.test/', 'https://c.test/'])
    assert.equal(await ask({ ...a, name }), 401, name);
  // One issuer's outage is none of the other's.
  a.fault = (res) => res.destroy();
  clock.ms += POLICY.staleMs;
  assert.deepEqual([await ask(a), await ask(b)], [503, 200]);
  assert.equal((await send(proxy, '/readyz', NO_TOKEN)).status, 200);
});

test('a service is ready as soon as the keys of one issuer are known, whatever the others do', async () => {
  const clock = { ms: 0 };
  const issuer = await startIssuer('https://issuer.test');
  const issuers = new Map([
    ['https://silent.test', keysReadBy(slowReader().read, clock)],
    [issuer.name, keysOf(issuer, clock)],
    ['https://other.test', keysReadBy(slowReader().read, clock)],
  ]);
  const proxy = await startService(folder, { issuers });
  const ready = async (): Promise<number> => (await send(proxy, '/readyz', NO_TOKEN)).status;
  assert.equal(await ready(), 200);
  // Known keys are asked of nobody.
  assert.deepEqual([await ready(), issuer.fetches], [200, 1]);
});

test('a key set in a file is read again when it changes; a broken or missing one changes nothing', async () => {
  const file = join(temporaryFolder(), 'keys.json');
  const [one, two] = [issuerKey('one'), issuerKey('two')];
  const write = (text: string): void => {
    // As a mounted secret changes: another file under the same name.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  write(setOf(one));
  const policy = { cacheMs: 1_000, staleMs: Number.POSITIVE_INFINITY, cooldownMs: 250 };
  const { issuer, clock, ...staged } = await stage(() => readKeySet(file), policy);
  const ask = (key: IssuerKey): Promise<number> => {
    clock.ms += policy.cacheMs;
    return staged.ask(key);
  };
  assert.deepEqual([await ask(one), await ask(two)], [200, 401]);
  write(setOf(two));
  assert.deepEqual([await ask(one), await ask(two)], [401, 200]);
  for (const broken of ['', '{"keys":[']) {
    write(broken);
    assert.equal(await ask(two), 200, broken);
  }
  // No key at all is what somebody says who withdraws the last one.
  write(setOf());
  assert.deepEqual([await ask(one), await ask(two)], [401, 401]);
  write(setOf(two));
  assert.equal(await ask(two), 200);
  rmSync(file);
  clock.ms += 30 * 86_400_000;
  assert.deepEqual([await ask(two), await ask(two)], [200, 200]);
  assert.match(issuer.log.at(-1) ?? '', /cannot be read \(ENOENT\); using the cached keys/);
});

test('verified tokens are remembered up to a number of characters, the newest ones', async () => {
  const authenticator = new Authenticator(rulesWith(jwksToKeySet(JWKS)), 20_000);
  const requests = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => ({
      headers: await authorizedWith({ sub: `${i}`, more: 'x'.repeat(3000) }),
    })),
  );
  for (const request of requests) await authenticator.verify(request, () => undefined);
  const known = () => requests.map((request) => authenticator.known(request)?.subject);
  assert.deepEqual(known(), [undefined, undefined, undefined, undefined, '4', '5', '6', '7']);
  // A token that is verified again, by requests that arrive together, is counted once.
  const first = elementAt(requests, 0);
  await Promise.all([1, 2, 3, 4].map(() => authenticator.verify(first, () => undefined)));
  assert.deepEqual(known(), ['0', undefined, undefined, undefined, undefined, '5', '6', '7']);
});

test('tokens without a subject are told apart by client_id or azp', async () => {
  const authenticator = new Authenticator(rulesWith(jwksToKeySet(JWKS)));
  const clients = new Set<string>();
  for (const claims of [{ sub: 'a' }, { client_id: 'a' }, { client_id: 'b' }, { azp: 'c' }, {}]) {
    const headers = await authorizedWith({ sub: undefined, ...claims });
    clients.add((await authenticator.verify({ headers }, () => undefined)).id);
  }
  assert.equal(clients.size, 5);
});

test('a key set is asked for without TLS only of a host that --jwks-http names, as the refusal says', async () => {
  const jwks = ['http://keycloak:8080/realms/geo/protocol/openid-connect/certs'];
  const asked: string[] = [];
  const rulesFor = (jwksHttp?: readonly string[]) =>
    optionsToTokenRules(
      { issuer: ['i'], audience: 'a', jwks, jwksHttp },
      () => {},
      async ({ href }) => {
        asked.push(href);
        return JWKS;
      },
    );
  for (const others of [undefined, [], ['key'], ['keycloak:80'], ['http://keycloak:8080'], ['keycloak.']])
    await assert.rejects(rulesFor(others), {
      message: 'not a usable URL',
      where: '--jwks',
      remedy: /https:\/\/.*--jwks-http keycloak.*a file/,
    });
  for (const name of ['keycloak', 'keycloak:8080', 'Keycloak']) {
    const { issuers } = await rulesFor(['other', name]);
    assert.equal((await issuers.get('i')?.load())?.size, 1);
  }
  assert.deepEqual(asked, [...jwks, ...jwks, ...jwks]);
});
