// A thousand requests with errors in them, points of many digits, and times made of pieces of others: the same ones in
// each run of a slice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { send, sendRaw } from '../../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../../support/http/in-process-proxy.ts';
import { collectGarbage } from '../../support/processes/collect-garbage.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { seedsOf } from '../../support/slice.ts';

const folder = await buildCountries({ cells: true });

const PATH = '/api/v1/fc/lv0';
const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;

const REQUESTS = 1_000;
const CLIENTS = 100;
/** What all requests may leave behind: compiled code and full caches, a few KiB for each request that is kept. */
const HEAP_GROWTH_MAX_BYTES = 16 * 1024 * 1024;
const SPICES = [
  ...'\0|\r\n|\n|\r| |\t|%00|%0d%0a|%|%c0%af|../|//|?|&|=|#|;|,|:|"|<|\x80\xff|\u000b|-1|*|http://a|GET |HTTP/1.0'.split(
    '|',
  ),
  ...'gid-0=|page-size=0|start-at=c_|HTTP/1.1|Content-Length: 5\r\n|Transfer-Encoding: chunked\r\n|Host: b\r\n'.split(
    '|',
  ),
  ...'Expect: 100-continue\r\n|Upgrade: x\r\n|Authorization: Bearer x\r\n|If-None-Match: *\r\n|Range: bytes=0-\r\n'.split(
    '|',
  ),
  ...'Accept-Encoding: gzip;q=\r\n|X-Forwarded-Host: evil\r\n'.split('|'),
  'a'.repeat(300),
  '9'.repeat(40),
];
const PATHS = [PATH, '/api/v1/geojsonl/lv2', '/api/v1/fc/lv1?page-size=1&gid-0=AAA', '/api/v1/geojsonl/lv1?start-at=2'];

/** A request with errors: spices that are put into it, or replace some of it, its end cut off, all of it twice. */
const DAMAGED = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'),
    path: fc.constantFrom(...PATHS),
    hasToken: fc.constantFrom(true, false, false),
    coding: fc.constantFrom('gzip', 'identity'),
    connection: fc.constantFrom('Connection: close\r\n', ''),
    edits: fc.array(fc.record({ at: fc.nat(), spice: fc.constantFrom(...SPICES), cut: fc.constantFrom(0, 0, 3, 15) }), {
      maxLength: 3,
    }),
    kept: fc.oneof(
      { weight: 9, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    ),
    times: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 2),
  })
  .map(({ method, path, hasToken, coding, connection, edits, kept, times }) => {
    const token = hasToken ? TOKEN : '';
    let text = `${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${token}Accept-Encoding: ${coding}\r\n${connection}\r\n`;
    for (const { at, spice, cut } of edits) {
      const place = at % text.length;
      text = text.slice(0, place) + spice + text.slice(place + cut);
    }
    return { text: text.slice(0, Math.ceil(text.length * kept)).repeat(times), hasToken };
  });

function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('1,000 requests with random errors: answered with 4xx or what they ask for, no page without a token, no 5xx', async () => {
  // Those for requests, of which the end is cut off, leave good ones time on a busy machine.
  const limits = { headersMs: 2_000, requestMs: 4_000, checkMs: 20, keepAliveMs: 30, idleMs: 10_000 };
  const strict = await startService(folder, { limits });
  const seen = new Map<string, number>();
  const ask = async ({ text: request, hasToken }: { text: string; hasToken: boolean }): Promise<void> => {
    // A connection may end without an answer.
    const text = await sendRaw(strict, Buffer.from(request, 'latin1')).catch(() => '');
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status ?? '');
    if (text !== '' && statuses.length === 0) assert.fail(`no HTTP: ${JSON.stringify(text.slice(0, 100))}`);
    for (const status of statuses) {
      seen.set(status, (seen.get(status) ?? 0) + 1);
      assert.ok(Number(status) < 500, `${status} for ${JSON.stringify(request)}`);
    }
    if (hasToken) return;
    assert.ok(!text.includes('\x1f\x8b'), JSON.stringify(request));
    assert.doesNotMatch(text, /"type":"Feature|\r\nBoundaries-|\r\nETag:|HTTP\/1\.1 304 /, JSON.stringify(request));
  };
  const before = heapInUse();
  const requests = seedsOf(1)
    .flatMap((seed) => fc.sample(DAMAGED, { seed, numRuns: REQUESTS }))
    .values();
  const client = async (): Promise<void> => {
    for (const request of requests) await ask(request);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  assert.equal((await send(strict, '/healthz')).status, 200);
  const [ok = 0, unauthorized = 0, bad = 0] = ['200', '401', '400'].map((status) => seen.get(status));
  assert.ok(ok > 30 && unauthorized > 150 && bad > 60, [...seen].join(' '));
  // What this test itself is told of each request.
  strict.requests.length = 0;
  const grown = heapInUse() - before;
  assert.ok(grown < HEAP_GROWTH_MAX_BYTES, `${grown} bytes more are in use`);
  assert.deepEqual(strict.log, []);
});

const POINTS = 150;

/**
 * A number of many digits around the end of latitudes or longitudes, where doubles are coarser than what is written.
 */
const DECIMAL = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.constantFrom('89', '90', '179', '180'),
    digit: fc.constantFrom('0', '9'),
    digits: fc.integer({ min: 0, max: 30 }),
    last: fc.constantFrom('0', '1', '9'),
  })
  .map(({ sign, whole, digit, digits, last }) => `${sign}${whole}.${digit.repeat(digits)}${last}`);

function isBeyond(text: string, most: number): boolean {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  return Number(whole) > most || (Number(whole) === most && /[1-9]/.test(fraction));
}

test('points of many digits around 90 and 180 are taken or refused by what is written, never by what it rounds to', async () => {
  const service = await startService(folder);
  const latitudes = fc.oneof(fc.constantFrom('10', '-10'), DECIMAL);
  for (const [longitude, latitude] of seedsOf(1).flatMap((seed) =>
    fc.sample(fc.tuple(DECIMAL, latitudes), { seed, numRuns: POINTS }),
  ))
    for (const path of ['/api/v1/at?point=', '/api/v1/geojsonl/lv0?contains=']) {
      const { status } = await send(service, `${path}${longitude},${latitude}`);
      assert.equal(status, isBeyond(longitude, 180) || isBeyond(latitude, 90) ? 400 : 200, `${longitude},${latitude}`);
    }
  assert.deepEqual(service.log, []);
});

const DATETIMES = 200;
const PIECES = ['2026-11-23', '2016-12-31', 'T23:59', 'Tx', 't', ':60', ':5', 'Z', 'z', '-', '+01:00', '..', '/', '.5'];

test('a datetime of pieces of valid ones is taken or refused, and nothing is logged', async () => {
  const service = await startService(folder);
  const texts = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  for (const text of seedsOf(1).flatMap((seed) => fc.sample(texts, { seed, numRuns: DATETIMES }))) {
    const path = `/api/v1/ogc/collections/lv0/items?limit=1&datetime=${encodeURIComponent(text)}`;
    const { status } = await send(service, path);
    assert.ok(status === 200 || status === 400, `${status} for ${text}`);
  }
  assert.deepEqual(service.log, []);
});
