// The search field, a combobox over the units of all levels, of one, or inside the open unit; and the download menu,
// which saves what is shown.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { holdRequests } from '../support/processes/chromium.ts';
import {
  apiText,
  HOSTILE,
  journey,
  linesOf,
  openUnit,
  saveItem,
  startExplorer,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer();

/** Types into the search field, and waits for what is said of the results. */
async function search(page: Page, text: string, note: string): Promise<void> {
  await page.getByLabel('Search by name, GID or coordinates').fill(text);
  await page.locator('#found-note').getByText(note, { exact: true }).waitFor();
}

journey('someone searches for units', { service, expected: [503] }, async (page, step) => {
  const field = page.locator('#find');
  const options = page.locator('#found [role=option]');
  const heading = (name: string): Promise<void> => page.locator('#facts').getByRole('heading', { name }).waitFor();
  await waitForPlace(page, 'r1', '2 countries');

  await step('units of every level are found by name, without accents or case, with type and parents', async () => {
    await search(page, 'WUST', '1 unit');
    assert.deepEqual(await options.locator('span').allTextContents(), ['Wüst "late"', 'District', 'Aland › North']);
    assert.equal(await options.getAttribute('aria-selected'), 'true');
    await search(page, 'AAA.2.1_1', '1 unit');
    await search(page, 'nothing like it', 'No unit has this name or GID.');
    assert.equal(await field.getAttribute('aria-expanded'), 'false');
  });

  await step('a unit of the list that is shown is only selected', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await search(page, 'beland', '1 unit');
    await field.press('Enter');
    await heading('Beland');
    await page.waitForURL(/unit=BBB/);
    assert.deepEqual([asked.length > 0, asked.filter((url) => url.includes('/overview'))], [true, []]);
  });

  await step('arrow keys walk the results, round their ends', async () => {
    await search(page, 'a', '3 units');
    const active = page.locator('#found [aria-selected=true]');
    const first = (await active.textContent()) ?? '';
    await field.press('ArrowDown');
    assert.notEqual(await active.textContent(), first);
    assert.equal(await active.getAttribute('id'), await field.getAttribute('aria-activedescendant'));
    await field.press('ArrowUp');
    assert.equal(await active.textContent(), first);
    await field.press('ArrowUp');
    await options.last().and(active).waitFor();
  });

  await step('the search may be limited to a level; Escape and leaving it close the results', async () => {
    const where = page.getByLabel('Where to search');
    assert.deepEqual(await where.locator('option').allTextContents(), ['All levels', 'Level 0', 'Level 1', 'Level 2']);
    await where.selectOption('Level 1');
    await page.locator('#found-note').getByText('2 units', { exact: true }).waitFor();
    await field.press('Escape');
    assert.equal(await page.locator('#found-box').isVisible(), false);
    assert.equal(await field.inputValue(), '');
    await search(page, 'a', '2 units');
    await page.getByRole('tab', { name: 'Browse' }).focus();
    await page.locator('#found-box').waitFor({ state: 'hidden' });
    await where.selectOption('All levels');
  });

  await step('while one types, the last answer wins', async () => {
    const release = await holdRequests(page, '**/api/v1/search?q=north*');
    const asked = page.waitForRequest('**/api/v1/search?q=north*');
    await field.fill('north');
    await asked;
    await search(page, 'nowhere', '1 unit');
    release();
    await search(page, 'a', '3 units');
    assert.equal(await page.locator('#found .name').first().textContent(), 'Aland');
  });

  await step(
    'Enter goes to the active result: its siblings are listed, it is selected, and its facts shown',
    async () => {
      await search(page, 'næst', '1 unit');
      await field.press('Enter');
      await waitForPlace(page, 'North', '3 districts');
      await heading('Næst');
      assert.equal(await page.locator('[aria-current=true]').textContent(), 'Næst');
      assert.equal(await field.inputValue(), '');
      assert.equal(await page.locator('#found-box').isVisible(), false);
      await page.locator('#find:focus').waitFor();
    },
  );

  await step('a click picks a result; hostile names are text', async () => {
    await search(page, 'onerror', '1 unit');
    await options.getByText(HOSTILE).click();
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await heading(HOSTILE);
  });

  await step('a search may be inside the open unit, while there is one', async () => {
    const where = page.getByLabel('Where to search');
    await page.locator('#path').getByText('r1').click();
    await search(page, 'north', '1 unit');
    await openUnit(page, 'Beland');
    await where.selectOption('In Beland');
    await search(page, 'north', 'No unit has this name or GID.');
    await search(page, 'all', '1 unit');
    await field.press('Escape');
    await page.locator('#path').getByText('r1').click();
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(await where.inputValue(), '');
  });

  await step('a search that fails says why', async () => {
    await page.route('**/api/v1/search?*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: '{"code":"x","detail":"Too busy."}',
      }),
    );
    await search(page, 'aland', 'Too busy.');
    await page.unroute('**/api/v1/search?*');
    await search(page, 'alan', '1 unit');
  });

  await step('the ring of the focus lies on the field itself, not on the choice of level beside it', async () => {
    for (const id of ['find', 'find-level']) {
      await page.locator(`#${id}`).focus();
      const style = `getComputedStyle(document.getElementById('${id}'))`;
      const [width, offset] = await page.evaluate<number[]>(
        `[${style}.outlineWidth, ${style}.outlineOffset].map((length) => Number.parseFloat(length))`,
      );
      assert.ok(width !== undefined && width >= 2 && offset === -width, `${id}: ${width} ${offset}`);
    }
  });
});

journey('someone saves what is shown', { service }, async (page, step) => {
  await step('of the world the menu saves the overview, and says so', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    await page.locator('#response').getByText('200 OK').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('2 units of r1, level 0').waitFor();
    assert.equal(await page.locator('#download-geometry option').first().textContent(), 'simplified, as on the map');
    const { content } = await saveItem(page, 'GeoJSON one');
    const { features }: { features: { properties: { name: string } }[] } = JSON.parse(content.toString());
    assert.deepEqual(
      features.map(({ properties }) => properties.name),
      ['Aland', 'Beland'],
    );
  });

  await step('the menu is opened, walked and left by keys', async () => {
    await page.getByRole('button', { name: 'Download' }).focus();
    await page.keyboard.press('Enter');
    const focused = page.locator('[role=menuitem]:focus');
    await focused.getByText('GeoJSON', { exact: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await focused.getByText('Copy link').waitFor();
    await page.keyboard.press('ArrowUp');
    await focused.getByText('which unit is where, level 0, all units').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await focused.getByText('GeoJSON', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#download:focus').waitFor();
    assert.equal(await page.locator('#download-menu').isVisible(), false);
  });

  await step('an opened unit is saved as the service sends it: lines, a FeatureCollection, tables', async () => {
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await page.locator('#url').getByText('lv1?gid-0=AAA').waitFor({ state: 'attached' });
    await page.locator('#response').getByText('200 OK').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('2 units of Aland, level 1').waitFor();
    const sent = await apiText(service, 'geojsonl/lv1?gid-0=AAA');
    const lines = await saveItem(page, 'GeoJSONSeq');
    assert.deepEqual([lines.name, lines.content.toString()], ['r1-lv1-AAA.geojsonl', sent]);
    const collection = await saveItem(page, 'GeoJSON one');
    assert.equal(collection.name, 'r1-lv1-AAA.geojson');
    assert.deepEqual(JSON.parse(collection.content.toString()).features, linesOf(sent));
    const table = await saveItem(page, 'CSV');
    assert.match(
      table.content.toString(),
      /^\ufeff"fid","GID_1","GID_0","COUNTRY","NAME_1","ENGTYPE_1"\r\n1,"AAA\.1_1","AAA","Aland","North","Region"\r\n/,
    );
    const points = await saveItem(page, 'Points');
    assert.equal(points.name, 'r1-lv1-AAA-point.csv');
    assert.match(
      points.content.toString(),
      /"ENGTYPE_1","longitude","latitude"\r\n1,"AAA\.1_1",[^\r]*"Region",[\d.]+,[\d.]+\r\n/,
    );
  });

  await step('the geometry of the file is chosen', async () => {
    await page.getByRole('button', { name: 'Download' }).click();
    assert.deepEqual(await page.locator('#download-geometry option').allTextContents(), [
      'full, as published',
      'medium, to about 100 m',
      'low, to about 1 km',
      'point, a point inside each unit',
    ]);
    await page.getByLabel('Shapes', { exact: true }).selectOption('low');
    const { name, content } = await saveItem(page, 'GeoJSONSeq');
    assert.equal(name, 'r1-lv1-AAA-low.geojsonl');
    assert.equal(content.toString(), await apiText(service, 'geojsonl/lv1?gid-0=AAA&geometry=low'));
  });
});
