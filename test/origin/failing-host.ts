// What becomes of answers when the host that has the files fails: the tests for a static host and for a bucket. A wrong
// page is never answered as if it were right: a problem before the first byte, a cut connection after it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { manifestPath, pagePath, releasePath } from '../../format/layout.ts';
import type { Format, Geometry, Level } from '../../format/levels.ts';
import { Releases } from '../../proxy/data/releases.ts';
import type { HostLimits } from '../../proxy/origin/host-response.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { bodyOf, ONE_LARGE, readStored, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { send, sendRaw, textOf } from '../support/http/http-client.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import type { Fault, RunningHost } from '../support/http/static-host.ts';
import { partOf, startStaticHost, writePartHead } from '../support/http/static-host.ts';
import { worldOutput } from '../support/releases/world.ts';

/** The time that hosts of these tests have: more than any answer takes, on a busy machine too. */
export const LIMITS: HostLimits = { idleMs: 20_000, readMs: 60_000 };
/** The time of hosts that are slow. */
export const SHORT: HostLimits = { idleMs: 600, readMs: 3_000 };

/** Status codes without a page, shares of a page that are sent, and flipped bytes. */
const CASES = {
  'every case': [
    [201, 204, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 416, 429, 500, 502, 503, 504],
    [0.1, 0.5, 0.99],
    24,
  ],
  sample: [[204, 302, 304, 404, 503], [0.5], 6],
} as const;

/** An output folder in which one page is larger than what is ever held at once. */
export function buildWorld(): Promise<string> {
  return worldOutput({ size: ONE_LARGE, pages: 'unfiltered', isFullAlone: true });
}

/** A request that is answered from one file, and the features that it must give. */
export interface Asked {
  query: string;
  format: Format;
  level: Level;
  /** Number of the first feature, and how many. */
  start: number;
  count: number;
  /** That of the query; the full one if it has none. */
  geometry?: Geometry;
}

/** `right`, the code of a problem, or how it was cut; fails when an answer looks right and is not. */
export async function outcomeOf(
  proxy: RunningService,
  stored: readonly StoredLevel[],
  { query, format, level, start, count, geometry = 'full' }: Asked,
  coding: string,
): Promise<string> {
  const path = `/api/v1/${format}/lv${level}${query}`;
  const answer = await send(proxy, path, { 'accept-encoding': coding }).catch(() => undefined);
  if (answer === undefined) return 'cut';
  if (answer.status !== 200) {
    const text = answer.body.toString();
    assert.doesNotMatch(text, /releases|lv\d|127\.0\.0\.1|html|secret|geojsonl|000001|\.gz/i);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    return JSON.parse(text).code;
  }
  let text: string;
  try {
    text = textOf(answer);
  } catch {
    return 'no gzip';
  }
  const expected = bodyOf(format, stored[level]?.withGeometry.get(geometry)?.slice(start, start + count) ?? []);
  assert.ok(text === expected, `${path} as ${coding}: looks right and is not`);
  return 'right';
}

/**
 * Declares the tests.
 * @param folder the output folder
 * @param host has a copy of it
 * @param open creates an origin that reads from the host
 * @param extent every case, or a sample of those that are alike
 * @param isDecoded does the platform undo a Content-Encoding of the host before the origin sees the bytes?
 */
export function testFailingHost(
  folder: string,
  host: RunningHost,
  open: (limits: HostLimits) => Promise<Origin>,
  extent: 'every case' | 'sample',
  isDecoded = false,
): void {
  const [statuses, shares, flips] = CASES[extent];
  const stored = readStored(folder, 'r1');

  beforeEach(() => {
    host.fault = undefined;
    host.asked = [];
  });

  /** A proxy that has read nothing but metadata: for them the host has the usual time. */
  async function startProxy(limits = LIMITS): Promise<RunningService> {
    const [usual, limited] = [await open(LIMITS), await open(limits)];
    const read: Origin['read'] = (path, extent, client) =>
      (path.endsWith('.gz') ? limited : usual).read(path, extent, client);
    const close = (path: string): void => {
      for (const origin of [usual, limited]) origin.close?.(path);
    };
    return startService(folder, { origin: { ...limited, read, close } });
  }

  const pageFile = (level: 0 | 2): string => pagePath(level, 'geojsonl', 'all', 0);
  const bytesOf = (level: 0 | 2): Buffer => readFileSync(join(folder, releasePath('r1'), pageFile(level)));
  /** A small page, a large one, and what is cut from either. */
  const ASKED = (
    [
      { level: 2, query: '', count: 50 },
      { level: 0, query: '', count: 20 },
      { level: 2, query: '?page-size=3', count: 3 },
      { level: 0, query: '?page-size=2&start-at=1', count: 2 },
    ] as const
  ).map((one): Asked => ({ ...one, format: 'geojsonl', start: 0 }));

  /** What a proxy that has read no page yet makes of every request; its lines are added to `logged`. */
  async function outcomes(logged: string[] = [], limits = LIMITS): Promise<string[]> {
    const proxy = await startProxy(limits);
    const all = ASKED.flatMap((one) => ['gzip', 'identity'].map((coding) => outcomeOf(proxy, stored, one, coding)));
    const seen = await Promise.all(all);
    logged.push(...proxy.log);
    return seen;
  }

  /** Fails the pages, not the pointer. */
  function onPages(fault: (res: ServerResponse, file: string, range: string | undefined) => void): Fault {
    return (req, res, file) => {
      if (!file.endsWith('.gz')) return false;
      fault(res, file, req.headers.range);
      return true;
    };
  }

  test('intact pages are passed on, and what is cut from them', async () => {
    assert.deepEqual(new Set(await outcomes()), new Set(['right']));
  });

  test('nothing that the host says reaches the client but the bytes of the page', async () => {
    const asks = { 'accept-encoding': 'gzip', host: 'a.test' };
    const plain = await send(await startProxy(), '/api/v1/geojsonl/lv2', asks);
    host.fault = onPages((res, file) => {
      res.writeHead(200, 'Sure', {
        'Set-Cookie': 'a=b',
        'Cache-Control': 'public, max-age=999',
        ETag: '"host"',
        Link: '<x>; rel="next"',
        'Content-Type': 'text/html',
        ...(isDecoded ? {} : { 'Content-Encoding': 'gzip' }),
        Location: 'http://x/',
        Server: 'nginx',
        'Access-Control-Allow-Credentials': 'true',
        Trailer: 'X-Late',
        Connection: 'close',
        'X-Amz-Meta': 'secret',
      });
      res.addTrailers({ 'X-Late': 'secret' });
      res.end(readFileSync(file));
    });
    const answer = await send(await startProxy(), '/api/v1/geojsonl/lv2', asks);
    const { date: _, ...headers } = answer.headers;
    const { date: __, ...expected } = plain.headers;
    assert.deepEqual([answer.status, headers, answer.body], [200, expected, plain.body]);
  });

  test('a host that fails before the first byte: 502, 504 when it is slow', async () => {
    const html = '<html>releases secret</html>';
    const location = { Location: '/elsewhere.gz' };
    const status = (code: number, headers = {}) => onPages((res) => res.writeHead(code, headers).end(html));
    /** Answers well-formed, with other bytes. */
    const other = (change: (bytes: Buffer) => Buffer) =>
      onPages((res, file, range) => {
        const bytes = change(partOf(readFileSync(file), range));
        writePartHead(res, bytes, range).end(bytes);
      });
    const twice = gzipSync(bytesOf(2));
    const raw = (text: string) => onPages((res) => res.socket?.end(text));
    const otherRange = { 'Content-Range': 'bytes 1-2/9' };
    const damaged: Record<string, Fault> = {
      ...Object.fromEntries(statuses.map((code) => [`${code}`, status(code, code < 400 ? location : {})])),
      '200 with a page of HTML': status(200),
      '206 of another range': onPages((res) => res.writeHead(206, otherRange).end('ab')),
      '206 without a range': status(206),
      'an empty body': other(() => Buffer.alloc(0)),
      'a shorter body': other((bytes) => bytes.subarray(0, -1)),
      'a longer body': other((bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
      'a closed connection': onPages((res) => res.destroy()),
      'no HTTP': raw('nonsense\r\n\r\n'),
      'two lengths': raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'),
      'endless headers': raw(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(99_999)}\r\n\r\n`),
      ...(isDecoded
        ? {}
        : { 'compressed twice': onPages((res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(twice)) }),
      'another page': onPages((res, file) => res.writeHead(200).end(readFileSync(file.replace(/lv\d/, 'lv3')))),
    };
    const slow: Record<string, Fault> = {
      nothing: onPages(() => {}),
      'half of its headers': onPages((res) => res.socket?.write('HTTP/1.1 200 OK\r\nContent-')),
    };
    const faults = [
      ...Object.entries(damaged).map(([what, fault]) => [what, fault, 'origin-damaged'] as const),
      ...Object.entries(slow).map(([what, fault]) => [what, fault, 'origin-slow'] as const),
    ];
    const logged: string[] = [];
    for (const [what, fault, code] of faults) {
      host.fault = fault;
      const seen = await outcomes(logged, code === 'origin-slow' ? SHORT : LIMITS);
      // A large page or feature without a length is known to be wrong only when some of it has gone.
      assert.ok(
        seen.every(
          (outcome) => outcome === code || (outcome === 'cut' && /bytes|HTML|page|twice|body|range/.test(what)),
        ),
        `${what}: ${seen}`,
      );
      assert.equal(seen[0], code, what);
    }
    host.fault = undefined;
    assert.deepEqual(new Set(await outcomes(logged)), new Set(['right']));
    assert.doesNotMatch(logged.join('\n'), /secret|Bearer|Signature/i);
    assert.ok(logged.length > 2 * faults.length);
  });

  test('a host that fails half-way: the connection is cut, or a problem where nothing had been sent yet', async () => {
    const part = (share: number, then: (res: ServerResponse) => void) =>
      onPages((res, file, range) => {
        const bytes = partOf(readFileSync(file), range);
        writePartHead(res, bytes, range);
        res.write(bytes.subarray(0, Math.floor(bytes.length * share)), () => then(res));
      });
    const endings: [string, (res: ServerResponse) => void][] = [
      ['cut', (res) => res.destroy()],
      ['stalled', () => {}],
      ['ended', (res) => res.socket?.end()],
    ];
    for (const [what, ending] of endings)
      for (const share of shares) {
        host.fault = part(share, ending);
        for (const outcome of await outcomes([], what === 'stalled' ? SHORT : LIMITS))
          assert.match(outcome, /^(cut|origin-damaged|origin-slow|no gzip)$/, `${what} at ${share}`);
      }
  });

  test('a flipped byte anywhere never gives a page that looks right', async () => {
    const seen = new Set<string>();
    for (let i = 0; i < flips; i++) {
      host.fault = onPages((res, file, range) => {
        const bytes = readFileSync(file);
        const at = Math.floor((i * bytes.length) / flips);
        bytes[at] = (bytes[at] ?? 0) ^ 0x20;
        const part = partOf(bytes, range);
        writePartHead(res, part, range).end(part);
      });
      for (const outcome of await outcomes()) seen.add(outcome);
    }
    host.fault = undefined;
    assert.ok(seen.has('origin-damaged') && seen.has('cut'));
  });

  test('a host that ignores Range is tolerated', async () => {
    host.fault = onPages((res, file) => res.writeHead(200).end(readFileSync(file)));
    assert.deepEqual(new Set(await outcomes()), new Set(['right']));
  });

  test('connections to the host are kept, and one that it closed meanwhile is replaced', async () => {
    const proxy = await startProxy();
    // Each asks for a page or features that was not asked for before.
    const paths = [1, 3, 4, 5].flatMap((level) => [
      `geojsonl/lv${level}?page-size=2`,
      `geojsonl/lv${level}`,
      `fc/lv${level}`,
    ]);
    const [first, ...rest] = paths;
    assert.equal((await send(proxy, `/api/v1/${first}`)).status, 200);
    let connections = 0;
    host.server.on('connection', () => connections++);
    host.asked = [];
    for (const path of rest) assert.equal((await send(proxy, `/api/v1/${path}`)).status, 200);
    assert.deepEqual([connections, host.asked.filter(({ url }) => url.endsWith('.gz')).length], [0, rest.length]);
    for (const path of ['fc/lv2', 'geojsonl/lv2?page-size=2', 'geojsonl/lv2']) {
      // The proxy may not have heard of it when it asks again.
      host.server.closeAllConnections();
      assert.equal((await send(proxy, `/api/v1/${path}`)).status, 200);
    }
  });

  test('manifests are fetched once, however many requests wait for them', async () => {
    const releases = new Releases(await open(LIMITS));
    await releases.refresh();
    const cursor = { release: 'r1', content: '', level: 0, position: 0 } as const;
    await Promise.all(Array.from({ length: 50 }, () => releases.load(cursor, 'one')));
    const count = (end: string): number => host.asked.filter(({ url }) => url.endsWith(end)).length;
    for (const level of [0, 1, 2, 3, 4, 5] as const) assert.equal(count(manifestPath(level)), 1);
    assert.equal(count('release.json'), 1);
  });

  test('a manifest that trickles, hangs or is too long in coming is given up', async () => {
    const origin = await open({ idleMs: 200, readMs: 400 });
    host.fault = (_req, res) => {
      res.writeHead(200);
      const drip = setInterval(() => res.write('a'), 50);
      res.on('close', () => clearInterval(drip));
      return true;
    };
    await assert.rejects(origin.read('current.json', 1e9), { reason: 'slow' });
    host.fault = (_req, res) => res.write('a') || true;
    await assert.rejects(origin.read('current.json', 1e9), { reason: 'slow' });
    host.fault = () => true;
    await assert.rejects(origin.read('current.json', 1e9), { reason: 'slow' });
  });

  test('a client that reads slowly is waited for, longer than the host may keep us waiting', async () => {
    const proxy = await startProxy(SHORT);
    const { hostname, port } = new URL(proxy.url);
    const path = '/api/v1/geojsonl/lv0';
    const sent = request({ hostname, port, path, headers: { ...AUTHORIZED, 'accept-encoding': 'gzip' } }).end();
    const [answer] = await once(sent, 'response');
    answer.pause();
    // The time that a host may be silent passes twice; it is only this client that reads nothing.
    const late = await startStaticHost(folder);
    late.fault = () => true;
    const waiting = staticHostOrigin({ url: late.url, headers: {} }, { idleMs: SHORT.idleMs * 2, readMs: 5_000 });
    await assert.rejects(waiting.read('current.json', 1e9), { reason: 'slow' });
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece);
    assert.ok(Buffer.concat(pieces).equals(bytesOf(0)));
  });

  test('a client that goes away ends the request to the host, and nobody complains', async () => {
    // A read with `fetch` that is under way ends when the host has been silent for too long.
    const proxy = await startProxy(isDecoded ? SHORT : LIMITS);
    const closed = new Promise<void>((resolve) => {
      host.fault = onPages((res, file) => {
        res.on('close', resolve);
        res.writeHead(200, { 'Content-Length': String(bytesOf(0).length) });
        res.write(readFileSync(file).subarray(0, 500_000));
      });
    });
    const { hostname, port } = new URL(proxy.url);
    const sent = request({
      hostname,
      port,
      path: '/api/v1/geojsonl/lv0',
      headers: { ...AUTHORIZED, 'accept-encoding': 'gzip' },
    }).end();
    const [answer] = await once(sent, 'response');
    answer.destroy();
    await closed;
    host.fault = undefined;
    const logged = [...proxy.log];
    assert.deepEqual(new Set(await outcomes(logged)), new Set(['right']));
    assert.deepEqual(logged, []);
  });

  test('no body, upgrade or expectation of a client reaches the host', async () => {
    const proxy = await startProxy();
    host.asked = [];
    const head = `GET /api/v1/geojsonl/lv2 HTTP/1.1\r\nHost: a.test\r\nAuthorization: ${AUTHORIZED.authorization}\r\n`;
    for (const more of [
      'Content-Length: 4\r\n\r\nGET ',
      'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'Expect: 100-continue\r\n\r\n',
    ])
      assert.match(await sendRaw(proxy, head + more), /^HTTP\/1\.1 4\d\d /);
    assert.equal(host.asked.length, 0);
    // http-proxy 1.18.1 breaks down on the first one; an upgrade is ignored (RFC 9110 section 7.8).
    for (const more of ['Trailer: X-Late\r\nConnection: close', 'Connection: close, upgrade\r\nUpgrade: h2c'])
      assert.match(await sendRaw(proxy, `${head}${more}\r\n\r\n`), /^HTTP\/1\.1 200 /);
    assert.deepEqual(
      host.asked.map(({ headers }) => [headers.trailer, headers.upgrade]),
      [
        [undefined, undefined],
        [undefined, undefined],
      ],
    );
  });
}
