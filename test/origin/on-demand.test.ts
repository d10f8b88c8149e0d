// What is loaded when it is first asked for: the tables of geometries, and where memory is little whole levels. Once
// for all who ask, freed when nobody does but held until a request is answered, tried again after an error, and found
// damaged without harm to anything else.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { indexPath, releasePath } from '../../format/layout.ts';
import { GEOMETRIES, type Geometry, type Level, OTHER_GEOMETRIES } from '../../format/levels.ts';
import { loadOnDemand } from '../../proxy/data/load-on-demand.ts';
import type { LoadedRelease } from '../../proxy/data/release.ts';
import { TABLES } from '../../proxy/data/release.ts';
import { Releases, type ReleasesOptions } from '../../proxy/data/releases.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { type Origin, OriginError } from '../../proxy/origin/origin.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { nextOf, refusal, send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { worldOutput } from '../support/releases/world.ts';
import { sliceOf } from '../support/slice.ts';
import { copyOf, temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** What nobody has asked for is freed after this. */
const UNUSED_MS = 300_000;

const folder = await worldOutput();
/** Has two small releases, of which r1 is current. */
const small = temporaryFolder();
for (const release of ['r2', 'r1'])
  await buildRelease(writeCountries(), small, { release, geometries: GEOMETRIES, cells: true });

/**
 * An origin that notes which tables and levels were read, as `lv2/low` and `lv2`.
 * @param before is waited for before a file is read
 */
function noting(before: (path: string) => unknown = () => {}): { origin: Origin; read: string[] } {
  const origin = directoryOrigin(folder);
  const read: string[] = [];
  const noted: Origin['read'] = async (path, ...rest) => {
    const [, table] = /(lv\d\/[a-z]+)\/index\.bin$/.exec(path) ?? /(lv\d)\/manifest\.json$/.exec(path) ?? [];
    if (table !== undefined) read.push(table);
    await before(path);
    return origin.read(path, ...rest);
  };
  return { origin: { ...origin, read: noted }, read };
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

test('a table is read when its geometry is first asked for, once for all who ask, and freed after five minutes', async () => {
  const noted = noting();
  const { releases, release, clock } = await openRelease(noted);
  const level = await release.load(2);
  const bytes = level.bytes;
  assert.equal(level.get(TABLES.low), undefined);
  await Promise.all([level.load(TABLES.low), level.load(TABLES.low), level.load(TABLES.none)]);
  assert.deepEqual(noted.read, ['lv2/low', 'lv2/none']);
  assert.equal(level.get(TABLES.low)?.table.features, 260);
  assert.ok(level.bytes > bytes);
  // Whoever asks for one keeps it.
  clock.now = UNUSED_MS - 1;
  assert.ok(level.get(TABLES.low));
  clock.now = UNUSED_MS;
  await releases.refresh();
  assert.equal(level.get(TABLES.none), undefined);
  assert.ok(level.get(TABLES.low));
  clock.now = 2 * UNUSED_MS;
  await releases.refresh();
  assert.deepEqual([level.get(TABLES.low), level.bytes], [undefined, bytes]);
  await level.load(TABLES.low);
  assert.deepEqual(noted.read, ['lv2/low', 'lv2/none', 'lv2/low']);
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

/** What a table becomes, given it and that of another level; undefined if it is missing. */
const DAMAGES: readonly (readonly [what: string, damaged: (table: Buffer, other: Buffer) => Buffer | undefined])[] = [
  ['missing', () => undefined],
  ...[0, 0.3, 0.6, 0.99].map((share) => [`flipped at ${share}`, (table: Buffer) => flipped(table, share)] as const),
  ['cut short', (table) => table.subarray(0, -8)],
  ['longer', (table) => Buffer.concat([table, Buffer.alloc(8)])],
  ['of another level', (_, other) => other],
];

function flipped(table: Buffer, share: number): Buffer {
  const at = Math.floor(table.length * share);
  return table.fill(table.readUInt8(at) ^ 4, at, at + 1);
}

test('a table that is damaged or missing gives 502, and disturbs nothing else', async () => {
  const cases = OTHER_GEOMETRIES.flatMap((geometry) => DAMAGES.map((damage) => [geometry, ...damage] as const));
  const out = copyOf(small);
  const fileOf = (level: Level, geometry: Geometry): string => join(out, releasePath('r1'), indexPath(level, geometry));
  for (const [geometry, what, damage] of sliceOf(
    cases,
    ([geometry, what]) => geometry === 'low' && what === 'missing',
  )) {
    const file = fileOf(2, geometry);
    const intact = readFileSync(file);
    const damaged = damage(Buffer.from(intact), readFileSync(fileOf(1, geometry)));
    if (damaged === undefined) rmSync(file);
    else writeFileSync(file, damaged);
    const service = await startService(out);
    // At once: the proxy looks at the pointer before each 502, which it does four times a second.
    const targets = ['fc/lv2?page-size=3&', 'geojsonl/lv2?gid-0=none&', 'geojsonl/lv2?'];
    const asked = targets.map((target) => send(service, `/api/v1/${target}geometry=${geometry}`));
    for (const answer of await Promise.all(asked))
      assert.doesNotMatch(refusal(answer, 502, 'origin-damaged'), /index|lv2|releases/, what);
    assert.match(service.log.join('\n'), new RegExp(`lv2/${geometry}/index\\.bin: `), what);
    for (const other of GEOMETRIES) {
      assert.equal((await send(service, `/api/v1/fc/lv1?geometry=${other}`)).status, 200);
      if (other !== geometry) assert.equal((await send(service, `/api/v1/fc/lv2?geometry=${other}`)).status, 200);
    }
    assert.equal((await send(service, '/readyz', { authorization: undefined })).status, 200);
    writeFileSync(file, intact);
  }
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

test('of a release that is gone before its table was read a cursor gives 410, and other requests the new release', async () => {
  for (const isPinned of [true, false]) {
    const out = copyOf(small);
    const service = await startService(out);
    const next = nextOf(await send(service, '/api/v1/fc/lv1?page-size=1')) ?? '';
    // The proxy has not looked at current.json since.
    pointTo(out, 'r2');
    renameSync(join(out, releasePath('r1')), join(out, 'removed'));
    if (isPinned) refusal(await send(service, `${next}&geometry=low`), 410, 'release-gone');
    const answer = await send(service, '/api/v1/fc/lv1?geometry=low&page-size=1');
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

test('what is at a point of all levels, a search, and pages of several levels at once need not fit into memory together', async () => {
  const [whole, little] = [await startService(small), await startService(small, { load: loadOnDemand(1) })];
  const pages = ['lv0', 'lv1', 'lv2'].map((level) => `fc/${level}?contains=0.5,3.5&geometry=none`);
  const paths = ['at?point=0.5,3.5', 'at?point=3.5,0.5', 'search?q=n', ...pages].map((path) => `/api/v1/${path}`);
  for (const path of paths) {
    const expected = await send(whole, path);
    const got = await send(little, path);
    assert.deepEqual([expected.status, got.status, textOf(got)], [200, 200, textOf(expected)], path);
  }
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => paths)
      .flat()
      .map((path) => send(little, path)),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});
