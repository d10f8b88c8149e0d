// Thousands of requests with errors in them, always the same ones.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { dice } from '../support/dice.ts';
import { send } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { collectGarbage } from '../support/processes/collect-garbage.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);

const PATH = '/api/v1/fc/lv0';
const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;

const SEED = 20261121;
/** What 3,000 requests may leave behind: compiled code and full caches, a few KiB for each request that is kept. */
const HEAP_GROWTH_MAX_BYTES = 16 * 1024 * 1024;
const SPICES = [
  '\0',
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '%00',
  '%0d%0a',
  '%',
  '%c0%af',
  '../',
  '//',
  '?',
  '&',
  '=',
  '#',
  ';',
  ',',
  ':',
  '"',
  '<',
  '\x80\xff',
  '\u000b',
  'a'.repeat(300),
  '9'.repeat(40),
  '-1',
  'gid-0=',
  'page-size=0',
  'start-at=c_',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: x\r\n',
  'Host: b\r\n',
  'Authorization: Bearer x\r\n',
  'If-None-Match: *\r\n',
  'Accept-Encoding: gzip;q=\r\n',
  'Range: bytes=0-\r\n',
  'X-Forwarded-Host: evil\r\n',
  'HTTP/1.1',
  'HTTP/1.0',
  'GET ',
  '*',
  'http://a',
];

/** Bytes of the heap that are still reachable. */
function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Sends bytes and reads until the connection ends, however it ends. */
function exchange({ url }: { url: string }, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

test('3,000 requests with random errors: answered with 4xx or what they ask for, no page without a token, no 5xx', async () => {
  const limits = { headersMs: 200, requestMs: 400, checkMs: 20, keepAliveMs: 30, idleMs: 2_000 };
  const strict = await startService(folder, { limits });
  const roll = dice(SEED);
  const paths = [
    PATH,
    '/api/v1/geojsonl/lv2',
    '/api/v1/fc/lv1?page-size=1&gid-0=AAA',
    '/api/v1/geojsonl/lv1?start-at=2',
  ];
  const methods = ['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'];
  const seen = new Map<string, number>();
  const one = async (): Promise<void> => {
    const withToken = roll(3) === 0;
    let request = `${methods[roll(methods.length)]} ${paths[roll(paths.length)]} HTTP/1.1\r\nHost: a.test\r\n`;
    request += `${withToken ? TOKEN : ''}Accept-Encoding: ${roll(2) ? 'gzip' : 'identity'}\r\n`;
    request += `${roll(2) ? 'Connection: close\r\n' : ''}\r\n`;
    for (let n = roll(4); n > 0; n--) {
      const at = roll(request.length);
      const spice = SPICES[roll(SPICES.length)] ?? '';
      const cut = roll(3) === 0 ? roll(20) : 0;
      request = request.slice(0, at) + spice + request.slice(at + cut);
    }
    if (roll(10) === 0) request = request.slice(0, roll(request.length));
    if (roll(10) === 0) request += request;
    const text = await exchange(strict, Buffer.from(request, 'latin1'));
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status ?? '');
    if (text !== '' && statuses.length === 0) assert.fail(`no HTTP: ${JSON.stringify(text.slice(0, 100))}`);
    for (const status of statuses) {
      seen.set(status, (seen.get(status) ?? 0) + 1);
      assert.ok(Number(status) < 500, `${status} for ${JSON.stringify(request)}`);
    }
    if (withToken) return;
    assert.doesNotMatch(text, /"type":"Feature|\r\nBoundaries-|\r\nETag:/, JSON.stringify(request));
    assert.ok(!text.includes('\x1f\x8b'), JSON.stringify(request));
    for (const status of statuses) assert.notEqual(status, '304');
  };
  const before = heapInUse();
  let left = 3_000;
  const client = async (): Promise<void> => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: 100 }, client));
  assert.equal((await send(strict, '/healthz')).status, 200);
  assert.ok(
    (seen.get('200') ?? 0) > 100 && (seen.get('401') ?? 0) > 500 && (seen.get('400') ?? 0) > 200,
    [...seen].join(' '),
  );
  const grown = heapInUse() - before;
  assert.ok(grown < HEAP_GROWTH_MAX_BYTES, `${grown} bytes more are in use`);
  assert.deepEqual(strict.log, []);
});
