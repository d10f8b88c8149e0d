// The HTTP contract: downloads of whole listings and stored files, whole and in ranges, and names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decodeCells } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { cellsPath, namesPath, neighboursTablePath, releasePath, unitsTablePath } from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { bodyOf } from '../support/datasets/large-dataset.ts';
import { type Answer, refusal, send, textOf } from '../support/http/http-client.ts';
import { sliceOf } from '../support/slice.ts';
import { DIRECTORY } from './setups.ts';
import { CACHING, prepareWorld } from './world.ts';

const UNITS = '/api/v1/download/lv2.geojsonl.gz';
const CELLS = '/api/v1/download/lv2.cells';

const { proxy, stored, publish, folder } = await prepareWorld(DIRECTORY);

test('a download has the headers of a file that is to be saved', async () => {
  const { headers, body } = await send(proxy, `${UNITS}?gid-0=U0.3_1&geometry=low`, { 'accept-encoding': 'gzip' });
  assert.equal(headers['content-type'], 'application/gzip');
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(headers['accept-ranges'], 'bytes');
  assert.equal(headers['content-disposition'], 'attachment; filename="boundaries-r1-lv2-low-U0.3_1.geojsonl.gz"');
  assert.equal(headers['boundaries-matched'], String(gunzipSync(body).toString().split('\n').length - 1));
  assert.equal(headers.link, undefined);
  const named = await send(proxy, `${UNITS}?release=r1`, {}, 'HEAD');
  assert.equal(named.headers['cache-control'], CACHING.current);
});

test('names of files have only characters that are safe on every system, and are not too long', async () => {
  for (const gid of ['../..\\x:y', 'x"; filename*=y', 'a\nb\r\nc', '東京', '%00', 'x'.repeat(4000), ' ']) {
    const { headers } = await send(proxy, `${UNITS}?gid-1=${encodeURIComponent(gid)}&release=r1&gid-0=U0.3_1`);
    const disposition = String(headers['content-disposition']);
    assert.match(disposition, /^attachment; filename="boundaries-r1-lv2-U0\.3_1-[A-Za-z0-9._-]*\.geojsonl\.gz"$/);
    assert.ok(disposition.length < 255);
  }
});

test('a range that it does not have is 416, which says how many bytes there are', async () => {
  for (const path of [UNITS, CELLS]) {
    const { length } = (await send(proxy, path)).body;
    const nines = '9'.repeat(30);
    for (const range of [`bytes=${length}-`, `bytes=${length}-${length + 5}`, 'bytes=-0', `bytes=${nines}-`]) {
      const answer = await send(proxy, path, { range });
      refusal(answer, 416, 'range-not-satisfiable');
      assert.equal(answer.headers['content-range'], `bytes */${length}`);
      // Browsers may read it. Of a header that occurs twice Node sends one, where the connection is to be closed.
      assert.match(String(answer.headers['access-control-expose-headers']), /Content-Range/);
      assert.equal(answer.rawHeaders.filter((name) => /^access-control-expose-headers$/i.test(name)).length, 1);
    }
  }
});

test('several ranges, and what is no range of bytes, give the whole', async () => {
  const whole = await send(proxy, UNITS);
  for (const range of ['bytes=0-1,5-6', 'bytes=0-1, bytes=5-6', 'bytes=5-4', 'bytes=-', 'bytes=', 'bytes=a-b', '0-5'])
    assertWhole(await send(proxy, UNITS, { range }), whole);
  assertWhole(await send(proxy, UNITS, { range: 'items=0-5' }), whole);
});

test('If-Range gives the range of the file that the client has, and all of another', async () => {
  for (const path of [UNITS, CELLS]) {
    const whole = await send(proxy, path);
    const { etag } = whole.headers;
    const range = 'bytes=7-';
    assert.equal((await send(proxy, path, { range, 'if-range': etag })).status, 206);
    for (const other of ['"other"', `W/${etag}`, `${etag}, "other"`, new Date().toUTCString()])
      assertWhole(await send(proxy, path, { range, 'if-range': other }), whole);
    // A condition that fails makes a range that there is not harmless, too.
    assertWhole(await send(proxy, path, { range: 'bytes=99999999-', 'if-range': '"other"' }), whole);
  }
});

test('cells, neighbours and table of a level are the stored files, and each range of them those bytes', async () => {
  for (const level of LEVELS)
    for (const [name, of, type] of [
      [`${levelName(level)}.cells`, cellsPath, 'application/octet-stream'],
      [`${levelName(level)}.neighbours.csv.gz`, neighboursTablePath, 'application/gzip'],
      [`${levelName(level)}.parquet`, unitsTablePath, 'application/vnd.apache.parquet'],
    ] as const) {
      if (of === unitsTablePath && elementAt(stored, level).lines.length === 0) continue;
      const path = `/api/v1/download/${name}`;
      const file = readFileSync(join(folder, releasePath('r1'), of(level)));
      const { status, headers, body } = await send(proxy, path, { 'accept-encoding': 'gzip' });
      assert.equal(status, 200);
      assert.ok(body.equals(file), path);
      assert.equal(headers['content-type'], type);
      assert.equal(headers['content-encoding'], undefined);
      assert.equal(headers['accept-ranges'], 'bytes');
      assert.equal(headers['content-disposition'], `attachment; filename="boundaries-r1-${name}"`);
      assert.equal(headers['boundaries-matched'], String(elementAt(stored, level).lines.length));
      const bytes = of === cellsPath ? decodeCells(file, path).bytes : 40;
      const ends = [0, 1, bytes - 1, bytes, bytes + 1, Math.floor((bytes + file.length) / 2), file.length - 1];
      const ranges = ends.flatMap((first) => ends.map((last) => [first, last] as const));
      for (const [first, last] of sliceOf(ranges.filter(([from, to]) => from <= to && to < file.length))) {
        const part = await send(proxy, path, { range: `bytes=${first}-${last}`, 'if-range': headers.etag });
        assert.equal(part.status, 206);
        assert.equal(part.headers['content-range'], `bytes ${first}-${last}/${file.length}`);
        assert.ok(part.body.equals(file.subarray(first, last + 1)), `${path} ${first}-${last}`);
        assert.equal(part.headers.etag, headers.etag);
      }
      // What is asked for again comes from the response cache, which knows no ranges.
      assertWhole(await send(proxy, path), { headers, body });
    }
});

test('names are sent as they are stored to clients that accept gzip, and inflated to others', async () => {
  for (const level of LEVELS) {
    const path = `/api/v1/names/${levelName(level)}`;
    const [gzip, plain] = [await send(proxy, path, { 'accept-encoding': 'gzip' }), await send(proxy, path)];
    assert.ok(gzip.body.equals(readFileSync(join(folder, releasePath('r1'), namesPath(level)))));
    assert.equal(plain.body.toString(), textOf(gzip));
    assert.equal(plain.headers['content-type'], 'application/x-ndjson');
    assert.equal(plain.headers['boundaries-matched'], String(elementAt(stored, level).lines.length));
  }
});

test('a download that is continued after another release was published stays on the one that it names', async () => {
  for (const path of ['/api/v1/download/lv3.geojson.gz', '/api/v1/download/lv3.parquet', UNITS, CELLS]) {
    const isChanged = path.includes('lv3');
    const old = await send(proxy, path);
    await publish('r2', ['r1', 'r2']);
    const asked = { range: 'bytes=60-', 'if-range': old.headers.etag };
    const rest = await send(proxy, `${path}?release=r1`, asked);
    assert.deepEqual([rest.status, rest.headers['boundaries-release']], [206, 'r1']);
    assert.equal(rest.headers['cache-control'], CACHING.current);
    assert.ok(rest.body.equals(old.body.subarray(60)));
    // What did not change keeps its ETag, and can be continued anyway.
    const now = await send(proxy, path, asked);
    assert.deepEqual([now.status, now.headers['boundaries-release']], [isChanged ? 200 : 206, 'r2'], path);
    assert.equal(now.headers.etag !== old.headers.etag, isChanged);
    // Who asks for no other tag never joins two releases.
    const pinned = await send(proxy, path, { range: 'bytes=60-', 'if-match': old.headers.etag });
    assert.equal(pinned.status, isChanged ? 412 : 206, path);
    if (path.endsWith('lv3.geojson.gz')) assert.match(gunzipSync(now.body).toString(), /Renamed/);
    await publish('r1');
    // At once: before each of these answers the proxy looks at the pointer, which it does four times a second.
    const others = ['r2', 'r3', '..', 'r1/', 'R1'].map((release) => send(proxy, `${path}?release=${release}`));
    for (const answer of await Promise.all(others)) refusal(answer, 410, 'release-gone');
  }
});

test('levels without units have downloads and cells, too', async () => {
  await publish('c1');
  for (const level of LEVELS.slice(3)) {
    const of = (extension: string) => send(proxy, `/api/v1/download/${levelName(level)}.${extension}`);
    assert.equal(gunzipSync((await of('geojsonl.gz')).body).toString(), '');
    assert.equal(gunzipSync((await of('geojson.gz')).body).toString(), bodyOf('fc', []));
    assert.equal((await of('cells')).body.length, 60);
  }
});

function assertWhole(answer: Answer, whole: Pick<Answer, 'headers' | 'body'>): void {
  assert.deepEqual([answer.status, answer.headers['content-range']], [200, undefined]);
  assert.equal(answer.headers.etag, whole.headers.etag);
  assert.ok(answer.body.equals(whole.body));
}
