// Guards: what one client does cannot cost others their answers. Slow readers, clients that have gone, what never
// waits, and what is asked of the files of a damaged release.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pagePath, releasePath } from '../../format/layout.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { heldService } from '../support/http/held-service.ts';
import { openConnection, rawGet, refusal, send } from '../support/http/http-client.ts';
import {
  AUTHORIZED,
  authorizedWith,
  type RunningService,
  type ServiceOptions,
  startService,
} from '../support/http/in-process-proxy.ts';
import { buildCountries } from '../support/releases/build-release.ts';
import { enlargeFeature, enlargePage } from '../support/releases/large-page.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const folder = await buildCountries();
const large = await buildCountries({ storedPages: 'all' });
const { page } = enlargePage(large, 8 * MIB);
const PATH = '/api/v1/fc/lv0';
const GZIP = { 'accept-encoding': 'gzip' };
const HELD = { totalBytes: 16 * MIB, clientBytes: 4 * MIB, paceMs: 10_000, checkMs: 2_500 };

/** Headers of a client of a service with tokens, or of a public one: an address, here of a /64 that is its own. */
async function headersOf(name: 'alice' | 'bob', isPublic = false): Promise<Record<string, string>> {
  if (!isPublic) return { ...GZIP, ...(await authorizedWith({ sub: name })) };
  return { ...GZIP, 'x-forwarded-for': name === 'alice' ? '2001:db8::1' : '2001:db8:0:1::1' };
}

/** A connection that asks for the page and reads nothing of it. */
async function slowReader(service: RunningService, headers: Record<string, string>): Promise<Socket> {
  const socket = await openConnection(service);
  socket.on('error', () => {}).pause();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`);
  return socket;
}

function slowReaders(count: number, service: RunningService, headers: Record<string, string>): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => slowReader(service, headers)));
}

async function assertOneHoldsAlone(options: ServiceOptions): Promise<void> {
  const service = await startService(large, { ...options, held: HELD, time: new VirtualTime() });
  const [alice, bob] = [await headersOf('alice', options.isPublic), await headersOf('bob', options.isPublic)];
  const readers = await slowReaders(16, service, alice);
  await until(async () => (await send(service, PATH, alice)).status === 503, 'alice may hold all');
  refusal(await send(service, PATH, alice), 503, 'overloaded');
  for (let i = 0; i < 6; i++) {
    const whole = await send(service, PATH, bob);
    assert.deepEqual([whole.status, whole.body.length], [200, page.length]);
  }
  // What needs no body never waits for what others have not read.
  const head = await send(service, PATH, alice, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal((await send(service, PATH, { ...alice, 'if-none-match': head.headers.etag })).status, 304);
  assert.equal((await send(service, '/healthz')).status, 200);
  for (const reader of readers) reader.destroy();
  await until(async () => (await send(service, PATH, alice)).status === 200, 'bytes stay counted');
}

test('a client with many connections that do not read gets 503, and nobody else does', () => assertOneHoldsAlone({}));

test('of a public service an address with many connections that do not read gets 503, and no other does', () =>
  assertOneHoldsAlone({ isPublic: true, trustProxy: ['127.0.0.1'] }));

test('connections that take nothing make room as soon as another client needs it', async () => {
  const time = new VirtualTime();
  const service = await startService(large, { held: HELD, time });
  const served = new Set<Socket>();
  service.server.on('connection', (socket: Socket) => served.add(socket));
  // What the operating system takes, it takes in the next turns.
  const isStalled = (): boolean =>
    [...served].every(({ destroyed, writableLength }) => destroyed || writableLength > 0);
  const readers = await Promise.all(
    Array.from({ length: 16 }, async (_, i) => {
      return slowReader(service, { ...GZIP, ...(await authorizedWith({ sub: `idle ${i}` })) });
    }),
  );
  await until(() => service.heldBytes() >= 16 * MIB, 'there is room');
  const bob = await headersOf('bob');
  const own = await slowReader(service, bob);
  await once(own, 'readable');
  let looks = 0;
  await until(() => {
    looks = isStalled() ? looks + 1 : 0;
    return looks > 5;
  }, 'a client that reads nothing takes all');
  await time.pass(HELD.checkMs);
  await time.pass(HELD.paceMs / 5);
  // By this body bob holds more than any other client.
  assert.equal((await send(service, PATH, bob)).status, 200);
  for (const socket of [own, ...readers]) socket.destroy();
});

test('connections that take nothing, or a byte from time to time, are cut while others are refused, and only then', async () => {
  const time = new VirtualTime();
  const service = await startService(large, { held: HELD, time });
  const alice = await headersOf('alice');
  const first = await slowReader(service, alice);
  await until(() => service.heldBytes() > 0, 'nothing is held');
  await time.pass(10 * HELD.paceMs);
  assert.equal(service.heldBytes(), MIB);
  const others = await slowReaders(8, service, alice);
  await until(async () => (await send(service, PATH, alice)).status === 503, 'none is refused');
  await until(async () => {
    for (const socket of others.slice(4)) socket.read(1);
    await time.pass(HELD.paceMs / 2);
    return (await send(service, PATH, alice)).status === 200;
  }, 'slow connections stay');
  for (const socket of [first, ...others]) socket.destroy();
});

test('what a client has not taken yet stays as it is while others are answered', async () => {
  const wide = await buildCountries();
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
  const socket = (await openConnection(service)).pause();
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
  const gone = await slowReader(service, AUTHORIZED);
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
  const damaged = await buildCountries({ storedPages: 'all' });
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
  const [before, begun] = [descriptions, performance.now()];
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(service, PATH, GZIP)));
  for (const answer of answers) refusal(answer, 502, 'origin-damaged');
  const seconds = Math.ceil((performance.now() - begun) / 1000);
  assert.ok(descriptions - before <= seconds + 1, `${descriptions - before} in ${seconds} s`);
});
