// How the proxy follows the releases of its origin: which one it serves, which ones it refuses, what it remembers.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentOf, encodeCursor } from '../../../format/cursor.ts';
import { CURRENT_PATH, indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import type { LoadedRelease, LoadRelease } from '../../../proxy/data/loaded-release.ts';
import { loadRelease, TABLES } from '../../../proxy/data/loaded-release.ts';
import { loggedRefresh, watchReleases } from '../../../proxy/data/watch-releases.ts';
import { Problem } from '../../../proxy/http/problem.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { Connection } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { openFiles, sha256Of } from '../../support/files.ts';
import { nextOf, refusal, send } from '../../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../../support/http/in-process-proxy.ts';
import { collectGarbage } from '../../support/processes/collect-garbage.ts';
import { buildCountries, buildRelease } from '../../support/releases/build-release.ts';
import { enlargeFeature } from '../../support/releases/large-page.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { watchedOrigin } from '../../support/watched-origin.ts';

const source = writeCountries();
const built = temporaryFolder();
await buildRelease(source, built, { release: 'r2' });
await buildRelease(source, built, { release: 'r1', geometries: ['full', 'low'] });
const fiveBuilt = copyOf(built);
for (const release of ['r3', 'r4', 'r5']) await buildRelease(source, fiveBuilt, { release });

/** A folder with releases r1 and r2, r1 current, and the releases of it. */
async function twoReleases(): Promise<{ out: string; releases: Releases; point(release: string): void }> {
  const out = copyOf(built);
  const releases = new Releases(directoryOrigin(out));
  assert.equal(await releases.refresh(), 'r1');
  const point = (release: string): void => pointTo(out, release, ['r1', 'r2']);
  return { out, releases, point };
}

/** The release that a client names by its id, whatever its content. */
function load(releases: Releases, release: string, client = 'one'): Promise<LoadedRelease> {
  return releases.load({ release, content: '' }, client);
}

/** What a client gets that names a release: its id, or the code of a refusal. */
async function named(releases: Releases, release: string, client = 'one'): Promise<string> {
  try {
    return (await load(releases, release, client)).id;
  } catch (error) {
    return error instanceof Problem ? error.code : assert.fail(String(error));
  }
}

test('refuses a release whose metadata does not hold, says why, and goes on with the one that it has', async () => {
  const file = (name: string) => `${releasePath('r2')}/${name}`;
  const json = file(RELEASE_FILE);
  const manifest = file(manifestPath(1));
  const index = file(indexPath(1));
  const damages: [string, (text: string) => string | undefined, RegExp][] = [
    [manifest, (text) => text.replace('caps', 'Caps'), /lv1\/manifest\.json: SHA-256 is [0-9a-f]+, expected/],
    [manifest, (text) => text.slice(0, -10), /lv1\/manifest\.json: \d+ bytes, expected \d+/],
    [manifest, () => undefined, /lv1\/manifest\.json: missing/],
    [index, (text) => text.replace('AAA.1_1', 'AAA.9_1'), /lv1\/index\.bin: SHA-256 is [0-9a-f]+, expected/],
    [index, () => '', /lv1\/index\.bin: 0 bytes, expected \d+/],
    [index, () => undefined, /lv1\/index\.bin: missing/],
    // No more is read than was recorded.
    [manifest, (text) => `${text} `, /lv1\/manifest\.json: damaged, more than \d+ bytes$/],
    [index, (text) => `${text} `, /lv1\/index\.bin: damaged, more than \d+ bytes$/],
    [json, () => undefined, /release\.json: missing/],
    [json, () => '{', /release\.json: SHA-256 is [0-9a-f]+, expected/],
    [json, (text) => text.replace('2', '3'), /release\.json: SHA-256 is [0-9a-f]+, expected/],
    [json, (text) => text.replace('"r2"', '"r1"'), /release\.json: SHA-256 is/],
    [json, (text) => text.replace('"version": 7', '"version": 4'), /release\.json: SHA-256 is/],
    [CURRENT_PATH, () => '{}', /current\.json: version/],
    [CURRENT_PATH, () => undefined, /current\.json: missing/],
  ];
  for (const [name, damage, reason] of damages) {
    const { out, releases, point } = await twoReleases();
    point('r2');
    const text = damage(readFileSync(join(out, name), 'latin1'));
    if (text === undefined) rmSync(join(out, name));
    else writeFileSync(join(out, name), text, 'latin1');
    await assert.rejects(releases.refresh(), reason);
    assert.equal(releases.current?.id, 'r1');
  }
});

test('notices a new release by itself, and tells once why one is refused', async () => {
  const { out, releases, point } = await twoReleases();
  const file = join(out, releasePath('r2'), RELEASE_FILE);
  const intact = readFileSync(file);
  point('r2');
  const pointer = readFileSync(join(out, CURRENT_PATH));
  point('r1');
  rmSync(file);
  const lines: string[] = [];
  let next = (_line: string): void => {};
  const stopWatching = watchReleases(releases, (line) => {
    lines.push(line);
    next(line);
  });
  // The timer of `watchReleases` does not keep a process alive; a server does.
  const awake = setInterval(() => {}, 1000);
  const line = () => new Promise<string>((resolve) => (next = resolve));
  const refused = line();
  writeFileSync(join(out, CURRENT_PATH), pointer);
  assert.equal(await refused, 'still serving release r1: releases/r2/release.json: missing');
  const served = line();
  writeFileSync(file, intact);
  assert.equal(await served, 'serving release r2');
  assert.equal(lines.length, 2);
  stopWatching();
  clearInterval(awake);
});

/** Five releases r1 to r5, r1 current; a clock that a test sets; how often each file is read. */
async function fiveReleases() {
  const out = copyOf(fiveBuilt);
  const hosted = ['r1', 'r2', 'r3', 'r4', 'r5'];
  const point = (release: string, ids = hosted): void => pointTo(out, release, ids);
  point('r1');
  const reads = new Map<string, number>();
  const origin = watchedOrigin(out, (path) => reads.set(path, (reads.get(path) ?? 0) + 1));
  // Not 0, which lru-cache takes for no time.
  const clock = { now: 1 };
  const releases = new Releases(origin, { now: () => clock.now });
  await releases.refresh();
  const loads = (id: string): number => reads.get(`${releasePath(id)}/${manifestPath(0)}`) ?? 0;
  return { out, origin, releases, clock, reads, loads, point };
}

test('holds the current release and two others in memory, and frees the memory of the rest', async () => {
  const { releases, clock, point } = await fiveReleases();
  const seen = new Map<string, WeakRef<object>>();
  for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) {
    point(id);
    await releases.refresh();
    const { current } = releases;
    assert.ok(current);
    seen.set(id, new WeakRef(current));
  }
  const inMemory = async (): Promise<string[]> => {
    // A weak reference is cleared in a later turn of the event loop.
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    return [...seen].flatMap(([id, ref]) => (ref.deref() === undefined ? [] : [id]));
  };
  assert.deepEqual(await inMemory(), ['r3', 'r4', 'r5']);
  // Nobody asks for the older two.
  clock.now += 300_001;
  await releases.refresh();
  assert.deepEqual(await inMemory(), ['r5']);
});

test('of releases that a client names at once two are loaded, once each; more are 503 with Retry-After', async () => {
  const { out, releases, loads } = await fiveReleases();
  const ids = ['r2', 'r3', 'r4', 'r2'];
  assert.deepEqual(await Promise.all(ids.map((id) => named(releases, id))), ['r2', 'r3', 'not-ready', 'r2']);
  assert.deepEqual(['r2', 'r3', 'r4'].map(loads), [1, 1, 0]);
  const service = await startService(out);
  const get = (id: string) => {
    const content = contentOf(sha256Of(join(out, releasePath(id), RELEASE_FILE)));
    return send(service, `/api/v1/fc/lv0?start-at=${encodeCursor({ release: id, content, level: 0, position: 0 })}`);
  };
  assert.deepEqual([(await get('r2')).status, (await get('r3')).status], [200, 200]);
  const busy = await get('r4');
  refusal(busy, 503, 'not-ready');
  assert.match(busy.headers['retry-after'] ?? '', /^([1-9]|10)$/);
});

test('cursors of a current release that was loaded twice, as the first load took too long, stay good', async () => {
  const { origin, clock, point } = await fiveReleases();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  let loads = 0;
  const loadSlowly: LoadRelease = async (from, description, now) => {
    const loaded = await loadRelease(from, description, now);
    if (loaded.id === 'r2' && ++loads === 1) await ended;
    return loaded;
  };
  const releases = new Releases(origin, { now: () => clock.now, load: loadSlowly });
  await releases.refresh();
  point('r2');
  const first = releases.refresh();
  await until(() => loads === 1, 'it is not loaded');
  clock.now += 10_000;
  assert.equal(await releases.refresh(), 'r2');
  end();
  await first;
  assert.equal(loads, 2);
  // A client walks in it, and in others, which take the place of what it alone has named ten seconds before.
  assert.equal(await named(releases, 'r2'), 'r2');
  clock.now += 10_000;
  assert.equal(await named(releases, 'r3'), 'r3');
  await named(releases, 'r4');
  assert.equal(await named(releases, 'r2'), 'r2');
});

test('files of a release that is removed while it is downloaded are closed when that ends', {
  skip: !existsSync('/proc/self/fd'),
}, async () => {
  // A country of two MiB, then others.
  const out = await buildCountries();
  enlargeFeature(out, 2 * 1024 * 1024);
  await buildRelease(source, out, { release: 'r2' });
  pointTo(out, 'r1', ['r1', 'r2']);
  const origin = directoryOrigin(out, () => 0);
  const service = await startService(out, { origin });
  const time = new VirtualTime();
  const path = '/api/v1/download/lv0.geojsonl.gz';
  const request = `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nAuthorization: ${AUTHORIZED.authorization}\r\n\r\n`;
  const download = new Connection(time, request, { paceMs: 1, leavesMs: undefined });
  service.server.emit('connection', download);
  await until(() => download.bytesWritten > 0, 'it does not begin');
  pointTo(out, 'r2', ['r2']);
  assert.equal(await service.releases.refresh(), 'r2');
  await until(async () => {
    await time.pass(1);
    return download.closed;
  }, 'it does not end');
  assert.equal(download.response?.isWhole, true);
  await until(() => openFiles(join(out, releasePath('r1'))).length === 0, 'a file stays open');
});

test('memory is freed while current.json cannot be read', async () => {
  const { out, releases, clock, loads } = await fiveReleases();
  assert.equal(await named(releases, 'r2'), 'r2');
  writeFileSync(join(out, CURRENT_PATH), '{');
  clock.now += 300_001;
  await assert.rejects(releases.refresh(), /current\.json/);
  assert.equal(releases.get({ release: 'r2', content: '' }, 'one'), undefined);
  const level = releases.current?.get(2) ?? assert.fail('no release');
  await level.load(TABLES.low);
  clock.now += 300_000;
  await assert.rejects(releases.refresh(), /current\.json/);
  assert.deepEqual([level.get(TABLES.low), loads('r2')], [undefined, 1]);
});

test('a damaged release that cursors name is read once for all that ask', async () => {
  const { out, releases, loads } = await fiveReleases();
  const manifest = join(out, releasePath('r2'), manifestPath(0));
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('caps', 'Caps'));
  const ask = (): Promise<void> => assert.rejects(load(releases, 'r2'), /lv0\/manifest\.json: SHA-256/);
  await Promise.all(Array.from({ length: 20 }, ask));
  await ask();
  assert.equal(loads('r2'), 1);
});

test('while the release that current.json names cannot be loaded, what is served is walked to its end, hosted or not', async () => {
  const out = copyOf(built);
  const service = await startService(out);
  const path = '/api/v1/geojsonl/lv1?page-size=1';
  const next = nextOf(await send(service, path)) ?? assert.fail('one page only');
  const manifest = join(out, releasePath('r2'), manifestPath(0));
  const intact = readFileSync(manifest);
  writeFileSync(manifest, '{');
  pointTo(out, 'r2');
  await assert.rejects(service.releases.refresh(), /lv0\/manifest\.json/);
  for (const target of [path, next, next, '/api/v1/download/lv1.geojsonl.gz?release=r1']) {
    const { status, headers } = await send(service, target);
    assert.deepEqual([target, status, headers['boundaries-release']], [target, 200, 'r1']);
  }
  writeFileSync(manifest, intact);
  // It is tried again at once when current.json has changed.
  appendFileSync(join(out, CURRENT_PATH), ' ');
  assert.equal(await service.releases.refresh(), 'r2');
  refusal(await send(service, next), 410, 'release-gone');
});

test('reads current.json once for all requests that wait, and a quarter of a second later for the next ones', async () => {
  const { releases, clock, reads, point } = await fiveReleases();
  const pointers = (): number => reads.get(CURRENT_PATH) ?? 0;
  assert.equal(pointers(), 1);
  const gone = (): Promise<unknown[]> => Promise.all(Array.from({ length: 50 }, () => named(releases, 'r9')));
  assert.deepEqual(new Set(await gone()), new Set(['release-gone']));
  assert.equal(pointers(), 2);
  const begun = performance.now();
  // The clock of the releases does not go on: the whole pause is waited for.
  await gone();
  assert.ok(performance.now() - begun >= 240);
  assert.equal(pointers(), 3);
  clock.now += 250;
  // A release that has become hosted meanwhile is found.
  point('r2', ['r2', 'r3']);
  assert.equal(await named(releases, 'r1'), 'r1');
  clock.now += 250;
  assert.equal(await named(releases, 'r9'), 'release-gone');
  assert.equal(pointers(), 4);
  // It is no longer hosted, and could be so again.
  clock.now += 250;
  assert.equal(await named(releases, 'r1'), 'release-gone');
  assert.equal(pointers(), 5);
});

test('an id that is used again with other content is another release at once; the same content is not read again', async () => {
  const { out, releases, loads, point } = await fiveReleases();
  const found = async () => (await load(releases, 'r2')).attribution;
  assert.deepEqual(await found(), []);
  point('r1', ['r2', 'r1']);
  await releases.refresh();
  assert.deepEqual([await found(), loads('r2')], [[], 1]);
  const file = join(out, releasePath('r2'), RELEASE_FILE);
  const old = { release: 'r2', content: contentOf(sha256Of(file)), level: 0, position: 0 } as const;
  writeFileSync(file, readFileSync(file, 'utf8').replace('"attribution": []', '"attribution": ["Another one"]'));
  point('r1', ['r1', 'r2']);
  await releases.refresh();
  assert.deepEqual([await found(), loads('r2')], [['Another one'], 2]);
  await assert.rejects(releases.load(old, 'one'), { code: 'release-gone' });
});

test('an outage of current.json is logged when it begins and when it ends, each time', async () => {
  const { out, releases } = await twoReleases();
  const pointer = join(out, CURRENT_PATH);
  const text = readFileSync(pointer);
  const lines: string[] = [];
  const refresh = loggedRefresh(releases, (line) => lines.push(line));
  for (let outage = 0; outage < 2; outage++) {
    rmSync(pointer);
    for (let look = 0; look < 3; look++) await refresh();
    writeFileSync(pointer, text);
    for (let look = 0; look < 3; look++) await refresh();
  }
  assert.deepEqual(lines, [
    'still serving release r1: current.json: missing',
    'serving release r1: current.json can be read again',
    'still serving release r1: current.json: missing',
    'serving release r1: current.json can be read again',
  ]);
});
