// Tiles that do not arrive: what the map says, and what it asks for again.
import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import { drawn } from './asked-map.ts';
import { ALL_SHAPES, journey, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

journey(
  'the map has its faults, and says so',
  { service, hasMap: 'asked', expected: [410, 503] },
  async (page, step) => {
    const tiles = '**/api/v1/tiles/**';
    await waitForPlace(page, 'r1', '2 countries');

    await step(
      'tiles that do not arrive are said once; the list works, and they come when it is tried again',
      async () => {
        await page.route(tiles, (route) => route.fulfill({ status: 503, body: 'down' }));
        await page.goto(`${service.url}/#lv1?gid-0=AAA`);
        await page.locator('#message').getByText('The service has a fault').waitFor();
        await waitForPlace(page, 'Aland', '1 region, 1 free city');
        await page.unroute(tiles);
        await page.getByRole('button', { name: 'Try again' }).click();
        await until(async () => (await drawn(page, 'fill')).join() === '1/1,1/2', 'no region is drawn');
        assert.equal(await page.locator('#message').innerText(), '');
      },
    );

    await step('tiles of a release that is gone are replaced by those of the new one', async () => {
      const gone = {
        status: 410,
        contentType: 'application/problem+json',
        body: '{"code":"release-gone","detail":"x"}',
      };
      await page.route('**/*.mvt?v=*', (route) => route.fulfill(gone), { times: 1 });
      await page.goto(`${service.url}/#lv2?gid-1=AAA.1_1`);
      await until(async () => (await drawn(page, 'fill')).includes('2/1'), 'no district is drawn');
      assert.equal(await page.locator('#message').innerText(), '');
    });
  },
);
