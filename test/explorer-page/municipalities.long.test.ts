// All 8,212 municipalities of Spain on the map, from the sample: by which requests, and what follows as one comes
// closer or opens one of them. And a release that has the full shapes alone.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { writeSample } from '../../generator/sample/sample.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildUnchecked } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { ExplorerBrowser, row, startExplorer, waitForPlace, writeExplorerCountries } from './explorer-page.ts';

const MUNICIPALITIES = '8,212';

const browser = new ExplorerBrowser();

/** The queries for pages of a level that the page sends from now on. */
function queriesOf(page: Page, level: string): string[] {
  const queries: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') return;
    const { pathname, search } = new URL(request.url());
    if (pathname === `/api/v1/geojsonl/${level}`) queries.push(decodeURIComponent(search));
    if (pathname === `/api/v1/download/${level}.geojsonl.gz`) queries.push(`download${decodeURIComponent(search)}`);
  });
  return queries;
}

/** The geometries in queries, each with how often. */
function geometriesIn(queries: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const query of queries) {
    const geometry = new URLSearchParams(query).get('geometry') ?? 'full';
    counts[geometry] = (counts[geometry] ?? 0) + 1;
  }
  return counts;
}

test('all municipalities of Spain take one page and one download; near by they are medium, names are at points, one that is chosen is full', {
  skip: SKIP,
}, async () => {
  const [folder, source] = [temporaryFolder(), join(temporaryFolder(), 'sample.gpkg')];
  writeSample(source);
  await buildUnchecked(source, folder, { storedPages: 'none' });
  const service = await startService(folder, { explorer: true });
  await browser.onPage(service, async (page) => {
    await page.locator('#subheading').getByText('countries').waitFor();
    const queries = queriesOf(page, 'lv3');
    await page.goto(`${service.url}/#lv3?gid-0=ESP`);
    await page.locator('#heading').getByText('Spain', { exact: true }).waitFor();
    const pager = page.locator('#pager');
    await pager
      .getByText(`${MUNICIPALITIES} of ${MUNICIPALITIES} units loaded`, { exact: true })
      .waitFor({ state: 'attached' });
    assert.deepEqual(queries.slice(0, 2), ['?gid-0=ESP&geometry=low', 'download?gid-0=ESP&geometry=low&release=r1']);
    // The request tab has the first page, from which its pages are walked.
    assert.equal(await pager.locator('b').textContent(), 'Page 1 of 83');

    queries.length = 0;
    await page.goto(`${service.url}/#lv3?gid-0=ESP&map=9.50/40.40/-3.70`);
    await until(
      () => queries.some((query) => query.includes('point')) && queries.some((query) => query.includes('medium')),
      () => `near by it asks for ${queries.join(' ')}`,
    );
    await page.waitForLoadState('networkidle');
    const near = geometriesIn(queries);
    assert.deepEqual(Object.keys(near).sort(), ['medium', 'point']);
    assert.ok(queries.length < 40, JSON.stringify(near));

    queries.length = 0;
    await row(page, 'A Arnoia').click();
    await page.locator('#facts').getByText('km²').waitFor();
    // Its neighbours in sight may follow once the map rests, so near by.
    const full = queries.filter((query) => !query.includes('geometry'));
    assert.match(full[0] ?? '', /^\?page-size=1&start-at=\d+$/);
    assert.equal(new Set(full).size, full.length, full.join());
  });
});

test('the provinces of a region come in one request for shapes, and one for the points of their names', {
  skip: SKIP,
}, async () => {
  const service = await startExplorer();
  await browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    const queries = queriesOf(page, 'lv1');
    await page.goto(`${service.url}/#lv1?gid-0=AAA`);
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await until(() => queries.length >= 2, 'no points were asked for');
    assert.deepEqual(queries.slice(0, 2), [
      '?gid-0=AAA&geometry=low',
      '?gid-0=AAA&geometry=point&page-size=2&start-at=1',
    ]);
  });
});

test('a release with full shapes alone is shown with these, and one without cells offers none', {
  skip: SKIP,
}, async () => {
  const folder = temporaryFolder();
  await buildUnchecked(writeExplorerCountries(), folder, {
    geometries: ['full'],
    cells: false,
    accept: ['empty-geometries'],
  });
  const service = await startService(folder, { explorer: true });
  await browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    const queries = queriesOf(page, 'lv1');
    await page.goto(`${service.url}/#lv1?gid-0=AAA`);
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await page.locator('#pager').getByText('2 of 2 units loaded').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Download' }).click();
    assert.deepEqual(await page.locator('#download-geometry option').allTextContents(), ['full, as published']);
    for (const name of ['Points', 'Cells']) assert.equal(await page.getByRole('menuitem', { name }).count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Request' }).click();
    assert.deepEqual(await page.locator('#geometry option').allTextContents(), [
      'full: as published, at most 20 a page',
    ]);
    assert.deepEqual(queries, ['?gid-0=AAA']);
  });
});
