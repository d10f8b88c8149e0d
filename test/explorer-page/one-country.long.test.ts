// Releases of somebody's own country: where the map opens at two widths, and what it shows where the highest levels
// lack.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { holdRequests, WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ExplorerBrowser, openUnit, selectUnit, TOKEN, viewOf, waitForPlace } from './explorer-page.ts';

const WIDTHS = [
  { viewport: { width: 1280, height: 800 } },
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];
const ATTRIBUTION = [
  'Boundaries of somebody, with a long credit that says where they come from, when, and who has made them',
  'Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/',
];

/** Four provinces of 2 degrees in a row from 80 E, 26 N, each of two districts, and a far island. */
const PLACES = [0, 1, 2, 3].map((i): [number, number, number] => [80 + 2 * i, 26, 2]);
const ISLAND: [number, number, number] = [20, -40, 1];
const country: FixtureLayer = {
  name: 'ADM_0',
  columns: ['GID_0', 'COUNTRY'],
  features: [{ fid: 1, values: ['NEP', 'Nepal'], wkt: multi([...PLACES, ISLAND]) }],
};
const provinces: FixtureLayer = {
  name: 'ADM_1',
  columns: ['GID_1', 'GID_0', 'COUNTRY', 'NAME_1'],
  features: [...PLACES, ISLAND].map((place, i) => ({
    fid: i + 1,
    values: [`NEP.${i + 1}_1`, 'NEP', 'Nepal', `Province ${i + 1}`],
    wkt: square(...place),
  })),
};
const districts: FixtureLayer = {
  name: 'ADM_2',
  columns: ['GID_2', 'GID_1', 'GID_0', 'NAME_2'],
  features: PLACES.flatMap(([x, y], i) =>
    [0, 1].map((half) => ({
      fid: 2 * i + half + 1,
      values: [`NEP.${i + 1}.${half + 1}_1`, `NEP.${i + 1}_1`, 'NEP', `District ${2 * i + half + 1}`],
      wkt: square(x + half, y),
    })),
  ),
};

function multi(places: readonly [number, number, number][]): string {
  return `MULTIPOLYGON(${places.map((place) => square(...place).slice('MULTIPOLYGON('.length, -1)).join(',')})`;
}

async function start(layers: readonly FixtureLayer[]): Promise<RunningService> {
  const folder = temporaryFolder();
  const source = writeDataset(join(temporaryFolder(), 'country.gpkg'), 'GPKG', layers);
  await buildRelease(source, folder, { attribution: ATTRIBUTION, release: 'nepal-2026', date: '2026-11-22' });
  return startService(folder, { explorer: true });
}

const service = await start([country, provinces, districts]);
const browser = new ExplorerBrowser();

for (const size of WIDTHS)
  test(
    `opens inside the country, without its far island, above one line of credits: ${size.viewport.width} pixels`,
    { skip: SKIP },
    () =>
      browser.onPage(
        service,
        async (page) => {
          await waitForPlace(page, 'Nepal', '5 units');
          assert.match(await page.title(), /^Nepal · /);
          assert.deepEqual(await page.locator('#path li').allTextContents(), ['nepal-2026', 'Nepal']);
          const pixelOf = await viewOf(page);
          const [map, button, credits] = [
            await page.locator('#map').boundingBox(),
            await page.locator('#map-buttons').boundingBox(),
            await page.locator('.credits').boundingBox(),
          ];
          assert.ok(map && button && credits);
          const [southWest, northEast] = [pixelOf(80, 26), pixelOf(88, 28)];
          // It fills the width, but for a margin.
          assert.ok(southWest.x > map.x && southWest.x < map.x + 60, JSON.stringify({ map, southWest }));
          assert.ok(northEast.x < map.x + map.width && northEast.x > map.x + map.width - 60);
          assert.ok(southWest.y < credits.y && northEast.y > map.y, JSON.stringify({ credits, southWest }));
          // Its middle is that of what the button above and the credits leave free.
          const middle = (southWest.y + northEast.y) / 2;
          assert.ok(Math.abs(middle - (button.y + button.height + credits.y) / 2) < 8, `${middle} ${credits.y}`);
          assert.ok(credits.height < 36, `one line: ${credits.height}`);
          assert.match(await page.locator('#credits').innerText(), /^Release nepal-2026, 2026-11-22/);
          const more = page.getByRole('button', { name: 'More of the credits' });
          await more.click();
          await page.getByRole('link', { name: /creativecommons/ }).waitFor();
          const opened = await page.locator('.credits').boundingBox();
          assert.ok(opened && opened.height > credits.height);
          await page.getByRole('button', { name: 'Less of the credits' }).click();
          await more.waitFor();
          // The release is a step up: the same place, with the country as one line.
          await page.getByRole('button', { name: 'nepal-2026', exact: true }).click();
          await waitForPlace(page, 'nepal-2026', '1 country');
          await openUnit(page, 'Nepal');
          await waitForPlace(page, 'Nepal', '5 units');
          const inside = await viewOf(page);
          assert.ok(Math.abs(inside(80, 26).x - southWest.x) < 8);
        },
        size,
      ),
  );

test('opens on the country also where its list arrives before its overview', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      const arrive = await holdRequests(page, '**/api/v1/overview');
      await page.goto(`${service.url}/#token=${TOKEN}`);
      await waitForPlace(page, 'Nepal', '5 units');
      // Where the map is not drawn yet, it says so.
      const note = page.locator('#map-note');
      assert.equal(await note.innerText(), 'Loading the map…');
      arrive();
      // The world would be seen from zoom 0 or 1, at another place.
      await page.waitForURL(/map=5\.\d+\/27\.\d+\/84\.00$/);
      await note.waitFor({ state: 'hidden' });
    },
    { path: '/' },
  ),
);

test('a release that begins at level 2 has a map of it, and goes to what is selected', { skip: SKIP }, async () => {
  await browser.onPage(await start([districts]), async (page) => {
    await waitForPlace(page, 'nepal-2026', '8 units');
    const whole = await viewOf(page);
    await selectUnit(page, 'District 1');
    await page.waitForURL(/map=[^&]*\/80\.50$/);
    const near = await viewOf(page);
    const width = (pixelOf: typeof near): number => pixelOf(81, 26).x - pixelOf(80, 26).x;
    assert.ok(width(near) > 3 * width(whole));
    // Back to it from elsewhere, and a scale for what is seen.
    const address = page.url();
    await page.locator('.maplibregl-ctrl-scale', { hasText: /^\d+\skm$/ }).waitFor();
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.waitForURL((url) => url.href !== address);
    await page.getByRole('button', { name: 'Zoom to' }).click();
    await page.waitForURL(address);
  });
});
