// Releases whose levels have no GIDs of the level above, as geoBoundaries and many national downloads have them: what
// is inside a unit is counted and listed all the same, and every level is in reach.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ExplorerBrowser, namesIn, openUnit, selectUnit, waitForPlace } from './explorer-page.ts';

const COUNTRIES = ['HTI', 'DOM'];

/** Two countries of so many units; each unit has its own GID and that of its country. */
function layer(level: number, count: number): FixtureLayer {
  const features = COUNTRIES.flatMap((country, i) =>
    Array.from({ length: count }, (_, n) => ({
      fid: i * count + n + 1,
      values: [country, `${country}-${level}-${n + 1}`, `${country} ${level}.${n + 1}`, `ADM${level}`],
      wkt: square(10 * i + n, level),
    })),
  );
  return { name: `lv${level}`, columns: ['group', 'id', 'name', 'type'], features };
}

const countries: FixtureLayer = {
  name: 'lv0',
  columns: ['group', 'name', 'type'],
  features: COUNTRIES.map((country, i) => ({
    fid: i + 1,
    values: [country, country, 'ADM0'],
    wkt: square(10 * i, 0, 8),
  })),
};
const folder = temporaryFolder();
const layers = [countries, layer(1, 3), layer(2, 4), layer(3, 6)];
await buildRelease(writeDataset(join(temporaryFolder(), 'loose.gpkg'), 'GPKG', layers), folder, {
  layers: ([0, 1, 2, 3] as const).map((level) => ({ level, value: `lv${level}` })),
  gidColumns: [
    { level: undefined, of: 0, columns: ['group'] },
    { level: 2, of: 1, columns: [] },
    { level: 3, of: 1, columns: [] },
    { level: 3, of: 2, columns: [] },
    ...([1, 2, 3] as const).map((level) => ({ level, of: level, columns: ['id'] })),
  ],
  nameColumns: [{ level: undefined, value: 'name' }],
  typeColumns: [{ level: undefined, value: 'type' }],
});
const service = await startService(folder, { explorer: true });
const browser = new ExplorerBrowser({ hasWebGl: false });

test('a unit says how many units are inside at every level, and lists those of each', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await selectUnit(page, 'HTI');
    const facts = page.locator('#facts');
    for (const text of ['Level 13 inside', 'Level 24 inside', 'Level 36 inside'])
      await facts.locator('dl').first().filter({ hasText: text }).waitFor();
    await openUnit(page, 'HTI');
    await waitForPlace(page, 'HTI', '3 units');
    const levels = page.locator('#levels button');
    await levels.getByText('6', { exact: true }).waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Level 13', 'Level 24', 'Level 36']);
    await levels.nth(1).click();
    await waitForPlace(page, 'HTI', '4 units');
    assert.deepEqual(await namesIn(page), ['HTI 2.1', 'HTI 2.2', 'HTI 2.3', 'HTI 2.4']);
    assert.equal(await page.locator('#message').innerText(), '');
    await levels.nth(2).click();
    await waitForPlace(page, 'HTI', '6 units');
    assert.match(page.url(), /#lv3\?gid-0=HTI/);
  }),
);

test('the release itself offers its levels, which no unit of the one above leads to', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    const levels = page.locator('#levels button');
    await levels.getByText('12', { exact: true }).waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Level 02', 'Level 16', 'Level 28', 'Level 312']);
    await levels.nth(2).click();
    await waitForPlace(page, 'r1', '8 units');
    assert.equal(await levels.nth(2).getAttribute('aria-pressed'), 'true');
    await levels.first().click();
    await waitForPlace(page, 'r1', '2 countries');
  }),
);

test('what is here, and all of a unit, are found at every level, in lists that have them', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await page.locator('#find').fill('2.5, 1.5');
    await page.keyboard.press('Enter');
    const links = page.locator('#here a');
    await links.nth(1).waitFor();
    assert.deepEqual(await links.allTextContents(), ['HTI', 'HTI 2.2']);
    await links.nth(1).click();
    await waitForPlace(page, 'HTI', '4 units');
    assert.match(page.url(), /#lv2\?gid-0=HTI&unit=HTI-2-2/);
    await page.locator('#facts').getByRole('heading', { name: 'HTI 2.2' }).waitFor();
    await page.getByRole('button', { name: 'Close HTI 2.2' }).click();
    await page.getByRole('button', { name: 'Download' }).click();
    // One of level 0, and what is inside at levels 1 to 3.
    await page.getByRole('menuitem', { name: 'All of HTI' }).getByText('14 units').waitFor();
  }),
);

test('a type that is the name of the level is none', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await selectUnit(page, 'HTI');
    assert.equal(await page.locator('#facts .type').textContent(), 'level 0');
    await page.locator('#find').fill('hti 1.1');
    await page.locator('#found .type').getByText('level 1', { exact: true }).waitFor();
  }),
);
