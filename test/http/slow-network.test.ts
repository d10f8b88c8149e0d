// Clients with a slow network. On loopback the operating system takes one or two megabytes of a body at once and hides
// what a real network shows: this file runs its tests in a network of its own, where it takes 16 kB of each connection.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { makeAsset } from '../../proxy/site/asset.ts';
import { MANY_SIZES } from '../support/datasets/large-dataset.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { rawGet, send } from '../support/http/http-client.ts';
import { AUTHORIZED, type RunningService, startService, token } from '../support/http/in-process-proxy.ts';
import { without } from '../support/processes/programs.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { enlargeFeature, enlargePage } from '../support/releases/large-page.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const NETWORK = 'ip link set lo mtu 1500 up';
const SMALL_BUFFERS = ['tcp_wmem', 'tcp_rmem'].map((name) => `echo 4096 16384 16384 > /proc/sys/net/ipv4/${name}`);
const KIB = 1024;
const PAGE = '/api/v1/fc/lv0';
const DOWNLOAD = '/api/v1/download/lv0.geojsonl.gz';

if (process.env['OWN_NETWORK'] === undefined)
  test('clients with a slow network do not take the service from others, and get their bodies', {
    skip: without(`unshare --map-root-user --net ${NETWORK}`),
  }, async () => {
    const script = [NETWORK, ...SMALL_BUFFERS, 'exec "$@"'].join(' && ');
    const node = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)];
    const child = spawn('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...node], {
      env: { ...process.env, OWN_NETWORK: 'yes', NODE_TEST_CONTEXT: '' },
      stdio: 'inherit',
    });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
else {
  test('a client that takes a body slowly but steadily is not cut though it holds most of its share', keepsPace);
  test('a download that is taken slowly is right to its last byte, while others are sent', slowDownloads);
  test('140 connections without a token that read nothing of an asset fail no request of others', async () => {
    const assets = new Map([['/large.bin', makeAsset('application/octet-stream', randomBytes(1024 * KIB))]]);
    const service = await startService(await releaseWithPage(), { assets });
    await othersAreAnswered(service, async () => openReaders(service, 140, '/large.bin'));
  });
  test('1,500 connections without a token that read nothing of a small asset fail no request of others', async () => {
    const assets = new Map([['/small.bin', makeAsset('application/octet-stream', randomBytes(100 * KIB))]]);
    const service = await startService(await releaseWithPage(), { assets });
    await othersAreAnswered(service, async () => openReaders(service, 1500, '/small.bin'));
  });
  test('300 connections with one token that read nothing of a remembered page fail no request of others', async () => {
    const service = await startService(await releaseWithPage());
    const { authorization } = AUTHORIZED;
    for (let i = 0; i < 2; i++) await send(service, PAGE, { authorization, 'accept-encoding': 'gzip' });
    await othersAreAnswered(service, async () => openReaders(service, 300, PAGE, authorization));
    // In memory once for all of them: a chunk each is counted, and its client may still ask.
    assert.equal((await send(service, '/api/v1/fc/lv1', { authorization })).status, 200);
  });
  test('four clients that each hold their share fail no request of others', async () => {
    const service = await startService(await releaseWithPage());
    await othersAreAnswered(service, async () => {
      const readers: Socket[] = [];
      for (const sub of ['a', 'b', 'c', 'd']) {
        const authorization = `Bearer ${await token({ sub })}`;
        // No target twice: an answer that is remembered is in memory once.
        for (let i = 0; i < 40; i++)
          readers.push(...(await openReaders(service, 1, `${PAGE}?page-size=5${'&'.repeat(i)}`, authorization)));
      }
      assert.ok(service.heldBytes() > 100 * KIB * KIB, `${service.heldBytes()} bytes are held`);
      return readers;
    });
  });
  test('400 clients that read nothing of a body each leave eight large bodies at a time to another one', async () => {
    const service = await startService(await releaseWithPage());
    const authorizations = await Promise.all(
      Array.from({ length: 400 }, async (_, i) => `Bearer ${await token({ sub: `reader ${i}` })}`),
    );
    const small = '/api/v1/geojsonl/lv0?page-size=1';
    const opened = authorizations.map((authorization) => openReaders(service, 1, small, authorization));
    const readers = (await Promise.all(opened)).flat();
    // A client of 1,020 KiB each: what is held is far below 128 MiB, though the division of it by clients is not.
    for (const authorization of authorizations.slice(0, 40))
      readers.push(...(await openReaders(service, 1, `${PAGE}?page-size=5`, authorization)));
    const headers = { authorization: `Bearer ${await token({ sub: 'other' })}`, 'accept-encoding': 'gzip' };
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const eight = Array.from({ length: 8 }, (_, n) =>
        send(service, `${PAGE}?page-size=5${'&'.repeat(8 * i + n)}`, headers),
      );
      for (const { status } of await Promise.all(eight)) statuses.add(status);
    }
    for (const reader of readers) reader.destroy();
    assert.deepEqual([...statuses], [200]);
  });
  test('a client that reads nothing of many downloads is refused, and fails no request of others', async () => {
    const folder = temporaryFolder();
    await buildRelease(writeCountries(), folder);
    enlargePage(folder, 900 * KIB);
    enlargeFeature(folder, 2 * KIB * KIB);
    const service = await startService(folder);
    const { authorization } = AUTHORIZED;
    await othersAreAnswered(service, async () => {
      const readers = await openReaders(service, 60, DOWNLOAD, authorization);
      assert.equal((await send(service, DOWNLOAD, { authorization })).status, 503);
      // One byte of a download takes as much memory as all of it.
      assert.equal((await send(service, DOWNLOAD, { authorization, range: 'bytes=0-0' })).status, 503);
      return readers;
    });
    assert.equal((await send(service, DOWNLOAD, { authorization })).status, 200);
  });
}

/** A release whose first page of countries has 900 KiB. */
async function releaseWithPage(): Promise<string> {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  enlargePage(folder, 900 * KIB);
  return folder;
}

/** Connections that ask for a body and read the beginning of the answer. */
function openReaders(service: RunningService, count: number, path: string, authorization = ''): Promise<Socket[]> {
  const { hostname, port } = new URL(service.url);
  const opened = Array.from({ length: count }, async () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(rawGet(path, authorization));
    await once(socket, 'readable');
    return socket;
  });
  return Promise.all(opened);
}

/** While `attack` goes on, a thousand requests of another client, none of which is remembered, are answered. */
async function othersAreAnswered(service: RunningService, attack: () => Promise<Socket[]>): Promise<void> {
  const readers = await attack();
  const authorization = `Bearer ${await token({ sub: 'other' })}`;
  const statuses = new Map<number, number>();
  for (let i = 0; i < 1000; i++) {
    const path = i % 100 === 0 ? `${PAGE}?${'&'.repeat(i)}` : `/api/v1/geojsonl/lv2?start-at=${i}&page-size=7`;
    const { status } = await send(service, path, { authorization, 'accept-encoding': 'gzip' });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  for (const reader of readers) reader.destroy();
  assert.deepEqual([...statuses], [[200, 1000]]);
  await until(() => service.heldBytes() === 0, 'bytes stay counted');
}

/** Connections that take a large download at different paces, some in small pieces, get the same bytes as everyone. */
async function slowDownloads(): Promise<void> {
  const folder = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered' });
  const service = await startService(folder);
  const expected = new Map<string, Buffer>();
  for (const path of ['lv0.geojson.gz', 'lv1.geojsonl.gz', 'lv2.geojson.gz', 'lv2.geojsonl.gz', 'lv5.geojson.gz']) {
    const { body } = await send(service, `/api/v1/download/${path}`);
    gunzipSync(body);
    expected.set(path, body);
  }
  const taken = [...expected].flatMap(([path, body]) =>
    [1, 3, 20].map(async (step) => {
      const sent = request(`${service.url}/api/v1/download/${path}`, { agent: false, headers: AUTHORIZED }).end();
      const [response] = await once(sent, 'response');
      const received: Buffer[] = [];
      for await (const piece of response) {
        received.push(piece);
        // The pace of the client, not a wait for something.
        if (received.length % step === 0) await pause(1);
      }
      assert.ok(Buffer.concat(received).equals(body), `${path}, ${step} pieces at a time`);
    }),
  );
  await Promise.all(taken);
}

const STEP_BYTES = 64 * KIB;
const STEP_MS = 100;

async function keepsPace(): Promise<void> {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  const { page } = enlargePage(folder, 900 * KIB);
  // Its bytes are more than half of what the client may hold: its slowest connections are cut.
  const held = { totalBytes: 1024 * KIB, clientBytes: 1024 * KIB, paceMs: 5 * STEP_MS, checkMs: 50 };
  const service = await startService(folder, { held });
  const [socket] = await openReaders(service, 1, PAGE, AUTHORIZED.authorization);
  assert.ok(socket);
  const received: Buffer[] = [];
  let [bytes, due] = [0, 0];
  socket.on('data', (chunk) => {
    received.push(chunk);
    bytes += chunk.length;
    if (bytes >= due) socket.pause();
  });
  // The pace of the client, not a wait for something.
  for (; service.heldBytes() > 0; await pause(STEP_MS)) {
    due += STEP_BYTES;
    socket.resume();
  }
  socket.resume();
  await until(() => bytes > page.length, 'the connection is cut');
  socket.destroy();
  assert.ok(Buffer.concat(received).includes(page));
}
