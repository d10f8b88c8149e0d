// What the page says when the service does not answer, and that it goes on from there; units that the release does not
// have.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ExplorerBrowser, openUnit, row, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser({ hasWebGl: false });

/** Statuses that the browser reports: 503, and what it says of a request that failed. */
const EXPECTED = [503];

/** Answers requests with 503, until the result is called. */
async function outage(page: Page, paths: string): Promise<() => Promise<void>> {
  await page.route(paths, (route) => route.fulfill({ status: 503, body: 'down' }));
  return () => page.unroute(paths);
}

const tryAgain = (page: Page): Promise<void> =>
  page.locator('#message').getByRole('button', { name: 'Try again' }).click();

/** Asserts that nothing says that it waits. */
async function assertAtRest(page: Page): Promise<void> {
  const texts = await page.locator('body').innerText();
  assert.doesNotMatch(texts, /loading|waiting/i);
}

test('after an outage the place is there by one press; meanwhile nothing says that it loads', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      const end = await outage(page, '**/api/v1/**');
      await openUnit(page, 'Aland');
      await page.locator('#message').getByText('The service has a fault').waitFor();
      await page.locator('#subheading').getByText('There are no names to show').waitFor();
      await assertAtRest(page);
      await tryAgain(page);
      await page.locator('#subheading').getByText('There are no names to show').waitFor();
      await end();
      await tryAgain(page);
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      assert.equal(await page.locator('#message').innerText(), '');
    },
    { expected: EXPECTED },
  ),
);

test('a page opened during an outage gets its release, names and overview when it is over', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await page.locator('#token').waitFor();
      const ends = [await outage(page, '**/api/v1/**'), await outage(page, '**/about.json')];
      await page.reload();
      await page.getByLabel('Token').fill(TOKEN);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.locator('#message').getByText('The service has a fault').waitFor();
      await page.getByRole('tab', { name: 'Request' }).click();
      await page.getByText('There is no response to show.').waitFor();
      await page.getByRole('tab', { name: 'Browse' }).click();
      await assertAtRest(page);
      for (const end of ends) await end();
      await tryAgain(page);
      await waitForPlace(page, 'r1', '2 countries');
      await page.getByRole('tab', { name: 'Request' }).click();
      await page.locator('#response').getByText('200 OK').waitFor();
    },
    { path: '/', expected: EXPECTED },
  ),
);

test('a selected unit whose facts did not arrive says so, and gets them later', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      const end = await outage(page, '**/api/v1/**');
      await row(page, 'Beland').click();
      await page.locator('#facts').getByText('not loaded').waitFor();
      await assertAtRest(page);
      await end();
      await tryAgain(page);
      await page
        .locator('#facts')
        .getByText(/^\d+ properties$/)
        .waitFor();
    },
    { expected: EXPECTED },
  ),
);

test('an address with a unit or parent that the release does not have says so', { skip: SKIP }, async () => {
  const said = async (hash: string): Promise<string> => {
    let text = '';
    await browser.onPage(service, async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      await page.goto(`${service.url}/#${hash}`);
      await page.locator('#message').getByText('No such unit').waitFor();
      text = await page.locator('#message').innerText();
    });
    return text.replaceAll('\n', ' ');
  };
  assert.match(await said('lv0?unit=NOPE'), /This release has no unit NOPE at this level\./);
  assert.match(await said('lv1?gid-0=AAA&fid=99'), /no unit fid 99/);
  assert.match(await said('lv1?gid-0=NOPE'), /no unit NOPE/);
});

test('units of the same name are told apart: by their parents, and where these are the same by their GIDs', {
  skip: SKIP,
}, async () => {
  const [countries, regions, districts] = countryLayers();
  assert.ok(countries && regions && districts);
  const renamed = districts.features.map((unit) => ({ ...unit, values: [...unit.values.slice(0, -1), 'Springfield'] }));
  const layers = [countries, regions, { ...districts, features: renamed }];
  const folder = temporaryFolder();
  await buildRelease(writeDataset(join(temporaryFolder(), 'same.gpkg'), 'GPKG', layers), folder);
  await browser.onPage(await startService(folder, { explorer: true }), async (page) => {
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '2 units');
    const details = (): Promise<string[]> => page.locator('#rows .type').allTextContents();
    assert.deepEqual(await details(), []);
    await page
      .locator('#levels')
      .getByRole('button', { name: /^Level 2/ })
      .click();
    await waitForPlace(page, 'Aland', '3 units');
    assert.deepEqual(await details(), ['AAA.1.1_1 · North', 'AAA.1.2_1 · North', 'South']);
    await page.locator('#find').fill('springfield');
    await page.locator('#found').getByText('South').waitFor();
    const found = await page.locator('#found .above').allTextContents();
    const inNorth = ['AAA.1.1_1 · Aland › North', 'AAA.1.2_1 · Aland › North'];
    assert.deepEqual(found.sort(), [...inNorth, 'Aland › South', 'Beland › All']);
  });
});
