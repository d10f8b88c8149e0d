// Reads that never end, as platforms cut what a request reads with its client: what comes later begins anew. And where
// the headers for a static host go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURRENT_PATH } from '../../format/layout.ts';
import { RotatingKeys } from '../../proxy/auth/rotating-keys.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { fetchHostOrigin } from '../../proxy/origin/fetch-host.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { JWKS } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Longer than any attempt is waited for. */
const LATER_MS = 10_001;

const folder = temporaryFolder();
for (const release of ['r1', 'r2']) await buildRelease(writeCountries(), folder, { release });

test('a read of current.json that never ends holds up no later request that names a release', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { ms: 0 };
  const source = directoryOrigin(folder);
  let isCut = false;
  let reads = 0;
  const origin: Origin = {
    read(path, range, client) {
      if (path === CURRENT_PATH) reads++;
      return isCut && path === CURRENT_PATH ? new Promise(() => {}) : source.read(path, range, client);
    },
  };
  pointTo(folder, 'r1', ['r1']);
  const releases = new Releases(origin, { now: () => clock.ms });
  await releases.refresh();
  clock.ms += LATER_MS;
  isCut = true;
  const before = reads;
  const unknown = { release: 'r2', content: '' };
  void releases.load(unknown, 'a client that goes').catch(() => {});
  while (reads === before) await Promise.resolve();
  isCut = false;
  pointTo(folder, 'r2', ['r1', 'r2']);
  const later = releases.load(unknown, 'another');
  clock.ms += LATER_MS;
  t.mock.timers.tick(LATER_MS);
  assert.equal((await later).id, 'r2');
});

test('an attempt to read keys that never ends is begun anew; what it brings later does not count', async () => {
  const clock = { ms: 0 };
  const pending: ((text: string) => void)[] = [];
  const keys = new RotatingKeys(
    { name: 'cut', read: () => new Promise((resolve) => pending.push(resolve)) },
    { cacheMs: 300_000, staleMs: 3_600_000, cooldownMs: 1_000 },
    () => {},
    () => clock.ms,
  );
  void keys.load().catch(() => {});
  clock.ms += LATER_MS;
  const later = keys.load();
  assert.equal(pending.length, 2);
  clock.ms += 1;
  pending[1]?.(JWKS);
  const set = await later;
  pending[0]?.('{"keys":[]}');
  await Promise.resolve();
  assert.equal(keys.known(), set);
});

test('the headers for a static host go to no other host, whatever slashes its URL has', async () => {
  const host = await startStaticHost(folder);
  for (const path of ['', '/', '//', '//elsewhere.invalid//']) {
    const origin = fetchHostOrigin(new URL(`${host.url.origin}${path}`), { 'x-secret': 'one' });
    await origin.read(CURRENT_PATH, 65_536).catch(() => {});
    assert.equal(host.asked.at(-1)?.headers['x-secret'], 'one', path);
    host.asked.length = 0;
  }
});
