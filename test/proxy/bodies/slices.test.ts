// Whatever a request asks for, its body is exactly those features: compared with the stored text of the level, with
// units of every size. And what a slice is known to be before anything is read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { FRAME_DATA, MEMBER_HEADER } from '../../../format/gzip.ts';
import { featureFilePath, releasePath } from '../../../format/layout.ts';
import { FORMATS, type Level } from '../../../format/levels.ts';
import { positionsOf } from '../../../format/positions.ts';
import { resultOf } from '../../../format/steps.ts';
import { Runs } from '../../../proxy/bodies/runs.ts';
import { Slice } from '../../../proxy/bodies/slice.ts';
import { LoadedTable } from '../../../proxy/data/loaded-release.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { type Origin, QueuedReads } from '../../../proxy/origin/origin.ts';
import { testAnyPage } from '../../contract/any-request.ts';
import { Connection } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { MANY_SIZES, readStored } from '../../support/datasets/large-dataset.ts';
import { send } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { alternatingIndex, alternatingLevel } from '../../support/releases/alternating-level.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { turnsDuring } from '../../support/turns-during.ts';

const RUNS = 60;

const folder = await worldOutput({ size: MANY_SIZES, pages: 'none' });
const proxy = await startService(folder);

// Odd GIDs and the largest pages are asked of the world that requests.test.ts and comparison.test.ts have.
testAnyPage(proxy, readStored(folder, 'r1'), RUNS, []);

test('HEAD and If-None-Match read nothing: they are answered without the feature files and pages', async () => {
  const stored = await worldOutput();
  const release = join(stored, releasePath('r1'));
  const paths = ['lv2', 'lv2?page-size=7', 'lv0?gid-0=U0.6_1', 'lv2?gid-0=U0.3_1&gid-1=same'].flatMap((path) =>
    FORMATS.map((format) => `/api/v1/${format}/${path}`),
  );
  const host = 'boundaries.test';
  const asked = paths.flatMap((path) =>
    ['gzip', 'identity'].map((coding) => ({ path, given: { host, 'accept-encoding': coding } })),
  );
  const reader = await startService(stored);
  const whole = await Promise.all(asked.map(({ path, given }) => send(reader, path, given)));
  // Has read the release's metadata, and nothing else.
  const fresh = await startService(stored);
  renameSync(release, `${release}.away`);
  for (const [i, { path, given }] of asked.entries()) {
    const expected = elementAt(whole, i);
    const head = await send(fresh, path, given, 'HEAD');
    assert.equal(head.status, 200, path);
    for (const name of ['content-length', 'etag', 'content-encoding', 'content-type', 'link'])
      assert.equal(head.headers[name], expected.headers[name], `${path} ${name}`);
    const held = await send(fresh, path, { ...given, 'if-none-match': expected.headers.etag });
    assert.equal(held.status, 304, path);
  }
  assert.equal((await send(fresh, '/api/v1/geojsonl/lv2?page-size=7')).status, 502);
});

test('ranges that lie near each other are read at once, of a host across larger gaps, large features alone, and files one by one', async () => {
  const release = proxy.releases.current ?? assert.fail();
  const directory = directoryOrigin(folder);
  type Read = readonly [path: string, offset: number, length: number];
  const readsFor = async (number: Level, ranges: number[], readNow?: Origin['readNow']): Promise<Read[]> => {
    const source = release.get(number)?.full ?? assert.fail('the index is not loaded');
    const asked: Read[] = [];
    const origin: Origin = {
      read(path, range) {
        if (typeof range !== 'number') asked.push([path, range.offset, range.length]);
        return directory.read(path, range);
      },
      ...(readNow && {
        readNow(path, range, ...into) {
          asked.push([path, range.offset, range.length]);
          return readNow(path, range, ...into);
        },
      }),
    };
    const slice = new Slice([source], FRAME_DATA.geojsonl, 'geojsonl', ranges);
    const client = { principal: '', isClosed: false, exchange: undefined };
    const body = await slice.read(new QueuedReads(origin, undefined), client);
    if (!Buffer.isBuffer(body)) for await (const chunk of body) assert.ok(chunk.length > 0);
    return asked;
  };
  const bytesOf = (number: Level, first: number, end: number): Read => {
    const { index } = release.get(number) ?? assert.fail();
    const file = Math.floor(first / index.perFile);
    const offset = MEMBER_HEADER.length + index.chained.bytes(file * index.perFile, first);
    return [join(releasePath('r1'), featureFilePath(number, file)), offset, index.chained.bytes(first, end)];
  };
  // Unit 6 has more than a MiB: it is read by itself, in pieces.
  const [file, offset, length] = bytesOf(0, 6, 7);
  const large: Read[] = [
    [file, offset, 2 ** 20],
    [file, offset + 2 ** 20, length - 2 ** 20],
  ];
  assert.deepEqual(await readsFor(0, [0, 12]), [bytesOf(0, 0, 6), ...large, bytesOf(0, 7, 12)]);
  // Units 3 and 4 lie between 2 and 5: more than is read in vain; between 8 and 10 there is little.
  const scattered = [bytesOf(0, 2, 3), bytesOf(0, 5, 6), bytesOf(0, 8, 11)];
  assert.deepEqual(await readsFor(0, [2, 3, 5, 6, 8, 9, 10, 11]), scattered);
  // Unit 21 has some 60 kB. The units of a search may come in any order.
  assert.deepEqual(await readsFor(0, [22, 23, 20, 21]), [bytesOf(0, 20, 23)]);
  const local = await readsFor(0, [22, 23, 20, 21], directory.readNow);
  assert.deepEqual(local, [bytesOf(0, 22, 23), bytesOf(0, 20, 21)]);
  assert.deepEqual(await readsFor(1, [98, 102]), [bytesOf(1, 98, 100), bytesOf(1, 100, 102)]);
});

test('HEAD, 304 and a range of a long scattered listing do not go over its features again', async () => {
  const features = 200_000;
  const options = { load: alternatingLevel(features), isPublic: true };
  const service = await startService(await worldOutput(), options);
  const path = '/api/v1/download/lv0.geojsonl.gz?gid-0=odd';
  /** Its status, and the turns that it leaves to others: one that goes over features has some 1,500. */
  const ask = async (method: string, header = 'Accept: */*'): Promise<[status: number | undefined, turns: number]> => {
    const request = `${method} ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${header}\r\n\r\n`;
    const connection = new Connection(new VirtualTime(), request, { paceMs: 0, leavesMs: undefined });
    const ended = once(connection, 'close');
    service.server.emit('connection', connection);
    const turns = await turnsDuring(ended);
    return [connection.response?.status, turns];
  };
  const [, first] = await ask('HEAD');
  assert.ok(first > 40, `${first} turns`);
  const { headers } = await send(service, path, {}, 'HEAD');
  assert.equal(headers['boundaries-matched'], String(features / 2));
  for (const [expected, method, header] of [
    [200, 'HEAD', undefined],
    [304, 'GET', `If-None-Match: ${headers.etag}`],
    [416, 'GET', 'Range: bytes=999999999-'],
  ] as const) {
    const [status, turns] = await ask(method, header);
    assert.equal(status, expected);
    assert.ok(turns < 10, `${method} ${header}: ${turns} turns`);
  }
});

test('length, tag and CRC of a listing are the same at once and in steps', () => {
  const index = alternatingIndex(6_000);
  const source = new LoadedTable('releases/r1', index, 'full', 0);
  const [even, all] = [elementAt(index.columns, 0).positionsAt(0), index.all];
  // Runs of one and of three features; one of all; none.
  const pairs = Array.from({ length: 1_500 }, (_, i) => [4 * i, 4 * i + (i % 2 === 0 ? 1 : 3)]).flat();
  for (const positions of [even, positionsOf(pairs), all, positionsOf([])])
    for (const format of FORMATS) {
      const sumsOf = (runs: Runs) => {
        const { count, features, textBytes, end, tag, crc } = runs;
        return { count, features, textBytes, end, tag, crc };
      };
      const inSteps = new Runs([source], FRAME_DATA[format], []);
      resultOf(inSteps.adding(positions));
      assert.deepEqual(
        sumsOf(inSteps),
        sumsOf(new Runs([source], FRAME_DATA[format], positions.slice(0, positions.count))),
      );
    }
});
