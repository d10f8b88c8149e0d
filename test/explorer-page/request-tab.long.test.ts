// The Request tab: the request that gives what is shown, its response, the pages of the listing, and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ExplorerBrowser, openUnit, startExplorer, waitForPlace, writeExplorerCountries } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser({ hasWebGl: false });

/** Opens the tab, once the world is shown. */
async function openTab(page: Page): Promise<void> {
  await waitForPlace(page, 'r1', '2 countries');
  await page.getByRole('tab', { name: 'Request' }).click();
}

/** Sends the form with these values. */
async function sendForm(page: Page, level: string, values: Record<string, string>): Promise<void> {
  await page.getByLabel('Level', { exact: true }).selectOption(level);
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Waits until the pager says this. */
async function waitForPages(page: Page, where: string, loaded: string): Promise<void> {
  await page.locator('#pager').getByText(where, { exact: true }).waitFor();
  await page.locator('#pager').getByText(loaded, { exact: true }).waitFor();
}

test(
  'the tab has the request of what is shown: of the overview, of an opened unit, of a page that is sent',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await openTab(page);
      const url = page.locator('#url');
      assert.equal(await url.textContent(), `${service.url}/api/v1/overview`);
      await page.locator('#response').getByText('200 OK').waitFor();
      await page.getByRole('button', { name: 'Send' }).click();
      await waitForPages(page, 'Page 1 of 1', '2 of 2 units loaded');
      assert.equal(await url.textContent(), `${service.url}/api/v1/geojsonl/lv0`);
      await page.getByRole('tab', { name: 'Browse' }).click();
      await openUnit(page, 'Aland');
      await page.getByRole('tab', { name: 'Request' }).click();
      await url.getByText('/api/v1/geojsonl/lv1?gid-0=AAA').waitFor();
      assert.equal(await page.getByLabel('gid-0').inputValue(), 'AAA');
      await page.getByText('fc', { exact: true }).click();
      await page.getByRole('button', { name: 'Send' }).click();
      await url.getByText('/api/v1/fc/lv1?gid-0=AAA').waitFor();
      assert.match(page.url(), /#lv1\?gid-0=AAA.*format=fc/);
      await page.locator('#response').getByText('Link', { exact: true }).waitFor({ state: 'detached' });
    }),
);

for (const format of ['geojsonl', 'fc'])
  test(`follows next to the end and back, page by page and all at once: ${format}`, { skip: SKIP }, () =>
    browser.onPage(service, async (page) => {
      await openTab(page);
      await page.getByText(format, { exact: true }).click();
      await sendForm(page, 'lv2', { 'page-size': '2' });
      await waitForPages(page, 'Page 1 of 3', '2 of 5 units loaded');
      const response = page.locator('#response');
      assert.match((await response.textContent()) ?? '', /^200 OKstatus\d+ mstime\d.* [k]?Bsent\d.* [k]?Btext/);
      assert.match(
        (await response.textContent()) ?? '',
        new RegExp(`Link<${service.url}/api/v1/${format}/lv2\\?.*next"`),
      );
      const [previous, next] = [
        page.getByRole('button', { name: 'Previous' }),
        page.getByRole('button', { name: 'Next' }),
      ];
      assert.equal(await previous.getAttribute('aria-disabled'), 'true');
      await next.click();
      await waitForPages(page, 'Page 2 of 3', '4 of 5 units loaded');
      await page
        .locator('#url')
        .getByText(/start-at=c_/)
        .waitFor();
      await previous.click();
      await waitForPages(page, 'Page 1 of 3', '4 of 5 units loaded');
      assert.doesNotMatch((await page.locator('#url').textContent()) ?? '', /start-at/);
      await page.getByRole('button', { name: 'Load all' }).click();
      await waitForPages(page, 'Page 3 of 3', '5 of 5 units loaded');
      assert.equal(await next.getAttribute('aria-disabled'), 'true');
      await previous.click();
      await waitForPages(page, 'Page 2 of 3', '5 of 5 units loaded');
      await page.locator('#pager button:focus').getByText('Previous').waitFor();
    }),
  );

test(
  'the form has the geometries of the release, with the most units of a page; the choice is sent',
  { skip: SKIP },
  () =>
    browser.onPage(service, async (page) => {
      await openTab(page);
      const geometry = page.getByLabel('geometry', { exact: true });
      assert.equal(await geometry.inputValue(), 'full');
      assert.deepEqual(await geometry.locator('option').allTextContents(), [
        'full: as published, at most 20 a page',
        'medium: to about 100 m, at most 20 a page',
        'low: to about 1 km, at most 100 a page',
        'point: a point inside each unit, at most 1000 a page',
        'none: attributes alone, at most 1000 a page',
      ]);
      const caps: unknown[] = [];
      for (const name of ['full', 'medium', 'low', 'point', 'none']) {
        await geometry.selectOption(name);
        caps.push(await page.getByLabel('page-size').getAttribute('placeholder'));
      }
      assert.deepEqual(
        caps,
        [20, 20, 100, 1000, 1000].map((cap) => `at most ${cap}`),
      );
      await sendForm(page, 'lv2', { 'page-size': '3' });
      await waitForPages(page, 'Page 1 of 2', '3 of 5 units loaded');
      assert.equal(
        await page.locator('#url').textContent(),
        `${service.url}/api/v1/geojsonl/lv2?geometry=none&page-size=3`,
      );
      assert.match(page.url(), /#lv2\?geometry=none&page-size=3/);
      await page.getByRole('button', { name: 'Next' }).click();
      await waitForPages(page, 'Page 2 of 2', '5 of 5 units loaded');
      // An opened unit has what the map needs.
      await page.goto(`${service.url}/#lv1?gid-0=AAA`);
      await page.locator('#url').getByText('/api/v1/geojsonl/lv1?gid-0=AAA&geometry=low').waitFor();
      assert.equal(await geometry.inputValue(), 'low');
    }),
);

test('a point and a box are sent as they are typed, the code has them, and a mistake is named', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await openTab(page);
      await sendForm(page, 'lv2', { bbox: '0, 3, 4, 4', 'gid-0': 'AAA' });
      await waitForPages(page, 'Page 1 of 1', '2 of 2 units loaded');
      const url = page.locator('#url');
      const request = '/api/v1/geojsonl/lv2?gid-0=AAA&bbox=0,3,4,4';
      assert.equal(await url.textContent(), `${service.url}${request}`);
      assert.ok(((await page.locator('#code').textContent()) ?? '').includes(`'${service.url}${request}'`));
      assert.match(page.url(), /#lv2\?gid-0=AAA&bbox=0,3,4,4&geometry=full/);
      await sendForm(page, 'lv1', { bbox: '', contains: '0.5,3.5', 'gid-0': '' });
      await waitForPages(page, 'Page 1 of 1', '1 of 1 units loaded');
      await url.getByText('/api/v1/geojsonl/lv1?contains=0.5,3.5').waitFor();
      await page.getByRole('tab', { name: 'Browse' }).click();
      await waitForPlace(page, 'r1', '1 region at this point');
      await page.getByRole('tab', { name: 'Request' }).click();
      await sendForm(page, 'lv1', { contains: '3.5,95' });
      await page
        .getByRole('alert')
        .getByText(/^contains is "3.5,95": "95" is no latitude/)
        .waitFor();
    },
    { expected: [400] },
  ),
);

test('what is being loaded can be stopped, and continued', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await openTab(page);
    await sendForm(page, 'lv2', { 'page-size': '1' });
    await waitForPages(page, 'Page 1 of 5', '1 of 5 units loaded');
    await page.route('**/api/**', () => {});
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Load all' }).waitFor();
    await page.getByRole('tab', { name: 'Browse' }).click();
    await page.locator('#progress').getByText('1 of 5 shapes: stopped').waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.locator('#progress').waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Request' }).click();
    await waitForPages(page, 'Page 5 of 5', '5 of 5 units loaded');
  }),
);

test('the code is a program in three languages for the whole listing, and is copied', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await openTab(page);
      await sendForm(page, 'lv2', { 'gid-1': 'AAA.1_1' });
      await page.locator('#pager').getByText('Page 1 of 1').waitFor();
      for (const [language, mark] of [
        ['Python', 'urlopen'],
        ['JavaScript', 'await fetch'],
        ['Shell', 'curl'],
      ] as const) {
        await page.getByLabel('Language').selectOption(language);
        const code = (await page.locator('#code').textContent()) ?? '';
        assert.ok(code.includes(mark) && code.includes(`${service.url}/api/v1/geojsonl/lv2?gid-1=AAA.1_1`), code);
      }
      await page.locator('#code-actions button').click();
      await page.locator('#code-actions').getByText('Copied').waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /curl/);
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ),
);

// The tests are checked without the types of a browser.
declare const navigator: { clipboard: { readText(): Promise<string> } };

test('a mistake is named with what to change, and leaves no next page of another listing', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await openTab(page);
      await sendForm(page, 'lv2', { 'page-size': '2' });
      await waitForPages(page, 'Page 1 of 3', '2 of 5 units loaded');
      await sendForm(page, 'lv2', { 'page-size': '0' });
      const alert = page.getByRole('alert');
      await alert.getByText('page-size is "0". Allowed: a whole number of at least 1.').waitFor();
      await alert.getByText('400 bad-parameter').waitFor();
      await page.locator('#pager').waitFor({ state: 'hidden' });
      assert.equal(await page.getByRole('button', { name: 'Next' }).count(), 0);
      await sendForm(page, 'lv2', { 'page-size': '', 'start-at': '3' });
      await waitForPages(page, 'Page 1 from start-at', '3 of 5 units loaded');
      assert.equal(await alert.count(), 0);
    },
    { expected: [400] },
  ),
);

test('a listing whose release is gone can be begun again on the new one', { skip: SKIP }, async () => {
  const source = writeExplorerCountries();
  const folder = temporaryFolder();
  await buildRelease(source, folder, { accept: ['empty-geometries'] });
  const changing = await startService(folder, { explorer: true });
  await browser.onPage(
    changing,
    async (page) => {
      await openTab(page);
      await sendForm(page, 'lv2', { 'page-size': '2' });
      await waitForPages(page, 'Page 1 of 3', '2 of 5 units loaded');
      await buildRelease(source, folder, { release: 'r2', accept: ['empty-geometries'] });
      pointTo(folder, 'r2');
      await changing.releases.refresh();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('alert').getByText('The release of this listing is gone').waitFor();
      await page.getByRole('alert').getByText('410 release-gone').waitFor();
      await page.getByRole('button', { name: 'Begin again' }).click();
      await page.locator('#response').getByText('r2').first().waitFor();
      await waitForPages(page, 'Page 1 of 3', '2 of 5 units loaded');
    },
    { expected: [410] },
  );
});
