// Tokens and time: one that expires in the middle of a walk, clocks that jump, and a process that is frozen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeySet } from '../../../proxy/auth/authenticate.ts';
import { clockThroughFreezes } from '../../../proxy/keys/clock.ts';
import { fetchKeySet, jwksToKeySet } from '../../../proxy/keys/key-set.ts';
import { fixedKeys, RotatingKeys } from '../../../proxy/keys/rotating-keys.ts';
import { fidsOf, nextOf, refusal, send, walk } from '../../support/http/http-client.ts';
import { AUTHORIZED, authorizedWith, ISSUER, JWKS, startService } from '../../support/http/in-process-proxy.ts';
import { issuerKey, POLICY, signedBy, startIssuer } from '../../support/http/issuer.ts';
import { buildCountries } from '../../support/releases/build-release.ts';

const out = await buildCountries();
const START_MS = Date.UTC(2026, 0, 1);
const LIFETIME_SECONDS = 600;
const clock = { ms: START_MS };
const keys = jwksToKeySet(JWKS);
let verified = 0;
const counted: KeySet = {
  ...keys,
  getKey(...header) {
    verified++;
    return keys.getKey(...header);
  },
};
const issuers = new Map([[ISSUER, fixedKeys(counted)]]);
const service = await startService(out, { issuers, now: () => clock.ms });

function authorized(claims: Record<string, unknown> = {}): Promise<{ authorization: string }> {
  const seconds = clock.ms / 1000;
  return authorizedWith({ iat: seconds, exp: seconds + LIFETIME_SECONDS, ...claims });
}

test('a token that expires in the middle of a walk is refused; the walk goes on where it was with a new one', async () => {
  clock.ms = START_MS;
  const first = await authorized();
  const page = await send(service, '/api/v1/geojsonl/lv2?page-size=1', first);
  const next = nextOf(page) ?? assert.fail('one page');
  clock.ms += (LIFETIME_SECONDS + 60) * 1000;
  const refused = await send(service, next, first);
  refusal(refused, 401, 'token-invalid');
  assert.match(String(refused.headers['www-authenticate']), /error="invalid_token"/);
  assert.deepEqual([...fidsOf(page), ...(await walk(service, next, await authorized()))], [1, 2, 3, 4]);
});

async function statusAt(seconds: number, header: { authorization: string }): Promise<number> {
  clock.ms = START_MS + seconds * 1000;
  return (await send(service, '/api/v1/fc/lv0', header)).status;
}

test('a clock that jumps: a verified token is refused as soon as it has expired, and accepted again if it has not', async () => {
  clock.ms = START_MS;
  const header = await authorized();
  const before = verified;
  // Seconds after the start, the status, and how many signatures were verified by then.
  for (const [seconds, status, count] of [
    [0, 200, 1],
    [86_400, 401, 1],
    [10, 200, 2],
    // Before the time of issue, as after a correction of the clock.
    [-3600, 200, 2],
    [LIFETIME_SECONDS - 1, 200, 2],
    // Expired, but within the tolerance of clocks: verified again on every request.
    [LIFETIME_SECONDS, 200, 3],
    [LIFETIME_SECONDS + 29, 200, 4],
    [LIFETIME_SECONDS + 31, 401, 4],
  ] as const) {
    assert.equal(await statusAt(seconds, header), status, `after ${seconds} s`);
    assert.equal(verified - before, count, `after ${seconds} s`);
  }
});

test('a token that was verified while the clock was ahead is refused before its nbf once the clock is right', async () => {
  clock.ms = START_MS;
  const header = await authorized({ nbf: START_MS / 1000 });
  const statuses: number[] = [];
  for (const seconds of [0, -31, -29, 1]) statuses.push(await statusAt(seconds, header));
  assert.deepEqual(statuses, [200, 401, 200, 200]);
});

test('after the clock was set back a limited client waits no longer than the window', async (t) => {
  const limited = await startService(out, {
    rules: { rate: { requests: 1, windowSeconds: 60 }, concurrency: undefined },
  });
  assert.equal((await send(limited, '/api/v1/fc/lv0', AUTHORIZED)).status, 200);
  const now = Date.now();
  t.mock.method(Date, 'now', () => now - 7_200_000);
  const refused = await send(limited, '/api/v1/fc/lv0', AUTHORIZED);
  refusal(refused, 429, 'too-many-requests');
  assert.ok(Number(refused.headers['retry-after']) <= 60, refused.headers['retry-after']);
});

test('keys age while the process is frozen: a key that was removed meanwhile is refused', async (t) => {
  const issuer = await startIssuer('https://issuer.test');
  const read = () => fetchKeySet(issuer.url);
  const rotating = new RotatingKeys({ name: 'of the issuer', read }, POLICY, () => {});
  const frozen = await startService(out, { issuers: new Map([[issuer.name, rotating]]) });
  const header = await signedBy(issuer);
  const ask = async (): Promise<number> => (await send(frozen, '/api/v1/fc/lv0', header)).status;
  assert.equal(await ask(), 200);
  issuer.published = [issuerKey('two')];
  // The clock of the process stands still; the time of day goes on.
  const now = Date.now();
  t.mock.method(Date, 'now', () => now + POLICY.cacheMs);
  assert.equal(await ask(), 401);
});

test('a clock through freezes never goes back, does not run ahead, and counts only what the time of day gains at once', () => {
  const [monotonic, day] = [{ ms: 5 }, { ms: START_MS }];
  const now = clockThroughFreezes(
    () => monotonic.ms,
    () => Math.floor(day.ms),
  );
  const start = now();
  const after = (ms: number, dayMs: number): number => {
    monotonic.ms += ms;
    day.ms += dayMs;
    return now() - start;
  };
  // Whole milliseconds beside fractions of them, a thousand times.
  for (let i = 1; i < 1000; i++) after(0.3, 0.3);
  assert.ok(Math.abs(after(0.3, 0.3) - 300) < 1);
  assert.ok(Math.abs(after(100, -3_600_000) - 400) < 1);
  assert.ok(Math.abs(after(100, 100) - 500) < 1);
  assert.ok(Math.abs(after(0, 60_000) - 60_500) < 2);
  // Frozen for a short time after each of many requests.
  for (let i = 0; i < 100; i++) after(10, 900);
  assert.ok(now() - start > 60_500 + 100 * 900 - 2_000);
  assert.ok(now() - start < 60_500 + 100 * 900 + 2_000);
});
