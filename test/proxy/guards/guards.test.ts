// Guards: what one client does cannot cost others their answers. Slow readers, clients that have gone, and what is
// asked of the files of a damaged release. Slow readers are connections in memory: a real one hides how much a client
// has taken, since the operating system takes megabytes for it (slow-clients.ci.ts has some).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pagePath, releasePath } from '../../../format/layout.ts';
import { makeAsset } from '../../../proxy/site/asset.ts';
import { Connection } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { heldService } from '../../support/http/held-service.ts';
import { openConnection, rawGet, refusal, send } from '../../support/http/http-client.ts';
import {
  AUTHORIZED,
  authorizedWith,
  type RunningService,
  type ServiceOptions,
  startService,
} from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { enlargeFeature, enlargePage, lengthenNames } from '../../support/releases/large-page.ts';
import { until } from '../../support/until.ts';
import { watchedFolder, watchedOrigin } from '../../support/watched-origin.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const PATH = '/api/v1/fc/lv0';
const DOWNLOAD = '/api/v1/download/lv0.geojsonl.gz';
const GZIP = { 'accept-encoding': 'gzip' };
/** An eighth of what is usual: an eighth of the connections is enough. */
const HELD = { totalBytes: 16 * MIB, clientBytes: 4 * MIB, paceMs: 10_000, checkMs: 2_500 };
/** Requests of others during an attack. */
const OTHERS = 30;

/** Its first page is remembered when it has been asked for twice. */
const folder = await buildCountries({ storedPages: 'all' });
const { page } = enlargePage(folder, 900 * KIB);
enlargeFeature(folder, 100 * KIB);
/** Its first page is streamed each time. */
const large = await buildCountries({ storedPages: 'all' });
const { page: largePage } = enlargePage(large, 8 * MIB);
enlargeFeature(large, 2 * MIB);

/** A service whose time passes only when a test says so. */
async function startGuarded(out: string, options: ServiceOptions = {}) {
  const time = new VirtualTime();
  return { time, service: await startService(out, { held: HELD, time, ...options }) };
}

const as = async (sub: string): Promise<Record<string, string>> => ({ ...GZIP, ...(await authorizedWith({ sub })) });

interface Reader {
  service: RunningService;
  path: string;
  headers: Readonly<Record<string, string>>;
  time?: VirtualTime;
  /** Milliseconds for each piece; it takes the first one only where it is left out. */
  paceMs?: number;
}

/** Connections that ask for a body, and take it at their pace. */
function slowReaders(
  count: number,
  { service, path, headers, time = new VirtualTime(), paceMs }: Reader,
): Connection[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nConnection: close\r\n${lines.join('')}\r\n`;
  return Array.from({ length: count }, () => {
    const manners = { paceMs: paceMs ?? Number.POSITIVE_INFINITY, leavesMs: undefined };
    const connection = new Connection(time, request, manners);
    connection.on('error', () => {});
    service.server.emit('connection', connection);
    return connection;
  });
}

async function haveBegun(readers: readonly Connection[]): Promise<void> {
  await until(() => readers.every(({ bytesWritten }) => bytesWritten > 0), 'not all are answered');
}

/** While readers hold what they hold, requests of another client, none of which is remembered, are answered. */
async function othersAreAnswered(service: RunningService, readers: readonly Connection[]): Promise<void> {
  const other = await as('other');
  const statuses: number[] = [];
  for (let i = 0; i < OTHERS; i++) {
    const path = i % 15 === 0 ? `${PATH}?${'&'.repeat(i)}` : `/api/v1/geojsonl/lv2?start-at=${i}&page-size=7`;
    statuses.push((await send(service, path, other)).status);
  }
  for (const reader of readers) reader.destroy();
  assert.deepEqual(new Set(statuses), new Set([200]));
  await until(() => service.heldBytes() === 0, 'bytes stay counted');
}

/** Of a public service a client is an address, here of a /64 that is its own. */
type Headers = Record<string, string>;
async function assertOneHoldsAlone(options: ServiceOptions, alice: Headers, bob: Headers) {
  const { service } = await startGuarded(large, options);
  const readers = slowReaders(16, { service, path: PATH, headers: alice });
  await haveBegun(readers);
  refusal(await send(service, PATH, alice), 503, 'overloaded');
  for (let i = 0; i < 6; i++) {
    const whole = await send(service, PATH, bob);
    assert.deepEqual([whole.status, whole.body.length], [200, largePage.length]);
  }
  // What needs no body never waits for what others have not read.
  const head = await send(service, PATH, alice, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal((await send(service, PATH, { ...alice, 'if-none-match': head.headers.etag })).status, 304);
  assert.equal((await send(service, '/healthz')).status, 200);
  for (const reader of readers) reader.destroy();
  await until(async () => (await send(service, PATH, alice)).status === 200, 'bytes stay counted');
}

test('a client with many connections that do not read gets 503, and nobody else does', async () =>
  assertOneHoldsAlone({}, await as('alice'), await as('bob')));

test('of a public service an address with many connections that do not read gets 503, and no other does', () => {
  const from = (address: string) => ({ ...GZIP, 'x-forwarded-for': address });
  const options = { isPublic: true, trustProxy: ['127.0.0.1'] };
  return assertOneHoldsAlone(options, from('2001:db8::1'), from('2001:db8:0:1::1'));
});

test('connections that read nothing of an asset, without a token, fail no request of others', async () => {
  for (const count of [20, 190]) {
    const bytes = randomBytes(count === 20 ? MIB : 100 * KIB);
    const assets = new Map([['/asset.bin', makeAsset('application/octet-stream', bytes)]]);
    const { service } = await startGuarded(folder, { assets });
    const readers = slowReaders(count, { service, path: '/asset.bin', headers: {} });
    await haveBegun(readers);
    // They are in memory anyway.
    assert.equal(service.heldBytes(), 0);
    await othersAreAnswered(service, readers);
  }
});

test('40 connections with one token that read nothing of a remembered page fail no request of others', async () => {
  const { service } = await startGuarded(folder);
  const headers = await as('alice');
  for (let i = 0; i < 2; i++) await send(service, PATH, headers);
  const readers = slowReaders(40, { service, path: PATH, headers });
  await haveBegun(readers);
  // In memory once for all of them: a chunk each is counted, and its client may still ask.
  assert.equal((await send(service, '/api/v1/fc/lv1', headers)).status, 200);
  await othersAreAnswered(service, readers);
});

test('clients that each hold their share fail no request of others', async () => {
  const { service } = await startGuarded(folder);
  const readers: Connection[] = [];
  for (const sub of ['a', 'b', 'c', 'd']) {
    const headers = await as(sub);
    // No target twice: an answer that is remembered is in memory once.
    for (let i = 0; i < 5; i++)
      readers.push(...slowReaders(1, { service, path: `${PATH}?page-size=5${'&'.repeat(i)}`, headers }));
  }
  await until(() => service.heldBytes() > 12 * MIB, 'less is held');
  await othersAreAnswered(service, readers);
});

test('50 clients that read nothing of a body each leave four large bodies at a time to another one', async () => {
  const { service } = await startGuarded(folder);
  const readers: Connection[] = [];
  for (let i = 0; i < 50; i++) {
    const headers = await as(`reader ${i}`);
    readers.push(...slowReaders(1, { service, path: '/api/v1/geojsonl/lv0?page-size=1', headers }));
    // A client of 900 KiB each: what is held is far below all, though the division of it by clients is not.
    if (i < 5) readers.push(...slowReaders(1, { service, path: `${PATH}?page-size=5`, headers }));
  }
  await haveBegun(readers);
  assert.ok(service.heldBytes() > 50 * 100 * KIB, `${service.heldBytes()} bytes are held`);
  const other = await as('other');
  for (let i = 0; i < 10; i++) {
    const paths = [0, 1, 2, 3].map((n) => `${PATH}?page-size=5${'&'.repeat(4 * i + n)}`);
    for (const { status } of await Promise.all(paths.map((path) => send(service, path, other))))
      assert.equal(status, 200);
  }
  for (const reader of readers) reader.destroy();
});

test('a client that reads nothing of many downloads is refused, and fails no request of others', async () => {
  const { service } = await startGuarded(large);
  const headers = await as('alice');
  const readers = slowReaders(8, { service, path: DOWNLOAD, headers });
  await haveBegun(readers);
  assert.equal((await send(service, DOWNLOAD, headers)).status, 503);
  // One byte of a download takes as much memory as all of it.
  assert.equal((await send(service, DOWNLOAD, { ...headers, range: 'bytes=0-0' })).status, 503);
  await othersAreAnswered(service, readers);
  assert.equal((await send(service, DOWNLOAD, headers)).status, 200);
});

test('a client that reads nothing of answers with long names holds no more than any other', async () => {
  const out = await buildCountries({ geometries: ['full', 'none'], cells: true });
  for (const level of [0, 1, 2] as const) lengthenNames(out, level, 900 * KIB);
  const { service } = await startGuarded(out);
  const alice = await as('alice');
  const readers = slowReaders(2, { service, path: '/api/v1/at?point=1.5,3.5', headers: alice });
  await until(() => readers.some(({ bytesWritten }) => bytesWritten > 0), 'none is answered');
  await until(
    () => service.heldBytes() > 3 * 900 * KIB,
    () => `${service.heldBytes()} bytes are held`,
  );
  refusal(await send(service, '/api/v1/at?point=1.5,3.5&', alice), 503, 'overloaded');
  await othersAreAnswered(service, readers);
});

test('connections that take nothing make room as soon as another client needs it', async () => {
  const { service, time } = await startGuarded(large);
  const readers: Connection[] = [];
  for (let i = 0; i < 16; i++) readers.push(...slowReaders(1, { service, path: PATH, headers: await as(`idle ${i}`) }));
  const bob = await as('bob');
  readers.push(...slowReaders(1, { service, path: PATH, headers: bob }));
  await haveBegun(readers);
  assert.ok(service.heldBytes() >= 16 * MIB, 'there is room');
  await time.pass(HELD.checkMs);
  await time.pass(HELD.paceMs / 5);
  // By this body bob holds more than any other client.
  assert.equal((await send(service, PATH, bob)).status, 200);
  for (const reader of readers) reader.destroy();
});

test('connections that take nothing are cut while others are refused, and only then', async () => {
  const { service, time } = await startGuarded(large);
  const alice = await as('alice');
  const first = slowReaders(1, { service, path: PATH, headers: alice });
  await haveBegun(first);
  await time.pass(10 * HELD.paceMs);
  assert.equal(service.heldBytes(), MIB);
  const others = slowReaders(8, { service, path: PATH, headers: alice });
  await until(async () => (await send(service, PATH, alice)).status === 503, 'none is refused');
  await until(async () => {
    await time.pass(HELD.paceMs / 2);
    return (await send(service, PATH, alice)).status === 200;
  }, 'slow connections stay');
  for (const reader of [...first, ...others]) reader.destroy();
});

test('a client that keeps the pace gets all of a body, one that does not is cut off', async () => {
  const held = { totalBytes: MIB, clientBytes: MIB, paceMs: 500, checkMs: 50 };
  const { service, time } = await startGuarded(folder, { held });
  const headers = await as('alice');
  // It is remembered: nothing is read while the time passes.
  for (let i = 0; i < 2; i++) await send(service, PATH, headers);
  // It takes 64 KiB each time.
  for (const paceMs of [100, 200, 2_000]) {
    const [reader] = slowReaders(1, { service, path: PATH, headers, time, paceMs });
    await until(async () => {
      await time.pass(paceMs);
      return reader?.closed === true;
    }, 'it waits without end');
    const { status, body } = reader?.response ?? assert.fail();
    assert.equal(status, 200);
    assert.equal(body.equals(page), paceMs < held.paceMs, `a piece in ${paceMs} ms: ${body.length} bytes`);
    assert.equal(service.heldBytes(), 0, 'bytes stay counted');
  }
});

test('downloads whose pieces come late from a host are not cut: who waits for the service is not slow', async () => {
  const time = new VirtualTime();
  let isLate = false;
  const origin = watchedOrigin(large, () => isLate && time.passed(1.2 * HELD.paceMs));
  const service = await startService(large, { held: HELD, time, origin });
  isLate = true;
  // Of one client, more than half of what it may hold.
  const readers = slowReaders(3, { service, path: DOWNLOAD, headers: await as('alice'), time, paceMs: 0 });
  await until(async () => {
    await time.pass(HELD.checkMs);
    return readers.every(({ closed }) => closed);
  }, 'they wait without end');
  assert.deepEqual(
    readers.map(({ response }) => response?.isWhole),
    [true, true, true],
  );
  assert.equal(service.heldBytes(), 0, 'bytes stay counted');
});

test('what a client has not taken yet stays as it is while others are answered', async () => {
  const { service, time } = await startGuarded(folder);
  const [mine, theirs] = ['/api/v1/geojsonl/lv0?page-size=1', '/api/v1/fc/lv0?page-size=1'];
  const { body } = await send(service, mine, GZIP);
  assert.ok(body.length >= 100 * KIB);
  const [reader] = slowReaders(1, { service, path: `${mine}&`, headers: await as('slow'), time, paceMs: 1 });
  await until(() => service.heldBytes() > 0, 'nothing is held');
  for (const query of ['', '&', '&&']) await send(service, theirs + query, GZIP);
  await until(async () => {
    await time.pass(1);
    return reader?.closed === true;
  }, 'it waits without end');
  assert.ok(reader?.response?.body.equals(body));
});

test('nothing is read for a client that has gone while its request waited', async () => {
  const { service, reads, release } = await heldService(folder, { work: { running: 1, waiting: 9 } });
  const first = send(service, '/api/v1/fc/lv1', GZIP);
  await until(() => reads() === 1, 'nothing is read');
  const gone = await openConnection(service);
  gone.on('error', () => {}).write(rawGet(PATH, AUTHORIZED.authorization));
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
  let descriptions = 0;
  const origin = watchedFolder(damaged, (path) => path.endsWith('release.json') && descriptions++);
  const service = await startService(damaged, { origin });
  const [before, begun] = [descriptions, performance.now()];
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(service, PATH, GZIP)));
  for (const answer of answers) refusal(answer, 502, 'origin-damaged');
  const seconds = Math.ceil((performance.now() - begun) / 1000);
  assert.ok(descriptions - before <= seconds + 1, `${descriptions - before} in ${seconds} s`);
});
