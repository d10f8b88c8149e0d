// The search field, a combobox over the units of all levels, of one, or inside the open unit; and the download menu,
// which saves what is shown.
import assert from 'node:assert/strict';
import type { Request } from 'playwright-core';
import { jsonLines } from '../../support/files.ts';
import { contentOf } from '../../support/processes/chromium.ts';
import {
  ALL_SHAPES,
  apiText,
  HOSTILE,
  journey,
  openUnit,
  saveItem,
  search,
  selectUnit,
  startExplorer,
  waitForFacts,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

journey('someone searches for units', { service }, async (page, step) => {
  const field = page.locator('#find');
  const options = page.locator('#found [role=option]');
  const heading = (name: string): Promise<void> => page.locator('#facts').getByRole('heading', { name }).waitFor();
  await waitForPlace(page, 'r1', '2 countries');

  await step('units of every level are found by name, without accents or case, with type and parents', async () => {
    await search(page, 'WUST', '1 unit');
    assert.deepEqual(await options.locator('span').allTextContents(), ['Wüst "late"', 'District', 'Aland › North']);
    assert.equal(await options.getAttribute('aria-selected'), 'true');
    await search(page, 'AAA.2.1_1', '1 unit');
    await search(page, 'nothing like it', 'No unit has this name or GID. Try fewer letters.');
    assert.equal(await field.getAttribute('aria-expanded'), 'false');
  });

  await step('a unit of the list that is shown is only selected', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await search(page, 'beland', '1 unit');
    await field.press('Enter');
    await heading('Beland');
    await page.waitForURL(/unit=BBB/);
    assert.deepEqual([asked.length > 0, asked.filter((url) => url.includes('/names/lv0'))], [true, []]);
  });

  await step('the search may be limited to a level; Escape and leaving it close the results', async () => {
    const where = page.getByLabel('Where to search');
    await search(page, 'a', '3 units');
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

  await step('Enter goes to the active result, selected among its siblings, with its facts', async () => {
    await search(page, 'næst', '1 unit');
    const asked: string[] = [];
    const note = (request: Request): void => void asked.push(...request.url().split('/api/v1/').slice(1));
    page.on('request', note);
    await field.press('Enter');
    await waitForPlace(page, 'North', '3 × District');
    await waitForFacts(page, 'Næst');
    page.off('request', note);
    assert.deepEqual(asked.sort(), ['children?gid=AAA.1_1&level=lv1', 'geojsonl/lv2?page-size=1&start-at=1']);
    assert.equal(await page.locator('[aria-current=true]').textContent(), 'Næst');
    assert.equal(await field.inputValue(), '');
    assert.equal(await page.locator('#found-box').isVisible(), false);
    await page.locator('#find:focus').waitFor();
  });

  await step('results close when the browser goes to another place', async () => {
    await search(page, 'a', '3 units');
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    await page.locator('#found-box').waitFor({ state: 'hidden' });
    assert.equal(await field.inputValue(), '');
  });

  await step('a click picks a result; hostile names are text', async () => {
    await search(page, 'onerror', '1 unit');
    await options.getByText(HOSTILE).click();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await heading(HOSTILE);
  });
});

journey('someone saves what is shown', { service }, async (page, step) => {
  await step('of the world the menu saves all countries as they are published', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('2 units of r1, level 0').waitFor();
    const { content } = await saveItem(page, 'GeoJSON for');
    const { features } = JSON.parse(content.toString());
    assert.deepEqual(features, jsonLines(await apiText(service, 'geojsonl/lv0')));
  });

  await step('an opened unit is saved as the service sends it: lines, a FeatureCollection, a table', async () => {
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await page.locator('#url').getByText('lv1?gid-0=AAA').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('2 units of Aland, level 1').waitFor();
    const sent = await apiText(service, 'geojsonl/lv1?gid-0=AAA');
    const lines = await saveItem(page, 'GeoJSONSeq');
    assert.deepEqual([lines.name, lines.content.toString()], ['r1-lv1-AAA.geojsonl', sent]);
    const collection = await saveItem(page, 'GeoJSON for');
    assert.equal(collection.name, 'r1-lv1-AAA.geojson');
    assert.deepEqual(JSON.parse(collection.content.toString()).features, jsonLines(sent));
    const table = await saveItem(page, 'CSV');
    assert.equal(table.name, 'r1-lv1-AAA.csv');
    assert.match(
      table.content.toString(),
      /^\ufeff"fid","GID_1","GID_0","COUNTRY","NAME_1","ENGTYPE_1","longitude","latitude"\r\n1,"AAA\.1_1","AAA","Aland","North","Region",[\d.]+,[\d.]+\r\n/,
    );
  });

  await step('the selected unit is saved from its card, and from the menu in any geometry', async () => {
    await selectUnit(page, 'North');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#facts').getByRole('button', { name: 'Save GeoJSON' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'r1-lv1-AAA.1_1.geojson');
    const sent = jsonLines(await apiText(service, 'geojsonl/lv1?gid-1=AAA.1_1'));
    assert.deepEqual(JSON.parse((await contentOf(file)).toString()).features, sent);
    const menu = await saveItem(page, 'Only North');
    assert.deepEqual([menu.name, JSON.parse(menu.content.toString()).features], ['r1-lv1-AAA.1_1.geojson', sent]);
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByLabel('Shapes', { exact: true }).selectOption('low');
    assert.equal((await saveItem(page, 'Only North')).name, 'r1-lv1-AAA.1_1-low.geojson');
    await page.keyboard.press('Escape');
  });

  await step('no other part of the page lies upon the menu', async () => {
    for (const viewport of [
      { width: 390, height: 660 },
      { width: 1000, height: 640 },
    ]) {
      await page.setViewportSize(viewport);
      await page.getByRole('button', { name: 'Download' }).click();
      const items = await page.getByRole('menuitem').all();
      assert.ok(items.length > 4);
      for (const item of items) {
        await item.scrollIntoViewIfNeeded();
        const { x = 0, y = 0, width = 0, height = 0 } = (await item.boundingBox()) ?? {};
        const seen = `document.elementFromPoint(${x + width / 2}, ${y + height / 2}).closest('[role=menuitem]')`;
        assert.equal(await page.evaluate(`${seen}?.textContent`), await item.textContent());
      }
      await page.keyboard.press('Escape');
    }
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
