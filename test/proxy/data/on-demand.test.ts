// What is loaded when it is first asked for: parts of levels, and where memory is little whole levels. Once
// for all who ask, freed when nobody does but held until a request is answered, tried again after an error. What becomes
// of damage is in damage.test.ts.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { releasePath } from '../../../format/layout.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import { Releases, type ReleasesOptions } from '../../../proxy/data/hosted-releases.ts';
import { loadOnDemand } from '../../../proxy/data/load-on-demand.ts';
import { type LoadedRelease, type Sized, TABLES } from '../../../proxy/data/loaded-release.ts';
import { NEIGHBOURS } from '../../../proxy/features/neighbours/touches.ts';
import { CELLS } from '../../../proxy/features/places/level-places.ts';
import { WORDS } from '../../../proxy/features/search/level-words.ts';
import { type Origin, OriginError } from '../../../proxy/origin/origin.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { nextOf, refusal, send, textOf } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { buildRelease, WHOLE } from '../../support/releases/build-release.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { watchedFolder, watchedOrigin } from '../../support/watched-origin.ts';

const UNUSED_MS = 300_000;

const folder = await worldOutput();
/** Has two small releases, of which r1 is current. */
const small = temporaryFolder();
for (const release of ['r2', 'r1'])
  await buildRelease(writeCountries(), small, { ...WHOLE, storedPages: 'none', release });

/**
 * An origin that notes which parts and levels were read, as `lv2/low`, `lv2/words` and `lv2`.
 * @param before is waited for before a file is read
 */
function noting(before: (path: string) => unknown = () => {}): { origin: Origin; read: string[] } {
  const read: string[] = [];
  const origin = watchedFolder(folder, async (path) => {
    const [, what] = /(lv\d(?:\/\w+)?)(?:\/index\.bin|\.bin|\/manifest\.json)$/.exec(path) ?? [];
    if (what !== undefined && !what.endsWith('/index')) read.push(what);
    await before(path);
  });
  return { origin, read };
}

/** Its releases, the current one, and the clock of both. Nothing counts as read before. */
async function openRelease({ origin, read }: ReturnType<typeof noting>, load?: ReleasesOptions['load']) {
  const clock = { now: 0 };
  const releases = new Releases(origin, { now: () => clock.now, ...(load && { load }) });
  await releases.refresh();
  read.length = 0;
  const release: LoadedRelease = releases.current ?? assert.fail('no release');
  return { releases, release, clock };
}

test('a part of a level is read when it is first asked for, once for all who ask, and freed after five minutes', async () => {
  const noted = noting();
  const { releases, release, clock } = await openRelease(noted);
  const level = await release.load(2);
  const parts = { low: TABLES.low, none: TABLES.none, cells: CELLS, neighbours: NEIGHBOURS, words: WORDS };
  for (const [what, part] of Object.entries(parts)) {
    const { bytes } = level;
    noted.read.length = 0;
    assert.equal(level.get<Sized>(part), undefined, what);
    const load = () => level.load<Sized>(part);
    const [loaded] = await Promise.all([load(), load(), load()]);
    assert.deepEqual([noted.read, level.bytes - bytes], [[`lv2/${what}`], loaded?.bytes]);
    assert.ok(level.bytes > bytes + 500, `${what} counts`);
    // Whoever asks for one keeps it.
    clock.now += UNUSED_MS - 1;
    assert.ok(level.get<Sized>(part));
    clock.now += 1;
    await releases.refresh();
    assert.ok(level.get<Sized>(part));
    clock.now += UNUSED_MS;
    await releases.refresh();
    assert.deepEqual([level.get<Sized>(part), level.bytes], [undefined, bytes], what);
    await load();
    assert.equal(noted.read.length, 2);
    clock.now += UNUSED_MS;
    await releases.refresh();
  }
});

test('a service reads the table that a request needs, and no other', async () => {
  const { origin, read } = noting();
  const service = await startService(folder, { origin });
  read.length = 0;
  for (const path of ['geojsonl/lv1', 'fc/lv1?geometry=full', 'fc/lv3?geometry=small', 'fc/lv3?gid-5=x&geometry=low'])
    await send(service, `/api/v1/${path}`);
  assert.deepEqual(read, []);
  const asked = Array.from({ length: 8 }, () => send(service, '/api/v1/fc/lv3?geometry=low&page-size=3'));
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  assert.equal((await send(service, '/api/v1/geojsonl/lv3?geometry=low&gid-0=none', {}, 'HEAD')).status, 200);
  assert.deepEqual(read, ['lv3/low']);
});

test('a table that could not be read is tried again after five seconds, not at once', async () => {
  let isMissing = true;
  const noted = noting((path) => {
    if (isMissing && path.includes('/low/')) throw new OriginError('missing', path);
  });
  const { release, clock } = await openRelease(noted);
  const level = await release.load(1);
  for (let i = 0; i < 3; i++) await assert.rejects(level.load(TABLES.low), { reason: 'missing' });
  isMissing = false;
  clock.now = 4_999;
  await assert.rejects(level.load(TABLES.low), { reason: 'missing' });
  assert.deepEqual(noted.read, ['lv1/low']);
  clock.now = 5_000;
  await level.load(TABLES.low);
  assert.ok(level.get(TABLES.low));
});

test('of a release that is gone before a part was read a cursor gives 410, and other requests the new release', async () => {
  for (const query of ['geometry=low', 'contains=1.5,3.5'])
    for (const isPinned of [true, false]) {
      const out = copyOf(small);
      const service = await startService(out);
      const next = nextOf(await send(service, '/api/v1/fc/lv1?page-size=1')) ?? '';
      // The proxy has not looked at current.json since.
      pointTo(out, 'r2');
      renameSync(join(out, releasePath('r1')), join(out, 'removed'));
      if (isPinned) refusal(await send(service, `${next}&${query}`), 410, 'release-gone');
      const answer = await send(service, `/api/v1/fc/lv1?${query}&page-size=1`);
      assert.deepEqual([answer.status, answer.headers['boundaries-release']], [200, 'r2']);
    }
});

test('beyond the limit the level that was used least recently is freed, by which no look at current.json counts', async () => {
  const noted = noting();
  const { release, releases } = await openRelease(noted, loadOnDemand(50_000));
  for (const level of [0, 1, 0] as const) await release.load(level);
  await releases.refresh();
  for (const level of [2, 0, 1] as const) await release.load(level);
  assert.deepEqual(noted.read, ['lv0', 'lv1', 'lv2', 'lv1']);
});

test('the tables of geometries count: levels are freed for them, and they with their level', async () => {
  const measured = await openRelease(noting(), loadOnDemand(1e9));
  const sizes = await Promise.all(([1, 2] as const).map(async (level) => (await measured.release.load(level)).bytes));
  const noted = noting();
  const { release } = await openRelease(noted, loadOnDemand(sizes.reduce((sum, bytes) => sum + bytes)));
  for (const level of [2, 1, 2, 1] as const) await release.load(level);
  const level = await release.load(1);
  await level.load(TABLES.none);
  assert.equal((await release.load(1)).get(TABLES.none)?.table.features, 130);
  await release.load(2);
  assert.deepEqual(noted.read, ['lv2', 'lv1', 'lv1/none', 'lv2']);
  assert.equal((await release.load(1)).get(TABLES.none), undefined);
});

test('a load of more than ten seconds is begun again beside the first one, whose end is seen, and not more and more', async () => {
  const slow: (() => void)[] = [];
  const clock = { now: 0 };
  const hold = () => new Promise<void>((resolve) => slow.push(resolve));
  const noted = noting((path) => path.endsWith('index.bin') && hold());
  const { release } = await openRelease(
    noted,
    loadOnDemand(1e9, () => clock.now),
  );
  const first = release.load(1);
  const loads = [first];
  // Requests are steady, and each load takes longer than ten seconds.
  for (clock.now = 1000; clock.now < 60_000; clock.now += 1000) {
    const load = release.load(1);
    if (clock.now < 10_000) assert.equal(load, first);
    loads.push(load);
  }
  await until(() => slow.length >= 3, 'none is begun beside the first one');
  assert.equal(slow.length, 3);
  slow[0]?.();
  await until(() => release.get(1) !== undefined, 'it is not seen');
  assert.equal((await release.load(1)).index.level, 1);
  for (const end of slow) end();
  for (const level of await Promise.all(loads)) assert.equal(level.index.level, 1);
  assert.equal(slow.length, 3);
});

test('parts that are loaded count at once: the least recently used level is freed for them', async () => {
  const measured = await openRelease(noting(), loadOnDemand(1e9));
  const sizes = await Promise.all(([1, 2] as const).map(async (level) => (await measured.release.load(level)).bytes));
  const { release } = await openRelease(noting(), loadOnDemand(sizes.reduce((sum, bytes) => sum + bytes)));
  await release.load(1);
  const level = await release.load(2);
  await level.load(WORDS);
  assert.deepEqual([release.get(1), release.get(2) === level], [undefined, true]);
});

test('pages of several levels at once need not fit into memory together', async () => {
  const [whole, little] = [await startService(small), await startService(small, { load: loadOnDemand(1) })];
  const paths = ['lv0', 'lv1', 'lv2'].map((level) => `/api/v1/fc/${level}?contains=0.5,3.5&geometry=none`);
  for (const path of paths) {
    const expected = await send(whole, path);
    const got = await send(little, path);
    assert.deepEqual([expected.status, got.status, textOf(got)], [200, 200, textOf(expected)], path);
  }
  const often = Array.from({ length: 5 }, () => paths).flat();
  const answers = await Promise.all(often.map((path) => send(little, path)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});

/** Bytes of the tables that answers with units of all levels need together. */
function neededBytes({ summaries }: LoadedRelease): number {
  return summaries.reduce(
    (sum, { index, words, names, cells, geometries: { none } }) =>
      sum + index.bytes + words.bytes + names.bytes + (cells?.directory.bytes ?? 0) + (none?.index.bytes ?? 0),
    0,
  );
}

/** A service on a release of six levels with so much memory for its levels, and the files of levels that it reads. */
async function startWithMemory(maxBytes: number) {
  const files: string[] = [];
  const origin = watchedOrigin(folder, (path, extent) => {
    const [, file] = /(lv\d\/.*)$/.exec(path) ?? [];
    if (file !== undefined) files.push(typeof extent === 'number' ? file : `${file} from ${extent.offset}`);
  });
  const service = await startService(folder, { origin, load: loadOnDemand(maxBytes) });
  return { service, files };
}

test('a search and what is at a point are refused where their tables have no room, before anything is read', async () => {
  const { release } = await openRelease(noting());
  const most = neededBytes(release) / 0.75;
  const { service, files } = await startWithMemory(most - 4);
  for (const path of ['search?q=unit', 'search?q=unit&level=lv0', 'at?point=0.5,0.5', 'at?point=170,-80'])
    refusal(await send(service, `/api/v1/${path}`), 503, 'release-too-large');
  assert.deepEqual(files, []);
  // Without the table of the geometry there is room.
  assert.equal((await send(service, '/api/v1/search?q=unit&geometry=full')).status, 200);
  assert.equal((await send((await startWithMemory(most)).service, '/api/v1/search?q=unit')).status, 200);
});

test('ten searches and points in turn read each table once, where there is just room for them, also ten at once', async () => {
  const { release } = await openRelease(noting());
  const { service, files } = await startWithMemory(neededBytes(release) / 0.75);
  const words = ['unit', 'unit 1', 'form', 'u', 'region', '2', 'unit u', 'prov', '3', 'unit unit'];
  const searches = words.map((word) => `/api/v1/search?q=${encodeURIComponent(word)}`);
  const ofLevels = LEVELS.map((level) => `/api/v1/search?q=unit&limit=1&level=${levelName(level)}`);
  const points = words.map((_, i) => `/api/v1/at?point=${i}.5,${i % 3}.5`);
  const whole = await startService(folder);
  for (const paths of [searches, points, ofLevels, searches])
    for (const path of paths)
      assert.deepEqual(textOf(await send(service, path)), textOf(await send(whole, path)), path);
  await Promise.all([...searches, ...points].map((path) => send(service, path)));
  // What is read of a unit, or of a cell, is read again.
  const tables = files.filter((file) => !/alone|features|cells\.bin from [1-9]/.test(file)).sort();
  assert.deepEqual(tables, [...new Set(tables)]);
  for (const level of LEVELS)
    for (const file of ['index.bin', 'none/index.bin', 'words.bin', 'names.jsonl.gz', 'cells.bin from 0'])
      assert.ok(tables.includes(`${levelName(level)}/${file}`), file);
});

test('of a level that has no unit in the answer neither names nor the table of the geometry are read', async () => {
  const { service, files } = await startWithMemory(1e9);
  for (const path of ['search?q=unit&limit=1&level=lv1', 'search?q=unit&limit=1', 'search?q=xqzw', 'at?point=170,-80'])
    assert.equal((await send(service, `/api/v1/${path}`)).status, 200);
  const read = files.filter((file) => /names|none\/index/.test(file)).sort();
  assert.deepEqual(read, ['lv0/names.jsonl.gz', 'lv0/none/index.bin', 'lv1/names.jsonl.gz', 'lv1/none/index.bin']);
});
