// Guards: what one client does cannot cost others their answers. Slow readers, clients that have gone, what never
// waits, and what is asked of the files of a damaged release.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pagePath, releasePath } from '../../format/layout.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { heldService } from '../support/http/held-service.ts';
import { rawGet, refusal, send, sendRaw } from '../support/http/http-client.ts';
import type { RunningService, ServiceOptions } from '../support/http/in-process-proxy.ts';
import { AUTHORIZED, startService, token } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { enlargeFeature, enlargePage } from '../support/releases/large-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const folder = temporaryFolder();
await buildRelease(writeCountries(), folder, { storedPages: 'all' });
const large = temporaryFolder();
await buildRelease(writeCountries(), large, { storedPages: 'all' });
const { page } = enlargePage(large, 8 * MIB);
const PATH = '/api/v1/fc/lv0';
const GZIP = { 'accept-encoding': 'gzip' };

const as = async (sub: string): Promise<{ authorization: string }> => ({
  authorization: `Bearer ${await token({ sub })}`,
});

/** Of a public service, whose proxy says so: a client is its address, here one of a /64 that is the client's own. */
const at = async (name: string): Promise<{ 'x-forwarded-for': string }> => ({
  'x-forwarded-for': name === 'alice' ? '2001:db8::1' : '2001:db8:0:1::1',
});

/** A connection that asks for the page and reads nothing of it. @param as its authorization, or headers */
async function slowReader({ url }: RunningService, as: string | Record<string, string>): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  const fields = typeof as === 'string' ? { authorization: as } : as;
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n${lines.join('')}Accept-Encoding: gzip\r\n\r\n`);
  return socket;
}

/** Held bytes are looked at every 50 ms; a client that holds much must take 64 kB in 200 ms. */
const HELD = { totalBytes: 16 * MIB, clientBytes: 4 * MIB, paceMs: 200, checkMs: 50 };

/** A service, and whether it has refused a request; by the time that a client asks, it may have made room. */
async function startHeld(held: typeof HELD): Promise<{ service: RunningService; hasRefused: () => boolean }> {
  let refusals = 0;
  const service = await startService(large, {
    held,
    observe: (_req, res) => {
      res.once('finish', () => {
        if (res.statusCode === 503) refusals++;
      });
    },
  });
  return { service, hasRefused: () => refusals > 0 };
}

async function assertOneHoldsAlone(
  options: ServiceOptions,
  headersOf: (name: string) => Promise<Record<string, string>>,
): Promise<void> {
  const service = await startService(large, { ...options, held: { ...HELD, paceMs: 60_000 } });
  const [alice, bob] = [await headersOf('alice'), await headersOf('bob')];
  const readers = await Promise.all(Array.from({ length: 16 }, () => slowReader(service, alice)));
  await until(async () => (await send(service, PATH, { ...alice, ...GZIP })).status === 503, 'alice may hold all');
  refusal(await send(service, PATH, { ...alice, ...GZIP }), 503, 'overloaded');
  for (let i = 0; i < 20; i++) {
    const whole = await send(service, PATH, { ...bob, ...GZIP });
    assert.deepEqual([whole.status, whole.body.length], [200, page.length]);
  }
  // What needs no body never waits for what others have not read.
  const head = await send(service, PATH, { ...alice, ...GZIP }, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal((await send(service, PATH, { ...alice, ...GZIP, 'if-none-match': head.headers.etag })).status, 304);
  assert.equal((await send(service, '/healthz')).status, 200);
  for (const reader of readers) reader.destroy();
  await until(async () => (await send(service, PATH, { ...alice, ...GZIP })).status === 200, 'bytes stay counted');
}

test('a client with many connections that do not read gets 503, and nobody else does', () =>
  assertOneHoldsAlone({}, as));

test('of a public service an address with many connections that do not read gets 503, and no other does', () =>
  assertOneHoldsAlone({ isPublic: true, trustProxy: ['127.0.0.1'] }, at));

test('connections that take nothing are cut while others are refused, and only then', async () => {
  const { service, hasRefused } = await startHeld(HELD);
  const { authorization } = await as('alice');
  const first = await slowReader(service, authorization);
  await until(() => service.heldBytes() > 0, 'nothing is held');
  const patience = performance.now() + 3 * HELD.paceMs;
  await until(() => performance.now() > patience, 'time stands still');
  assert.equal(service.heldBytes(), MIB);
  const others = await Promise.all(Array.from({ length: 8 }, () => slowReader(service, authorization)));
  // The client's own requests are refused until some of its connections are cut.
  await until(hasRefused, 'none is refused');
  await until(
    async () => (await send(service, PATH, { authorization, ...GZIP })).status === 200,
    'connections that take nothing stay',
  );
  for (const socket of [first, ...others]) socket.destroy();
});

test('a connection that takes a few bytes from time to time is cut while others are refused', async () => {
  const { service, hasRefused } = await startHeld({ ...HELD, paceMs: 300 });
  const { authorization } = await as('alice');
  const sockets = await Promise.all(Array.from({ length: 8 }, () => slowReader(service, authorization)));
  await until(hasRefused, 'none is refused');
  await until(async () => {
    for (const socket of sockets) socket.read(1);
    return (await send(service, PATH, { authorization, ...GZIP })).status === 200;
  }, 'slow connections stay');
  for (const socket of sockets) socket.destroy();
});

test('what a client has not taken yet stays as it is while others are answered', async () => {
  const wide = temporaryFolder();
  await buildRelease(writeCountries(), wide);
  enlargeFeature(wide, 100 * 1024);
  const [mine, theirs] = ['/api/v1/geojsonl/lv0?page-size=1', '/api/v1/fc/lv0?page-size=1'];
  let answered = 0;
  const service = await startService(wide, {
    observe: (_req, res) => {
      res.once('close', () => {
        answered++;
      });
    },
  });
  const { body } = await send(service, mine, GZIP);
  assert.ok(body.length >= 100 * 1024);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  const { authorization } = AUTHORIZED;
  let asked = 0;
  // The operating system takes some megabytes first. No target twice: an answer that is remembered has memory of its
  // own.
  for (; service.heldBytes() === 0; asked++) {
    const before = answered;
    socket.write(rawGet(mine + '&'.repeat(asked), authorization));
    await until(() => answered > before || service.heldBytes() > 0, 'neither sent nor held');
  }
  for (const query of ['', '&', '&&']) await send(service, theirs + query, GZIP);
  const received: Buffer[] = [];
  let bytes = 0;
  socket
    .on('data', (chunk) => {
      received.push(chunk);
      bytes += chunk.length;
    })
    .resume();
  await until(() => service.heldBytes() === 0 && bytes > asked * body.length, 'not every request is answered');
  socket.destroy();
  const all = Buffer.concat(received);
  let found = 0;
  for (let at = all.indexOf(body); at !== -1; at = all.indexOf(body, at + body.length)) found++;
  assert.equal(found, asked);
});

test('nothing is read for a client that has gone while its request waited', async () => {
  const { service, reads, release } = await heldService(folder, { work: { running: 1, waiting: 9 } });
  const first = send(service, '/api/v1/fc/lv1', GZIP);
  await until(() => reads() === 1, 'nothing is read');
  const gone = await slowReader(service, AUTHORIZED.authorization);
  const count = (): Promise<number> => new Promise((resolve) => service.server.getConnections((_, n) => resolve(n)));
  await until(async () => (await count()) === 2, 'the second client is not connected');
  // Its request has arrived when one after it is answered.
  await send(service, '/healthz');
  gone.resetAndDestroy();
  await until(async () => (await count()) < 3, 'the connection stays');
  release();
  assert.equal((await first).status, 200);
  assert.equal((await send(service, '/api/v1/fc/lv2', GZIP)).status, 200);
  assert.equal(reads(), 2);
});

test('a damaged page makes requests for it read release.json at most once a second', async () => {
  const damaged = temporaryFolder();
  await buildRelease(writeCountries(), damaged);
  const file = join(damaged, releasePath('r1'), pagePath(0, 'fc', 'all', 0));
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.alloc(bytes.length));
  const origin = directoryOrigin(damaged);
  let descriptions = 0;
  const counting: Origin = {
    ...origin,
    read(path, ...rest) {
      if (path.endsWith('release.json')) descriptions++;
      return origin.read(path, ...rest);
    },
  };
  const service = await startService(damaged, { origin: counting });
  const before = descriptions;
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(service, PATH, GZIP)));
  for (const answer of answers) refusal(answer, 502, 'origin-damaged');
  assert.ok(descriptions - before <= 2, `${descriptions - before}`);
});

test('OPTIONS and preflights of public paths list the methods; so does 405', async () => {
  const service = await startService(folder, { metadata: true });
  const anonymous = { authorization: undefined };
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/.well-known/oauth-protected-resource']) {
    const options = await send(service, path, anonymous, 'OPTIONS');
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS'], path);
    const preflight = { ...anonymous, origin: 'https://a.test', 'access-control-request-method': 'GET' };
    const allowed = await send(service, path, preflight, 'OPTIONS');
    assert.deepEqual([allowed.status, allowed.headers['access-control-allow-origin']], [204, '*'], path);
    const refused = await send(service, path, anonymous, 'DELETE');
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD, OPTIONS'], path);
  }
});

test('health checks answer HTTP/1.0 without Host; an upgrade to h2c is ignored', async () => {
  const service = await startService(folder);
  for (const path of ['/healthz', '/readyz'])
    assert.match(await sendRaw(service, `GET ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /);
  const page = `GET ${PATH} HTTP/1.0\r\nAuthorization: ${AUTHORIZED.authorization}\r\n\r\n`;
  assert.match(await sendRaw(service, page), /^HTTP\/1\.1 400 /);
  const upgrade = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  assert.match(await sendRaw(service, `GET /healthz HTTP/1.1\r\nHost: a.test\r\n${upgrade}\r\n`), /^HTTP\/1\.1 200 /);
});

test('what is refused for its token is logged with its path', async () => {
  const routes: (string | undefined)[] = [];
  const observe = (
    _req: unknown,
    res: { once(name: 'close', then: () => void): void },
    request: { route: string | undefined },
  ) => {
    res.once('close', () => routes.push(request.route));
  };
  const service = await startService(folder, { observe });
  await send(service, PATH, { authorization: undefined });
  await send(service, '/api/v1/none', { authorization: undefined });
  await until(() => routes.length === 2, 'no route is known');
  assert.deepEqual(routes, [PATH, undefined]);
});
