// Limits: of each client, by the subject of its token; of all work together; and of what is remembered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkQueue } from '../../../proxy/guards/work-queue.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { type Origin, QueuedReads } from '../../../proxy/origin/origin.ts';
import { Connection } from '../../simulation/connection.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { heldService } from '../../support/http/held-service.ts';
import { type Answer, rawGet, refusal, send, sendRaw } from '../../support/http/http-client.ts';
import { authorizedWith, startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { turnsDuring } from '../../support/turns-during.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries({ cells: true });
const PATH = '/api/v1/fc/lv1';

const as = async (sub: string) => ({ 'accept-encoding': 'gzip', ...(await authorizedWith({ sub })) });

test('a client beyond its rate gets 429 with the fields of the draft, other clients do not', async () => {
  const unlimited = await send(await startService(folder), PATH);
  assert.ok(!Object.keys(unlimited.headers).some((name) => name.startsWith('ratelimit')));
  const rules = { rate: { requests: 3, windowSeconds: 60 }, concurrency: undefined };
  const service = await startService(folder, { rules });
  const alice = await as('alice');
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await send(service, PATH, alice);
    assert.equal(status, 200);
    assert.equal(headers['ratelimit-policy'], '"rate";q=3;w=60');
    assert.match(String(headers['ratelimit']), new RegExp(`^"rate";r=${remaining};t=([1-9]|[1-5][0-9]|60)$`));
  }
  const refused = await send(service, PATH, alice);
  refusal(refused, 429, 'too-many-requests');
  assert.match(String(refused.headers['ratelimit']), /^"rate";r=0;t=\d+$/);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal((await send(service, PATH, await as('bob'))).status, 200);
  assert.equal((await send(service, '/healthz', alice)).status, 200);
});

test('of a public service what caches keep for everybody says nothing of the limits of one client', async () => {
  const rules = { rate: { requests: 8, windowSeconds: 60 }, concurrency: undefined };
  const open = await startService(folder, { rules, isPublic: true });
  const path = '/api/v1/fc/lv0?page-size=1';
  const page = await send(open, path);
  const next = new URL(/<([^>]*)>/.exec(String(page.headers.link))?.[1] ?? '');
  const etag = String(page.headers.etag);
  const ask = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(open, target, headers, method);
  const [range, download] = [{ range: 'bytes=0-0' }, '/api/v1/download/lv0.geojsonl.gz'];
  const kept = [page, await ask(path, { 'if-none-match': etag }), await ask(path, {}, 'HEAD')];
  kept.push(await ask(next.pathname + next.search), await ask(download, range));
  const own = [await ask('/api/v1/fc/lv9'), await ask(path, { 'if-match': '"x"' }), await ask(path, {}, 'OPTIONS')];
  own.push(await ask(path));
  const saysLimits = ({ headers }: Answer) =>
    [headers['ratelimit-policy'], headers.ratelimit].map((field) => field !== undefined);
  assert.deepEqual(
    kept.map(({ status }) => status),
    [200, 304, 200, 200, 206],
  );
  assert.deepEqual(
    own.map(({ status }) => status),
    [404, 412, 204, 429],
  );
  for (const answer of kept) assert.deepEqual(saysLimits(answer), [false, false], `${answer.status}`);
  for (const answer of own) assert.deepEqual(saysLimits(answer), [true, true], `${answer.status}`);
});

test('a client beyond its rate is admitted again in the next window, and not before', async (t) => {
  const rules = { rate: { requests: 1, windowSeconds: 60 }, concurrency: undefined };
  const service = await startService(folder, { rules });
  const alice = await as('alice');
  const isAdmitted = async (): Promise<boolean> => (await send(service, PATH, alice)).status === 200;
  const clock = { ms: performance.now() };
  t.mock.method(performance, 'now', () => clock.ms);
  assert.ok(await isAdmitted());
  clock.ms += 59_000;
  for (let i = 0; i < 3; i++) assert.ok(!(await isAdmitted()));
  clock.ms += 2_000;
  // lru-cache looks at the clock once a millisecond.
  await until(isAdmitted, 'not admitted again');
});

test('a client beyond its number of requests in progress gets 429, and is admitted when one has ended', async () => {
  const { service, reads, release } = await heldService(folder, { rules: { rate: undefined, concurrency: 2 } });
  const alice = await as('alice');
  const running = ['/api/v1/fc/lv0', '/api/v1/fc/lv2'].map((path) => send(service, path, alice));
  await until(() => reads() === 2, 'nothing is read');
  const refused = await send(service, PATH, alice);
  refusal(refused, 429, 'too-many-requests');
  assert.equal(refused.headers['ratelimit-policy'], '"concurrency";q=2;qu="concurrent-requests"');
  const other = send(service, PATH, await as('bob'));
  release();
  for (const answer of await Promise.all([...running, other])) assert.equal(answer.status, 200);
  // Also after a request without a page.
  assert.equal((await send(service, '/api/v1/fc/lv9', alice)).status, 404);
  for (let i = 0; i < 3; i++) assert.equal((await send(service, PATH, alice)).status, 200);
});

test('a pipelined request begins after the one before it has ended: it is within a limit of one in progress', async () => {
  const service = await startService(folder, { rules: { rate: undefined, concurrency: 1 } });
  const { authorization } = await as('alice');
  const more = (i: number): string => (i === 9 ? 'Connection: close\r\n' : '');
  const requests = Array.from({ length: 10 }, (_, i) => rawGet(PATH, authorization, more(i)));
  const text = await sendRaw(service, requests.join(''));
  assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 10);
});

test('work beyond the queue gets 503 with Retry-After, health checks do not', async () => {
  const { service, reads, release } = await heldService(folder, { work: { running: 1, waiting: 2 } });
  const first = send(service, '/api/v1/fc/lv0');
  await until(() => reads() === 1, 'nothing is read');
  const refused: Answer[] = [];
  const answers = Array.from({ length: 6 }, async (_, i) => {
    const answer = await send(service, `${PATH}?start-at=${i}&page-size=1`);
    if (answer.status === 503) refused.push(answer);
  });
  await until(() => refused.length === 4, 'the queue is not full');
  refused.push(await send(service, PATH));
  assert.equal((await send(service, '/healthz')).status, 200);
  assert.equal(reads(), 1);
  release();
  assert.equal((await first).status, 200);
  await Promise.all(answers);
  assert.equal(refused.length, 5);
  for (const answer of refused) {
    refusal(answer, 503, 'overloaded');
    assert.equal(answer.headers['retry-after'], '1');
  }
});

test('a client gets 503 beyond the bytes that all may hold until a response has ended, another one does not', async () => {
  // A response counts at least 64 KiB: there is room for three. Of one client's own bytes guards.test.ts has more.
  const held = { totalBytes: 3 * 64 * 1024, clientBytes: 1e9, paceMs: 60_000, checkMs: 60_000 };
  const { service, reads, release } = await heldService(folder, { held });
  const [alice, bob] = [await as('alice'), await as('bob')];
  const first = [0, 1, 2].map((level) => send(service, `/api/v1/fc/lv${level}`, alice));
  await until(() => reads() === 3, 'nothing is read');
  const path = '/api/v1/geojsonl/lv2';
  const refused = await send(service, path, alice);
  refusal(refused, 503, 'overloaded');
  assert.equal(refused.headers['retry-after'], '1');
  const other = send(service, path, bob);
  await until(() => reads() === 4, 'the other client waits');
  release();
  for (const answer of await Promise.all([...first, other])) assert.equal(answer.status, 200);
  assert.equal((await send(service, path, alice)).status, 200);
});

test('what waits for clients that have gone leaves the queue at once', async () => {
  const queue = new WorkQueue({ running: 1, waiting: 2 });
  let release = (): void => {};
  const first = queue.run('many', () => new Promise<void>((resolve) => (release = resolve)));
  await new Promise((resolve) => setImmediate(resolve));
  const gone = new AbortController();
  const left = [1, 2].map(() => queue.run('many', () => assert.fail('begun for nobody'), gone.signal));
  const nothing = (): void => {};
  await assert.rejects(queue.run('many', nothing), { code: 'overloaded' });
  gone.abort();
  const later = queue.run('many', nothing, gone.signal);
  for (const task of [...left, later]) await assert.rejects(task, { name: 'ClientGone' });
  const next = queue.run('many', () => 'done');
  release();
  await first;
  assert.equal(await next, 'done');
});

test('a request that waits for its turn waits no longer when its client has gone', async () => {
  const queue = new WorkQueue();
  const answered: string[] = [];
  const many = Array.from({ length: 1000 }, () => queue.wait('many').then(() => answered.push('many')));
  const gone = new AbortController();
  const left = queue.wait('many', gone.signal).then(() => answered.push('left'));
  gone.abort();
  await left;
  assert.ok(answered.length < 100, `after ${answered.length} of ${many.length}`);
  await Promise.all(many);
});

test('tasks that arrive in one turn of the event loop are not begun all at once', async () => {
  const queue = new WorkQueue({ running: 2, waiting: 10 });
  let [running, most] = [0, 0];
  const task = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  };
  await Promise.all(Array.from({ length: 8 }, () => queue.run('', task)));
  assert.equal(most, 2);
});

test('a task of another client is next after one of the client with many, which alone is refused', async () => {
  const queue = new WorkQueue({ running: 1, waiting: 100 });
  const done: string[] = [];
  const task = (principal: string) => async () => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push(principal);
  };
  const many = Array.from({ length: 200 }, () => queue.run('many', task('many')));
  const others = ['a', 'b', 'c'].map((principal) => queue.run(principal, task(principal)));
  const refused = (await Promise.allSettled(many)).filter(({ status }) => status === 'rejected');
  await Promise.all(others);
  // One of them ran and had left its place.
  assert.equal(refused.length, 99);
  assert.deepEqual(done.slice(0, 8), ['many', 'many', 'a', 'b', 'c', 'many', 'many', 'many']);
});

test('a request of another client is next after one of a client with thousands', async () => {
  const queue = new WorkQueue();
  const answered: string[] = [];
  const wait = async (principal: string): Promise<void> => {
    await queue.wait(principal);
    answered.push(principal);
  };
  const all = Array.from({ length: 2000 }, () => wait('many'));
  assert.equal(queue.next('many'), false);
  all.push(wait('other'));
  await Promise.all(all);
  assert.equal(answered.length, 2001);
  assert.ok(answered.indexOf('other') <= 1, `after ${answered.indexOf('other')} others`);
});

/** What connections are answered that come in the same turn of the event loop, in the order of their answers. */
async function answersTo(requests: readonly (readonly [name: string, lines: string])[]): Promise<string[]> {
  const done: string[] = [];
  const service = await startService(folder, {
    trustProxy: ['127.0.0.1'],
    observe: (req, res) => res.once('finish', () => done.push(`${req.headers['x-name']} ${res.statusCode}`)),
  });
  const manners = { paceMs: 0, leavesMs: undefined };
  for (const [name, lines] of requests) {
    const request = `GET ${lines}\r\nX-Name: ${name}\r\nHost: a.test\r\nConnection: close\r\n\r\n`;
    service.server.emit('connection', new Connection(new VirtualTime(), request, manners));
  }
  await until(
    () => done.length === requests.length,
    () => `${done.length} answers`,
  );
  return done;
}

test('without a token, too, clients take turns, by address: others are next after hundreds of one', async () => {
  const { authorization } = await as('other');
  const from = (address: string): string => `HTTP/1.1\r\nX-Forwarded-For: 203.0.113.9, ${address}`;
  for (const [path, status] of [
    ['/.well-known/api-catalog', 200],
    ['/nothing', 404],
    [PATH, 401],
  ] as const) {
    const many = Array.from({ length: 600 }, () => ['many', `${path} ${from('198.51.100.1')}`] as const);
    const others = [
      ['address', `${path} ${from('198.51.100.2')}`],
      ['token', `${PATH} HTTP/1.1\r\nAuthorization: ${authorization}`],
    ] as const;
    const done = await answersTo([...many, ...others]);
    for (const other of [`address ${status}`, 'token 200']) {
      const before = done.indexOf(other);
      assert.ok(before !== -1 && before < 300, `${path}: ${other} after ${before}`);
    }
  }
});

test('health checks wait for nobody', async () => {
  const path = '/.well-known/api-catalog HTTP/1.1';
  const many = Array.from({ length: 600 }, () => ['many', path] as const);
  const done = await answersTo([...many, ['alive', '/healthz HTTP/1.1'], ['ready', '/readyz HTTP/1.1']]);
  for (const probe of ['alive 200', 'ready 200']) assert.ok(done.indexOf(probe) < 300, `after ${done.indexOf(probe)}`);
});

/** Milliseconds that keep the event loop busy, more than may be done in a turn of it. */
const SLOW_MS = 4;

/** How many turns the event loop takes while ten tasks that arrive together are done, each of which is slow. */
function turnsOfTen(task: (slow: () => void) => Promise<void>): Promise<number> {
  const slow = (): void => {
    for (const begun = performance.now(); performance.now() - begun < SLOW_MS; );
  };
  return turnsDuring(Promise.all(Array.from({ length: 10 }, () => task(slow))));
}

test('what a request costs counts: of those that take long one is answered in a turn of the event loop', async () => {
  const queue = new WorkQueue();
  const turns = await turnsOfTen((slow) => queue.wait('many').then(slow));
  assert.ok(turns >= 9, `${turns} turns`);
});

test('what tasks do with bytes that arrive at the same time does not keep the event loop from others', async () => {
  const read: Origin['read'] = async () => Buffer.alloc(1);
  const reads = new QueuedReads({ ...directoryOrigin(folder), read }, new WorkQueue());
  const client = { principal: 'one', isClosed: false, exchange: undefined };
  const turns = await turnsOfTen((slow) =>
    reads.later(client, async () => {
      await reads.read('', { offset: 0, length: 1 }, client);
      slow();
    }),
  );
  assert.ok(turns >= 9, `${turns} turns`);
});

test('a client that asks for many points of a static host is refused itself, and others are answered', async () => {
  // Cells, but not their directory, which all clients wait for together.
  const isCell: Parameters<typeof heldService>[2] = (path, extent) =>
    path.endsWith('cells.bin') && typeof extent === 'object' && extent.offset > 0;
  const { service, reads, release } = await heldService(folder, { work: { running: 1, waiting: 1 } }, isCell);
  const [alice, bob] = [await as('alice'), await as('bob')];
  // HEAD: no more than the cell is read.
  const point = (level: number, who: typeof alice) =>
    send(service, `/api/v1/fc/lv${level}?contains=1.5,3.5`, who, 'HEAD');
  const first = point(0, alice);
  await until(() => reads() === 1, 'nothing is read');
  // All her requests for the same cell share one read and one place.
  const asked = [first, ...Array.from({ length: 5 }, () => point(0, alice))];
  // One of two others waits, whichever comes first.
  const two = [point(1, alice), point(2, alice)];
  assert.equal((await Promise.race(two)).status, 503);
  const other = point(2, bob);
  assert.equal((await send(service, '/healthz')).status, 200);
  assert.equal(reads(), 1);
  release();
  for (const answer of await Promise.all([...asked, other])) assert.equal(answer.status, 200);
  const statuses = (await Promise.all(two)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 503]);
  assert.ok(reads() <= 3, `${reads()} cells are read`);
});

test('what is read at once in one turn of the event loop is bounded; the next turn has as much again', async () => {
  const queue = new WorkQueue();
  const counts: number[] = [];
  for (let turns = 0; turns < 20; turns++) {
    let reads = 0;
    while (reads < 1000 && queue.charge(124 * 1024)) reads++;
    counts.push(reads);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // 4 MiB: a read costs 4 kB besides its bytes. In a turn in which this process was kept from running, there are fewer.
  assert.equal(Math.max(...counts), 32, counts.join());
});

test('only ranges of at most 256 KiB are read on the event loop', () => {
  const asked: number[] = [];
  const origin: Origin = { ...directoryOrigin(folder), readNow: (_, { length }) => asked.push(length) > 0 };
  const reads = new QueuedReads(origin, undefined);
  const isNow = (length: number): boolean => reads.now('', { offset: 0, length }, Buffer.alloc(0), 0, true);
  assert.deepEqual([isNow(256 * 1024), isNow(256 * 1024 + 1)], [true, false]);
  assert.deepEqual(asked, [256 * 1024]);
});
