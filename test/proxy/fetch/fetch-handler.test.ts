// The handler for platforms with the Fetch standard: links, new releases, bodies that nobody reads, and downloads that
// are given up.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { openOrigin } from '../../../proxy/create-server.ts';
import { createFetchHandler } from '../../../proxy/fetch/create-fetch-handler.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { openFiles } from '../../support/files.ts';
import { AUDIENCE, ISSUER } from '../../support/http/in-process-proxy.ts';
import { buildCountries, buildRelease } from '../../support/releases/build-release.ts';
import { enlargePage } from '../../support/releases/large-page.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { until } from '../../support/until.ts';
import { watchedOrigin } from '../../support/watched-origin.ts';

const folder = await buildCountries({ storedPages: 'all' });
const { page, file } = enlargePage(folder, 8 * 1024 * 1024);
const secret = randomBytes(32).toString('hex');
const token = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 3600 })
  .setProtectedHeader({ alg: 'HS256' })
  .sign(Buffer.from(secret));
const AUTHORIZED = { authorization: `Bearer ${token}` };
const log: string[] = [];
const options = { secret, issuer: [ISSUER], audience: AUDIENCE, log: (line: string) => log.push(line) };
const handler = await createFetchHandler({ ...options, origin: await openOrigin(folder) });
const headers = { ...AUTHORIZED, 'accept-encoding': 'gzip' };
const request = (): Request => new Request('https://a.test/api/v1/fc/lv0', { headers });
const get = (): Promise<Response> => handler.fetch(request());

test('20 bodies that nobody reads, and 20 that are given up after a chunk, keep no file open and are no fault of the service', {
  skip: !existsSync('/proc/self/fd'),
}, async () => {
  const unread = await Promise.all(Array.from({ length: 20 }, get));
  for (const { status } of unread) assert.equal(status, 200);
  for (const { body } of await Promise.all(Array.from({ length: 20 }, get))) {
    const reader = body?.getReader();
    assert.ok(((await reader?.read())?.value?.length ?? 0) > 0);
    await reader?.cancel();
  }
  // The first chunks of the bodies that nobody reads may still be on their way.
  await until(() => openFiles(file).length === 0, 'a file stays open');
  assert.ok(Buffer.from(await (await get()).arrayBuffer()).equals(page));
  for (const line of log) assert.match(line, /^serving release /);
});

test('links have the scheme of their own request, whatever scheme the request before had', async () => {
  const schemeOf = async (url: string): Promise<string | undefined> => {
    const response = await handler.fetch(new Request(url, { headers: AUTHORIZED }));
    const challenge = await handler.fetch(new Request(url));
    const named = [response.headers.get('link'), challenge.headers.get('www-authenticate')].join();
    return named.match(/[a-z]+(?=:\/\/b\.test)/g)?.join();
  };
  for (const scheme of ['http', 'https', 'http', 'https'])
    assert.equal(await schemeOf(`${scheme}://b.test/api/v1/geojsonl/lv0?page-size=1`), `${scheme},${scheme}`);
});

test('what needs the tables of all levels is refused where they have no room, and a size that is none is said', async () => {
  const origin = await openOrigin(folder);
  const statusWith = async (tableMemory: number | undefined): Promise<number> => {
    const little = await createFetchHandler({ ...options, origin, tableMemory });
    return (await little.fetch(new Request('https://a.test/api/v1/search?q=n', { headers: AUTHORIZED }))).status;
  };
  assert.deepEqual(await Promise.all([undefined, 64, 0.001].map(statusWith)), [200, 200, 503]);
  for (const none of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    await assert.rejects(statusWith(none), { name: 'StartError', where: 'tableMemory' });
});

test('the service is called by its title in its documents', async () => {
  const titled = await createFetchHandler({ ...options, origin: await openOrigin(folder), title: 'Borders of Spain' });
  for (const path of ['/openapi.json', '/api/v1/ogc']) {
    const response = await titled.fetch(new Request(`https://a.test${path}`, { headers: AUTHORIZED }));
    assert.match(await response.text(), /Borders of Spain/);
  }
});

test('anybody reads about.json, of a release that is made current, too; there is no page that it leads to', async () => {
  const out = await buildCountries();
  await buildRelease(writeCountries(), out, { release: 'r2' });
  pointTo(out, 'r1', ['r1']);
  const described = await createFetchHandler({ ...options, origin: await openOrigin(out), currentCache: '0s' });
  const textOf = async (path: string): Promise<string> =>
    (await described.fetch(new Request(`https://a.test${path}`, { headers: AUTHORIZED }))).text();
  const about = async () => JSON.parse(await textOf('/about.json'));
  const { title, release, levels, releases } = await about();
  assert.deepEqual([title, release, levels[0].level, releases], [undefined, 'r1', 'lv0', undefined]);
  pointTo(out, 'r2', ['r1', 'r2']);
  assert.equal((await about()).release, 'r2');
  const { links } = JSON.parse(await textOf('/api/v1/'));
  assert.ok(links.every(({ href }: { href: string }) => !/\/docs$|test\/$/.test(href)));
});

test('with a release in memory no request waits for current.json: it is read after the response, also after a freeze', async (t) => {
  const out = await buildCountries();
  await buildRelease(writeCountries(), out, { release: 'r2' });
  pointTo(out, 'r1', ['r1']);
  let isHeld: Promise<void> | undefined;
  const origin = watchedOrigin(out, (path) => path === CURRENT_PATH && isHeld);
  const slow = await createFetchHandler({ ...options, origin, currentCache: '60s' });
  const work: Promise<unknown>[] = [];
  const ask = async (): Promise<string | null> => {
    const { headers } = await slow.fetch(request(), { waitUntil: (promise) => work.push(promise) });
    return headers.get('boundaries-release');
  };
  assert.equal(await ask(), 'r1');
  let release = (): void => {};
  isHeld = new Promise((resolve) => {
    release = resolve;
  });
  pointTo(out, 'r2', ['r1', 'r2']);
  assert.equal(await ask(), 'r1');
  // The clock of a frozen process stands still; the time of day goes on.
  const now = Date.now();
  t.mock.method(Date, 'now', () => now + 61_000);
  assert.equal(await ask(), 'r1');
  let isOver = false;
  const over = Promise.all(work).then(() => {
    isOver = true;
  });
  assert.equal(await ask(), 'r1');
  assert.equal(isOver, false);
  release();
  await over;
  assert.equal(await ask(), 'r2');
});

/** The origin of a folder of which the first read of some bytes ends with the request that began it. */
function cancelledOnce(folder: string, isCancelled: (path: string, offset: number) => boolean) {
  let held = 0;
  const origin = watchedOrigin(folder, (path, extent) =>
    typeof extent === 'object' && isCancelled(path, extent.offset) && held++ === 0 ? new Promise(() => {}) : undefined,
  );
  return { origin, held: () => held };
}

for (const [what, asked, options, isCancelled] of [
  [
    'a piece of a file',
    () => new Request('https://a.test/api/v1/fc/lv0?contains=1.5,3.5&geometry=none'),
    { cells: true, geometries: ['full', 'none'] },
    (path: string, offset: number) => path.endsWith('/cells.bin') && offset > 0,
  ],
  [
    'a table of neighbours',
    () => new Request('https://a.test/api/v1/download/lv1.neighbours.csv.gz', { headers: { range: 'bytes=0-0' } }),
    { neighbours: true },
    (path: string) => path.endsWith('/neighbours.csv.gz'),
  ],
] as const)
  test(`${what} whose read ended with the request that began it is read again for others after ten seconds`, async (t) => {
    const { origin, held } = cancelledOnce(await buildCountries(options), isCancelled);
    const worker = await createFetchHandler({ origin, public: true });
    void worker.fetch(asked());
    await until(() => held() === 1, 'nothing is read');
    const begun = performance.now();
    t.mock.method(performance, 'now', () => begun + 10_000);
    const { status, ok } = await worker.fetch(asked());
    assert.ok(ok, `${status}`);
  });

test('a public handler answers everybody, as serve --public does, and takes no option of tokens', async () => {
  const origin = await openOrigin(folder);
  const open = await createFetchHandler({ origin, public: true });
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    open.fetch(new Request(`https://a.test${path}`, { headers }));
  const plain = await ask('/api/v1/fc/lv1?page-size=1');
  const odd = { authorization: 'Bearer x', 'x-forwarded-host': 'evil.test' };
  for (const { status, headers } of [plain, await ask('/api/v1/fc/lv1?page-size=1', odd)]) {
    assert.deepEqual([status, headers.get('vary')], [200, 'Accept-Encoding']);
    assert.equal(headers.get('cache-control'), 'public, max-age=60, stale-while-revalidate=600');
    assert.match(headers.get('link') ?? '', /^<https:\/\/a\.test\/api\/v1\/fc\/lv1\?/);
    assert.equal(headers.get('etag'), plain.headers.get('etag'));
  }
  assert.equal(await (await ask('/readyz')).text(), 'ok, public\n');
  assert.doesNotMatch(await (await ask('/openapi.json')).text(), /securitySchemes/);
  assert.equal((await ask('/.well-known/oauth-protected-resource')).status, 404);
  for (const [name, value] of Object.entries({ ...options, log: undefined, jwks: ['k'], scope: 's', jwksCache: '1m' }))
    if (value !== undefined) {
      const refused = createFetchHandler({ origin, public: true, [name]: value });
      await assert.rejects(refused, { name: 'StartError', message: 'a public service knows no tokens' }, name);
    }
});
