// 'What is here': which units contain a point, asked on the map and with two numbers in the search field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { until } from '../support/until.ts';
import { ExplorerBrowser, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser();

/** Waits for the answer at a point; its links, from the country down. */
async function here(page: Page, point: string): Promise<string[]> {
  const card = page.locator('#here');
  await card.getByRole('heading', { name: point, exact: true }).waitFor();
  await card.getByText('Asking what is here…').waitFor({ state: 'hidden' });
  return card.locator('li').allInnerTexts();
}

test(
  'two numbers say what is there as links, latitude first, and offer the other order; one request',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('point=')) asked.push(request.url().slice(service.url.length));
      });
      const field = page.locator('#find');
      await field.fill('3.5, 0.5');
      const options = page.locator('#found [role=option]');
      assert.deepEqual(await options.locator('.type').allTextContents(), ['latitude first', 'longitude first']);
      await field.press('Enter');
      const units = ['Aland\nlevel 0', 'North\nRegion', 'Næst\nDistrict'];
      assert.deepEqual(await here(page, '3.5° N, 0.5° E'), units);
      assert.deepEqual(asked, ['/api/v1/at?point=0.5,3.5&geometry=none']);
      await page.locator('#here').getByText('read with the latitude first').waitFor();
      await page.locator('#here').getByRole('link', { name: 'Næst' }).click();
      await waitForPlace(page, 'North', '3 districts');
      await page.locator('#facts').getByRole('heading', { name: 'Næst' }).waitFor();
      await page.getByRole('button', { name: 'Or is it 0.5° N, 3.5° E?' }).press('Enter');
      assert.deepEqual(await here(page, '0.5° N, 3.5° E'), ['Aland\nlevel 0']);
      await page.locator('#here-title:focus').waitFor();
      // As the answer itself has it, also in the other order.
      await field.fill('0.5° E 3.5° n');
      assert.deepEqual(await options.locator('.type').allTextContents(), ['longitude first']);
      await field.fill('01 004');
      await page.locator('#found-note').getByText('No unit has this name or GID.').waitFor();
      // The other order of these is no point; and nothing is there.
      await field.fill('40.4168 -103.7038');
      assert.equal(await options.count(), 1);
      await field.press('Enter');
      assert.deepEqual(await here(page, '40.4168° N, 103.7038° W'), []);
      await page.locator('#here').getByText('No unit contains this point.').waitFor();
      await page.getByRole('button', { name: 'Close what is here' }).press('Enter');
      await page.locator('#heading:focus').waitFor();
      assert.equal(await page.locator('#here').isVisible(), false);
    }),
);

test(
  'on the map the other button and a long press say what is there, and a click where nothing is drawn; a click on a unit selects it',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(
      service,
      async (page) => {
        await waitForPlace(page, 'r1', '2 countries');
        await page.goto(`${service.url}/#lv0?map=8.00/3.50/0.50`);
        const box = await page.locator('#map').boundingBox();
        assert.ok(box);
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        /** Is it what was pressed, to half a pixel? */
        const isAt = async (latitude: number, longitude: number): Promise<boolean> => {
          const [, north, east] = /^([\d.]+)° N, ([\d.]+)° E$/.exec(await page.locator('#here h2').innerText()) ?? [];
          return Math.abs(Number(north) - latitude) < 0.005 && Math.abs(Number(east) - longitude) < 0.005;
        };
        const answered = (text: string): Promise<void> => page.locator('#here').getByText(text).first().waitFor();
        await page.mouse.click(x, y, { button: 'right' });
        await answered('Næst');
        assert.ok(await isAt(3.5, 0.5));
        await page.getByRole('button', { name: 'Close what is here' }).click();
        const touch = await page.context().newCDPSession(page);
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
        await answered('Næst');
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        await page.getByRole('button', { name: 'Close what is here' }).click();
        // What is under the pointer is known once the map has drawn it.
        await until(async () => {
          await page.mouse.click(x, y);
          return page.locator('#facts').isVisible();
        }, 'a click selects no unit');
        await page.goto(`${service.url}/#lv0?map=8.00/0.50/7.00`);
        await page.mouse.click(x, y);
        await answered('No unit contains this point.');
        assert.ok(await isAt(0.5, 7));
      },
      { hasTouch: true },
    ),
);
