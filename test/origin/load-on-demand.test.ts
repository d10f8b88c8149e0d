// Levels that are loaded when they are first requested: once, in bounded memory, and again after an error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOnDemand } from '../../proxy/data/load-on-demand.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { OriginError } from '../../proxy/origin/origin.ts';
import { worldOutput } from '../support/releases/world.ts';
import { until } from '../support/until.ts';

const folder = await worldOutput();

/** The current release, whose levels are loaded on demand, and the manifests that were read. */
async function openRelease(maxBytes: number, now?: () => number, isDown: () => boolean = () => false) {
  const origin = directoryOrigin(folder);
  const manifests: string[] = [];
  const counting = {
    ...origin,
    async read(...[path, range, client]: Parameters<typeof origin.read>) {
      if (path.endsWith('manifest.json')) manifests.push(path.split('/').at(-2) ?? path);
      if (isDown() && path.includes('/lv')) throw new OriginError('unreadable', path);
      return origin.read(path, range, client);
    },
  };
  const releases = new Releases(counting, { load: loadOnDemand(maxBytes, now) });
  await releases.refresh();
  const release = releases.current;
  assert.ok(release);
  return { release, releases, manifests };
}

test('beyond the limit the level that was used least recently is freed, and read again when it is requested', async () => {
  const { release, manifests } = await openRelease(50_000);
  for (const level of [0, 1, 0, 2, 0, 1] as const) await release.load(level);
  assert.deepEqual(manifests, ['lv0', 'lv1', 'lv2', 'lv1']);
});

test('a look at current.json is no use of a level', async () => {
  const { release, releases, manifests } = await openRelease(50_000);
  for (const level of [0, 1, 0] as const) await release.load(level);
  await releases.refresh();
  for (const level of [2, 0, 1] as const) await release.load(level);
  assert.deepEqual(manifests, ['lv0', 'lv1', 'lv2', 'lv1']);
});

test('the tables of geometries count: levels are freed for them, and they with their level', async () => {
  const measured = await openRelease(1e9);
  const sizes = await Promise.all(([1, 2] as const).map(async (level) => (await measured.release.load(level)).bytes));
  const { release, manifests } = await openRelease(sizes.reduce((sum, bytes) => sum + bytes));
  for (const level of [2, 1, 2, 1] as const) await release.load(level);
  assert.deepEqual(manifests, ['lv2', 'lv1']);
  const level = await release.load(1);
  await level.load('none');
  assert.equal((await release.load(1)).get('none')?.table.features, 130);
  await release.load(2);
  assert.deepEqual(manifests, ['lv2', 'lv1', 'lv2']);
  assert.equal((await release.load(1)).get('none'), undefined);
});

test('a level that cannot be read is tried again, but not at once', async () => {
  const clock = { now: 0 };
  let isDown = true;
  const { release, manifests } = await openRelease(
    1e9,
    () => clock.now,
    () => isDown,
  );
  for (let request = 0; request < 3; request++)
    await assert.rejects(async () => release.load(1), { reason: 'unreadable' });
  assert.deepEqual(manifests, ['lv1']);
  isDown = false;
  clock.now = 5_000;
  assert.equal((await release.load(1)).index.level, 1);
});

test('a level whose loading never ends is loaded again for others after ten seconds', async () => {
  const clock = { now: 0 };
  const origin = directoryOrigin(folder);
  let isStuck = true;
  const stuck = {
    ...origin,
    read: (...args: Parameters<typeof origin.read>) =>
      isStuck && args[0].endsWith('index.bin') ? new Promise<Buffer>(() => {}) : origin.read(...args),
  };
  const releases = new Releases(stuck, { load: loadOnDemand(1e9, () => clock.now) });
  await releases.refresh();
  const first = releases.current?.load(1);
  isStuck = false;
  clock.now = 9_999;
  assert.equal(releases.current?.load(1), first);
  clock.now = 10_000;
  assert.equal((await releases.current?.load(1))?.index.level, 1);
});

test('a load of more than ten seconds is seen when it ends, though another one has been begun', async () => {
  const clock = { now: 0 };
  const origin = directoryOrigin(folder);
  const slow: (() => void)[] = [];
  const held = {
    ...origin,
    async read(...args: Parameters<typeof origin.read>) {
      if (args[0].endsWith('index.bin')) await new Promise<void>((resolve) => slow.push(resolve));
      return origin.read(...args);
    },
  };
  const releases = new Releases(held, { load: loadOnDemand(1e9, () => clock.now) });
  await releases.refresh();
  const release = releases.current ?? assert.fail('no release');
  const loads = [release.load(1)];
  // Requests are steady, and each load takes longer than ten seconds: not more and more of them are begun.
  for (clock.now = 1000; clock.now < 60_000; clock.now += 1000) loads.push(release.load(1));
  await until(() => slow.length >= 3, 'none is begun beside the first one');
  assert.equal(slow.length, 3);
  slow[0]?.();
  await until(() => release.get(1) !== undefined, 'it is not seen');
  assert.equal((await release.load(1)).index.level, 1);
  for (const end of slow) end();
  for (const level of await Promise.all(loads)) assert.equal(level.index.level, 1);
  assert.equal(slow.length, 3);
});
