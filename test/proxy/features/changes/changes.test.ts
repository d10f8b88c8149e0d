// What became of the units, over HTTP: the list, the CSV of a pair, and the links from a GID that is gone.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CHANGES_PATH, changesPath, GONE_PATH } from '../../../../format/changes.ts';
import { elementAt } from '../../../../format/element-at.ts';
import { CURRENT_PATH } from '../../../../format/layout.ts';
import { activateRelease, pruneReleases } from '../../../../generator/release/manage.ts';
import { releasesOf } from '../../../../proxy/assemble-server.ts';
import { signedOrigin } from '../../../../proxy/data/signed-origin.ts';
import { successorsOf } from '../../../../proxy/features/changes/successors.ts';
import { directoryOrigin } from '../../../../proxy/origin/directory.ts';
import type { Origin } from '../../../../proxy/origin/origin.ts';
import { layerOf, square } from '../../../support/datasets/write-dataset.ts';
import { sha256 } from '../../../support/files.ts';
import { refusal, send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../../support/releases/build-release.ts';
import { publishPair } from '../../../support/releases/publish-pair.ts';
import { copyOf, temporaryFolder } from '../../../support/temporary-folder.ts';
import { notedReads } from '../../../support/watched-origin.ts';

const CHANGES = '/api/v1/changes';
const HOST = 'boundaries.test';
const out = temporaryFolder();

/** Builds a release of squares: where each is, and its size, by GID. */
async function build(release: string, units: Readonly<Record<string, readonly [x: number, size?: number]>>) {
  const rows = Object.entries(units).map(([gid, [x, size]]) => [[gid, gid], square(x, 0, size)] as const);
  await buildLayers([layerOf('ADM_0', ['GID_0', 'COUNTRY'], rows)], { release, accept: ['fewer-units'] }, out);
}

await build('a', { 'old & first': [0], stays: [5], x: [8, 2] });
await build('b', { second: [0], stays: [5], x1: [8], x2: [9, 1] });
await build('c', { third: [0], stays: [5], x1: [8], x2: [9, 1] });
const bare = copyOf(out);
await publishPair(out, 'a', 'b');
await publishPair(out, 'b', 'c');

test('a listing of a GID that is gone costs no look at the pairs, of which there may be hundreds', async () => {
  const service = await startService(out);
  const { members } = service.releases;
  const { changes } = members;
  let looks = 0;
  const get = () => {
    looks++;
    return changes;
  };
  Object.defineProperty(members, 'changes', { get });
  const { headers } = await send(service, '/api/v1/fc/lv0?gid-0=x');
  assert.match(String(headers.link), /successor-version/);
  assert.equal(looks, 0);
});

test('the list has each pair with its counts and address, the service says that there are some, and a pair is its CSV', async () => {
  const service = await startService(out);
  const { changes } = JSON.parse(textOf(await send(service, CHANGES, { host: HOST })));
  const href = (name: string): string => `http://${HOST}${CHANGES}/${name}.csv`;
  assert.deepEqual(changes, [
    { from: 'a', to: 'b', counts: { split: 2, recoded: 1 }, href: href('a..b') },
    { from: 'b', to: 'c', counts: { recoded: 1 }, href: href('b..c') },
  ]);
  assert.equal(JSON.parse(textOf(await send(service, '/api/v1/'))).changes, true);
  const target = `${CHANGES}/a..b.csv`;
  const stored = readFileSync(join(out, changesPath('a', 'b')));
  const gzip = await send(service, target, { 'accept-encoding': 'gzip' });
  assert.deepEqual([gzip.status, gzip.headers['content-encoding'], gzip.body.equals(stored)], [200, 'gzip', true]);
  const plain = await send(service, target);
  assert.ok(plain.body.equals(gunzipSync(stored)));
  const { headers } = plain;
  assert.deepEqual([headers['content-type'], headers['boundaries-release']], ['text/csv; charset=utf-8', 'c']);
  assert.deepEqual([headers['cache-control'], headers.vary], ['private, no-cache', 'Accept-Encoding']);
  assert.notEqual(headers.etag, gzip.headers.etag);
  const same = await send(service, target, { 'if-none-match': String(headers.etag) });
  assert.deepEqual([same.status, same.headers.etag, same.body.length], [304, headers.etag, 0]);
});

test('pairs that are not published are 404, with what lists those that are; parameters are refused', async () => {
  const service = await startService(out);
  const odd = ['', 'gone.bin', '../releases/a/release.json', 'A..b.csv'];
  for (const name of ['a..c.csv', 'b..a.csv', 'a..b', 'a..b.csv.gz', ...odd])
    assert.match(refusal(await send(service, `${CHANGES}/${name}`), 404, 'not-found'), /\/api\/v1\/changes/, name);
  assert.match(refusal(await send(service, `${CHANGES}/a..b.csv?x=1`), 400, 'unknown-parameter'), /"x"/);
  const none = await startService(bare);
  assert.equal(textOf(await send(none, CHANGES)), '{"changes":[]}\n');
  assert.equal(JSON.parse(textOf(await send(none, '/api/v1/'))).changes, false);
});

test('the empty listing of a GID that is gone leads to what took its place in the current release, through all pairs', async () => {
  const own = copyOf(out);
  const service = await startService(own);
  const link = (gid: string): string => `<http://${HOST}/api/v1/fc/lv0?gid-0=${gid}>; rel="successor-version"`;
  const ask = (gid: string, more = '') =>
    send(service, `/api/v1/fc/lv0?gid-0=${encodeURIComponent(gid)}${more}`, { host: HOST });
  const first = await ask('old & first');
  assert.deepEqual([first.status, first.headers['boundaries-matched'], first.headers.link], [200, '0', link('third')]);
  assert.equal((await ask('x')).headers.link, `${link('x1')}, ${link('x2')}`);
  // In the geometry that was asked for, wherever it is.
  const asked = await ask('old & first', '&bbox=0,0,1,1&geometry=full&page-size=3');
  assert.equal(asked.headers.link, link('third&geometry=full&page-size=3'));
  for (const gid of ['stays', 'never was']) assert.equal((await ask(gid)).headers.link, undefined);
  // The tag is another one, with or without the link.
  const without = await ask('never was');
  assert.notEqual(first.headers.etag, without.headers.etag);
  const held = { host: HOST, 'if-none-match': first.headers.etag };
  const again = await send(service, '/api/v1/fc/lv0?gid-0=old%20%26%20first', held);
  assert.deepEqual([again.status, again.headers.link], [304, link('third')]);
  const followed = /<http:\/\/[^/]+(.*?)>/.exec(String(first.headers.link))?.[1] ?? '';
  assert.equal(JSON.parse(textOf(await send(service, followed))).features[0].properties.GID_0, 'third');
  // Of the release before, that one's.
  await activateRelease(own, 'b');
  const before = await startService(own);
  const earlier = await send(before, '/api/v1/fc/lv0?gid-0=old%20%26%20first', { host: HOST });
  assert.equal(earlier.headers.link, link('second'));
});

test('the children of a GID that is gone are 404, with links to what took its place', async () => {
  const service = await startService(out);
  const ask = (gid: string, more = '') =>
    send(service, `/api/v1/children?gid=${encodeURIComponent(gid)}${more}`, { host: HOST });
  const link = (gid: string, more = ''): string =>
    `<http://${HOST}/api/v1/children?gid=${gid}${more}&level=lv0>; rel="successor-version"`;
  const gone = await ask('x');
  assert.match(refusal(gone, 404, 'unknown-gid'), /see Link/);
  assert.equal(gone.headers.link, `${link('x1')}, ${link('x2')}`);
  // On its level, as another one may have units with the same GIDs, and as it was asked for.
  const same = await ask('old & first', '&level=lv0&page-size=3');
  assert.equal(same.headers.link, link('third', '&page-size=3'));
  assert.equal((await ask('never was')).headers.link, undefined);
});

test('changes that are published while the service runs are served, and links from GIDs that are gone', async () => {
  const own = copyOf(bare);
  const service = await startService(own);
  const target = '/api/v1/geojsonl/lv0?gid-0=second';
  for (let i = 0; i < 3; i++) assert.equal((await send(service, target)).headers.link, undefined);
  await publishPair(own, 'b', 'c');
  await service.releases.refresh();
  assert.match(String((await send(service, target)).headers.link), /gid-0=third>; rel="successor-version"$/);
  assert.equal((await send(service, `${CHANGES}/b..c.csv`)).status, 200);
});

test('a current.json whose changes are damaged is not followed, as one whose releases are', async () => {
  const own = copyOf(out);
  const releases = releasesOf({ origin: directoryOrigin(own), newest: undefined }, () => {});
  await releases.refresh();
  const pointer = join(own, CURRENT_PATH);
  const current = JSON.parse(readFileSync(pointer, 'utf8'));
  writeFileSync(pointer, JSON.stringify({ ...current, release: 'b', changes: [{ from: 'a' }] }));
  await assert.rejects(releases.refresh(), /current\.json changes\[0\]/);
  assert.equal(releases.current?.id, 'c');
});

test('changes that were pruned since the service looked are 404, those that were written anew are the new ones', async () => {
  const own = copyOf(out);
  const asked = ['a..b', 'b..c'].flatMap((name) => ['gzip', 'identity'].map((coding) => ({ name, coding })));
  const services = await Promise.all(asked.map(() => startService(own)));
  await pruneReleases(own, 1);
  const pointer = join(own, CURRENT_PATH);
  const current = JSON.parse(readFileSync(pointer, 'utf8'));
  const text = 'written anew\r\n';
  const written = gzipSync(text);
  writeFileSync(join(own, changesPath('b', 'c')), written);
  const file = { bytes: written.length, textBytes: text.length, sha256: sha256(written) };
  writeFileSync(pointer, JSON.stringify({ ...current, changes: [{ ...current.changes[0], ...file }] }));
  for (const [i, { name, coding }] of asked.entries()) {
    const service = elementAt(services, i);
    const answer = await send(service, `${CHANGES}/${name}.csv`, { 'accept-encoding': coding });
    if (name === 'a..b') refusal(answer, 404, 'not-found');
    else assert.deepEqual(answer.body, coding === 'gzip' ? written : Buffer.from(text));
    assert.deepEqual(service.log, []);
  }
});

test('a CSV that is damaged is 502; without gone.bin the empty listing has no links', async () => {
  const own = copyOf(bare);
  // No other test has this one: what was read of its gone.bin would be known.
  await publishPair(own, 'a', 'c');
  const service = await startService(own);
  writeFileSync(join(own, changesPath('a', 'c')), 'other');
  rmSync(join(own, GONE_PATH));
  refusal(await send(service, `${CHANGES}/a..c.csv`), 502, 'origin-damaged');
  const { status, headers } = await send(service, '/api/v1/fc/lv0?gid-0=x');
  assert.deepEqual([status, headers.link], [200, undefined]);
});

/** Puts successors in the place of those that are published, and counts how often they are read. */
async function withSuccessors(gone: Buffer, onRead = () => {}) {
  const own = copyOf(out);
  writeFileSync(join(own, GONE_PATH), gone);
  const pointer = join(own, CURRENT_PATH);
  const current = JSON.parse(readFileSync(pointer, 'utf8'));
  writeFileSync(pointer, JSON.stringify({ ...current, gone: { bytes: gone.length, sha256: sha256(gone) } }));
  const files = directoryOrigin(own);
  const origin: Origin = {
    ...files,
    async read(path, ...rest) {
      const bytes = await files.read(path, ...rest);
      if (path === GONE_PATH) onRead();
      return bytes;
    },
  };
  return { own, service: await startService(own, { origin }) };
}

test('many successors are read with turns for others between, once for all who ask', async () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => `${JSON.stringify([0, `old ${i}`, 'third'])}\n`);
  let [reads, turns] = [0, 0];
  let isAnswered = false;
  const count = async (): Promise<void> => {
    for (reads++; !isAnswered; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  const { service } = await withSuccessors(gzipSync(lines.join('')), () => void count());
  const ask = async (i: number) => String((await send(service, `/api/v1/fc/lv0?gid-0=old%20${i}`)).headers.link);
  const links = await Promise.all([ask(0), ask(1), ask(29_999)]);
  isAnswered = true;
  for (const link of links) assert.match(link, /gid-0=third>; rel="successor-version"$/);
  assert.equal(reads, 1);
  assert.ok(turns >= 30, `${turns} turns of the event loop`);
});

test('successors that are damaged or have more text than is allowed are read once for many empty pages, which have no links', async () => {
  const line = `${JSON.stringify([0, 'x'.repeat(1000), 'third'])}\n`;
  for (const gone of [gzipSync('nonsense'), gzipSync(line.repeat(17_000)), Buffer.from('no gzip')]) {
    let reads = 0;
    const { service } = await withSuccessors(gone, () => reads++);
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await send(service, `/api/v1/fc/lv0?gid-0=gone${i}`);
      assert.deepEqual([status, headers.link], [200, undefined]);
    }
    assert.equal(reads, 1);
  }
});

test('a public service lets shared caches keep changes for a minute', async () => {
  const service = await startService(out, { isPublic: true });
  for (const target of [CHANGES, `${CHANGES}/a..b.csv`])
    assert.match(String((await send(service, target)).headers['cache-control']), /^public, max-age=60, /);
});

test('with a trusted key changes are read only as they were signed', async () => {
  const own = copyOf(bare);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await publishPair(own, 'a', 'b', privateKey);
  const path = changesPath('a', 'b');
  const stored = readFileSync(join(own, path));
  const open = () => signedOrigin(directoryOrigin(own), [publicKey], [CHANGES_PATH]);
  const origin = open();
  assert.ok((await origin.read(path, 1e6)).equals(stored));
  assert.ok((await origin.read(path, { offset: 3, length: 5 })).equals(stored.subarray(3, 8)));
  await publishPair(own, 'a', 'b', generateKeyPairSync('ed25519').privateKey);
  await assert.rejects(open().read(path, 1e6), { name: 'SignatureError' });
  rmSync(join(own, `${path}.sig`));
  await assert.rejects(open().read(path, 1e6), /missing, so nobody has signed/);
});

test('signed changes are read once for all readers of two pairs, and again when current.json is another one', async () => {
  const own = copyOf(bare);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const paths = [changesPath('a', 'b'), changesPath('b', 'c')];
  for (const [from, to] of ['ab', 'bc']) await publishPair(own, from ?? '', to ?? '', privateKey);
  const { origin: files, reads } = notedReads(own);
  const origin = signedOrigin(files, [publicKey], [CHANGES_PATH]);
  const readAll = async (): Promise<string[]> => {
    const [pointer] = [await origin.read(CURRENT_PATH, 1e6), reads.splice(0)];
    assert.ok(pointer.length > 0);
    // In pieces, as a stream does, of both in turn.
    for (let at = 0; at < 50; at += 10)
      await Promise.all([...paths, ...paths].map((path) => origin.read(path, { offset: at, length: 10 })));
    return reads.toSorted();
  };
  const once = paths.flatMap((path) => [path, `${path}.sig`]);
  assert.deepEqual(await readAll(), once);
  assert.deepEqual(await readAll(), []);
  writeFileSync(join(own, CURRENT_PATH), `${readFileSync(join(own, CURRENT_PATH), 'utf8')}\n`);
  assert.deepEqual(await readAll(), once);
});

test('successors are followed without end in a circle, and five at most', () => {
  const gone = new Map(Object.entries({ '1 a': ['b', 'c'], '1 b': ['a', 'c'], '1 c': [...'defghi'] }));
  const successors = (level: 1 | 2, isThere: (gid: string) => boolean): string =>
    successorsOf(gone, level, 'a', isThere).join();
  assert.equal(
    successors(1, (gid) => gid > 'c'),
    'd,e,f,g,h',
  );
  for (const none of [successors(1, () => false), successors(2, () => true)]) assert.equal(none, '');
});
