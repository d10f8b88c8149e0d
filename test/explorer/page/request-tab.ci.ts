// The Request tab: the request that gives what is shown, its response, the pages of the listing, and errors.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pointTo } from '../../support/releases/point-to.ts';
import {
  ALL_SHAPES,
  buildExplorerRelease,
  copied,
  journey,
  openUnit,
  startExplorer,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

async function openTab(page: Page): Promise<void> {
  await waitForPlace(page, 'r1', '2 countries');
  await page.getByRole('tab', { name: 'Request' }).click();
}

async function sendForm(page: Page, level: string, values: Record<string, string>): Promise<void> {
  await page.getByLabel('Level', { exact: true }).selectOption(level);
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Send' }).click();
}

async function waitForPages(page: Page, where: string, units: string): Promise<void> {
  await page.locator('#pager').getByText(where, { exact: true }).waitFor();
  await page.locator('#pager').getByText(units, { exact: true }).waitFor();
}

journey('someone sends requests, and follows them', { service, expected: [400] }, async (page, step) => {
  const url = page.locator('#url');
  const response = page.locator('#response');
  const sentUrl = async (): Promise<string> => (await url.textContent())?.slice(`${service.url}/api/v1/`.length) ?? '';
  const alert = page.getByRole('alert');
  const previous = page.getByRole('button', { name: 'Previous' });
  const next = page.getByRole('button', { name: 'Next' });

  await step('the tab has the request of what is shown, which is sent when it is asked for', async () => {
    await openTab(page);
    assert.equal(await sentUrl(), 'geojsonl/lv0');
    await response.getByText('was not sent').waitFor();
    // Its answer is two controls away, and before the form.
    await page.getByRole('tab', { name: 'Request' }).focus();
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await response.getByText('200 OK').waitFor();
    await page.locator('#request-heading:focus').waitFor();
    await waitForPages(page, 'Page 1 of 1', '2 of 2 units, on the map');
    assert.equal(await sentUrl(), 'geojsonl/lv0');
    await page.getByRole('tab', { name: 'Browse' }).click();
    await openUnit(page, 'Aland');
    await page.getByRole('tab', { name: 'Request' }).click();
    await url.getByText('/api/v1/geojsonl/lv1?gid-0=AAA').waitFor();
    assert.equal(await page.getByLabel('geometry', { exact: true }).inputValue(), 'full');
    assert.equal(await page.getByLabel('gid-0').inputValue(), 'AAA');
    await page.getByText('fc', { exact: true }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await url.getByText('/api/v1/fc/lv1?gid-0=AAA').waitFor();
    assert.match(page.url(), /#lv1\?gid-0=AAA.*format=fc/);
    await response.getByText('Link', { exact: true }).waitFor({ state: 'detached' });
  });

  for (const format of ['fc', 'geojsonl'])
    await step(`next is followed to the end and back, page by page: ${format}`, async () => {
      await page.getByText(format, { exact: true }).click();
      await page.getByLabel('geometry', { exact: true }).selectOption('full');
      await sendForm(page, 'lv2', { 'page-size': '2', 'gid-0': '' });
      await waitForPages(page, 'Page 1 of 3', '2 of 5 units, on the map');
      const text = (await response.textContent()) ?? '';
      assert.match(text, /^200 OKstatus\d+ mstime\d.* [k]?Bsent\d.* [k]?Btext/);
      assert.match(text, new RegExp(`Link<${service.url}/api/v1/${format}/lv2\\?.*next"`));
      assert.equal(await previous.getAttribute('aria-disabled'), 'true');
      await next.click();
      await waitForPages(page, 'Page 2 of 3', '2 of 5 units, on the map');
      await url.getByText(/start-at=c_/).waitFor();
      await previous.click();
      await waitForPages(page, 'Page 1 of 3', '2 of 5 units, on the map');
      assert.doesNotMatch(await sentUrl(), /start-at/);
      for (const at of ['Page 2 of 3', 'Page 3 of 3']) {
        await next.click();
        await page.locator('#pager').getByText(at, { exact: true }).waitFor();
      }
      await page.locator('#pager').getByText('1 of 5 units, on the map').waitFor();
      assert.equal(await next.getAttribute('aria-disabled'), 'true');
      await previous.click();
      await waitForPages(page, 'Page 2 of 3', '2 of 5 units, on the map');
      await page.locator('#pager button:focus').getByText('Previous').waitFor();
    });

  await step('the form has the geometries of the release, with the most units of a page; it is sent', async () => {
    const geometry = page.getByLabel('geometry', { exact: true });
    await page.getByLabel('Level', { exact: true }).selectOption('lv0');
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
    const most = [20, 20, 100, 1000, 1000].map((cap) => `at most ${cap}`);
    assert.deepEqual(caps, most);
    await sendForm(page, 'lv2', { 'page-size': '3' });
    await waitForPages(page, 'Page 1 of 2', '3 of 5 units, on the map');
    assert.equal(await sentUrl(), 'geojsonl/lv2?geometry=none&page-size=3');
    assert.match(page.url(), /#lv2\?geometry=none&page-size=3/);
    await next.click();
    await waitForPages(page, 'Page 2 of 2', '2 of 5 units, on the map');
    await geometry.selectOption('full');
  });

  await step('a point and a box are sent as they are typed, the code has them, and a mistake is named', async () => {
    await sendForm(page, 'lv2', { bbox: '0, 3, 4, 4', 'gid-0': 'AAA', 'page-size': '' });
    await waitForPages(page, 'Page 1 of 1', '2 of 2 units, on the map');
    const request = 'geojsonl/lv2?gid-0=AAA&bbox=0,3,4,4';
    assert.equal(await sentUrl(), request);
    assert.ok(((await page.locator('#code').textContent()) ?? '').includes(`'${service.url}/api/v1/${request}'`));
    assert.match(page.url(), /#lv2\?gid-0=AAA&bbox=0,3,4,4&geometry=full/);
    await sendForm(page, 'lv1', { bbox: '', contains: '0.5,3.5', 'gid-0': '' });
    await waitForPages(page, 'Page 1 of 1', '1 of 1 units, on the map');
    await url.getByText('/api/v1/geojsonl/lv1?contains=0.5,3.5').waitFor();
    await page.getByRole('tab', { name: 'Browse' }).click();
    await waitForPlace(page, 'r1', '1 region at this point');
    await page.getByRole('tab', { name: 'Request' }).click();
    await sendForm(page, 'lv1', { contains: '3.5,95' });
    await alert.getByText(/^contains is "3.5,95": "95" is no latitude/).waitFor();
  });

  await step('a mistake is named with what to change, and leaves no next page of another listing', async () => {
    await sendForm(page, 'lv2', { 'page-size': '2', contains: '' });
    await waitForPages(page, 'Page 1 of 3', '2 of 5 units, on the map');
    await sendForm(page, 'lv2', { 'page-size': '0' });
    await alert.getByText('page-size is "0". Allowed: a whole number of at least 1.').waitFor();
    await alert.getByText('400 bad-parameter').waitFor();
    await page.locator('#pager').waitFor({ state: 'hidden' });
    assert.equal(await next.count(), 0);
    await sendForm(page, 'lv2', { 'page-size': '', 'start-at': '3' });
    await waitForPages(page, 'Page 1 from start-at', '3 of 5 units, on the map');
    assert.equal(await alert.count(), 0);
  });

  await step('the code is a program in three languages for the whole listing, and is copied', async () => {
    await sendForm(page, 'lv2', { 'gid-1': 'AAA.1_1', 'page-size': '', 'start-at': '' });
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
    assert.match(await copied(page), /curl/);
  });

  await step('an address has the request, too', async () => {
    await page.goto(`${service.url}/#lv2?gid-0=AAA&format=fc&page-size=1&start-at=2`);
    await page.locator('#pager').getByText('Page 1 from start-at').waitFor();
    assert.equal(await sentUrl(), 'fc/lv2?gid-0=AAA&page-size=1&start-at=2');
    assert.equal(await page.getByLabel('page-size').inputValue(), '1');
    assert.equal(await page.getByLabel('start-at').inputValue(), '2');
    assert.equal(await page.getByRole('radio', { name: 'fc' }).isChecked(), true);
  });
});

journey(
  'a listing whose release is gone can be begun again on the new one',
  { service: () => startExplorer(), expected: [410] },
  async (page, _, { folder, releases }) => {
    await openTab(page);
    await sendForm(page, 'lv2', { 'page-size': '2' });
    await waitForPages(page, 'Page 1 of 3', '2 of 5 units, on the map');
    await buildExplorerRelease(folder, { release: 'r2' });
    pointTo(folder, 'r2');
    await releases.refresh();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('alert').getByText('The release of this listing is gone').waitFor();
    await page.getByRole('alert').getByText('410 release-gone').waitFor();
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.locator('#response').getByText('r2').first().waitFor();
    await waitForPages(page, 'Page 1 of 3', '2 of 5 units, on the map');
  },
);
