// What the service tells about itself without a token: the page, its documentation and about.json, and nothing of the
// data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageVersion } from '../../format/command-line/messages.ts';
import { GEOMETRIES, LEVELS, LIGHT_CAPS, PAGE_CAPS } from '../../format/levels.ts';
import { PROBLEMS } from '../../proxy/http/problem.ts';
import { explorerAssets } from '../../proxy/site/explorer-files.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { ATTRIBUTION, DATE, ExplorerBrowser, LICENCE, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser({ hasWebGl: false });
const PATHS = [...explorerAssets({ audience: 'private' }).keys()];
const ANYONE = { authorization: undefined };

test('every file is there in both codings, with a tag that is answered by 304, and cannot be embedded or posted to', async () => {
  for (const path of PATHS) {
    const answers = await Promise.all(
      ['gzip', 'identity'].map((coding) => send(service, path, { ...ANYONE, 'accept-encoding': coding })),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      const isHashed = path.startsWith('/explorer/');
      const caching = isHashed ? 'public, max-age=31536000, immutable' : 'public, no-cache';
      assert.equal(answer.headers['cache-control'], caching, path);
      assert.equal(answer.headers.vary, 'Accept-Encoding');
      const again = await send(service, path, {
        ...ANYONE,
        'accept-encoding': answer.headers['content-encoding'],
        'if-none-match': answer.headers.etag,
      });
      assert.equal(again.status, 304, path);
      if (!answer.headers['content-type']?.startsWith('text/html')) continue;
      assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    }
    const [gzip, plain] = answers;
    assert.ok(gzip && plain && textOf(gzip) === textOf(plain), path);
    assert.notEqual(gzip.headers.etag, plain.headers.etag);
    assert.equal((await send(service, path, {}, 'POST')).status, 405);
  }
});

test('anyone may read the release, its date, licence, attribution, geometries, caps and columns, and nothing of the data', async () => {
  const about = JSON.parse(textOf(await send(service, '/about.json', ANYONE)));
  const levels = LEVELS.map((level) =>
    level > 2
      ? { level, gidColumns: [], nameColumn: '', typeColumn: '' }
      : {
          level,
          gidColumns: ['GID_0', 'GID_1', 'GID_2'].slice(0, level + 1),
          nameColumn: level === 0 ? 'COUNTRY' : `NAME_${level}`,
          typeColumn: level === 0 ? '' : `ENGTYPE_${level}`,
        },
  );
  assert.deepEqual(about, {
    version: packageVersion(),
    release: 'r1',
    date: DATE,
    licence: LICENCE,
    attribution: ATTRIBUTION,
    geometries: GEOMETRIES,
    cells: true,
    caps: PAGE_CAPS,
    lightCaps: LIGHT_CAPS,
    levels,
  });
  for (const path of [...PATHS, '/openapi.json']) {
    const text = textOf(await send(service, path, ANYONE));
    assert.doesNotMatch(text, /\bAAA\b|Aland|Beland/, path);
  }
});

test('the explorer can be left out', async () => {
  const plain = await startService(service.folder);
  for (const path of PATHS) assert.equal((await send(plain, path)).status, 404, path);
  assert.equal((await send(plain, '/openapi.json')).status, 200);
});

test(
  '/docs shows two endpoints with a level, every problem and parameter, fits a phone, and leads to the explorer',
  { skip: SKIP },
  () =>
    browser.onPage(
      service,
      async (page) => {
        const text = (await page.locator('main').textContent()) ?? '';
        for (const part of [
          '/api/v1/fc/<LEVEL>',
          'page-size',
          'Hormigueros',
          'Boundaries-Matched',
          'contains=-3.7038,40.4168',
          ...Object.keys(PROBLEMS),
        ])
          assert.ok(text.includes(part), part);
        await page.setViewportSize({ width: 360, height: 740 });
        const width = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(width, 360);
        await page.getByRole('link', { name: 'Explorer' }).click();
        await page.locator('#token:focus').waitFor();
      },
      { path: '/docs' },
    ),
);

test('a service with a title is called so by its documentation, its OpenAPI documents and the landing page of OGC', async () => {
  const title = 'Boundaries of <Aland> & Beland';
  const titled = await startService(service.folder, { explorer: true, title });
  const documents = { '/openapi.json': 'info', '/api/v1/ogc/api': 'info', '/api/v1/ogc': undefined };
  for (const [path, member] of Object.entries(documents)) {
    const document = JSON.parse(textOf(await send(titled, path)));
    assert.equal((member === undefined ? document : document[member]).title, title, path);
  }
  const docs = textOf(await send(titled, '/docs', ANYONE));
  assert.ok(docs.includes('<h1>Boundaries of &lt;Aland&gt; &amp; Beland</h1>'), docs.slice(0, 600));
  assert.ok(docs.includes('<title>Boundaries of &lt;Aland&gt; &amp; Beland: API documentation</title>'));
  const others = await Promise.all([...Object.keys(documents), '/docs'].map((path) => send(service, path)));
  for (const answer of others)
    assert.match(textOf(answer), /"title": ?"Administrative boundaries"|<h1>Administrative boundaries</);
});

test('a service with a title is called so in the explorer and in its tab', { skip: SKIP }, async () => {
  const title = 'Boundaries of <Aland> & Beland';
  const titled = await startService(service.folder, { explorer: true, title });
  await browser.onPage(titled, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), title);
    assert.equal(await page.title(), `r1 · ${title}`);
  });
  await browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Boundaries');
    assert.equal(await page.title(), 'r1 · Boundaries explorer');
  });
});

test('a public service opens without a sign-in, sends no token, and shows programs without one', {
  skip: SKIP,
}, async () => {
  const open = await startService(service.folder, { explorer: true, isPublic: true });
  for (const path of ['/', '/#token=abc'])
    await browser.onPage(
      open,
      async (page) => {
        const sent: (string | undefined)[] = [];
        page.on('request', (request) => sent.push(request.headers()['authorization']));
        await page.reload();
        await waitForPlace(page, 'r1', '2 countries');
        assert.equal(await page.locator('#sign-in').isVisible(), false);
        assert.equal(await page.locator('#sign-out').isVisible(), false);
        assert.ok(sent.length > 0 && sent.every((authorization) => authorization === undefined));
        assert.doesNotMatch((await page.locator('#code').textContent()) ?? '', /TOKEN|Authorization/);
        assert.ok(!page.url().includes('token'));
      },
      { path },
    );
});
