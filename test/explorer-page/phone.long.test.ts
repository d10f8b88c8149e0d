// The explorer on a phone, by touch, and where the system is dark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { until } from '../support/until.ts';
import {
  ExplorerBrowser,
  HOSTILE,
  row,
  startExplorer,
  startLargeExplorer,
  TOKEN,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser();

const SMALL = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };
const WIDE = { viewport: { width: 768, height: 1024 } };

// The tests are checked without the types of a browser.
declare const document: { body: object };
declare function getComputedStyle(element: object): { backgroundColor: string };

/** Asserts that neither the page nor a part that scrolls is wider than its place. */
async function assertFits(page: Page, state: string): Promise<void> {
  const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('html, body, body *')]
    .filter((element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX))
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.tagName + ' ' + element.id + ' ' + element.className)`);
  assert.deepEqual(wide, [], state);
}

test('fits a phone of 320 pixels, from the sign-in to a unit, its request and an error', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await page.locator('#token:focus').waitFor();
      await assertFits(page, 'sign-in');
      await page.getByLabel('Token').fill(TOKEN);
      await page.getByRole('button', { name: 'Open' }).tap();
      await waitForPlace(page, 'r1', '2 countries');
      await assertFits(page, 'world');
      await page.locator('#find').fill('a');
      await page.locator('#found [role=option]').first().waitFor();
      await assertFits(page, 'search results');
      await page.locator('#found [role=option]').first().tap();
      await page.locator('#facts').getByText('3 properties').waitFor();
      await page.locator('#rows').waitFor({ state: 'hidden' });
      await assertFits(page, 'facts');
      await page.getByRole('button', { name: 'Open 2 inside' }).tap();
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      await page.locator('#rows').getByText(HOSTILE).waitFor();
      await assertFits(page, 'opened unit');
      await page.getByRole('tab', { name: 'Request' }).tap();
      await page.locator('#pager').getByText('Page 1 of 1').waitFor();
      await page.getByText(/^All \d+ headers$/).tap();
      await assertFits(page, 'request');
      await page.getByLabel('page-size').fill('x'.repeat(60));
      await page.getByRole('button', { name: 'Send' }).tap();
      await page.getByRole('alert').waitFor();
      await assertFits(page, 'error');
      await page.goto(`${service.url}/docs`);
      // Its tables scroll.
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), SMALL.viewport.width);
    },
    { ...SMALL, path: '/', expected: [400] },
  ),
);

test('the sheet has three heights; a tap on the map picks a unit, the credits stay in sight', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      const heightOf = async (): Promise<number> => (await page.locator('#panel').boundingBox())?.height ?? 0;
      const sheet = page.getByRole('button', { name: /^Panel height/ });
      const half = await heightOf();
      await sheet.tap();
      await page.getByRole('button', { name: 'Panel height: full. Change' }).waitFor();
      const full = await heightOf();
      await sheet.tap();
      await page.getByRole('button', { name: 'Panel height: low. Change' }).waitFor();
      const low = await heightOf();
      assert.ok(low < half && half < full, `${low} ${half} ${full}`);
      await page.getByRole('button', { name: 'More of the credits' }).tap();
      await page.getByRole('button', { name: 'Less of the credits' }).waitFor();
      await page.locator('#credits').getByText('Second source').waitFor();
      const credits = await page.locator('#credits').boundingBox();
      const panel = await page.locator('#panel').boundingBox();
      assert.ok(credits && panel && credits.y + credits.height <= panel.y + 1);
      await sheet.tap();
      await page.getByRole('button', { name: 'Open Beland: 1 inside' }).tap();
      await waitForPlace(page, 'Beland', '1 region');
      await page.locator('#response').getByText('200 OK').waitFor({ state: 'attached' });
      await page.waitForURL(/map=/);
      const box = await page.locator('#map').boundingBox();
      assert.ok(box);
      // A tap finds a unit once the map has drawn it.
      const facts = page.locator('#facts').getByRole('heading', { name: 'All' });
      await until(async () => {
        await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
        return facts.isVisible();
      }, 'no unit was picked');
    },
    SMALL,
  ),
);

test('what is offered is inside of the screen: the menu, and above the facts the way in; the list returns where it was', {
  skip: SKIP,
}, async () => {
  const many = await startLargeExplorer(60);
  for (const size of [SMALL, { ...SMALL, viewport: { width: 390, height: 844 } }])
    await browser.onPage(
      many,
      async (page) => {
        const { width, height } = size.viewport;
        const assertInside = async (locator: ReturnType<Page['locator']>, what: string): Promise<void> => {
          let box: Awaited<ReturnType<typeof locator.boundingBox>>;
          const isInside = async (): Promise<boolean> => {
            box = await locator.boundingBox();
            return (
              box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
            );
          };
          // The panel moves while what it shows arrives.
          await until(isInside, () => `${what} at ${width}: ${JSON.stringify(box)}`);
        };
        await waitForPlace(page, 'Aland', '60 units');
        await page.getByRole('button', { name: 'r1', exact: true }).tap();
        await waitForPlace(page, 'r1', '1 country');
        await page.getByRole('button', { name: 'Download' }).tap();
        for (const item of await page.getByRole('menuitem').all()) await assertInside(item, 'an item of the menu');
        await page.keyboard.press('Escape');
        await row(page, 'Aland').tap();
        const open = page.getByRole('button', { name: 'Open 60 inside', exact: true });
        await assertInside(open, 'the way in');
        await open.tap();
        await waitForPlace(page, 'Aland', '60 units');
        const chosen = row(page, 'District 30');
        await until(async () => {
          await page.locator('#rows').evaluate((box: { scrollTop: number }) => {
            box.scrollTop = 1200;
          });
          return chosen.isVisible();
        }, 'the row is not among those that are shown');
        await chosen.tap();
        await page
          .locator('#facts')
          .getByText(/^\d+ properties$/)
          .waitFor();
        await page.getByRole('button', { name: 'Close District 30' }).tap();
        await chosen.waitFor();
        await assertInside(chosen, 'the row that was chosen');
      },
      size,
    );
});

test('is dark where the system is, and fits a tablet', { skip: SKIP }, async () => {
  const colours: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const)
    await browser.onPage(
      service,
      async (page) => {
        await waitForPlace(page, 'r1', '2 countries');
        await assertFits(page, colorScheme);
        colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        await page.goto(`${service.url}/docs`);
        colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      },
      { ...WIDE, colorScheme },
    );
  assert.deepEqual(colours, ['rgb(255, 255, 255)', 'rgb(255, 255, 255)', 'rgb(18, 25, 30)', 'rgb(18, 25, 30)']);
});
