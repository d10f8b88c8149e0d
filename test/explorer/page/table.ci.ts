// A table of a person's own colours the map: what it asks for, shows and saves, and that it is forgotten.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { colourAt, goToView, mapAtRest, pixelOf, waitForDrawn } from './asked-map.ts';
import {
  ALL_SHAPES,
  buildExplorerRelease,
  chooseTable,
  give,
  journey,
  keptBy,
  saveFrom,
  selectUnit,
  signOut,
  startExplorer,
  TOKEN,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

/** A word that is in no name of the release, and must not leave the page. */
const SECRET = 'Geheimnis';
const TABLE = `Gebiet,${SECRET}\nAAA.1_1,1\nAAA.2_1,3\n`;
/** The paler and the stronger of two classes. */
const COLOURS = ['#fdebcf', '#6e1d2c'];

/** Where the regions North and South of Aland are. */
const NORTH = [0.5, 2.5] as const;
const SOUTH = [1.5, 0.5] as const;

async function coloursOf(page: Page): Promise<string[]> {
  await mapAtRest(page);
  return Promise.all([NORTH, SOUTH].map(async ([x, y]) => colourAt(page, await pixelOf(page, x, y))));
}

async function waitForColours(page: Page, colours: readonly string[]): Promise<void> {
  await until(async () => (await coloursOf(page)).join() === colours.join(), `the map has not ${colours}`);
}

/** Drops a file upon the map. @returns does the page keep the browser from going to the file? */
function drop(page: Page, name: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(TABLE)}], ${JSON.stringify(name)}));
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    return !document.querySelector('#map').dispatchEvent(event);
  })()`);
}

/** What is written into pictures meanwhile. */
async function writtenIn(page: Page, act: () => Promise<unknown>): Promise<string[]> {
  await page.evaluate(`(() => {
    const brush = CanvasRenderingContext2D.prototype;
    const write = brush.fillText;
    globalThis.written = [];
    brush.fillText = function (...all) {
      written.push(all[0]);
      write.apply(this, all);
    };
  })()`);
  await act();
  return page.evaluate<string[]>('written');
}

const WITH_MAP = { service, hasMap: 'asked', expected: [401, 503] } as const;

journey('someone colours the map by a table', WITH_MAP, async (page, step) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.url().slice(service.url.length)} ${request.postData() ?? ''}`));
  const card = page.locator('.table-card');
  const legend = page.locator('.legend li');
  let plain: string[] = [];
  let address = '';

  await step('a file is read in the page: names files are asked for, and tiles of its level', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    await goToView(page, `${service.url}/#lv0?map=5.00/2.00/2.00`);
    await waitForDrawn(page, 'fill', ['1/1', '1/2']);
    plain = await coloursOf(page);
    address = page.url();
    assert.ok(!asked.some((path) => path.includes('/table/')));
    asked.length = 0;
    await page.getByRole('tab', { name: 'Table' }).click();
    assert.equal(asked.join(), '');
    await chooseTable(page, `${SECRET}.csv`, TABLE);
    await card.getByText('2 of the 2 units of level 1 in Aland have a row.').waitFor();
    await waitForColours(page, COLOURS);
    const ofApi = asked.filter((path) => path.startsWith('/api/') && !/^\/api\/v1\/tiles\/lv1(\.json|\/)/.test(path));
    assert.deepEqual(ofApi.sort(), ['/api/v1/names/lv0 ', '/api/v1/names/lv1 ']);
    const scripts = asked.filter((path) => path.startsWith('/explorer/')).map((path) => path.split('/').at(-1)?.trim());
    assert.deepEqual(scripts.sort(), ['table.css', 'table.js', 'worker.js']);
  });

  await step('the address, the service and what the browser keeps have nothing of it', async () => {
    assert.equal(page.url(), address);
    assert.ok(!asked.some((path) => path.includes(SECRET) || path.includes('AAA')));
    assert.deepEqual(await keptBy(page), [0, 0, '']);
    await page.getByText('no link to this page has it').waitFor();
  });

  await step('the legend says what the colours mean, and the credits no more that they mean nothing', async () => {
    assert.deepEqual(await legend.allTextContents(), ['1', '3']);
    await page.locator('#map-note').waitFor({ state: 'hidden' });
    assert.equal(await page.locator('.legend figcaption').textContent(), SECRET);
    assert.equal(await page.getByText('Colours only tell neighbours apart.').count(), 0);
    const { x, y } = await pixelOf(page, ...NORTH);
    await page.mouse.move(x, y);
    await page.locator('.map-name').getByText('North: 1', { exact: true }).waitFor();
    await page.mouse.move(0, 0);
  });

  await step('its level stays, whatever is listed', async () => {
    await goToView(page, `${service.url}/#lv2?gid-0=AAA&map=5.00/2.00/2.00`);
    await page.locator('#heading').getByText('Aland', { exact: true }).waitFor({ state: 'attached' });
    await waitForColours(page, COLOURS);
    await waitForDrawn(page, 'cover', ['1/1', '1/2']);
    // Also the level that is listed, below it.
    await mapAtRest(page, "theMap.getLayer('fill-2') !== undefined");
  });

  await step('it is read otherwise without another request; what has no value is striped', async () => {
    asked.length = 0;
    await card.getByLabel('Values are').selectOption('classes');
    await card.getByLabel('Number of classes').waitFor({ state: 'detached' });
    await card.getByLabel('Values are').selectOption('numbers');
    await card.getByLabel('Number of classes').selectOption('3');
    assert.ok(!asked.some((path) => path.startsWith('/api/')), asked.join());
    await chooseTable(page, 'second.csv', 'name;v\nNorth;1,5\nUtopia;2\n');
    await card.getByText('The first values are read as 1,5 → 1.5; 2').waitFor({ state: 'detached' });
    await card.getByText('1 of the 2 units of level 1 in Aland have a row.').waitFor();
    await card.getByText('The first values are read as 1,5 → 1.5.').waitFor();
    assert.deepEqual(await legend.allTextContents(), ['1.5', 'no value']);
    await card.getByLabel('Decimal sign').selectOption('.');
    await card.getByText('A value that is no number (1 row)').waitFor();
    await card.getByText('No unit found (1 row)').click();
    await card.getByText('line 3: Utopia').waitFor();
    await card.getByLabel('Decimal sign').selectOption(',');
    await card.getByText('1,5 → 1.5').waitFor();
  });

  await step('the level and the columns can be chosen by hand', async () => {
    await card.getByLabel('Level of the units').selectOption('2');
    await card.getByText('0 of the 5 units of level 2 have a row.').waitFor();
    assert.deepEqual(await legend.allTextContents(), ['no value']);
    await card.getByLabel('Level of the units').selectOption('1');
    await card.getByText('1 of the 2 units of level 1 in Aland have a row.').waitFor();
    await card.getByLabel('Inside of, level 0').selectOption('v');
    await card.getByText('No unit found (2 rows)').waitFor();
    await card.getByLabel('Inside of, level 0').selectOption('not given');
    await card.getByText('No unit found (1 row)').waitFor();
    assert.deepEqual(await legend.allTextContents(), ['1.5', 'no value']);
  });

  await step('what is refused changes nothing', async () => {
    await chooseTable(page, 'bad.csv', 'name,v\nNorth,1\nSouth,1,5\n');
    await card.getByRole('alert').getByText('bad.csv: The row from line 3 has 3 values').waitFor();
    assert.deepEqual(await legend.allTextContents(), ['1.5', 'no value']);
    await card.getByRole('heading', { name: 'second.csv' }).waitFor();
  });

  await step('of a very long value the map, its legend and the card show the beginning', async () => {
    const [long, shown] = ['x'.repeat(900_000), `${'x'.repeat(100)}…`];
    await chooseTable(page, 'long.csv', `gid,v\nAAA.1_1,${long}\nAAA.2_1,y\n`);
    await card.getByRole('heading', { name: 'long.csv' }).waitFor();
    assert.deepEqual(await legend.allTextContents(), [shown, 'y']);
    assert.deepEqual(await card.locator('tbody td:first-child').allTextContents(), [shown, 'y']);
    await mapAtRest(page);
    const { x, y } = await pixelOf(page, ...NORTH);
    await page.mouse.move(x, y);
    await page.locator('.map-name').getByText(`North: ${shown}`, { exact: true }).waitFor();
    await page.mouse.move(0, 0);
  });

  await step('a file that is dropped takes its place; it is saved with the units, and as a picture', async () => {
    await page.getByRole('tab', { name: 'Browse' }).click();
    assert.ok(await drop(page, 'dropped.csv'));
    await card.getByRole('heading', { name: 'dropped.csv' }).waitFor();
    const units = await saveFrom(page, () => card.getByRole('button', { name: 'Save GeoJSON' }).click());
    assert.equal(units.name, `r1-lv1-AAA-${SECRET}.geojson`);
    const { features } = JSON.parse(units.content.toString());
    const values = features.map(({ properties }: { properties: Record<string, unknown> }) => [
      properties['GID_1'],
      properties[SECRET],
    ]);
    assert.deepEqual(values, [
      ['AAA.1_1', 1],
      ['AAA.2_1', 3],
    ]);
    const picture = await saveFrom(page, () => card.getByRole('button', { name: 'Save PNG' }).click());
    assert.match(picture.name, /\.png$/);
  });

  await step('another release is matched again', async () => {
    await buildExplorerRelease(service.folder, { ...ALL_SHAPES, release: 'r2' });
    await service.releases.refresh();
    asked.length = 0;
    await card.getByRole('button', { name: 'Open Aland' }).click();
    await page.locator('#release').getByText('r2', { exact: true }).waitFor({ state: 'attached' });
    await until(async () => asked.some((path) => path.startsWith('/api/v1/names/lv1')), 'no names of r2');
    await card.getByText('2 of the 2 units of level 1 in Aland have a row.').waitFor();
    await page.getByRole('tab', { name: 'Browse' }).click();
    await selectUnit(page, 'North');
    assert.match(
      (await page.locator('#facts .facts').first().textContent()) ?? '',
      new RegExp(`^Table: ${SECRET}1GID`),
    );
    await page.getByRole('tab', { name: 'Table' }).click();
    await goToView(page, `${service.url}/#lv1?gid-0=AAA&map=5.00/2.00/2.00`);
    await waitForColours(page, COLOURS);
  });

  await step('it is removed, and forgotten at the sign-out', async () => {
    await card.getByRole('button', { name: 'Remove the table' }).click();
    await page.locator('#table-heading:focus').waitFor();
    assert.equal(await legend.count(), 0);
    await waitForColours(page, plain);
    await chooseTable(page, 'third.csv', TABLE);
    await card.getByRole('heading', { name: 'third.csv' }).waitFor();
    await signOut(page);
    assert.equal(await page.locator('.legend').count(), 0);
    assert.ok(await drop(page, 'fourth.csv'), 'the browser leaves the page');
    await give(page, TOKEN);
    await page.getByRole('tab', { name: 'Table' }).click();
    assert.equal(await card.getByRole('heading').count(), 0);
  });

  await step('what another release does not match is not shown: its colours were of the one before', async () => {
    await page.reload();
    await give(page, TOKEN);
    await page.getByRole('tab', { name: 'Table' }).click();
    await chooseTable(page, 'fifth.csv', TABLE.replace(SECRET, `${SECRET} and more`.repeat(20)));
    await card.getByRole('heading', { name: 'fifth.csv' }).waitFor();
    const written = await writtenIn(page, () =>
      saveFrom(page, () => card.getByRole('button', { name: 'Save PNG' }).click()),
    );
    assert.ok(
      written.some((text) => text.startsWith(SECRET) && text.endsWith('…')),
      written.join('\n'),
    );
    await buildExplorerRelease(service.folder, { ...ALL_SHAPES, release: 'r3' });
    await service.releases.refresh();
    await page.route('**/api/v1/names/lv1', (route) => route.fulfill({ status: 503, body: '' }));
    await card.getByRole('button', { name: 'Open Aland' }).click();
    await page.locator('#release').getByText('r3', { exact: true }).waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: 'Table' }).click();
    await card.getByRole('alert').getByText('fifth.csv: Something between this page and the service').waitFor();
    assert.equal(await legend.count(), 0);
    assert.equal(await card.getByRole('heading').count(), 0);
  });

  await step('a token that is not accepted any more is asked for again', async () => {
    await page.route('**/api/v1/names/*', (route) => route.fulfill({ status: 401, body: '' }));
    await chooseTable(page, 'sixth.csv', TABLE);
    await page.getByText('The service does not accept this token.').waitFor();
    await page.locator('#token:focus').waitFor();
  });
});
