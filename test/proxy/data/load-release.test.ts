// How the metadata of a release is loaded: in pieces, between which the event loop goes on, not if it contradicts
// itself, and anew after a read that never ends. What is not as it was recorded: proxy/data/served-releases.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { elementAt } from '../../../format/element-at.ts';
import { CURRENT_PATH, manifestPath, namesPath, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import type { LevelArrays } from '../../../format/level-index.ts';
import { FormatError } from '../../../format/parse.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { loadLevel, loadRelease, readDescription } from '../../../proxy/data/loaded-release.ts';
import { NAMES } from '../../../proxy/features/names/level-names.ts';
import { BOXES } from '../../../proxy/features/places/level-places.ts';
import { WORDS } from '../../../proxy/features/search/level-words.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { sha256Of } from '../../support/files.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { resealLevel } from '../../support/releases/reseal.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { turnsDuring } from '../../support/turns-during.ts';
import { watchedOrigin } from '../../support/watched-origin.ts';

const folder = temporaryFolder();
for (const release of ['r1', 'r2']) await buildRelease(writeCountries(), folder, { release });
const origin = directoryOrigin(folder);

const digestIn = (out: string): string => sha256Of(join(out, releasePath('r1'), RELEASE_FILE));

test('files of any size are hashed in pieces of a megabyte: the event loop goes on after each', async () => {
  const { release, digest } = await readDescription(origin, 'r1', digestIn(folder));
  const pieces = 16;
  const bytes = Buffer.alloc(pieces * 1024 * 1024);
  const levels = release.levels.map((level) => ({ ...level, index: { bytes: bytes.length, sha256: '' } }));
  const manifest = readFileSync(join(folder, releasePath('r1'), manifestPath(0)));
  // Nothing is waited for but the hashing.
  const read = async (path: string): Promise<Buffer> => (path.endsWith('.bin') ? bytes : manifest);
  const loading = loadLevel({ ...origin, read }, { release: { ...release, levels }, digest }, 0);
  const turns = await turnsDuring(loading);
  await assert.rejects(loading, FormatError);
  assert.ok(turns >= pieces - 1, `${turns} turns`);
});

/** Arrays that a faulty writer has sealed, SHA-256 and lengths are right: and what is said of them. */
const CONTRADICTIONS: readonly [change: (arrays: LevelArrays) => void, message: RegExp][] = [
  [({ start }) => (start[1] = Number.NaN), /index\.bin: start\[1\] is NaN, expected/],
  [({ textStart }) => (textStart[2] = Infinity), /index\.bin: textStart\[2\] is Infinity, expected/],
  // A fraction of a byte.
  [({ start }) => (start[1] = elementAt(start, 1) - 0.5), /index\.bin: start\[1\] is [\d.]+, /],
  [({ fid }) => (fid[1] = elementAt(fid, 0)), /index\.bin: fid\[1\] is \d+, expected/],
  // GIDs that end before they begin.
  [({ columns }) => (elementAt(columns, 0).arrays.start[1] = 0xfffffff0), /index\.bin: gid0\.start\[2\] is \d+, /],
];

test('refuses a release whose index contradicts itself', async () => {
  for (const [change, message] of CONTRADICTIONS) {
    const out = copyOf(folder);
    resealLevel(join(out, releasePath('r1')), 0, (index) => {
      change(index.arrays);
      return index;
    });
    const changed = directoryOrigin(out);
    const load = async () => loadRelease(changed, await readDescription(changed, 'r1', digestIn(out)));
    await assert.rejects(load, message);
  }
});

/** Longer than any attempt is waited for. */
const LATER_MS = 10_001;

// As platforms cut what a request reads with its client; of keys proxy/keys/keys.test.ts has the same.
test('a read of current.json that never ends holds up no later request that names a release', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { ms: 0 };
  let isCut = false;
  let reads = 0;
  const cut = watchedOrigin(folder, (path) => {
    if (path === CURRENT_PATH) reads++;
    return isCut && path === CURRENT_PATH ? new Promise(() => {}) : undefined;
  });
  pointTo(folder, 'r1', ['r1']);
  const releases = new Releases(cut, { now: () => clock.ms });
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

test('what is in use of a release is in memory of the next one before that is served, and no more', async () => {
  pointTo(folder, 'r1', ['r1', 'r2']);
  const releases = new Releases(origin);
  await releases.refresh();
  const level = await releases.requireCurrent().load(1);
  await Promise.all([level.load(BOXES), level.load(NAMES)]);
  pointTo(folder, 'r2', ['r1', 'r2']);
  const refreshed = releases.refresh();
  while (releases.current?.id === 'r1') await setImmediate();
  const next = releases.current?.get(1) ?? assert.fail();
  assert.ok(next.get(BOXES) !== undefined && next.get(NAMES) !== undefined);
  assert.equal(next.get(WORDS), undefined);
  assert.equal(await refreshed, 'r2');
});

test('a host that does not send what is in use holds up no release for longer than ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  pointTo(folder, 'r1', ['r1', 'r2']);
  let asked = 0;
  const silent = watchedOrigin(folder, (path) => {
    if (path !== `${releasePath('r2')}/${namesPath(1)}`) return undefined;
    asked++;
    return new Promise(() => {});
  });
  const releases = new Releases(silent);
  await releases.refresh();
  await (await releases.requireCurrent().load(1)).load(NAMES);
  pointTo(folder, 'r2', ['r1', 'r2']);
  const refreshed = releases.refresh();
  while (asked === 0) await setImmediate();
  assert.equal(releases.current?.id, 'r1');
  t.mock.timers.tick(LATER_MS);
  assert.equal(await refreshed, 'r2');
});
