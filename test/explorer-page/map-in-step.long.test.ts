// The map beside the list: what is picked on it, what it loads when one looks closer, and when it stays where it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { until } from '../support/until.ts';
import { ExplorerBrowser, row, selectUnit, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser();

test(
  'the map names the unit under the pointer, and a click picks it: close by, a region among its siblings',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await selectUnit(page, 'Beland');
      const box = await page.locator('#map').boundingBox();
      assert.ok(box);
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      // What the pointer is over is known once the map has drawn it.
      const name = page.locator('.map-name').getByText('All', { exact: true });
      await until(async () => {
        await page.mouse.move(x + 5, y);
        await page.mouse.move(x, y);
        return name.isVisible();
      }, 'no name under the pointer');
      await page.mouse.click(x, y);
      await waitForPlace(page, 'Beland', '1 region');
      await page.locator('#facts').getByRole('heading', { name: 'All' }).waitFor();
      assert.equal(await row(page, 'All').getAttribute('aria-current'), 'true');
    }),
);

test('a closer look at the world fetches the real shapes of the units in sight, once', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    const shape = page.waitForResponse((response) => response.url().endsWith('/geojsonl/lv1?page-size=1&start-at=3'));
    // Closer than the overview of a release of 14 degrees is exact.
    await page.goto(`${service.url}/#lv0?map=11.00/1.00/12.00`);
    await shape;
    await page.goto(`${service.url}/#lv0?map=11.00/1.00/1.00`);
    const other = '/geojsonl/lv1?page-size=1&start-at=2';
    await until(() => urls.some((url) => url.endsWith(other)), 'no shape of the other country');
    assert.equal(urls.filter((url) => url.endsWith('start-at=3')).length, 1);
  }),
);

test('an empty answer is named, and the map stays where it is', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await selectUnit(page, 'Beland');
    await page.waitForURL(/map=/);
    const view = (): string | undefined => /map=([^&]+)/.exec(page.url())?.[1];
    const before = view();
    await page.getByRole('tab', { name: 'Request' }).click();
    // Both exist, and nothing is in both.
    await page.getByLabel('Level', { exact: true }).selectOption('lv2');
    await page.getByLabel('gid-0').fill('BBB');
    await page.getByLabel('gid-1').fill('AAA.1_1');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('#message').getByText('No units here').waitFor();
    await page.locator('#response').getByText('200 OK').waitFor();
    await page.getByRole('tab', { name: 'Browse' }).click();
    await waitForPlace(page, 'North', '0 units');
    assert.equal(view() ?? before, before);
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(view(), before);
  }),
);
