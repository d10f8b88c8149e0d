// Limits: of each client, by the subject of its token; of all work together; and of what is remembered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RankedRuns } from '../../format/ranked-runs.ts';
import type { Runs } from '../../format/runs.ts';
import { intersectRuns, rankOf, sliceRuns, valueAt } from '../../format/runs.ts';
import { FilterMatches } from '../../proxy/pages/filter-matches.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { heldService } from '../support/http/held-service.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { startService, token } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);
const PATH = '/api/v1/fc/lv1';

const as = async (sub: string): Promise<{ authorization: string }> => ({
  authorization: `Bearer ${await token({ sub })}`,
});

test('a client beyond its rate gets 429 with the fields of the draft, other clients do not', async () => {
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
  for (let i = 0; i < 5; i++) assert.equal((await send(service, PATH, alice)).status, 200);
});

test('without limits no answer names any', async () => {
  const { headers } = await send(await startService(folder), PATH);
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('ratelimit')),
    [],
  );
});

test('work beyond the queue gets 503 with Retry-After, health checks and cached responses do not', async () => {
  const { service, reads, release } = await heldService(folder, { work: { running: 1, waiting: 2, heldBytes: 1e9 } });
  const paths = Array.from({ length: 12 }, (_, i) => `/api/v1/fc/lv1?start-at=${i}&page-size=1`);
  const first = send(service, '/api/v1/fc/lv0');
  await until(() => reads() === 1, 'nothing is read');
  const answers = paths.map((path) => send(service, path));
  await until(async () => (await send(service, PATH)).status === 503, 'the queue is not full');
  assert.equal((await send(service, '/healthz')).status, 200);
  release();
  assert.equal((await first).status, 200);
  const settled = await Promise.all(answers);
  const refused = settled.filter(({ status }) => status === 503);
  assert.ok(refused.length >= 8, `${refused.length}`);
  for (const answer of refused) {
    refusal(answer, 503, 'overloaded');
    assert.equal(answer.headers['retry-after'], '1');
  }
});

test('bodies beyond the bytes that may be held get 503 until a response has ended', async () => {
  const { service, reads, release } = await heldService(folder, { work: { running: 9, waiting: 9, heldBytes: 900 } });
  const first = send(service, '/api/v1/fc/lv0', { 'accept-encoding': 'gzip' });
  await until(() => reads() === 1, 'nothing is read');
  const path = '/api/v1/fc/lv2';
  await until(async () => (await send(service, path)).status === 503, 'bytes are not counted');
  release();
  assert.equal((await first).status, 200);
  assert.equal((await send(service, '/api/v1/fc/lv0', { 'accept-encoding': 'gzip' })).status, 200);
});

test('clients that ask for the same slice at the same time share one read', async () => {
  const { service, reads, release } = await heldService(folder, {});
  const path = '/api/v1/geojsonl/lv1?page-size=2&start-at=2';
  const answers = Array.from({ length: 50 }, () => send(service, path));
  await until(() => reads() > 0, 'nothing is read');
  // Connections are accepted in order: the others are in progress by now.
  await send(service, '/healthz');
  release();
  const texts = (await Promise.all(answers)).map(({ status, body }) => `${status} ${body}`);
  assert.match(texts[0] ?? '', /^200 /);
  assert.equal(new Set(texts).size, 1);
  assert.equal(reads(), 1);
});

test('a bounded number of reads is in progress at a time, and all clients get their page', async () => {
  const { service, reads, release } = await heldService(folder, { work: { running: 4, waiting: 100, heldBytes: 1e9 } });
  const paths = ['geojsonl', 'fc'].flatMap((format) =>
    [1, 2, 3, 4].map((start) => `/api/v1/${format}/lv2?page-size=2&start-at=${start}`),
  );
  const answers = paths.map((path) => send(service, path));
  await until(
    () => reads() === 4,
    () => `${reads()} reads`,
  );
  await send(service, '/healthz');
  assert.equal(reads(), 4);
  release();
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]));
  assert.ok(reads() >= paths.length);
});

/** Alternating runs of one number each, beginning with `first`, that count how many numbers are read of them. */
function countedRuns(first: number, runs: number): { runs: Runs; reads(): number } {
  let reads = 0;
  const list = Array.from({ length: 2 * runs }, (_, i) => (i % 2 === 0 ? first + 2 * i : 1));
  const counted = new Proxy(list, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
      return Reflect.get(target, name);
    },
  });
  return { runs: counted, reads: () => reads };
}

test('an intersection with a small set does not read all of a large one', () => {
  const { runs, reads } = countedRuns(0, 50_000);
  const small = [4, 1, 100_000, 9, 199_990, 5];
  assert.deepEqual(intersectRuns(runs, small), [4, 1, 100_000, 1, 100_004, 1, 100_008, 1, 199_992, 1]);
  assert.ok(reads() < 500, `${reads()}`);
});

test('ranked runs answer as runs do, and read a few numbers of them', () => {
  const { runs, reads } = countedRuns(3, 50_000);
  const ranked = new RankedRuns(runs);
  const plain = Array.from(runs);
  const before = reads();
  for (const value of [0, 3, 4, 7, 100_003, 100_005, 199_999, 10 ** 9]) {
    assert.equal(ranked.rankOf(value), rankOf(plain, value), `${value}`);
    assert.equal(ranked.valueAt(value), valueAt(plain, value), `${value}`);
    assert.deepEqual(ranked.slice(value, 3), sliceRuns(plain, value, 3), `${value}`);
  }
  assert.ok(reads() - before < 1500, `${reads() - before}`);
  const many = new RankedRuns([2, 3, 9, 1, 20, 5]);
  for (let value = 0; value < 30; value++) {
    assert.equal(many.rankOf(value), rankOf(many.runs, value));
    assert.equal(many.valueAt(value), valueAt(many.runs, value));
    for (let limit = 0; limit < 12; limit++)
      assert.deepEqual(many.slice(value, limit), sliceRuns(many.runs, value, limit));
  }
  assert.deepEqual(
    [new RankedRuns([]).rankOf(5), new RankedRuns([]).valueAt(0), new RankedRuns([]).slice(0, 9)],
    [0, undefined, []],
  );
});

test('what a filter over a parent with many runs matches is computed once, and what is remembered is bounded', async () => {
  const { releases } = await startService(folder);
  const level = await releases.current?.level(2);
  assert.ok(level);
  let computed = 0;
  const covers = {
    count: 1,
    begins: new Int32Array(),
    runs: new Int32Array(),
    sizeOf: () => 400,
    at: () => {
      computed++;
      return Array.from({ length: 800 }, (_, i) => (i % 2 === 0 ? 2 * i : 1));
    },
  };
  const gids = { length: 9, at: String, find: () => 0 };
  const alternating = { ...level, manifest: { ...level.manifest, columns: [{ gids, covers }] } };
  const matches = new FilterMatches(2000);
  for (let i = 0; i < 10; i++) {
    const { positions } = matches.of('digest', alternating as unknown as typeof level).find([{ column: 0, gid: 'A' }]);
    assert.equal(positions.count, 400);
  }
  assert.ok(computed <= 2, `${computed}`);
  for (let i = 0; i < 10; i++) {
    matches.of(`digest ${i}`, alternating as unknown as typeof level).find([{ column: 0, gid: 'A' }]);
    assert.ok(matches.size <= 2000);
  }
});
