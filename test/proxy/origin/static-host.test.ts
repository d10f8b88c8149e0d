// A static host as the origin, also read with `fetch`: what it is asked, what becomes of answers when it fails, and how
// many connections to it there are.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { CURRENT_PATH, pagePath, releasePath } from '../../../format/layout.ts';
import { fetchHostOrigin } from '../../../proxy/origin/fetch-host.ts';
import { HOST_LIMITS, type HostLimits } from '../../../proxy/origin/host-response.ts';
import type { Origin } from '../../../proxy/origin/origin.ts';
import { staticHostOrigin } from '../../../proxy/origin/static-host.ts';
import { after } from '../../support/after.ts';
import { MANY_SIZES } from '../../support/datasets/large-dataset.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { rawGet, refusal, send, sendRaw } from '../../support/http/http-client.ts';
import { AUTHORIZED, startService, token } from '../../support/http/in-process-proxy.ts';
import { partOf, startStaticHost, writePartHead } from '../../support/http/static-host.ts';
import { buildRelease, WHOLE } from '../../support/releases/build-release.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { buildWorld, onPages, startProxy, TestLimits, testConversation, testFaults } from './failing-host.ts';
import { COMPRESSED_TWICE, HOST_FAULTS } from './host-faults.ts';

const folder = await buildWorld();
const HEADERS = { 'x-origin-key': 'a secret of the host' };
const host = await startStaticHost(folder);

const origin = (limits: HostLimits): Origin => staticHostOrigin({ url: host.url, headers: HEADERS }, limits);
const tested = { folder, host, open: origin };

testFaults(tested, [...HOST_FAULTS, COMPRESSED_TWICE]);
testConversation(tested);

/** As Workers read it: `fetch` undoes a Content-Encoding of the host. */
const fetched = { folder, host, open: fetchHostOrigin.bind(undefined, host.url, {}) };
// What does not depend on how a response is got is tried in each run above.
const OWN: ReadonlySet<string> = new Set(['302', 'a closed connection', 'no answer', 'silent half-way']);
describe('read with fetch', () => {
  testFaults(
    fetched,
    sliceOf(HOST_FAULTS, ({ what }) => OWN.has(what)),
  );
  testConversation(fetched, true);
});

test('the host is asked with GET, computed paths and headers of our own: never with the token', async () => {
  const proxy = await startProxy(tested);
  await send(proxy, '/api/v1/geojsonl/lv2', {
    cookie: 'a=b',
    'x-forwarded-for': '1.2.3.4',
    'x-api-key': 'client',
    range: 'bytes=0-9',
    'if-none-match': '"a"',
    te: 'trailers',
    'accept-encoding': 'gzip, br',
    'user-agent': 'curl/7',
    'x-origin-key': 'client',
    referer: 'http://x/',
  });
  await send(proxy, '/api/v1/geojsonl/lv2?page-size=2');
  await send(proxy, '/api/v1/geojsonl/lv3', {}, 'HEAD');
  const [whole, members, ...more] = host.asked.filter(({ url }) => url.endsWith('.gz'));
  assert.equal(more.length, 0);
  const common = { host: host.url.host, 'accept-encoding': 'identity', 'user-agent': 'boundaries-proxy' };
  const { connection: _, ...headers } = whole?.headers ?? {};
  assert.deepEqual(headers, { ...common, ...HEADERS });
  const { connection: __, ...rangeHeaders } = members?.headers ?? {};
  assert.deepEqual({ ...rangeHeaders, range: '' }, { ...common, ...HEADERS, range: '' });
  assert.match(String(members?.headers.range), /^bytes=\d+-\d+$/);
  assert.deepEqual([whole?.method, whole?.url], ['GET', `/${releasePath('r1')}/${pagePath(2, 'geojsonl', 'all', 0)}`]);
});

test('a host with a folder and a query of its own is asked with both, and never for no bytes', async () => {
  const origin = staticHostOrigin({ url: new URL(`${host.url}a/b/?sig=x`), headers: {} }, new TestLimits());
  await assert.rejects(origin.read('current.json', 1e9), { reason: 'missing' });
  await assert.rejects(origin.read('current.json', { offset: 9, length: 0 }), RangeError);
  assert.equal(host.asked.map(({ url }) => url).join(), '/a/b/current.json?sig=x');
});

test('a host that is gone is unreachable', async () => {
  // Nobody listens at port 1, which only the system may do.
  const gone = staticHostOrigin({ url: new URL('http://127.0.0.1:1/'), headers: {} }, new TestLimits());
  await assert.rejects(gone.read('current.json', 1e9), /unreachable, ECONNREFUSED/);
});

test('in an outage of the host what is in memory is answered, what must be read is 503 with Retry-After, and readyz is ok', async () => {
  host.fault = undefined;
  const proxy = await startProxy(tested);
  host.fault = (_req, res) => Boolean(res.destroy());
  assert.equal((await send(proxy, '/api/v1/')).status, 200);
  const unread = await send(proxy, '/api/v1/geojsonl/lv3');
  refusal(unread, 503, 'origin-unreachable');
  assert.ok(Number(unread.headers['retry-after']) > 0);
  // All proxies of a host have its outage at once: a load balancer that took them out would leave clients nothing.
  assert.equal((await send(proxy, '/readyz')).status, 200);
  host.fault = undefined;
  assert.equal((await send(proxy, '/api/v1/geojsonl/lv3')).status, 200);
});

/** Each kind of body: a stored page, a slice, text of both, a unit by itself, a file in pieces, units of all levels. */
const ABANDONED: readonly string[] = [
  '/api/v1/geojsonl/lv2',
  '/api/v1/geojsonl/lv2?page-size=3',
  '/api/v1/geojsonl/lv2?page-size=2&identity',
  '/api/v1/ogc/collections/lv2/items/1&identity',
  '/api/v1/download/lv2.geojsonl.gz',
  '/api/v1/at?point=1.5,3.5',
];

test('what has begun at the host for a client that has gone ends, and others take its place', async () => {
  const countries = temporaryFolder();
  await buildRelease(writeCountries(), countries, WHOLE);
  const host = await startStaticHost(countries);
  const origin = staticHostOrigin({ url: host.url, headers: {} }, new TestLimits());
  const proxy = await startService(countries, { origin, work: { running: 1, waiting: 9 } });
  const { hostname, port } = new URL(proxy.url);
  for (const path of ABANDONED) {
    const [target = '', text] = path.split('&identity');
    // What is kept in memory has been read before.
    assert.equal((await send(proxy, target)).status, 200, target);
    for (const isBegun of [false, true]) {
      let [begun, ended] = [0, 0];
      host.fault = ({ headers: { range } }, res, file) => {
        begun++;
        res.once('close', () => ended++);
        const part = partOf(readFileSync(file), range);
        if (isBegun) writePartHead(res, part, range).write(part.subarray(0, 1));
        return true;
      };
      const asked = rawGet(target, AUTHORIZED.authorization);
      const socket = connect(Number(port), hostname);
      socket.write(text === undefined ? asked : asked.replace('Accept-Encoding: gzip\r\n', ''));
      await until(() => begun > 0, `${path}: nothing is read`);
      socket.resetAndDestroy();
      await until(
        () => ended === begun,
        () => `${path}: ${ended} of ${begun} reads have ended`,
      );
      host.fault = undefined;
      assert.equal((await send(proxy, '/api/v1/geojsonl/lv1?page-size=1')).status, 200);
    }
  }
  assert.deepEqual(proxy.log, []);
});

/** Listens and then blocks its thread for good. */
const LISTENER = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
/** Linux queues one connection more than the backlog. */
const QUEUED = 2;

/** Starts a host that accepts no connection, as behind a firewall that drops packets: its backlog is full. Linux only. */
async function startFullHost() {
  const worker = new Worker(LISTENER, { eval: true });
  const [port] = await once(worker, 'message');
  const open = () => connect(port, '127.0.0.1').on('error', () => {});
  const sockets = Array.from({ length: QUEUED }, open);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const further = open();
  after(async () => {
    for (const socket of [...sockets, further]) socket.destroy();
    await worker.terminate();
  });
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    assertFull: (): void => assert.ok(further.connecting, 'the host accepted a connection'),
  };
}

test('a host to which no connection can be made: 504 after the time for an answer, of a page, of features and of metadata', {
  skip: process.platform !== 'linux' && 'the backlog of Linux',
}, async () => {
  const { url, assertFull } = await startFullHost();
  const limits = new TestLimits();
  const known = origin(limits);
  for (const full of [staticHostOrigin({ url, headers: {} }, limits), fetchHostOrigin(url, {}, limits)]) {
    await assert.rejects(limits.giveUp(full.read('current.json', 1e9)), { reason: 'slow' });
    const read: Origin['read'] = (path, ...rest) => (path.endsWith('.gz') ? full : known).read(path, ...rest);
    const proxy = await startService(folder, { origin: { ...full, read } });
    for (const query of ['lv2', 'lv2?page-size=3', 'lv0'])
      refusal(await limits.giveUp(send(proxy, `/api/v1/geojsonl/${query}`)), 504, 'origin-slow');
  }
  // By the clock of the process, too.
  const soon = { ...HOST_LIMITS, idleMs: 50 };
  await assert.rejects(fetchHostOrigin(url, {}, soon).read('current.json', 1e9), { reason: 'slow' });
  assertFull();
});

test('trailers and upgrades that a client announces do not reach the host', async () => {
  const proxy = await startProxy(tested);
  host.asked = [];
  const head = `GET /api/v1/geojsonl/lv2 HTTP/1.1\r\nHost: a.test\r\nAuthorization: ${AUTHORIZED.authorization}\r\n`;
  // http-proxy 1.18.1 breaks down on the first one; an upgrade is ignored (RFC 9110 section 7.8).
  for (const more of ['Trailer: X-Late\r\nConnection: close', 'Connection: close, upgrade\r\nUpgrade: h2c'])
    assert.match(await sendRaw(proxy, `${head}${more}\r\n\r\n`), /^HTTP\/1\.1 200 /);
  assert.equal(host.asked.length, 2);
  for (const { headers } of host.asked) assert.deepEqual([headers.trailer, headers.upgrade], [undefined, undefined]);
});

test('a page that the host labels as gzip is a 502, unless it has compressed it itself', async () => {
  const labelled = (change: (bytes: Buffer) => Buffer) =>
    onPages((res, file) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(change(readFileSync(file))));
  const proxy = await startProxy(fetched);
  host.fault = labelled((bytes) => bytes);
  refusal(await send(proxy, '/api/v1/geojsonl/lv2'), 502, 'origin-damaged');
  host.fault = labelled(gzipSync);
  assert.equal((await send(proxy, '/api/v1/geojsonl/lv2')).status, 200);
});

test('the headers for a static host go to no other host, whatever slashes its URL has', async () => {
  host.fault = undefined;
  for (const path of ['', '/', '//', '//elsewhere.invalid//']) {
    host.asked = [];
    const origin = fetchHostOrigin(new URL(`${host.url.origin}${path}`), { 'x-secret': 'one' });
    await origin.read(CURRENT_PATH, 65_536).catch(() => {});
    assert.equal(host.asked.at(-1)?.headers['x-secret'], 'one', path);
  }
});

const CLIENTS = 200;
/** As proxy/OPERATING.md says. */
const READS_MAX = 64;

test('200 requests for different pages of a host that does not answer: at most 64 connections to it, then all are answered', async () => {
  const folder = await worldOutput();
  const host = await startStaticHost(folder);
  const service = await startService(folder, {
    origin: staticHostOrigin({ url: host.url, headers: {} }, new TestLimits()),
  });
  const sockets = new Set<Socket>();
  host.server.on('connection', (socket: Socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  const held: (() => void)[] = [];
  host.fault = (req, res) => {
    const url = req.url ?? '';
    if (!url.includes('/features/')) return false;
    held.push(() => res.destroy());
    return true;
  };
  let received = 0;
  service.server.on('request', () => received++);
  const asked = Array.from({ length: CLIENTS }, (_, i) =>
    send(service, `/api/v1/geojsonl/lv2?page-size=2&start-at=${i}`),
  );
  await until(() => received === CLIENTS && held.length >= READS_MAX, 'the host is not asked');
  // What else was asked of the host has come by then.
  assert.equal((await fetch(new URL('current.json', host.url))).status, 200);
  assert.equal(held.length, READS_MAX);
  assert.ok(sockets.size <= READS_MAX + 1, `${sockets.size} connections`);
  // The requests that the host held fail; the others get their pages, each after a turn in which others may ask.
  let waiting = 0;
  let mostWaiting = 0;
  const waited = new Set<IncomingMessage>();
  host.fault = (req, res) => {
    if (waited.has(req)) return false;
    waited.add(req);
    mostWaiting = Math.max(mostWaiting, ++waiting);
    setImmediate(() => {
      waiting--;
      host.server.emit('request', req, res);
    });
    return true;
  };
  for (const release of held) release();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.ok(statuses.every((status) => status === 200 || status === 503));
  assert.ok(statuses.filter((status) => status === 200).length >= CLIENTS - READS_MAX);
  assert.ok(waited.size >= CLIENTS - READS_MAX);
  assert.ok(mostWaiting <= READS_MAX + 1, `${mostWaiting} requests at a time`);
});

test('32 scattered downloads of one token: at most 64 reads of the host, and a page of another token is next', async () => {
  const folder = await worldOutput({ size: MANY_SIZES, pages: 'none' });
  const host = await startStaticHost(folder);
  const service = await startService(folder, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  const held: (() => void)[] = [];
  const hold = ({ url = '' }: IncomingMessage, res: ServerResponse): boolean =>
    url.includes('/features/') && held.push(() => res.destroy()) > 0;
  host.fault = hold;
  const downloads = new AbortController();
  const path = '/api/v1/download/lv2.geojsonl.gz?gid-0=U0.3_1';
  const asked = Array.from({ length: 32 }, () =>
    fetch(service.url + path, { headers: { ...AUTHORIZED }, signal: downloads.signal }).catch(() => {}),
  );
  await until(() => held.length >= READS_MAX, 'the host is not asked');
  const other = { authorization: `Bearer ${await token({ sub: 'another' })}` };
  const page = send(service, '/api/v1/geojsonl/lv2?page-size=2', other);
  // What else was asked of the host has come by then.
  assert.equal((await fetch(new URL('current.json', host.url))).status, 200);
  assert.equal((await send(service, '/api/v1/geojsonl/lv2?page-size=2', other, 'HEAD')).status, 200);
  assert.equal(held.length, READS_MAX);
  // Clients take turns: of four further reads two can be the page's.
  let further = 0;
  host.fault = (req, res) => further++ >= 4 && hold(req, res);
  held.pop()?.();
  assert.equal((await page).status, 200);
  downloads.abort();
  await Promise.all(asked);
});
