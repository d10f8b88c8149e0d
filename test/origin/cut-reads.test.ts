// A read that never ends, as platforms cut what a request reads with its client: what comes later begins anew. Of keys
// auth/keys.test.ts has the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURRENT_PATH } from '../../format/layout.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
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
