// The tables of geometries: read when a geometry is first asked for, checked, freed when nobody asks any more, and
// found missing or damaged without harm to anything else.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { indexPath, releasePath } from '../../format/layout.ts';
import { GEOMETRIES, LEVELS, levelName, OTHER_GEOMETRIES } from '../../format/levels.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { nextOf, refusal, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** A table that nobody has asked for is freed after this. */
const UNUSED_MS = 300_000;

const folder = await worldOutput({ isChanged: true });
const fileOf = (path: string): string => join(folder, releasePath('r1'), path);

/** An origin that notes which tables were read, by level and geometry. */
function noting(out = folder): { origin: Origin; read: string[] } {
  const origin = directoryOrigin(out);
  const read: string[] = [];
  const noted: Origin['read'] = (path, ...rest) => {
    const [, table] = /(lv\d\/[a-z]+)\/index\.bin$/.exec(path) ?? [];
    if (table !== undefined) read.push(table);
    return origin.read(path, ...rest);
  };
  return { origin: { ...origin, read: noted }, read };
}

test('a table is read when its geometry is first asked for, once for all who ask, and freed after five minutes', async () => {
  const { origin, read } = noting();
  const clock = { now: 0 };
  const releases = new Releases(origin, { now: () => clock.now });
  await releases.refresh();
  const level = releases.current?.get(2) ?? assert.fail('no release');
  const bytes = level.bytes;
  assert.deepEqual([read, level.get('low')], [[], undefined]);
  await Promise.all([level.load('low'), level.load('low'), level.load('none')]);
  assert.deepEqual(read, ['lv2/low', 'lv2/none']);
  assert.equal(level.get('low')?.table.features, 260);
  assert.ok(level.bytes > bytes + 2 * 260 * 32);
  // Whoever asks for one keeps it.
  clock.now = UNUSED_MS - 1;
  assert.ok(level.get('low'));
  clock.now = UNUSED_MS;
  await releases.refresh();
  assert.equal(level.get('none'), undefined);
  assert.ok(level.get('low'));
  clock.now = 2 * UNUSED_MS;
  await releases.refresh();
  assert.deepEqual([level.get('low'), level.bytes], [undefined, bytes]);
  await level.load('low');
  assert.deepEqual(read, ['lv2/low', 'lv2/none', 'lv2/low']);
});

test('a service reads the table that a request needs, and no other', async () => {
  const { origin, read } = noting();
  const service = await startService(folder, { origin });
  for (const path of ['geojsonl/lv1', 'fc/lv1?geometry=full', 'fc/lv3?geometry=small', 'fc/lv3?gid-5=x&geometry=low'])
    await send(service, `/api/v1/${path}`);
  assert.deepEqual(read, []);
  const asked = Array.from({ length: 8 }, () => send(service, '/api/v1/fc/lv3?geometry=low&page-size=3'));
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  assert.equal((await send(service, '/api/v1/geojsonl/lv3?geometry=low&gid-0=none', {}, 'HEAD')).status, 200);
  assert.deepEqual(read, ['lv3/low']);
});

const DAMAGES: readonly (readonly [what: string, damage: (file: string) => void])[] = [
  ...[0, 0.3, 0.6, 0.99].map(
    (share) => [`with a bit flipped at ${share}`, (file: string) => flip(file, share)] as const,
  ),
  ['cut short', (file) => truncateSync(file, readFileSync(file).length - 8)],
  ['longer', (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(8)]))],
  ['of another level', (file) => writeFileSync(file, readFileSync(file.replace('lv2', 'lv3')))],
  ['missing', (file) => renameSync(file, `${file}.gone`)],
];

function flip(file: string, share: number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length * share);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
  writeFileSync(file, bytes);
}

for (const geometry of OTHER_GEOMETRIES)
  test(`a table of geometry ${geometry} that is damaged or missing gives 502, and disturbs nothing else`, async () => {
    const file = fileOf(indexPath(2, geometry));
    const intact = readFileSync(file);
    for (const [what, damage] of DAMAGES) {
      damage(file);
      const service = await startService(folder);
      // At once: the proxy looks at the pointer before each 502, which it does four times a second.
      const targets = ['fc/lv2?page-size=3&', 'geojsonl/lv2?gid-0=none&', 'geojsonl/lv2?'];
      for (const answer of await Promise.all(
        targets.map((target) => send(service, `/api/v1/${target}geometry=${geometry}`)),
      ))
        assert.doesNotMatch(refusal(answer, 502, 'origin-damaged'), /index|lv2|releases/, what);
      assert.match(service.log.join('\n'), new RegExp(`lv2/${geometry}/index\\.bin: `), what);
      for (const other of GEOMETRIES) {
        assert.equal((await send(service, `/api/v1/fc/lv3?geometry=${other}`)).status, 200);
        if (other !== geometry) assert.equal((await send(service, `/api/v1/fc/lv2?geometry=${other}`)).status, 200);
      }
      assert.equal((await send(service, '/readyz', { authorization: undefined })).status, 200);
      writeFileSync(file, intact);
    }
  });

test('a table that could not be read is tried again after five seconds, not at once', async () => {
  const file = fileOf(indexPath(1, 'low'));
  const { origin, read } = noting();
  const clock = { now: 0 };
  const releases = new Releases(origin, { now: () => clock.now });
  await releases.refresh();
  const level = releases.current?.get(1) ?? assert.fail('no release');
  renameSync(file, `${file}.gone`);
  for (let i = 0; i < 3; i++) await assert.rejects(level.load('low'), { reason: 'missing' });
  renameSync(`${file}.gone`, file);
  clock.now = 4_999;
  await assert.rejects(level.load('low'), { reason: 'missing' });
  assert.equal(read.length, 1);
  clock.now = 5_000;
  await level.load('low');
  assert.ok(level.get('low'));
});

test('a read of a table that never ends is begun again for others after ten seconds', async () => {
  const directory = directoryOrigin(folder);
  const clock = { now: 0 };
  let isStuck = true;
  const read: Origin['read'] = (...args) =>
    isStuck && args[0].includes('/low/') ? new Promise<Buffer>(() => {}) : directory.read(...args);
  const releases = new Releases({ ...directory, read }, { now: () => clock.now });
  await releases.refresh();
  const level = releases.current?.get(1) ?? assert.fail('no release');
  void level.load('low');
  isStuck = false;
  clock.now = 10_000;
  await level.load('low');
  assert.ok(level.get('low'));
});

test('of a release that is gone before its table was read a cursor gives 410, and other requests the new release', async () => {
  const built = temporaryFolder();
  for (const release of ['r2', 'r1']) await buildRelease(writeCountries(), built, { release });
  for (const isPinned of [true, false]) {
    const out = temporaryFolder();
    cpSync(built, out, { recursive: true });
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

test('a request that waits for a table while the release is switched is answered from the release that it began with', async () => {
  const out = temporaryFolder();
  for (const release of ['r2', 'r1']) await buildRelease(writeCountries(), out, { release });
  const directory = directoryOrigin(out);
  let isAsked = false;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const read: Origin['read'] = async (...args) => {
    if (args[0].endsWith('/low/index.bin')) {
      isAsked = true;
      await released;
    }
    return directory.read(...args);
  };
  const service = await startService(out, { origin: { ...directory, read } });
  const waiting = send(service, '/api/v1/fc/lv1?geometry=low&page-size=1');
  await until(() => isAsked, 'no table is read');
  pointTo(out, 'r2', ['r1', 'r2']);
  assert.equal(await service.releases.refresh(), 'r2');
  release();
  const answer = await waiting;
  assert.deepEqual([answer.status, answer.headers['boundaries-release']], [200, 'r1']);
});

test('every level without units has tables, too', async () => {
  const out = temporaryFolder();
  await buildRelease(writeCountries(), out);
  const service = await startService(out);
  for (const level of LEVELS.slice(3))
    for (const geometry of GEOMETRIES) {
      const answer = await send(service, `/api/v1/geojsonl/${levelName(level)}?geometry=${geometry}`);
      assert.deepEqual([answer.status, answer.body.length, answer.headers['boundaries-matched']], [200, 0, '0']);
    }
});
