// Tiles that do not arrive: what the map says, and what it asks for again.
import assert from 'node:assert/strict';
import { holdRequests } from '../../support/processes/chromium.ts';
import { until } from '../../support/until.ts';
import { drawn, goToView, mapAtRest, waitForDrawn } from './asked-map.ts';
import { ALL_SHAPES, journey, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

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
        await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
        await page.unroute(tiles);
        await page.getByRole('button', { name: 'Try again' }).click();
        await waitForDrawn(page, 'fill', ['1/1', '1/2']);
        assert.equal(await page.locator('#message').innerText(), '');
      },
    );

    await step('so do what they are, and their tiles', async () => {
      await page.goto(`${service.url}/docs`);
      await page.route('**/lv1.json', (route) => route.fulfill({ status: 503, body: 'down' }));
      await page.goto(`${service.url}/#token=${TOKEN}`);
      await page.goto(`${service.url}/#lv1?gid-0=AAA&unit=AAA.1_1`);
      await page.locator('#message').getByText('The service has a fault').waitFor();
      await page.unroute('**/lv1.json');
      await page.getByRole('button', { name: 'Try again' }).click();
      await waitForDrawn(page, 'fill', ['1/1', '1/2']);
      // The unit of the address is lit when its tiles come.
      await mapAtRest(page, "theMap.getFeatureState({ source: 'lv1', sourceLayer: 'units', id: 1 }).chosen === true");
    });

    await step('what a level is that one leaves and comes back to meanwhile is told once', async () => {
      await page.goto(`${service.url}/docs`);
      await page.route('**/lv0/**', (route) => route.fulfill({ status: 503, body: 'down' }));
      const arrive = await holdRequests(page, '**/lv1.json');
      await page.goto(`${service.url}/#token=${TOKEN}`);
      await page.goto(`${service.url}/#lv1?gid-0=AAA`);
      await page.locator('#message').getByText('The service has a fault').waitFor();
      await page.unroute('**/lv0/**');
      await page.goto(`${service.url}/#lv1?gid-0=BBB`);
      await waitForPlace(page, 'Beland', '1 × Region');
      arrive();
      await waitForDrawn(page, 'fill', ['1/3']);
      assert.equal(await page.locator('#message').innerText(), '');
    });

    const gone = {
      status: 410,
      contentType: 'application/problem+json',
      body: '{"code":"release-gone","detail":"x"}',
    };

    await step('tiles of a release that is gone are replaced by those of the new one', async () => {
      await page.route('**/*.mvt?v=*', (route) => route.fulfill(gone), { times: 1 });
      const refused = page.waitForResponse((response) => response.status() === gone.status);
      await page.goto(`${service.url}/#lv2?gid-1=AAA.1_1`);
      await refused;
      await until(async () => (await drawn(page, 'fill')).includes('2/1'), 'no district is drawn');
      assert.equal(await page.locator('#message').innerText(), '');
    });

    await step('so are they where another tile had another fault before', async () => {
      let described = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/lv1.json')) described++;
      });
      let fail: () => void = () => {};
      const hasFailed = new Promise<void>((resolve) => (fail = resolve));
      const once = { times: 1 };
      await page.route(
        '**/lv1/5/16/15.mvt?v=*',
        (route) => route.fulfill({ status: 503, body: 'down' }).then(fail),
        once,
      );
      await page.route('**/lv1/5/17/15.mvt?v=*', (route) => hasFailed.then(() => route.fulfill(gone)), once);
      await page.goto(`${service.url}/docs`);
      await page.goto(`${service.url}/#token=${TOKEN}`);
      await waitForPlace(page, 'r1', '2 countries');
      await page.goto(`${service.url}/#lv1?gid-0=BBB&unit=BBB.1_1&map=5.00/2.00/11.25`);
      await until(() => described === 2, 'the level is not described again');
      await waitForDrawn(page, 'fill', ['1/3']);
    });

    await step('a tile that cannot be read is called so', async () => {
      await page.goto(`${service.url}/docs`);
      await page.route('**/lv1/**/*.mvt?v=*', (route) => route.fulfill({ status: 200, body: 'no tile' }));
      await page.goto(`${service.url}/#token=${TOKEN}`);
      await page.goto(`${service.url}/#lv1?gid-0=AAA`);
      const message = page.locator('#message');
      await message.getByText('The response could not be read').waitFor();
      await message.getByText(/^The tile \d+\/\d+\/\d+ of level 1 could not be read: /).waitFor();
      await page.unroute('**/lv1/**/*.mvt?v=*');
      await message.getByRole('button', { name: 'Try again' }).click();
      await waitForDrawn(page, 'fill', ['1/1', '1/2']);
    });
  },
);

/** A tile with the east of Beland, which no other one of its zoom has, and those that it is a part of. */
const EAST = 'lv1/5/17/15.mvt';
const FAILING = [EAST, 'lv1/4/8/7.mvt', 'lv1/3/4/3.mvt', 'lv1/2/2/1.mvt', 'lv1/1/1/0.mvt', 'lv1/0/0/0.mvt'];

journey('one tile of several fails', { service, hasMap: 'asked', expected: [502, 503] }, async (page, step) => {
  const message = page.locator('#message');
  const tryAgain = (): Promise<void> => message.getByRole('button', { name: 'Try again' }).click();
  /** Is a region drawn at this longitude? */
  const isDrawn = (longitude: number): Promise<boolean> =>
    page.evaluate<boolean>(
      `theMap.queryRenderedFeatures(theMap.project([${longitude}, 2]), { layers: ['fill-1', 'land-1'] }).length > 0`,
    );
  const asked: string[] = [];
  page.on('request', (request) => {
    const [, path] = /\/tiles\/(.*\.mvt)/.exec(request.url()) ?? [];
    if (path !== undefined) asked.push(path);
  });
  const failing = /\/lv1\/(5\/17\/15|4\/8\/7|3\/4\/3|2\/2\/1|1\/1\/0|0\/0\/0)\.mvt/;
  const mend = (): Promise<void> => page.unroute(failing);
  /** Opens Beland on a page of which these tiles fail with this status. */
  const openFailing = async (status: number): Promise<void> => {
    await page.goto(`${service.url}/docs`);
    await page.route(failing, (route) => route.fulfill({ status, body: 'down' }));
    await page.goto(`${service.url}/#token=${TOKEN}`);
    await waitForPlace(page, 'r1', '2 countries');
    await goToView(page, `${service.url}/#lv1?gid-0=BBB&unit=BBB.1_1&map=5.00/2.00/11.25`);
    await message.getByText('The service has a fault').waitFor();
    await until(() => isDrawn(11), 'the other tiles are not drawn');
    await mapAtRest(page);
    assert.equal(await isDrawn(13), false);
    asked.length = 0;
  };

  await step('the others are drawn; it alone is asked for again, as often as one tries', async () => {
    await openFailing(503);
    const answered = page.waitForResponse(`**/${EAST}*`);
    await tryAgain();
    await answered;
    await message.getByText('The service has a fault').waitFor();
    await mend();
    await tryAgain();
    await until(() => isDrawn(13), 'the hole stays');
    const others = asked.filter((path) => !FAILING.includes(path));
    assert.deepEqual([asked.includes(EAST), others], [true, []]);
    assert.equal(await message.innerText(), '');
  });

  await step('one that cannot be read is named each time that one tries', async () => {
    await page.goto(`${service.url}/docs`);
    await page.route(`**/${EAST}?*`, (route) => route.fulfill({ status: 200, body: 'no tile' }));
    await page.goto(`${service.url}/#token=${TOKEN}`);
    await waitForPlace(page, 'r1', '2 countries');
    await goToView(page, `${service.url}/#lv1?gid-0=BBB&unit=BBB.1_1&map=5.00/2.00/11.25`);
    for (let tries = 0; tries < 2; tries++) {
      await message.getByText('The tile 5/17/15 of level 1 could not be read').waitFor();
      await Promise.all([page.waitForResponse(`**/${EAST}?*`), tryAgain()]);
    }
    await message.getByText('The tile 5/17/15 of level 1 could not be read').waitFor();
    await page.unroute(`**/${EAST}?*`);
    await tryAgain();
    await until(() => isDrawn(13), 'the hole stays');
    assert.equal(await message.innerText(), '');
  });

  const goOn = async (): Promise<void> => {
    await page.goto(page.url().replace('#lv1?gid-0=BBB&unit=BBB.1_1', '#lv2?gid-1=BBB.1_1'));
    await waitForPlace(page, 'All', '1 × District');
    await mapAtRest(page);
  };

  await step('it comes by itself when one goes on to another place', async () => {
    await openFailing(503);
    await mend();
    await goOn();
    await until(() => isDrawn(13), 'the hole stays');
  });

  await step('one that is damaged is asked for again only when one tries', async () => {
    await openFailing(502);
    await goOn();
    assert.ok(!asked.includes(EAST), `asked for: ${asked.join(' ')}`);
    await mend();
    await openFailing(502);
    await mend();
    await tryAgain();
    await until(() => isDrawn(13), 'the hole stays');
  });
});
