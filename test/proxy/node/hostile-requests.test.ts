// Hostile and unlucky clients over raw sockets: what they send is refused in so many words, nothing of a page is given
// without a token, and the process lives on with what memory it had.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send, sendRaw } from '../../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';

const folder = await buildCountries();
const proxy = await startService(folder);

const PATH = '/api/v1/fc/lv0';
const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;
const HOST = 'Host: a.test\r\n';
const CLOSE = 'Connection: close\r\n';

/** Status and problem code of a raw answer: exactly one, after which the connection was closed. */
function refusalIn(text: string): [number, string | undefined] {
  assert.equal(text.match(/HTTP\/1\.1 \d/g)?.length, 1, text.slice(0, 500));
  assert.doesNotMatch(text, /"Feature/);
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  return [Number(text.slice(9, 12)), body.startsWith('{') ? JSON.parse(body).code : undefined];
}

test('bodies, Transfer-Encoding and Expect are refused, and the connection is closed', async () => {
  const body = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  const extras: [string, number, string][] = [
    [`Content-Length: ${body.length}\r\n\r\n${body}`, 400, 'body-refused'],
    ['Content-Length: 5\r\n\r\n', 400, 'body-refused'],
    [`Content-Length: 00\r\n\r\n${body}`, 400, 'body-refused'],
    [`Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${body}`, 400, 'body-refused'],
    [`Transfer-Encoding: chunked\r\n\r\nfffffff\r\n${body}`, 400, 'body-refused'],
    ['Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 400, 'body-refused'],
    ['Expect: 100-continue\r\n\r\n', 417, 'expectation-refused'],
    ['Expect: 100-continue\r\nContent-Length: 5\r\n\r\n', 400, 'body-refused'],
    ['Expect: something\r\n\r\n', 417, 'expectation-refused'],
  ];
  for (const [extra, status, code] of extras) {
    const known = await sendRaw(proxy, `GET ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}${extra}`);
    assert.deepEqual(refusalIn(known), [status, code], extra);
    assert.match(known, /\r\nConnection: close\r\n/i);
    // Who asks is looked at first: without a token nothing else is told.
    const unknown = await sendRaw(proxy, `GET ${PATH} HTTP/1.1\r\n${HOST}${extra}`);
    assert.deepEqual(refusalIn(unknown), [401, 'token-missing'], extra);
    const open = await sendRaw(proxy, `GET /healthz HTTP/1.1\r\n${HOST}${extra}`);
    assert.deepEqual(refusalIn(open), [status, code], extra);
  }
  const post = await sendRaw(proxy, `POST ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}Content-Length: 2\r\n\r\n{}`);
  assert.deepEqual(refusalIn(post), [405, 'method-not-allowed']);
});

test('what could be read as two requests is read as none', async () => {
  const second = `GET ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}\r\n`;
  const starts = [
    'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n',
    'Content-Length: 0\r\nContent-Length: 40\r\n\r\n',
    'Content-Length: 0x0\r\n\r\n',
    'Content-Length : 0\r\n\r\n',
    'Transfer-Encoding: xchunked\r\n\r\n',
    'Transfer-Encoding: chunked, identity\r\n\r\n',
    'Transfer-Encoding:\tchunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
    'X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'X: a\nTransfer-Encoding: chunked\n\n0\n\n',
    'X\0: a\r\n\r\n',
  ];
  for (const start of starts) {
    const text = await sendRaw(proxy, `GET /healthz HTTP/1.1\r\n${HOST}${start}${second}`);
    // Nothing is said where the fault is in a body that nobody wanted to read.
    const [status] = text === '' ? [400] : refusalIn(text);
    assert.ok(status >= 400 && status < 500, `${JSON.stringify(start)}: ${status}`);
  }
});

test('targets that are no path of ours are refused or not found, never normalised', async () => {
  const api = (rests: string): string[] => rests.split(' ').map((rest) => `/api/v1/${rest}`);
  const refused = [
    ...['http', 'HTTP', 'https'].map((scheme) => `${scheme}://a.test${PATH}`),
    ...[`https://user@a.test${PATH}`, '*', 'a.test:80', 'api/v1/fc/lv0', '?page-size=1'],
    ...api('fc/lv0?gid-0=%c0%af fc/lv0?gid-0=%00% fc/lv0?access_token=a.b.c fc/lv0??page-size=1'),
  ];
  const unknownPaths = [
    ...api('fc/../fc/lv0 fc/lv0/ fc/lv0/.. fc/lv0;a=b fc%2flv0 fc/lv%30 fc/%2e%2e/fc/lv0 fc/..%2ffc/lv0 FC/lv0 fc/LV0'),
    ...api('fc/%c0%ae%c0%ae/fc/lv0 fc/%e0%80%ae/lv0 fc/lv0%00 fc/lv0%0d%0aX:%20a fc/lv0%20 fc/lv0\\ fc/lv0#a fc/lv6'),
    ...api('fc/constructor __proto__/lv0 fc fc/ fc/lv00 geojson/lv0 fc/%6cv0 ../v1/fc/lv0 names/ names/lv6'),
    ...['//api/v1/fc/lv0', '/api//v1/fc/lv0', '/./api/v1/fc/lv0', '/healthz/../api/v1/fc/lv0', '/%61pi/v1/fc/lv0'],
    ...['/API/v1/fc/lv0', '/api\\v1\\fc\\lv0', '/releases/r1/lv0/fc/all/000001.json.gz', '/current.json'],
  ];
  const wrong = [
    ...refused.map((target) => [target, 400] as const),
    ...unknownPaths.map((target) => [target, 404] as const),
  ];
  for (const [target, expected] of wrong) {
    const text = await sendRaw(proxy, `GET ${target} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}\r\n`);
    const [status] = refusalIn(text);
    // A byte that no target may have is refused by the parser already.
    assert.ok(status === expected || (status === 400 && /[\\#]/.test(target)), `${target}: ${status}`);
    const [unknown] = refusalIn(await sendRaw(proxy, `GET ${target} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`));
    assert.ok(unknown === 401 || unknown === expected || unknown === 400, `${target} without a token: ${unknown}`);
    if (target.startsWith('/api/') && !/[\\#]/.test(target)) assert.equal(unknown, 401, target);
  }
});

test('bytes that no request line or header may have get 400, or 401 where they are forgiven', async () => {
  const bytes = [
    `GET ${PATH}\0 HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
    `GET ${PATH} HTTP/1.1\r\nHost: a\0b\r\n\r\n`,
    `GET ${PATH} HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer a\0b\r\n\r\n`,
    '\0\0\0\0\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `GET ${PATH} HTTP/1.1\r\nHo st: a\r\n\r\n`,
    ...[
      `GET  ${PATH} HTTP/1.1`,
      `GET\t${PATH}\tHTTP/1.1`,
      `GET ${PATH} HTTP/2.0`,
      `GET ${PATH} HTTP/1.2`,
      `GET ${PATH}`,
      `get ${PATH} HTTP/1.1`,
      `FROBNICATE ${PATH} HTTP/1.1`,
      `CONNECT ${PATH} HTTP/1.1`,
      'CONNECT a.test:443 HTTP/1.1',
    ].map((line) => `${line}\r\n${HOST}${CLOSE}\r\n`),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `${'\r\n'.repeat(50)}nonsense\r\n\r\n`,
  ];
  for (const request of bytes) {
    const refused = refusalIn(await sendRaw(proxy, Buffer.from(request, 'latin1'))).join();
    const code = request.startsWith('CONNECT') ? 'bad-target' : 'malformed-request';
    assert.ok([`400,${code}`, '401,token-missing'].includes(refused), `${JSON.stringify(request)}: ${refused}`);
  }
});

test('health checks answer HTTP/1.0 without Host; an upgrade to h2c is ignored', async () => {
  const upgrade = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  for (const [request, status] of [
    ['GET /healthz HTTP/1.0\r\n', 200],
    ['GET /readyz HTTP/1.0\r\n', 200],
    [`GET ${PATH} HTTP/1.0\r\n${TOKEN}`, 400],
    [`GET /healthz HTTP/1.1\r\n${HOST}${upgrade}`, 200],
  ] as const)
    assert.equal((await sendRaw(proxy, `${request}\r\n`)).slice(9, 12), `${status}`, request);
});

test('line breaks and odd bytes in values stay in their place', async () => {
  for (const value of ['a%0d%0aSet-Cookie:%20x=y', '%0aLink:%20<x>', 'a%E2%80%A8b', '%00', 'a"><script>']) {
    const query = `${PATH}?gid-0=${value}`.replaceAll('"', '%22').replaceAll('<', '%3C').replaceAll('>', '%3E');
    const text = await sendRaw(proxy, `GET ${query} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}\r\n`);
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(text, /^(Set-Cookie|Link):/im);
  }
  const unknown = await send(proxy, `${PATH}?%0d%0aSet-Cookie:%20x=1`);
  assert.equal(unknown.status, 400);
  assert.equal(unknown.headers['set-cookie'], undefined);
});

test('floods of headers, long names, long values and long targets get 431 or 414', async () => {
  const start = `GET ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}`;
  const many = (count: number, line: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => line(i)).join('');
  const floods: [string, 431 | 414][] = [
    [start + many(201, () => 'a:b\r\n'), 431],
    [start + many(20_000, (i) => `x${i}: y\r\n`), 431],
    [`${start}${'n'.repeat(20_000)}: v\r\n`, 431],
    [`${start}Cookie: ${'c'.repeat(17_000)}\r\n`, 431],
    [`${start}Accept-Encoding: ${'gzip;q=0.1, '.repeat(3_000)}\r\n`, 431],
    [`${start}X-Long: ${'a'.repeat(140_000)}\r\n`, 431],
    [`GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}`, 414],
    [`GET ${PATH}?gid-0=${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}`, 414],
    // Beyond what is read of a request: the target and the headers together.
    [`GET /${'a'.repeat(64 * 1024)} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}`, 431],
    [`GET ${PATH}?${'&'.repeat(64 * 1024)} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}`, 431],
  ];
  for (const [request, status] of floods) {
    const code = status === 414 ? 'uri-too-long' : 'headers-too-large';
    const refused = refusalIn(await sendRaw(proxy, `${request}\r\n`));
    assert.deepEqual(refused, [status, code], `${request.length} ${request.slice(-30)}`);
  }
  // A second token behind thousands of headers is seen as well.
  const hidden = `GET ${PATH} HTTP/1.1\r\n${HOST}${many(150, () => 'a:b\r\n')}${TOKEN}${TOKEN}${CLOSE}\r\n`;
  assert.deepEqual(refusalIn(await sendRaw(proxy, hidden)), [400, 'duplicate-header']);
  for (const query of ['&'.repeat(4_000), `start-at=${'9'.repeat(4_000)}`, `gid-0=${'%41'.repeat(2_000)}`])
    assert.ok((await send(proxy, `${PATH}?${query}`)).status < 500);
});

test('a header above 500 characters is not parsed: it names no coding, entity tag, range or hop', async () => {
  const gzip = { 'accept-encoding': 'gzip' };
  const commas = (items: string, length: number): string => `${','.repeat(length - items.length)}${items}`;
  for (const [path, ranged] of [
    [PATH, false],
    ['/openapi.json', false],
    ['/api/v1/download/lv0.geojsonl.gz', true],
  ] as const) {
    const { headers, body } = await send(proxy, path, gzip);
    const etag = String(headers.etag);
    for (const length of [500, 501, 15_500]) {
      const isRead = length === 500;
      const status = async (asked: Record<string, string>): Promise<number> =>
        (await send(proxy, path, { ...gzip, ...asked })).status;
      assert.equal(await status({ 'if-none-match': commas(etag, length) }), isRead ? 304 : 200, `${path} ${length}`);
      assert.equal(await status({ 'if-match': commas(etag, length) }), isRead ? 200 : 412, `${path} ${length}`);
      const { headers: coded } = await send(proxy, path, { 'accept-encoding': commas('gzip', length) });
      if (!ranged) assert.equal(coded['content-encoding'], isRead ? 'gzip' : undefined, `${path} ${length}`);
      if (ranged) {
        const range = `bytes=${'0'.repeat(length - 8)}-1`;
        const answer = await send(proxy, path, { range });
        assert.deepEqual([answer.status, answer.body.length], isRead ? [206, 2] : [200, body.length]);
      }
    }
  }
  const hops = { trustProxy: ['127.0.0.1'], assets: new Map() };
  const behind = await startService(folder, hops);
  const host = `${'a.'.repeat(120)}test`;
  for (const [said, base] of [
    [{ 'x-forwarded-host': commas('b.test', 7_000), 'x-forwarded-proto': commas('https', 7_000) }, 'https://b.test'],
    [{ 'x-forwarded-host': `${'x'.repeat(600)},${host}` }, `http://${host}`],
  ] as const) {
    const { headers } = await send(behind, `${PATH}?page-size=1`, said);
    assert.ok(String(headers.link).startsWith(`<${base}${PATH}?`), String(headers.link).slice(0, 100));
  }
  for (const length of [501, 15_500])
    assert.equal((await send(behind, PATH, { 'x-forwarded-host': 'a'.repeat(length) })).status, 400);
});

test('headers, and whole requests, that do not come in time get 408', async () => {
  const limits = { headersMs: 150, requestMs: 300, checkMs: 20, keepAliveMs: 65_000, idleMs: 120_000 };
  const strict = await startService(folder, { limits });
  for (const start of ['', 'G', `GET ${PATH} HTTP/1.1\r\n`, `GET ${PATH} HTTP/1.1\r\n${HOST}${TOKEN}X-Slow: a`]) {
    const text = await sendRaw(strict, start);
    assert.deepEqual(refusalIn(text), [408, 'request-timeout'], JSON.stringify(start));
  }
});

test('there is one Host, of at most 255 characters and with a port up to 65535, and one Authorization', async () => {
  const ask = (lines: string) => sendRaw(proxy, `GET ${PATH} HTTP/1.1\r\n${CLOSE}${lines}\r\n`);
  for (const lines of [HOST + TOKEN + TOKEN, `${HOST}host: b.test\r\n${TOKEN}`])
    assert.deepEqual(refusalIn(await ask(lines)), [400, 'duplicate-header']);
  assert.deepEqual(refusalIn(await ask(TOKEN)), [400, 'bad-host']);
  const name = `${'a'.repeat(63)}.`.repeat(4).slice(0, 250);
  const addresses = ['127.0.0.1:8080', '[::1]', '[::1]:443'];
  for (const host of [name, `${name}:8080`, 'a.test:0', 'a.test:65535', 'a_b:80', ...addresses])
    assert.match(await ask(`Host: ${host}\r\n${TOKEN}`), /^HTTP\/1\.1 200 /, host);
  const long = ['a'.repeat(256), `${name}a:8080`, 'a'.repeat(15_000)];
  for (const host of ['', 'a b', 'a/b', 'a.test:x', '"a>', 'u@a', 'a.test:65536', 'a.test:99999', ...long])
    assert.deepEqual(refusalIn(await ask(`Host: ${host}\r\n${TOKEN}`)), [400, 'bad-host'], host.slice(0, 40));
});

test('a first request over https is logged if the links are http, and not with --public-url or --trust-proxy', async () => {
  const https = { 'x-forwarded-proto': 'https' };
  for (const options of [{}, { publicUrl: 'https://p.test' }, { trustProxy: ['10.0.0.0/8'] }]) {
    const service = await startService(folder, options);
    for (let i = 0; i < 3; i++) await send(service, PATH, https);
    assert.equal(service.log.length, Object.keys(options).length === 0 ? 1 : 0, service.log.join(' '));
  }
});
