// Releases with other lists and columns than those of GADM: thousands of units in one list, units of one name, levels
// that have no GIDs of the level above, as geoBoundaries and many national downloads have them, and full shapes alone.
import assert from 'node:assert/strict';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { type FixtureLayer, layerOf, square } from '../../support/datasets/write-dataset.ts';
import type { RunningService } from '../../support/http/in-process-proxy.ts';
import { until } from '../../support/until.ts';
import { boxOf } from './asked-map.ts';
import {
  journey,
  namesIn,
  openUnit,
  row,
  selectUnit,
  startExplorer,
  startLargeExplorer,
  startLayers,
  waitForPlace,
} from './explorer-page.ts';

journey('someone scrolls 3,000 units', { service: () => startLargeExplorer(3000) }, async (page, step, { url }) => {
  const facts = page.locator('#facts');

  await step('it scrolls by a window of rows, and is reached by keys to its end', async () => {
    await waitForPlace(page, 'Aland', '3,000 units');
    await row(page, 'District 1').focus();
    assert.ok((await page.locator('#rows li').count()) < 60);
    await page.keyboard.press('End');
    await page.locator('.choose:focus').getByText('District 3000').waitFor();
    await page.keyboard.press('PageUp');
    await page.locator('.choose:focus').getByText('District 2990').waitFor();
    await page.locator('#rows').evaluate((box: { scrollTop: number }) => {
      box.scrollTop = 0;
    });
    await row(page, 'District 2').waitFor();
    assert.equal(await page.locator('.choose:focus').textContent(), 'District 2990', 'the focus is not lost');
  });

  await step('the last row in sight stays so above the facts when it is chosen', async () => {
    const { height } = await boxOf(page, '#rows');
    await row(page, `District ${Math.floor(height / 40)}`).click();
    await facts.getByText(/^\d+ properties$/).waitFor();
    const isAbove = async (): Promise<boolean> => {
      const [chosen, below] = [await boxOf(page, '#rows .choose[aria-current]'), await boxOf(page, '#facts')];
      return chosen.y + chosen.height <= below.y;
    };
    await until(isAbove, 'the facts lie upon the row');
  });

  await step('the row of a unit that an address selects stays in sight while its facts arrive', async () => {
    for (const district of [200, 40, 290]) {
      await page.goto(`${url}/#lv1?gid-0=AAA&unit=AAA.${district}_1`);
      await facts.getByRole('heading', { name: `District ${district}` }).waitFor();
      await facts.getByText('km²').waitFor();
      // Until the progress above the list and the facts below it have their heights.
      const isInside = async (): Promise<boolean> => {
        const [current, rows] = [await row(page, `District ${district}`).boundingBox(), await boxOf(page, '#rows')];
        return current !== null && current.y >= rows.y && current.y + current.height <= rows.y + rows.height;
      };
      await until(isInside, `District ${district} is out of sight`);
    }
  });
});

function startNamesakes(): Promise<RunningService> {
  const [countries, regions, districts] = countryLayers();
  assert.ok(countries && regions && districts);
  const features = districts.features.map((unit) => ({
    ...unit,
    values: [...unit.values.slice(0, -1), 'Springfield'],
  }));
  return startLayers([countries, regions, { ...districts, features }]);
}

journey('namesakes are told apart by their parents, else by their GIDs', { service: startNamesakes }, async (page) => {
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

const COUNTRIES = ['HTI', 'DOM'];
const LOOSE_LEVELS = [0, 1, 2, 3] as const;

/** Two countries of so many units; each unit has its own GID and that of its country. */
function looseLayer(level: number, count: number): FixtureLayer {
  const units = COUNTRIES.flatMap((country, i) =>
    Array.from({ length: count }, (_, n) => {
      const values = [country, `${country}-${level}-${n + 1}`, `${country} ${level}.${n + 1}`, `ADM${level}`];
      return [values, square(10 * i + n, level)] as const;
    }),
  );
  return layerOf(`lv${level}`, ['group', 'id', 'name', 'type'], units);
}

function startLoose(): Promise<RunningService> {
  const countries = layerOf(
    'lv0',
    ['group', 'name', 'type'],
    COUNTRIES.map((country, i) => [[country, country, 'ADM0'], square(10 * i, 0, 8)]),
  );
  return startLayers([countries, looseLayer(1, 3), looseLayer(2, 4), looseLayer(3, 6)], {
    layers: LOOSE_LEVELS.map((level) => ({ level, value: `lv${level}` })),
    gidColumns: [
      { level: undefined, of: 0, columns: ['group'] },
      { level: 2, of: 1, columns: [] },
      { level: 3, of: 1, columns: [] },
      { level: 3, of: 2, columns: [] },
      ...([1, 2, 3] as const).map((level) => ({ level, of: level, columns: ['id'] })),
    ],
    nameColumns: [{ level: undefined, value: 'name' }],
    typeColumns: [{ level: undefined, value: 'type' }],
    cells: true,
  });
}

journey('every level is in reach without GIDs of the level above', { service: startLoose }, async (page, step) => {
  const facts = page.locator('#facts');
  const levels = page.locator('#levels button');

  await step('the release itself offers its levels, which no unit of the one above leads to', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    await levels.nth(3).waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Level 0', 'Level 1', 'Level 2', 'Level 3']);
    await levels.nth(2).click();
    await waitForPlace(page, 'r1', '8 units');
    assert.equal(await levels.nth(2).getAttribute('aria-pressed'), 'true');
    await levels.first().click();
    await waitForPlace(page, 'r1', '2 countries');
  });

  await step('a unit says how many are inside at every level; the name of a level is no type', async () => {
    await selectUnit(page, 'HTI');
    for (const text of ['Level 13 inside', 'Level 24 inside', 'Level 36 inside'])
      await facts.locator('dl').first().filter({ hasText: text }).waitFor();
    assert.equal(await facts.locator('.type').textContent(), 'level 0');
    await page.locator('#find').fill('hti 1.1');
    await page.locator('#found .type').getByText('level 1', { exact: true }).waitFor();
    await page.locator('#find').press('Escape');
  });

  await step('an opened unit lists those of each level', async () => {
    await openUnit(page, 'HTI');
    await waitForPlace(page, 'HTI', '3 units');
    await levels.getByText('6', { exact: true }).waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Level 13', 'Level 24', 'Level 36']);
    await levels.nth(1).click();
    await waitForPlace(page, 'HTI', '4 units');
    assert.deepEqual(await namesIn(page), ['HTI 2.1', 'HTI 2.2', 'HTI 2.3', 'HTI 2.4']);
    assert.equal(await page.locator('#message').innerText(), '');
    await levels.nth(2).click();
    await waitForPlace(page, 'HTI', '6 units');
    assert.match(page.url(), /#lv3\?gid-0=HTI/);
  });

  await step('what is here, and all of a unit, are found at every level, in lists that have them', async () => {
    await page.locator('#find').fill('2.5, 1.5');
    await page.keyboard.press('Enter');
    const links = page.locator('#here a');
    await links.nth(1).waitFor();
    assert.deepEqual(await links.allTextContents(), ['HTI', 'HTI 2.2']);
    await links.nth(1).click();
    await waitForPlace(page, 'HTI', '4 units');
    assert.match(page.url(), /#lv2\?gid-0=HTI&unit=HTI-2-2/);
    await facts.getByRole('heading', { name: 'HTI 2.2' }).waitFor();
    await page.getByRole('button', { name: 'Close HTI 2.2' }).click();
    await page.getByRole('button', { name: 'Download' }).click();
    // One of level 0, and what is inside at levels 1 to 3.
    await page.getByRole('menuitem', { name: 'All of HTI' }).getByText('14 units').waitFor();
  });
});

journey('a release of full shapes alone offers no others', { service: startExplorer }, async (page, _, { url }) => {
  await waitForPlace(page, 'r1', '2 countries');
  const queries: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET') queries.push(request.url().replace(`${url}/api/v1/`, ''));
  });
  await page.goto(`${url}/#lv1?gid-0=AAA`);
  await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
  await page.getByRole('button', { name: 'Download' }).click();
  assert.deepEqual(await page.locator('#download-geometry option').allTextContents(), ['full, as published']);
  await page.getByRole('menuitem', { name: 'CSV' }).getByText('attributes, as a table').waitFor();
  await page.keyboard.press('Escape');
  // A release without tiles says so.
  await page.getByText('This release was built without tiles.').waitFor();
  const listed = queries.filter((path) => /^(geojsonl|fc|tiles)/.test(path));
  assert.deepEqual(listed, ['geojsonl/lv0?gid-0=AAA']);
});
