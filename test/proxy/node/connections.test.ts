// Connections over raw sockets: each is handled one request at a time, ends soon after a refusal, and cannot take
// memory or descriptors from other clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { staticHostOrigin } from '../../../proxy/origin/static-host.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { openFiles } from '../../support/files.ts';
import { heldService } from '../../support/http/held-service.ts';
import { openConnection, send, sendRaw } from '../../support/http/http-client.ts';
import { AUTHORIZED, type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { enlargePage } from '../../support/releases/large-page.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries({ storedPages: 'all' });
const large = await buildCountries({ storedPages: 'all' });
const { page } = enlargePage(large, 8 * 1024 * 1024);

const HOST = 'Host: a.test\r\n';
const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;
const GZIP = 'Accept-Encoding: gzip\r\n';
const PATH = '/api/v1/fc/lv0';
/** What node:http says of a request that does not arrive in time. */
const LATE = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

async function open(service: RunningService, bytes: string): Promise<Socket> {
  const socket = await openConnection(service);
  socket.on('error', () => {}).write(bytes);
  return socket;
}

function connectionCount({ server }: Pick<RunningService, 'server'>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

test('what is not HTTP is counted as unparsed; connections that clients reset are not, before or after a request', async () => {
  let unparsed = 0;
  const service = await startService(folder, { unparsed: () => unparsed++ });
  for (const sent of ['', `GET /healthz HTTP/1.1\r\n${HOST}\r\n`]) {
    const seen = once(service.server, 'clientError');
    const socket = await open(service, sent);
    await until(async () => (await connectionCount(service)) === 1, 'no connection');
    if (sent !== '') await once(socket, 'data');
    socket.resetAndDestroy();
    const [{ code }] = await seen;
    assert.deepEqual([code, unparsed], ['ECONNRESET', 0], sent);
    await until(async () => (await connectionCount(service)) === 0, 'the connection stays');
  }
  assert.match(await sendRaw(service, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.equal(unparsed, 1);
});

test('a refused CONNECT, nonsense and a late request are closed, though the client neither reads nor closes', async () => {
  const time = new VirtualTime();
  const service = await startService(folder, { time });
  const limits = { headersMs: 100, requestMs: 100, checkMs: 20, keepAliveMs: 65_000, idleMs: 120_000 };
  const strict = await startService(folder, { limits, time });
  const sockets = await Promise.all([
    open(service, `CONNECT a.test:443 HTTP/1.1\r\n${HOST}\r\n`),
    open(service, 'nonsense\r\n\r\n'),
    open(strict, `GET ${PATH} HTTP/1.1\r\n`),
  ]);
  const heads = await Promise.all(sockets.map(async (socket) => String((await once(socket, 'data'))[0]).slice(9, 12)));
  assert.deepEqual(heads, ['400', '400', '408']);
  for (const socket of sockets) socket.write('x');
  const openCount = async (): Promise<number> => (await connectionCount(service)) + (await connectionCount(strict));
  assert.equal(await openCount(), 3);
  await time.pass(1_000);
  await until(async () => (await openCount()) === 0, 'connections stay open');
  for (const socket of sockets) socket.destroy();
});

test('stopping closes what is left, a refused CONNECT as well', async () => {
  // Its time stands still: a refused connection would not be closed by itself.
  const time = new VirtualTime();
  const service = await startService(folder, { time });
  const socket = await open(service, `CONNECT a.test:443 HTTP/1.1\r\n${HOST}\r\n`);
  await once(socket, 'data');
  const stopped = service.stop({ drainMs: 0, timeoutMs: 10 });
  await time.pass(10);
  await stopped;
  assert.equal(await connectionCount(service), 0);
  socket.destroy();
});

test('garbage after a large page does not get into the page: its answer follows it', async () => {
  const service = await startService(large);
  const first = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;
  const second = `GET ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}${GZIP}\r\n`;
  const text = await sendRaw(service, `${first}${second}\0garbage\r\n\r\n`);
  const answers = text.split(/(?=HTTP\/1\.1 \d{3} )/);
  assert.equal(answers.map((answer) => answer.slice(9, 12)).join(), '200,200,400');
  const body = Buffer.from(answers[1]?.slice(answers[1].indexOf('\r\n\r\n') + 4) ?? '', 'latin1');
  assert.ok(body.equals(page));
});

test('requests in one packet are handled one at a time, in order', async () => {
  const { service, reads, release } = await heldService(folder);
  const paths = ['/api/v1/fc/lv0', '/api/v1/fc/lv1', '/api/v1/fc/lv2'];
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\n${HOST}${TOKEN}${GZIP}\r\n`);
  const text = sendRaw(service, `${requests.join('')}GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  await until(() => reads() > 0, 'nothing is read');
  await send(service, '/healthz');
  assert.equal(reads(), 1);
  release();
  assert.equal((await text).match(/HTTP\/1\.1 200 /g)?.length, 4);
  assert.equal(reads(), 3);
});

test('a request that arrived in part before the connection was paused is answered, however slowly the one before it is read', async () => {
  const time = new VirtualTime();
  const { service, reads, release } = await heldService(folder, { time });
  const connected = once(service.server, 'connection');
  const request = `GET ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}\r\n`;
  const socket = await open(service, request + request + request.slice(0, 30));
  const [peer]: Socket[] = await connected;
  // As node:http, whose own time goes on, says it at each of its checks.
  const sayLate = (): boolean => service.server.emit('clientError', LATE, peer);
  await until(() => reads() === 1 && peer?.isPaused() === true, 'it is still read from');
  socket.write(`${request.slice(30)}GET /healthz HTTP/1.1\r\n${HOST}\r\n`);
  sayLate();
  await time.pass(30_000);
  let text = '';
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
  });
  release();
  const answered = (count: number): Promise<void> =>
    until(
      () => text.match(/HTTP\/1\.1 200 /g)?.length === count,
      () => text,
    );
  await answered(4);
  // Now it has the usual time, which ends when it has arrived.
  socket.write('GET');
  sayLate();
  await time.pass(9_000);
  socket.write(request.slice(3));
  await answered(5);
  await time.pass(60_000);
  socket.write('GET');
  assert.doesNotMatch(text, /HTTP\/1\.1 408 /);
  sayLate();
  await until(() => /HTTP\/1\.1 408 /.test(text), 'a late request is waited for');
  socket.destroy();
});

test('of a thousand requests in one packet some are answered, and the last answer closes the connection', async () => {
  const service = await startService(folder);
  const text = await sendRaw(service, `GET /healthz HTTP/1.1\r\n${HOST}\r\n`.repeat(1000));
  const heads = text.split(/(?=HTTP\/1\.1 \d{3} )/);
  assert.equal(heads.length, 33);
  const closing = heads.flatMap((head, i) => (/Connection: close/i.test(head) ? [i] : []));
  assert.deepEqual(closing, [heads.length - 1]);
});

test('requests that wait are not handled once their client is gone', async () => {
  const { service, reads, release } = await heldService(folder);
  const request = `GET /api/v1/fc/lv1 HTTP/1.1\r\n${HOST}${TOKEN}\r\n`;
  const socket = await open(service, request.repeat(5));
  await until(() => reads() === 1, 'nothing is read');
  socket.resetAndDestroy();
  release();
  await until(async () => (await connectionCount(service)) === 0, 'the connection stays open');
  assert.deepEqual([service.requests.length, reads()], [1, 1]);
});

test('after the signal to stop, readyz is 503, busy connections are answered and closed, and none loses a request', async () => {
  const time = new VirtualTime();
  const service = await startService(folder, { time });
  const clients = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const socket = await open(service, `GET /healthz HTTP/1.1\r\n${HOST}\r\n`);
      await once(socket, 'data');
      return socket;
    }),
  );
  const stopped = service.stop({ drainMs: 0, timeoutMs: 10_000 });
  // The next request of each client but one is under way for this long.
  await time.pass(200);
  const [idle, ...busy] = clients;
  const texts = busy.map(async (socket) => {
    socket.write(`GET /readyz HTTP/1.1\r\n${HOST}\r\n`);
    let text = '';
    for await (const piece of socket) text += piece;
    return text;
  });
  for (const text of await Promise.all(texts)) {
    assert.match(text, /^HTTP\/1\.1 503 /);
    assert.match(text, /\r\nConnection: close\r\n/i);
  }
  await until(async () => (await connectionCount(service)) === 1, 'an answered connection stays');
  await time.pass(50);
  await stopped;
  idle?.destroy();
});

test('while it drains, the server still accepts connections', async () => {
  const time = new VirtualTime();
  const service = await startService(folder, { time });
  const stopped = service.stop({ drainMs: 5_000, timeoutMs: 10_000 });
  await time.pass(4_999);
  const answer = await send(service, '/api/v1/fc/lv1');
  assert.deepEqual([answer.status, answer.headers.connection], [200, 'close']);
  await time.pass(300);
  await stopped;
  await assert.rejects(send(service, '/healthz'), { code: 'ECONNREFUSED' });
});

test('stopping closes the feature files that are kept open, and the connections to a host', {
  skip: !existsSync('/proc/self/fd'),
}, async () => {
  const openFeatureFiles = (): number => openFiles(join(folder, 'releases/r1/lv1/features')).length;
  const slice = '/api/v1/geojsonl/lv1?page-size=1';
  const service = await startService(folder);
  await send(service, slice, { connection: 'close' });
  assert.equal(openFeatureFiles(), 1);
  await service.stop({ drainMs: 0, timeoutMs: 1000 });
  assert.equal(openFeatureFiles(), 0);

  const host = await startStaticHost(folder);
  const remote = await startService(folder, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  await send(remote, slice, { connection: 'close' });
  assert.ok((await connectionCount(host)) > 0);
  await remote.stop({ drainMs: 0, timeoutMs: 1000 });
  await until(async () => (await connectionCount(host)) === 0, 'connections to the host stay open');
});
