// The page's address: it restores level, parents, selected unit, request and map view, in a page of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { ExplorerBrowser, openUnit, selectUnit, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser();

/** Opens an address as someone who has a link and a token does. */
function openLink(path: string, use: (page: Page) => Promise<void>): Promise<void> {
  return browser.onPage(
    service,
    async (page) => {
      await page.getByLabel('Token').fill(TOKEN);
      await page.keyboard.press('Enter');
      await use(page);
    },
    { path },
  );
}

test('an address restores place, selected unit and map view in another browser', { skip: SKIP }, async () => {
  let address = '';
  await browser.onPage(service, async (page) => {
    await openUnit(page, 'Aland');
    await selectUnit(page, 'North');
    await page.waitForURL(/unit=AAA\.1_1&map=/);
    const before = page.url();
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.waitForURL((url) => url.href !== before);
    address = page.url();
  });
  assert.match(address, /\/#lv1\?gid-0=AAA&unit=AAA\.1_1&map=\d+\.\d+\/\d+\.\d+\/\d+\.\d+$/);
  await openLink(address.slice(service.url.length), async (page) => {
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await page.locator('#facts').getByRole('heading', { name: 'North' }).waitFor();
    await page
      .locator('#facts')
      .getByText(/^\d+ properties$/)
      .waitFor();
    assert.equal(page.url(), address);
  });
});

test('an address has the request, too', { skip: SKIP }, () =>
  openLink('/#lv2?gid-0=AAA&format=fc&page-size=1&start-at=2', async (page) => {
    await waitForPlace(page, 'Aland', '4 districts');
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.locator('#pager').getByText('Page 1 from start-at').waitFor();
    assert.equal(
      await page.locator('#url').textContent(),
      `${service.url}/api/v1/fc/lv2?gid-0=AAA&page-size=1&start-at=2`,
    );
    assert.equal(await page.getByLabel('page-size').inputValue(), '1');
    assert.equal(await page.getByLabel('start-at').inputValue(), '2');
    assert.equal(await page.getByRole('radio', { name: 'fc' }).isChecked(), true);
  }),
);

test('any other fragment is the world', { skip: SKIP }, () =>
  openLink('/#lv9?gid-0=AAA', (page) => waitForPlace(page, 'r1', '2 countries')),
);

test('a link with a token, opened in the tab of the page, opens the world with it', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await page.locator('#token:focus').waitFor();
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, `token=${TOKEN}`);
      await waitForPlace(page, 'r1', '2 countries');
      assert.doesNotMatch(page.url(), /token/);
    },
    { path: '/' },
  ),
);

test('the skip link moves the focus and leaves the place', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await page.waitForURL(/map=/);
    const before = page.url();
    await page.locator('#skip').focus();
    await page.keyboard.press('Enter');
    await page.locator('#heading:focus').waitFor();
    assert.equal(page.url(), before);
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
  }),
);

// The tests are checked without the types of a browser.
declare const location: { hash: string };
