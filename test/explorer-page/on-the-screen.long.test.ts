// 'What is on the screen': the units in the box of the map as a list, with its request, which the address keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/http/in-process-proxy.ts';
import { onPageAt, runInPage, WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { ExplorerBrowser, namesIn, selectUnit, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser();

test(
  'what is on the screen is a list of each level; address and request have its box, the breadcrumb leads out',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      await page.goto(`${service.url}/#lv0?map=8.00/3.50/0.50`);
      await page.getByRole('button', { name: 'List what is on the screen' }).click();
      await waitForPlace(page, 'r1', '1 country in this box');
      assert.deepEqual(await namesIn(page), ['Aland']);
      const [, bbox = ''] = /#lv0\?bbox=([\d.,-]+)&map=8\.00\/3\.50\/0\.50$/.exec(page.url()) ?? [];
      const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
      assert.ok(west < 0.5 && 0.5 < east && east < 4 && south < 3.5 && 3.5 < north, bbox);
      const levels = page.locator('#levels button');
      await levels.nth(2).waitFor();
      assert.deepEqual(await levels.allTextContents(), ['Level 01', 'Level 11', 'Level 22']);
      await levels.nth(2).click();
      await waitForPlace(page, 'r1', '2 districts in this box');
      assert.deepEqual(await namesIn(page), ['Næst', 'Wüst "late"']);
      await page.getByRole('tab', { name: 'Request' }).click();
      assert.equal(
        await page.locator('#url').textContent(),
        `${service.url}/api/v1/geojsonl/lv2?bbox=${bbox}&geometry=medium`,
      );
      await page.getByRole('tab', { name: 'Browse' }).click();
      await selectUnit(page, 'Næst');
      assert.ok(page.url().includes(`#lv2?bbox=${bbox}&unit=AAA.1.1_1&map=`), page.url());
      const address = page.url();
      await page.goto(`${service.url}/#lv0`);
      await waitForPlace(page, 'r1', '2 countries');
      await page.goto(address);
      await waitForPlace(page, 'r1', '2 districts in this box');
      await page.getByRole('button', { name: 'r1', exact: true }).click();
      await waitForPlace(page, 'r1', '2 countries');
    }),
);

test(
  'across the antimeridian the box has its west greater than its east; where nothing is, the list says so',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      await page.goto(`${service.url}/#lv0?map=6.00/0.00/180.00`);
      await page.getByRole('button', { name: 'List what is on the screen' }).click();
      await waitForPlace(page, 'r1', '0 units in this box');
      await page.locator('#message').getByText('None of this level is in the box.').waitFor();
      assert.match(page.url(), /#lv0\?bbox=17\d\.\d+,-\d\.\d+,-17\d\.\d+,\d\.\d+&map=/);
    }),
);

test('a box of the map is a little larger, across the antimeridian and at the poles too', { skip: SKIP }, async () => {
  const modules = await startService(service.folder, { explorer: 'modules' });
  const boxes = [
    [-3.9, 40.30001, -3.5, 40.6],
    [170, -20, -170, 20],
    [-180, -90, 180, 90],
  ];
  const texts = await onPageAt(`${modules.url}/docs`, (page) =>
    runInPage(
      page,
      `const { boxToText, textToBox } = await import('/explorer/api/page-request.js');
      return [...${JSON.stringify(boxes)}.map(boxToText), ...['1,2,3', '1,2,3,4', '1,2,3,x', '1,4,3,2', '', '1,2,3,4,5'].map((text) => textToBox(text) ?? null)];`,
    ),
  );
  assert.deepEqual(texts, [
    '-3.9001,40.3,-3.4999,40.6001',
    '169.9999,-20.0001,-169.9999,20.0001',
    '-180,-90,180,90',
    null,
    [1, 2, 3, 4],
    ...[null, null, null, null],
  ]);
});
