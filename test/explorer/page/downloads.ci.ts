// What a download takes, and what is saved with a unit: its requests, its size, everything inside, and copies in the
// clipboard.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLayer } from '../../support/datasets/read-layer.ts';
import { jsonLines } from '../../support/files.ts';
import { AUTHORIZED } from '../../support/http/in-process-proxy.ts';
import { holdRequests } from '../../support/processes/chromium.ts';
import { without } from '../../support/processes/programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import {
  ALL_SHAPES,
  ATTRIBUTION,
  apiText,
  copied,
  journey,
  openUnit,
  saveItem,
  selectUnit,
  startExplorer,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);
/** Two districts of a box. */
const LISTING = 'download/lv2.geojsonl.gz?gid-0=AAA&bbox=0,3,4,4';
/** Aland with all that is inside. */
const LEVELS = [0, 1, 2].map((level) => `download/lv${level}.geojsonl.gz?gid-0=AAA`);

function fetchFile(path: string): Promise<Response> {
  return fetch(`${service.url}/api/v1/${path}`, { headers: AUTHORIZED });
}

/** How many bytes downloads have, in the words of the menu. */
async function sizeOf(...paths: readonly string[]): Promise<string> {
  const sizes = await Promise.all(
    paths.map(async (path) => Number((await fetchFile(path)).headers.get('content-length'))),
  );
  const bytes = sizes.reduce((sum, size) => sum + size);
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

journey('someone looks at what a download takes before it', { service }, async (page, step) => {
  await page.goto(`${service.url}/#lv2?gid-0=AAA&bbox=0,3,4,4`);
  await waitForPlace(page, 'Aland', '2 × District in this box');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET') asked.push(request.url().slice(`${service.url}/api/v1/`.length));
  });
  const openMenu = (): Promise<void> => page.getByRole('button', { name: 'Download' }).click();

  await step('the menu says how large each file will be, and asks for none', async () => {
    const says = (item: string, text: string): Promise<void> =>
      page.getByRole('menuitem', { name: item }).getByText(text).waitFor();
    await openMenu();
    await says('GeoJSONSeq', `2 units, ${await sizeOf(LISTING)} compressed`);
    await says('CSV', `2 units, ${await sizeOf(`${LISTING}&geometry=point`)} compressed`);
    const arrive = await holdRequests(page, '**/download/lv2.geojsonl.gz?*geometry=low');
    await page.getByLabel('Shapes', { exact: true }).selectOption('low');
    await page.getByRole('menuitem', { name: 'GeoJSONSeq' }).getByText('compressed').waitFor({ state: 'detached' });
    arrive();
    await says('GeoJSONSeq', `2 units, ${await sizeOf(`${LISTING}&geometry=low`)} compressed`);
    const low = LEVELS.map((path) => `${path}&geometry=low`);
    await says('All of Aland', `7 units, ${await sizeOf(...low)} compressed`);
    assert.deepEqual(asked, []);
  });

  await step('a file is one request for a listing; the levels after the first are of its release', async () => {
    const { name, content } = await saveItem(page, 'GeoJSONSeq');
    assert.equal(name, 'r1-lv2-AAA-0_3_4_4-low.geojsonl');
    assert.equal(jsonLines(content.toString()).length, 2);
    assert.deepEqual(asked.splice(0), [`${LISTING}&geometry=low`]);
    await saveItem(page, 'All of Aland');
    const [first, ...others] = LEVELS;
    assert.deepEqual(asked.splice(0), [first, ...others.map((path) => `${path}&release=r1`)]);
  });

  await step('what breaks off is not saved', async () => {
    const cut = Buffer.from(await (await fetchFile(LISTING)).arrayBuffer()).subarray(0, -9);
    await page.route('**/api/v1/download/**', (route) => route.fulfill({ body: cut, contentType: 'application/gzip' }));
    let saved = 0;
    page.on('download', () => saved++);
    await openMenu();
    await page.getByRole('menuitem', { name: 'GeoJSONSeq' }).click();
    await page.getByRole('alert').getByText('The download broke off.').waitFor();
    assert.equal(saved, 0);
  });
});

journey('someone takes one unit', { service }, async (page, step) => {
  const facts = page.locator('#facts');

  await step('the menu is opened, walked and left by keys', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    await page.getByRole('button', { name: 'Download' }).focus();
    await page.keyboard.press('Enter');
    const focused = page.locator('[role=menuitem]:focus');
    await focused.getByText('GeoJSON for QGIS or Datawrapper', { exact: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await focused.getByText('Use this map').waitFor();
    await page.keyboard.press('ArrowUp');
    await focused.getByText('Copy link').waitFor();
    await page.keyboard.press('ArrowUp');
    await focused.getByText('attributes, longitude, latitude').waitFor();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
    await focused.getByText('GeoJSON for QGIS or Datawrapper', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#download:focus').waitFor();
    assert.equal(await page.locator('#download-menu').isVisible(), false);
  });

  await step('it is copied as the service sends it, and its link leads to it', async () => {
    await selectUnit(page, 'Beland');
    await facts.getByRole('button', { name: 'Copy GeoJSON' }).click();
    await facts.getByText('Copied').waitFor();
    assert.equal(await copied(page), (await apiText(service, 'geojsonl/lv0?gid-0=BBB')).trimEnd());
    await facts.getByRole('button', { name: 'Copy link' }).click();
    await until(async () => (await copied(page)).startsWith('http'), 'no link is in the clipboard');
    assert.match(await copied(page), /^http:.*\/#lv0\?unit=BBB$/);
  });

  await step('it is saved with everything inside, with the line that makes a GeoPackage of it', async () => {
    await selectUnit(page, 'Aland');
    const { name, content } = await saveItem(page, 'All of Aland');
    assert.equal(name, 'r1-all-levels-AAA.geojson');
    const { features, ...members } = JSON.parse(content.toString());
    const type = 'FeatureCollection';
    assert.deepEqual(members, { type, numberMatched: 7, numberReturned: 7, attribution: ATTRIBUTION });
    const sent = [0, 1, 2].map((level) => apiText(service, `geojsonl/lv${level}?gid-0=AAA`));
    assert.deepEqual(features, jsonLines((await Promise.all(sent)).join('')));
    await page.locator('#message').getByText('Saved 7 units').waitFor();
    const line = await page.locator('#message code').innerText();
    assert.equal(line, 'ogr2ogr -lco FID=row r1-all-levels-AAA.gpkg r1-all-levels-AAA.geojson');
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), content);
    if (without('ogr2ogr --version') === false) {
      const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
      assert.equal(readLayer(join(folder, 'r1-all-levels-AAA.gpkg'), 'r1-all-levels-AAA').length, 7);
    }
  });

  await step('so is an opened unit; one with nothing inside has no such file', async () => {
    const all = page.getByRole('menuitem', { name: 'All of' });
    await openUnit(page, 'Aland');
    await openUnit(page, 'North');
    await waitForPlace(page, 'North', '3 × District');
    await page.getByRole('button', { name: 'Download' }).click();
    await all.getByText('All of North').waitFor();
    await page.keyboard.press('Escape');
    await selectUnit(page, 'Næst');
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).waitFor();
    assert.equal(await all.count(), 0);
  });
});
