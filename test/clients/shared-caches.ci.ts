// The documented deployments with the real programs: nginx as the static host, nginx and Varnish in front. What a
// shared cache does with private answers is seen, not believed; of a public service what one client asks for, or says
// in headers, comes into no other client's answer (what caches spare it: public-caches.long.ts).
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHANGES_PATH, changesPath, GONE_PATH } from '../../format/changes.ts';
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { type Answer, nextOf, send, sendRaw, type Target, textOf, walk } from '../support/http/http-client.ts';
import { authorizedWith, NO_TOKEN, startService } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { freePort } from '../support/processes/free-port.ts';
import {
  exampleWith,
  missing,
  nginxBefore,
  PUBLIC_CACHES,
  startNginx,
  varnishBefore,
} from '../support/processes/nginx-varnish.ts';
import { buildCountries, WHOLE } from '../support/releases/build-release.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = await worldOutput({ pages: 'unfiltered' });
const stored = readStored(folder, 'r1');

const ROUTES = FORMATS.flatMap((format) => LEVELS.map((level) => `/api/v1/${format}/${levelName(level)}`));

const STRANGERS: readonly Readonly<Record<string, string | undefined>>[] = [
  NO_TOKEN,
  { authorization: 'Bearer x' },
  await authorizedWith({ exp: 1 }),
  { ...NO_TOKEN, 'if-none-match': '*' },
  { ...NO_TOKEN, range: 'bytes=0-9' },
  { ...NO_TOKEN, 'accept-encoding': 'gzip' },
  { ...NO_TOKEN, 'cache-control': 'only-if-cached' },
  { ...NO_TOKEN, cookie: 'a=b' },
];

/** Every listing whole, by following next through whatever stands in front. */
async function walkAll(at: { url: string }): Promise<void> {
  for (const [i, path] of ROUTES.entries()) {
    const fids = await walk(at, path, { 'accept-encoding': i % 2 ? 'gzip' : 'identity' });
    const expected = elementAt(stored, i % LEVELS.length).units.map(({ fid }) => fid);
    assert.deepEqual(fids, expected, path);
  }
}

/** What a cache decides by: all headers but those that are different for each page or each moment. */
function cacheHeaders({ headers }: Answer): string {
  const own =
    /^(x-request-id|etag|content-length|content-encoding|link|date|age|boundaries-.*|x-varnish|via|connection)$/;
  return JSON.stringify(Object.entries(headers).filter(([name]) => !own.test(name)));
}

/** Paths of every route, first and next pages, as many as have different headers. */
async function pathsByHeaders(at: { url: string }): Promise<string[]> {
  const paths = new Map<string, string>();
  for (const path of ROUTES.flatMap((route) => [route, `${route}?page-size=2`, `${route}?gid-0=none`])) {
    const first = await send(at, path);
    assert.equal(first.status, 200, path);
    const next = nextOf(first);
    paths.set(`${cacheHeaders(first)} ${next === undefined}`, path);
    if (next !== undefined) paths.set(`next: ${cacheHeaders(await send(at, next))}`, next);
  }
  return [...paths.values()];
}

/**
 * Primes each path with a token, then asks without, with a bad one, and with each method.
 * @param conditional the status when the client holds the page; a cache may keep that question to itself
 */
async function sharesNothing(at: { url: string }, conditional: 200 | 304 = 304): Promise<void> {
  const paths = await pathsByHeaders(at);
  // Of both formats: the last page, another one, and one behind a cursor.
  assert.ok(paths.length >= 6, paths.join());
  for (const path of paths) {
    const [, primed] = [await send(at, path), await send(at, path)];
    assert.equal(primed.status, 200, path);
    const { etag } = primed.headers;
    assert.equal((await send(at, path, { 'if-none-match': etag })).status, conditional);
    for (const headers of [...STRANGERS, { ...NO_TOKEN, 'if-none-match': etag }])
      for (const method of ['GET', 'HEAD']) {
        const answer = await send(at, path, headers, method);
        assert.equal(answer.status, 401, `${method} ${path} ${JSON.stringify(headers)}`);
        assert.match(answer.body.toString('latin1'), method === 'HEAD' ? /^$/ : /^\{"type":"urn:/);
      }
  }
}

const noNginx = missing('nginx');
const noVarnish = missing('varnishd');

/** The examples without the lines that keep what is private out of the caches. */
const carelessNginx = (proxy: { url: string }): Promise<{ url: string }> => {
  const zone = `proxy_cache_path ${temporaryFolder()} keys_zone=careless:1m;`;
  return nginxBefore(proxy, 'nginx-front.conf', { 'proxy_cache off;': 'proxy_cache careless;' }, zone);
};
const carelessVarnish = (proxy: { url: string }): Promise<{ url: string }> =>
  varnishBefore(proxy, 'varnish.vcl', { 'return (pass);': 'return (hash);' });

const KEY = 'c2VjcmV0';

/** The example for a static host, with an output folder. */
async function nginxHost(output: string): Promise<URL> {
  const port = await freePort();
  const changes = { 'listen 8081': `listen 127.0.0.1:${port}`, '/srv/boundaries/output': output, 'change-me': KEY };
  await startNginx(exampleWith('nginx-origin.conf', changes), port);
  return new URL(`http://127.0.0.1:${port}/`);
}

test('nginx as the static host gives every listing whole, and changes between releases, for the configured key alone', {
  skip: noNginx,
}, async () => {
  const url = await nginxHost(folder);
  const proxy = await startService(folder, { origin: staticHostOrigin({ url, headers: { 'x-origin-key': KEY } }) });
  await walkAll(proxy);
  const withKey = { ...NO_TOKEN, 'x-origin-key': KEY };
  mkdirSync(join(folder, CHANGES_PATH));
  for (const path of [changesPath('r1', 'r2'), GONE_PATH]) {
    writeFileSync(join(folder, path), path);
    const { status, body } = await send({ url: url.origin }, `/${path}`, withKey);
    assert.deepEqual([status, body.toString()], [200, path]);
  }
  assert.equal((await send({ url: url.origin }, '/current.json', NO_TOKEN)).status, 403);
  for (const path of ['/', '/world.gpkg', '/releases/../world.gpkg', '/releases/'])
    assert.notEqual((await send({ url: url.origin }, path, withKey)).status, 200, path);
  await assert.rejects(
    startService(folder, { origin: staticHostOrigin({ url, headers: {} }) }),
    /the host responded with status 403/,
  );
});

test('nginx in front: every listing whole, Link as the client sees it, 304s, problems, HEAD', {
  skip: noNginx,
}, async () => {
  const proxy = await startService(folder, { trustProxy: ['127.0.0.1'] });
  const front = await nginxBefore(proxy, 'nginx-front.conf');
  await walkAll(front);
  await sharesNothing(front);
  const forged = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https', host: 'maps.test' };
  const { headers } = await send(front, '/api/v1/fc/lv1', forged);
  assert.match(String(headers.link), /^<http:\/\/maps\.test\/api\/v1\/fc\/lv1\?/);
  const direct = await send(proxy, '/api/v1/geojsonl/lv2', { 'accept-encoding': 'gzip' });
  const through = await send(front, '/api/v1/geojsonl/lv2', { 'accept-encoding': 'gzip' });
  assert.ok(through.body.equals(direct.body));
  for (const name of ['etag', 'cache-control', 'vary', 'content-encoding', 'content-length', 'boundaries-matched'])
    assert.equal(through.headers[name], direct.headers[name], name);
  for (const odd of ['fc/lv0?gid-0=%', 'fc/lv9', '/fc/lv0', 'x/../fc/lv0', 'fc/lv%30']) {
    const path = `/api/v1/${odd}`;
    const [there, here] = [await send(front, path), await send(proxy, path)];
    assert.deepEqual([there.status, there.body.toString()], [here.status, here.body.toString()], path);
  }
  assert.equal((await send(front, '/api/v1/fc/lv0', {}, 'HEAD')).body.length, 0);
});

test('Varnish in front, with the example: primed with a token, asked without, 401 for every route', {
  skip: noVarnish,
}, async () => {
  const front = await varnishBefore(await startService(folder), 'varnish.vcl');
  await walkAll(front);
  await sharesNothing(front);
});

test('Varnish, with the example, answers CONNECT itself and opens no tunnel', { skip: noVarnish }, async () => {
  const front = await varnishBefore(await startService(folder), 'varnish.vcl');
  const text = await sendRaw(front, 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
  assert.match(text, /^HTTP\/1\.1 405 /);
  assert.doesNotMatch(text, /problem\+json/);
});

for (const [how, skip, start, conditional] of [
  ['nginx told to keep answers', noNginx, carelessNginx, 200],
  ['Varnish told to look everything up, Authorization or not', noVarnish, carelessVarnish, 304],
] as const)
  test(`${how}: still nothing private is shared, and what is not private is, so a leak would have been seen`, {
    skip,
  }, async () => {
    await sharesNothing(await start(await startService(folder)), conditional);
    let asked = 0;
    const open = createServer((_req, res) => {
      asked++;
      res.writeHead(200, { 'Cache-Control': 'public, max-age=60' }).end('public');
    });
    const front = await start({ url: `http://127.0.0.1:${await listen(open)}` });
    await send(front, '/api/v1/fc/lv0');
    assert.equal((await send(front, '/api/v1/fc/lv0', NO_TOKEN)).body.toString(), 'public');
    assert.equal(asked, 1);
  });

/** Whatever the configuration of a cache passes on is believed: it is what is tested. */
const trusting = { trustProxy: ['127.0.0.1'], forwardedHost: true };
const open = await startService(await buildCountries(WHOLE), { isPublic: true, explorer: true, ...trusting });

const PAGE = '/api/v1/geojsonl/lv2?page-size=1';
const NEXT = nextOf(await send(open, PAGE)) ?? assert.fail('one page');
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
    /^(x-request-id|accept-ranges|age|connection|content-length|date|etag|keep-alive|server|transfer-encoding|vary|via|x-varnish)$/;
  const headers = Object.entries(answer.headers).filter(([name]) => !own.test(name));
  return [`${answer.status}`, textOf(answer), ...headers.map(([name, value]) => `${name}: ${value}`).sort()];
}

type Asked = { target: string; headers: Record<string, string | undefined> };
let hosts = 0;

/** A request after another one, both to a host of their own: what the plain one gets through the cache, and without. */
async function pair(cache: Target, odd: Asked, plain: Asked): Promise<string | undefined> {
  const host = { host: `host-${++hosts}.test`, authorization: undefined };
  await send(cache, odd.target, { ...host, ...odd.headers });
  const given = { ...host, ...plain.headers };
  const [through, direct] = [await send(cache, plain.target, given), await send(open, plain.target, given)];
  const isSame = JSON.stringify(seen(through)) === JSON.stringify(seen(direct));
  return isSame ? undefined : `${JSON.stringify(odd)}, then ${JSON.stringify(plain)}`;
}

for (const { program, start } of PUBLIC_CACHES)
  test(`${program}: after a request with odd headers, or a coding in its query, plain ones get what the service says`, {
    skip: missing(program),
  }, async () => {
    // nginx closes a connection after 1,000 requests.
    const cache = { ...(await start(open)), takesTurns: true };
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
