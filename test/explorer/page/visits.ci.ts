// What a visit begins with: which files a browser asks for, now and on a later visit; the documentation; a service with
// a title, and a public one.
import assert from 'node:assert/strict';
import type { Request } from 'playwright-core';
import { PROBLEMS } from '../../../proxy/http/problem.ts';
import { layerOf, square } from '../../support/datasets/write-dataset.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { until } from '../../support/until.ts';
import { journey, selectUnit, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const TITLE = 'Boundaries of <Aland> & Beland';
const REQUESTS_MAX = 10;
/** The folder whose name has the digest of its files. */
const HASHED = /^\/explorer\/[\w-]{16}\//;
const TILES = ['/api/v1/tiles/lv0.json', '/api/v1/tiles/lv0/0/0/0.mvt'];
const DATA = ['/', '/about.json', '/api/v1/names/lv0', ...TILES.slice(0, 1)];
const FILES = ['icon.svg', 'lib/maplibre-gl-worker.mjs', 'lib/maplibre-gl.mjs', 'page/page.css', 'page/page.js'];

const service = await startExplorer({ tiles: 4 });
const { folder } = service;
const open = await startService(folder, { explorer: true, isPublic: true });
const asked: string[] = [];
/**
 * Countries around the world, each of one region: deeper levels are for who comes closer. The first one jumps across
 * the antimeridian.
 */
const PLACES = [-170, -110, -50, 10, 70, 130];
const JUMPING = 'POLYGON((175 0, -150 0, -150 20, 175 20, 175 0))';
const AROUND = [
  layerOf(
    'ADM_0',
    ['GID_0', 'COUNTRY'],
    PLACES.map((x, i) => [[`A${i}`, `Country ${i}`], i === 0 ? JUMPING : square(x, 0, 20)]),
  ),
  layerOf(
    'ADM_1',
    ['GID_1', 'GID_0', 'NAME_1'],
    PLACES.map((x, i) => [[`A${i}.1`, `A${i}`, 'All'], square(x, 0, 20)]),
  ),
];
const isTile = (request: Request): boolean => /\.mvt\b/.test(request.url());
const observed = await startService(await buildLayers(AROUND, { tiles: 4 }), {
  explorer: true,
  observe: ({ url = '' }) => asked.push(url.replace(/\?.*/, '').replace(HASHED, '')),
});

journey('ten requests at most lead to a list', { service: observed, hasMap: true }, async (page, step, { url }) => {
  await step('on the first visit', async () => {
    await waitForPlace(page, 'r1', '6 countries');
    assert.ok(asked.length <= REQUESTS_MAX, `${asked.length} requests: ${asked.join(' ')}`);
    // The map may be later than the list.
    const all = [...DATA, ...TILES.slice(1), ...FILES];
    await until(
      () => all.every((path) => asked.includes(path)),
      () => `only ${asked.join(' ')} were asked for`,
    );
    assert.deepEqual([...new Set(asked)].sort(), all.sort());
    // The browser keeps what has arrived.
    const requests = await page.requests();
    for (const request of requests.filter(isTile)) await (await request.response())?.finished();
  });

  await step('and on the next one, which asks for no file of the page', async () => {
    await page.goto(`${url}/docs`);
    asked.length = 0;
    const tile = page.waitForEvent('requestfinished', isTile);
    await page.goto(`${url}/#token=${TOKEN}`);
    await waitForPlace(page, 'r1', '6 countries');
    // Tiles are those of before.
    await tile;
    assert.deepEqual(asked.sort(), DATA);
  });

  await step('the card of a unit that jumps across the antimeridian says so', async () => {
    const outline = page.locator('#facts').getByText('crosses the antimeridian; the map cuts it there');
    await selectUnit(page, 'Country 1');
    assert.equal(await outline.count(), 0);
    await selectUnit(page, 'Country 0');
    await outline.waitFor();
  });
});

journey('someone reads the documentation, which leads to the explorer', { service, path: '/docs' }, async (page) => {
  const text = (await page.locator('main').textContent()) ?? '';
  for (const part of [
    '/api/v1/fc/{level}',
    'page-size',
    'Hormigueros',
    'Boundaries-Matched',
    'contains=-3.7038,40.4168',
    ...Object.keys(PROBLEMS),
  ])
    assert.ok(text.includes(part), part);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  await page.getByRole('link', { name: 'Explorer' }).click();
  await page.locator('#token:focus').waitFor();
});

for (const [title, heading, tab] of [
  [TITLE, TITLE, TITLE],
  [undefined, 'Boundaries', 'Boundaries explorer'],
] as const)
  journey(
    `a service ${title === undefined ? 'without' : 'with'} a title is called so in the explorer and in its tab`,
    { service: () => startService(folder, { explorer: true, ...(title === undefined ? {} : { title }) }) },
    async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), heading);
      assert.equal(await page.title(), tab);
    },
  );

journey('a public service needs no sign-in', { service: open, path: '/docs' }, async (page, step, { url }) => {
  const sent: (string | undefined)[] = [];
  page.on('request', (request) => sent.push(request.headers()['authorization']));
  for (const path of ['/', '/#token=abc'])
    await step(path, async () => {
      await page.goto(`${url}/docs`);
      sent.length = 0;
      await page.goto(`${url}${path}`);
      await waitForPlace(page, 'r1', '2 countries');
      assert.equal(await page.locator('#sign-in').isVisible(), false);
      assert.equal(await page.locator('#sign-out').isVisible(), false);
      assert.ok(sent.length > 0 && sent.every((authorization) => authorization === undefined));
      assert.doesNotMatch((await page.locator('#code').textContent()) ?? '', /TOKEN|Authorization/);
      assert.ok(!page.url().includes('token'));
    });
});

journey('a licence without a public text is named without a link', { service, path: '/docs' }, async (page) => {
  await page.route('**/about.json', async (route) => {
    const about = await (await route.fetch()).json();
    await route.fulfill({ json: { ...about, license: 'LicenseRef-acme' } });
  });
  await page.goto(`${service.url}/`);
  await page.locator('#credits').getByText('Licence: LicenseRef-acme', { exact: true }).waitFor({ state: 'attached' });
  assert.equal(await page.locator('#credits a[href*=spdx]').count(), 0);
});
