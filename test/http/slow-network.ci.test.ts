// Clients with a slow network. On loopback the operating system takes one or two megabytes of a body at once and hides
// what a real network shows: this file runs its tests in a network of its own, where it takes 16 kB of each connection.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { makeAsset } from '../../proxy/site/asset.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { openConnection, rawGet, send } from '../support/http/http-client.ts';
import {
  AUTHORIZED,
  authorizedWith,
  type RunningService,
  type ServiceOptions,
  startService,
} from '../support/http/in-process-proxy.ts';
import { hasOwnNetwork, runInOwnNetwork, withoutOwnNetwork } from '../support/processes/own-network.ts';
import { buildCountries } from '../support/releases/build-release.ts';
import { enlargeFeature, enlargePage } from '../support/releases/large-page.ts';
import { until } from '../support/until.ts';

const SMALL_BUFFERS = ['tcp_wmem', 'tcp_rmem'].map((name) => `echo 4096 16384 16384 > /proc/sys/net/ipv4/${name}`);
const KIB = 1024;
const MIB = 1024 * KIB;
const PAGE_BYTES = 900 * KIB;
const PAGE = '/api/v1/fc/lv0';
const DOWNLOAD = '/api/v1/download/lv0.geojsonl.gz';
/** An eighth of what is usual: an eighth of the connections is enough. */
const HELD = { totalBytes: 16 * MIB, clientBytes: 4 * MIB, paceMs: 10_000, checkMs: 2_500 };
/** Requests of others during an attack. */
const OTHERS = 60;

if (!hasOwnNetwork)
  test('clients with a slow network do not take the service from others', { skip: withoutOwnNetwork }, () =>
    runInOwnNetwork(import.meta.url, SMALL_BUFFERS),
  );
else {
  const folder = await buildCountries({ storedPages: 'all' });
  enlargePage(folder, PAGE_BYTES);
  enlargeFeature(folder, 100 * KIB);
  /** A service whose time stands still. */
  const start = (options: ServiceOptions = {}): Promise<RunningService> =>
    startService(folder, { held: HELD, time: new VirtualTime(), ...options });

  for (const [count, bytes] of [
    [20, MIB],
    [190, 100 * KIB],
  ] as const)
    test(`${count} connections without a token that read nothing of an asset fail no request of others`, async () => {
      const assets = new Map([['/asset.bin', makeAsset('application/octet-stream', randomBytes(bytes))]]);
      const service = await start({ assets });
      await othersAreAnswered(service, async () => openReaders(service, count, '/asset.bin'));
    });
  test('40 connections with one token that read nothing of a remembered page fail no request of others', async () => {
    const service = await start();
    const { authorization } = AUTHORIZED;
    for (let i = 0; i < 2; i++) await send(service, PAGE, { authorization, 'accept-encoding': 'gzip' });
    await othersAreAnswered(service, async () => openReaders(service, 40, PAGE, authorization));
    // In memory once for all of them: a chunk each is counted, and its client may still ask.
    assert.equal((await send(service, '/api/v1/fc/lv1', { authorization })).status, 200);
  });
  test('four clients that each hold their share fail no request of others', async () => {
    const service = await start();
    await othersAreAnswered(service, async () => {
      const readers: Socket[] = [];
      for (const sub of ['a', 'b', 'c', 'd']) {
        const { authorization } = await authorizedWith({ sub });
        // No target twice: an answer that is remembered is in memory once.
        for (let i = 0; i < 5; i++)
          readers.push(...(await openReaders(service, 1, `${PAGE}?page-size=5${'&'.repeat(i)}`, authorization)));
      }
      assert.ok(service.heldBytes() > 12 * MIB, `${service.heldBytes()} bytes are held`);
      return readers;
    });
  });
  test('50 clients that read nothing of a body each leave four large bodies at a time to another one', async () => {
    const service = await start();
    const readers: Socket[] = [];
    for (let i = 0; i < 50; i++) {
      const { authorization } = await authorizedWith({ sub: `reader ${i}` });
      readers.push(...(await openReaders(service, 1, '/api/v1/geojsonl/lv0?page-size=1', authorization)));
      // A client of 900 KiB each: what is held is far below all, though the division of it by clients is not.
      if (i < 5) readers.push(...(await openReaders(service, 1, `${PAGE}?page-size=5`, authorization)));
    }
    assert.ok(service.heldBytes() > 50 * 100 * KIB, `${service.heldBytes()} bytes are held`);
    const headers = { ...(await authorizedWith({ sub: 'other' })), 'accept-encoding': 'gzip' };
    for (let i = 0; i < 10; i++) {
      const paths = [0, 1, 2, 3].map((n) => `${PAGE}?page-size=5${'&'.repeat(4 * i + n)}`);
      for (const { status } of await Promise.all(paths.map((path) => send(service, path, headers))))
        assert.equal(status, 200);
    }
    for (const reader of readers) reader.destroy();
  });
  test('a client that reads nothing of many downloads is refused, and fails no request of others', async () => {
    const large = await buildCountries();
    enlargeFeature(large, 2 * MIB);
    const service = await startService(large, { held: HELD, time: new VirtualTime() });
    const { authorization } = AUTHORIZED;
    await othersAreAnswered(service, async () => {
      const readers = await openReaders(service, 8, DOWNLOAD, authorization);
      assert.equal((await send(service, DOWNLOAD, { authorization })).status, 503);
      // One byte of a download takes as much memory as all of it.
      assert.equal((await send(service, DOWNLOAD, { authorization, range: 'bytes=0-0' })).status, 503);
      return readers;
    });
    assert.equal((await send(service, DOWNLOAD, { authorization })).status, 200);
  });
}

/** Connections that ask for a body and read the beginning of the answer. */
function openReaders(service: RunningService, count: number, path: string, authorization = ''): Promise<Socket[]> {
  const opened = Array.from({ length: count }, async () => {
    const socket = await openConnection(service);
    socket.on('error', () => {}).write(rawGet(path, authorization));
    await once(socket, 'readable');
    return socket;
  });
  return Promise.all(opened);
}

/** While `attack` goes on, requests of another client, none of which is remembered, are answered. */
async function othersAreAnswered(service: RunningService, attack: () => Promise<Socket[]>): Promise<void> {
  const readers = await attack();
  const headers = { ...(await authorizedWith({ sub: 'other' })), 'accept-encoding': 'gzip' };
  const statuses: number[] = [];
  for (let i = 0; i < OTHERS; i++) {
    const path = i % 30 === 0 ? `${PAGE}?${'&'.repeat(i)}` : `/api/v1/geojsonl/lv2?start-at=${i}&page-size=7`;
    statuses.push((await send(service, path, headers)).status);
  }
  for (const reader of readers) reader.destroy();
  assert.deepEqual(new Set(statuses), new Set([200]));
  await until(() => service.heldBytes() === 0, 'bytes stay counted');
}
