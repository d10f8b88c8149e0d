// A public service behind nginx and Varnish, with the examples: what one client asks for, or says in headers, comes
// into no other client's answer. What the caches spare the service is tested by public-caches.long.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, nextOf, send, type Target, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { missing, PUBLIC_CACHES } from '../support/processes/nginx-varnish.ts';
import { buildCountries, WHOLE } from '../support/releases/build-release.ts';

const folder = await buildCountries(WHOLE);
/** Whatever the configuration of a cache passes on is believed: it is what is tested. */
const trusting = { trustProxy: ['127.0.0.1'], forwardedHost: true };
const service = await startService(folder, { isPublic: true, explorer: true, ...trusting });

const PAGE = '/api/v1/geojsonl/lv2?page-size=1';
const NEXT = nextOf(await send(service, PAGE)) ?? assert.fail('one page');
const TARGETS: readonly string[] = [
  PAGE,
  NEXT,
  ...['/api/v1/fc/lv1?page-size=1&gid-0=AAA', '/api/v1/search?q=aaa', '/api/v1/at?point=2.5,10.5'],
  ...['/api/v1/ogc', '/api/v1/ogc/collections/lv1/items?limit=1&GID_0=AAA', '/api/v1/ogc/collections/lv1'],
  ...['/api/v1/names/lv1', '/api/v1/download/lv1.geojsonl.gz?gid-0=AAA', '/openapi.json', '/'],
];

/** What a client may say that is no part of a cache's key. */
const ODD: Readonly<Record<string, string>> = {
  'x-forwarded-host': 'evil.test',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '444',
  'x-forwarded-for': '198.51.100.1',
  'x-forwarded-prefix': '/evil',
  'x-forwarded-scheme': 'https',
  'x-forwarded-server': 'evil.test',
  forwarded: 'for=198.51.100.1;host=evil.test;proto=https',
  'x-host': 'evil.test',
  'x-original-url': '/api/v1/fc/lv0',
  'x-rewrite-url': '/api/v1/fc/lv0',
  'x-real-ip': '198.51.100.1',
  'x-http-method-override': 'DELETE',
  'front-end-https': 'on',
  'accept-encoding': 'gzip;q=0, br',
  accept: 'text/html',
  'accept-language': 'eo',
  authorization: 'Bearer x',
  cookie: 'a=b',
  origin: 'https://evil.test',
  referer: 'https://evil.test/',
  range: 'bytes=1-2',
  'if-match': '"another"',
  'if-none-match': '*',
  'if-range': '"another"',
  'if-modified-since': 'Thu, 26 Nov 2099 00:00:00 GMT',
  'cache-control': 'no-cache',
  connection: 'keep-alive, x-forwarded-host',
  via: '1.1 evil.test',
};

/**
 * Another coding at the end of a query is how an answer in it could come under the key of a request for that coding.
 */
const SUFFIXES = ['', 'gzip', 'identity'];
const CODINGS = [{ 'accept-encoding': 'gzip' }, { 'accept-encoding': undefined }];

/** All that a client sees, but for what belongs to a connection or to a cache. */
function seen(answer: Answer): string[] {
  const own =
    /^(accept-ranges|age|connection|content-length|date|etag|keep-alive|server|transfer-encoding|vary|via|x-varnish)$/;
  const headers = Object.entries(answer.headers).filter(([name]) => !own.test(name));
  return [`${answer.status}`, textOf(answer), ...headers.map(([name, value]) => `${name}: ${value}`).sort()];
}

type Asked = { target: string; headers: Record<string, string | undefined> };
let hosts = 0;

/** A request after another one, both to a host of their own: what the plain one gets through the cache, and without. */
async function pair(cache: Target, odd: Asked, plain: Asked): Promise<string | undefined> {
  const host = { host: `host-${++hosts}.test`, authorization: undefined };
  await send(cache, odd.target, { ...host, ...odd.headers });
  const [through, direct] = [
    await send(cache, plain.target, { ...host, ...plain.headers }),
    await send(service, plain.target, { ...host, ...plain.headers }),
  ];
  const isSame = JSON.stringify(seen(through)) === JSON.stringify(seen(direct));
  return isSame ? undefined : `${JSON.stringify(odd)}, then ${JSON.stringify(plain)}`;
}

for (const { program, start } of PUBLIC_CACHES)
  test(`${program}: after a request with odd headers, or a coding in its query, plain ones get what the service says`, {
    skip: missing(program),
  }, async () => {
    // nginx closes a connection after 1,000 requests.
    const cache = { ...(await start(service)), takesTurns: true };
    const pairs = TARGETS.map(async (target) => {
      const wrong: (string | undefined)[] = [];
      for (const headers of CODINGS) {
        for (const [name, value] of Object.entries(ODD))
          wrong.push(await pair(cache, { target, headers: { ...headers, [name]: value } }, { target, headers }));
        for (const suffix of target.includes('?') ? SUFFIXES : [])
          for (const other of CODINGS) {
            const [one, two] = [
              { target, headers },
              { target: target + suffix, headers: other },
            ];
            wrong.push(await pair(cache, one, two), await pair(cache, two, one));
          }
      }
      return wrong.filter((text) => text !== undefined);
    });
    assert.deepEqual((await Promise.all(pairs)).flat(), []);
  });
