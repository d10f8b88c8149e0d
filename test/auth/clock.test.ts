// Tokens and time: one that expires in the middle of a walk, and a clock that jumps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { fidsOf, nextOf, refusal, send } from '../support/http/http-client.ts';
import { startService, token } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const out = temporaryFolder();
await buildRelease(writeCountries(), out);
const START_MS = Date.UTC(2026, 0, 1);
const LIFETIME_SECONDS = 600;
const clock = { ms: START_MS };
const service = await startService(out, { now: () => clock.ms });

/** A header with a token that is valid from now on. */
async function authorized(claims: Record<string, unknown> = {}): Promise<{ authorization: string }> {
  const seconds = clock.ms / 1000;
  return { authorization: `Bearer ${await token({ iat: seconds, exp: seconds + LIFETIME_SECONDS, ...claims })}` };
}

test('a token that expires in the middle of a walk is refused; the walk goes on where it was with a new one', async () => {
  clock.ms = START_MS;
  const first = await authorized();
  const fids: number[] = [];
  let page = await send(service, '/api/v1/geojsonl/lv2?page-size=1', first);
  fids.push(...fidsOf(page));
  const next = nextOf(page);
  assert.ok(next);
  clock.ms += (LIFETIME_SECONDS + 60) * 1000;
  const refused = await send(service, next, first);
  refusal(refused, 401, 'token-invalid');
  assert.match(String(refused.headers['www-authenticate']), /error="invalid_token"/);
  const second = await authorized();
  for (let path: string | undefined = next; path !== undefined; path = nextOf(page)) {
    page = await send(service, path, second);
    fids.push(...fidsOf(page));
  }
  assert.deepEqual(fids, [1, 2, 3, 4]);
});

test('a clock that jumps: a verified token is refused as soon as it has expired, and accepted again if it has not', async () => {
  clock.ms = START_MS;
  const header = await authorized();
  const statusAt = async (seconds: number): Promise<number> => {
    clock.ms = START_MS + seconds * 1000;
    return (await send(service, '/api/v1/fc/lv0', header)).status;
  };
  assert.equal(await statusAt(0), 200);
  assert.equal(await statusAt(86_400), 401);
  assert.equal(await statusAt(10), 200);
  // Before the time of issue, as after a correction of the clock.
  assert.equal(await statusAt(-3600), 200);
  assert.equal(await statusAt(LIFETIME_SECONDS + 29), 200);
  assert.equal(await statusAt(LIFETIME_SECONDS + 31), 401);
});

test('a token that was verified while the clock was ahead is refused before its nbf once the clock is right', async () => {
  clock.ms = START_MS;
  const header = await authorized({ nbf: START_MS / 1000 });
  const statusAt = async (seconds: number): Promise<number> => {
    clock.ms = START_MS + seconds * 1000;
    return (await send(service, '/api/v1/fc/lv0', header)).status;
  };
  assert.deepEqual(
    [await statusAt(0), await statusAt(-31), await statusAt(-29), await statusAt(1)],
    [200, 401, 200, 200],
  );
});

test('after the clock was set back a limited client waits no longer than the window', async (t) => {
  const limited = await startService(out, {
    rules: { rate: { requests: 1, windowSeconds: 60 }, concurrency: undefined },
  });
  const header = { authorization: `Bearer ${await token()}` };
  assert.equal((await send(limited, '/api/v1/fc/lv0', header)).status, 200);
  const now = Date.now();
  t.mock.method(Date, 'now', () => now - 7_200_000);
  const refused = await send(limited, '/api/v1/fc/lv0', header);
  refusal(refused, 429, 'too-many-requests');
  assert.ok(Number(refused.headers['retry-after']) <= 60, refused.headers['retry-after']);
});
