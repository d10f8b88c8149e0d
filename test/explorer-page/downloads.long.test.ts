// The download menu and the copy buttons: what is shown, as files and in the clipboard.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { readLayer } from '../support/datasets/read-layer.ts';
import { AUTHORIZED } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { without } from '../support/processes/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ATTRIBUTION, ExplorerBrowser, openUnit, selectUnit, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser({ hasWebGl: false });
/** A link says which part of the map is shown. */
const withMap = new ExplorerBrowser();

/** Chooses an item of the menu; name and text of the file. */
async function download(page: Page, item: string): Promise<{ name: string; text: string }> {
  await page.getByRole('button', { name: 'Download' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: item }).click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

/** The text of a page of the service. */
async function pageText(path: string): Promise<string> {
  return (await fetch(`${service.url}/api/v1/${path}`, { headers: AUTHORIZED })).text();
}

test(
  'an opened unit is saved as the service sends it, in the geometry that is chosen: lines, a FeatureCollection, tables',
  { skip: SKIP },
  () =>
    browser.onPage(service, async (page) => {
      await openUnit(page, 'Aland');
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      await page.locator('#url').getByText('lv1?gid-0=AAA').waitFor({ state: 'attached' });
      await page.locator('#response').getByText('200 OK').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByText('2 units of Aland, level 1').waitFor();
      assert.deepEqual(await page.locator('#download-geometry option').allTextContents(), [
        'full, as published',
        'medium, to about 100 m',
        'low, to about 1 km',
        'point, a point inside each unit',
      ]);
      await page.keyboard.press('Escape');
      const sent = await pageText('geojsonl/lv1?gid-0=AAA');
      const lines = await download(page, 'GeoJSONSeq');
      assert.deepEqual(lines, { name: 'r1-lv1-AAA.geojsonl', text: sent });
      const collection = await download(page, 'GeoJSON one');
      assert.equal(collection.name, 'r1-lv1-AAA.geojson');
      assert.deepEqual(
        JSON.parse(collection.text).features,
        sent
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
      const table = await download(page, 'CSV');
      assert.match(
        table.text,
        /^\ufeff"fid","GID_1","GID_0","COUNTRY","NAME_1","ENGTYPE_1"\r\n1,"AAA\.1_1","AAA","Aland","North","Region"\r\n/,
      );
      const points = await download(page, 'Points');
      assert.equal(points.name, 'r1-lv1-AAA-point.csv');
      assert.match(points.text, /"ENGTYPE_1","longitude","latitude"\r\n1,"AAA\.1_1",[^\r]*"Region",[\d.]+,[\d.]+\r\n/);
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByLabel('Shapes', { exact: true }).selectOption('low');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'GeoJSONSeq' }).click(),
      ]);
      assert.equal(file.suggestedFilename(), 'r1-lv1-AAA-low.geojsonl');
      assert.equal(readFileSync(await file.path(), 'utf8'), await pageText('geojsonl/lv1?gid-0=AAA&geometry=low'));
    }),
);

test(
  'each file is one request for a listing, and the menu says before how large it will be; what breaks off is not saved',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await page.goto(`${service.url}/#lv2?gid-0=AAA&bbox=0,3,4,4`);
      await waitForPlace(page, 'Aland', '2 districts in this box');
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'GET') asked.push(request.url().slice(`${service.url}/api/v1/`.length));
      });
      const listing = 'download/lv2.geojsonl.gz?gid-0=AAA&bbox=0,3,4,4';
      const bytesOf = async (path: string): Promise<number> =>
        Number((await fetch(`${service.url}/api/v1/${path}`, { headers: AUTHORIZED })).headers.get('content-length'));
      const saidOf = async (item: string, units: number, paths: readonly string[]): Promise<void> => {
        const sizes = await Promise.all(paths.map(bytesOf));
        const bytes = sizes.reduce((sum, size) => sum + size);
        const text = `${units} units, ${bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`} compressed`;
        await page.getByRole('menuitem', { name: item }).getByText(text, { exact: true }).waitFor();
      };
      await page.getByRole('button', { name: 'Download' }).click();
      await saidOf('GeoJSONSeq', 2, [listing]);
      await saidOf('CSV', 2, [`${listing}&geometry=none`]);
      const cells = 'download/lv2.cells';
      await page
        .getByRole('menuitem', { name: 'Cells' })
        .getByText(`${await bytesOf(cells)} B`)
        .waitFor();
      await page.getByLabel('Shapes', { exact: true }).selectOption('low');
      await saidOf('GeoJSONSeq', 2, [`${listing}&geometry=low`]);
      const all = [0, 1, 2].map((level) => `download/lv${level}.geojsonl.gz?gid-0=AAA&geometry=low`);
      await saidOf('All of Aland', 7, all);
      assert.deepEqual(asked, []);
      const item = (name: string): Promise<void> => page.getByRole('menuitem', { name }).click();
      const [file] = await Promise.all([page.waitForEvent('download'), item('GeoJSONSeq')]);
      assert.equal(file.suggestedFilename(), 'r1-lv2-AAA-0_3_4_4-low.geojsonl');
      assert.equal(
        readFileSync(await file.path(), 'utf8')
          .trimEnd()
          .split('\n').length,
        2,
      );
      assert.deepEqual(asked.splice(0), [`${listing}&geometry=low`]);
      // The levels after the first are of its release.
      await page.getByRole('button', { name: 'Download' }).click();
      await Promise.all([page.waitForEvent('download'), item('All of Aland')]);
      const [first = '', ...others] = all.map((path) => path.replace('&geometry=low', ''));
      assert.deepEqual(asked.splice(0), [first, ...others.map((path) => `${path}&release=r1`)]);

      await page.getByRole('button', { name: 'Download' }).click();
      const [saved] = await Promise.all([page.waitForEvent('download'), item('Cells')]);
      assert.deepEqual(asked.splice(0), [cells]);
      assert.equal(saved.suggestedFilename(), 'r1-lv2.cells');
      const stored = await fetch(`${service.url}/api/v1/${cells}`, { headers: AUTHORIZED });
      assert.deepEqual(readFileSync(await saved.path()), Buffer.from(await stored.arrayBuffer()));
      await page.locator('#message').getByText('Saved the cells of level 2').waitFor();

      const whole = await fetch(`${service.url}/api/v1/${listing}`, { headers: AUTHORIZED });
      const cut = Buffer.from(await whole.arrayBuffer()).subarray(0, -9);
      await page.route('**/api/v1/download/**', (route) =>
        route.fulfill({ body: cut, contentType: 'application/gzip' }),
      );
      page.once('download', () => assert.fail('half a file is saved'));
      await page.getByRole('button', { name: 'Download' }).click();
      await item('GeoJSONSeq');
      await page.getByRole('alert').getByText('The download broke off.').waitFor();
    }),
);

test('of the world the menu saves the overview, and says so', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await page.locator('#response').getByText('200 OK').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByText('2 units of r1, level 0').waitFor();
    assert.equal(await page.locator('#download-geometry option').first().textContent(), 'simplified, as on the map');
    await page.keyboard.press('Escape');
    const { text } = await download(page, 'GeoJSON one');
    assert.deepEqual(
      JSON.parse(text).features.map(({ properties }: { properties: { name: string } }) => properties.name),
      ['Aland', 'Beland'],
    );
  }),
);

test('the menu is opened, walked and left by keys', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
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
  }),
);

test('one unit is copied as the service sends it, and its link leads to it', { skip: SKIP }, () =>
  withMap.onPage(
    service,
    async (page) => {
      await selectUnit(page, 'Beland');
      const facts = page.locator('#facts');
      await facts.getByRole('button', { name: 'Copy GeoJSON' }).click();
      await facts.getByText('Copied').waitFor();
      const sent = await pageText('geojsonl/lv0?gid-0=BBB');
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), sent.trimEnd());
      await facts.getByRole('button', { name: 'Copy link' }).click();
      await page.locator('#announce').getByText('Copied').waitFor({ state: 'attached' });
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^http:.*\/#lv0\?unit=BBB&map=[\d./-]+$/);
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ),
);

// The tests are checked without the types of a browser.
declare const navigator: { clipboard: { readText(): Promise<string> } };

test(
  'a unit is saved with everything inside of it, from all levels, with the line that makes a GeoPackage of it',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await selectUnit(page, 'Aland');
      const { name, text } = await download(page, 'All of Aland');
      assert.equal(name, 'r1-all-levels-AAA.geojson');
      const { features, ...members } = JSON.parse(text);
      assert.deepEqual(members, {
        type: 'FeatureCollection',
        numberMatched: 7,
        numberReturned: 7,
        attribution: ATTRIBUTION,
      });
      const sent: string[] = [];
      for (const level of [0, 1, 2]) sent.push(await pageText(`geojsonl/lv${level}?gid-0=AAA`));
      const lines = sent.join('').trimEnd().split('\n');
      assert.deepEqual(
        features,
        lines.map((line) => JSON.parse(line)),
      );
      await page.locator('#message').getByText('Saved 7 units').waitFor();
      const line = await page.locator('#message code').innerText();
      assert.equal(line, 'ogr2ogr -lco FID=row r1-all-levels-AAA.gpkg r1-all-levels-AAA.geojson');
      const folder = temporaryFolder();
      writeFileSync(join(folder, name), text);
      if (without('ogr2ogr --version') === false) {
        const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' });
        assert.deepEqual([status, stderr], [0, '']);
        assert.equal(readLayer(join(folder, 'r1-all-levels-AAA.gpkg'), 'r1-all-levels-AAA').length, 7);
      }
      // Also of the opened unit; a unit with nothing inside has no such file.
      await openUnit(page, 'Aland');
      await openUnit(page, 'North');
      await waitForPlace(page, 'North', '3 districts');
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('menuitem', { name: 'All of North' }).waitFor();
      await page.keyboard.press('Escape');
      await selectUnit(page, 'Næst');
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'All of' }).count(), 0);
    }),
);
