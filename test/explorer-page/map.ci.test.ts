// The map beside the list: addresses with a view, what is here, what is on the screen, and what is picked and loaded as
// one looks closer.
import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import { featuresOf, goToView, mapAtRest, middleOf, pixelOf } from './asked-map.ts';
import {
  ALL_SHAPES,
  CLIPBOARD,
  copied,
  journey,
  namesIn,
  openUnit,
  row,
  selectUnit,
  startExplorer,
  TOKEN,
  waitForFacts,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

journey('someone gives a place to somebody', { service, hasMap: 'asked', ...CLIPBOARD }, async (page, step) => {
  const view = (): string | undefined => /map=([^&]+)/.exec(page.url())?.[1];

  await step('an empty answer is named, and the map stays where it is', async () => {
    await selectUnit(page, 'Beland');
    await page.waitForURL(/map=/);
    await mapAtRest(page);
    const before = view();
    await page.getByRole('tab', { name: 'Request' }).click();
    // Both exist, and nothing is in both.
    await page.getByLabel('Level', { exact: true }).selectOption('lv2');
    await page.getByLabel('gid-0').fill('BBB');
    await page.getByLabel('gid-1').fill('AAA.1_1');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('#message').getByText('No units here').waitFor();
    await page.locator('#response').getByText('200 OK').waitFor();
    await page.getByRole('tab', { name: 'Browse' }).click();
    await waitForPlace(page, 'North', '0 units');
    assert.equal(view() ?? before, before);
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(view(), before);
  });

  await step('back leads from a place and its view to the one before', async () => {
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await page.waitForURL(/gid-0=AAA&map=/);
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    await page.goForward();
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
  });

  await step('the link has place, selected unit and view', async () => {
    await selectUnit(page, 'North');
    await page.waitForURL(/unit=AAA\.1_1&map=/);
    const before = page.url();
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.waitForURL((url) => url.href !== before);
    await mapAtRest(page);
    assert.match(page.url(), /\/#lv1\?gid-0=AAA&unit=AAA\.1_1&map=\d+\.\d+\/\d+\.\d+\/\d+\.\d+$/);
    await page.locator('#facts').getByRole('button', { name: 'Copy link' }).click();
    await page.locator('#announce').getByText('Copied').waitFor({ state: 'attached' });
    assert.equal(await copied(page), page.url());
  });

  await step('and restores them for somebody else with a token', async () => {
    const address = page.url();
    await page.goto(`${service.url}/docs`);
    await page.goto(address);
    await page.getByLabel('Token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await waitForFacts(page, 'North');
    await mapAtRest(page);
    assert.equal(page.url(), address);
  });
});

journey('someone asks what is here', { service, hasMap: 'asked', hasTouch: true }, async (page, step) => {
  const card = page.locator('#here');
  const field = page.locator('#find');
  const options = page.locator('#found [role=option]');
  /** Waits for the answer at a point; its links, from the country down. */
  const here = async (point: string): Promise<string[]> => {
    await card.getByRole('heading', { name: point, exact: true }).waitFor();
    await card.getByText('Asking what is here…').waitFor({ state: 'hidden' });
    return card.locator('li').allInnerTexts();
  };
  await waitForPlace(page, 'r1', '2 countries');

  await step('two numbers say what is there as links, latitude first; one request', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('point=')) asked.push(request.url().slice(service.url.length));
    });
    await field.fill('3.5, 0.5');
    assert.deepEqual(await options.locator('.type').allTextContents(), ['latitude first', 'longitude first']);
    await field.press('Enter');
    assert.deepEqual(await here('3.5° N, 0.5° E'), ['Aland\nlevel 0', 'North\nRegion', 'Næst\nDistrict']);
    assert.deepEqual(asked, ['/api/v1/at?point=0.5,3.5&geometry=none']);
    await card.getByText('read with the latitude first').waitFor();
    await card.getByRole('link', { name: 'Næst' }).click();
    await waitForPlace(page, 'North', '3 districts');
    await page.locator('#facts').getByRole('heading', { name: 'Næst' }).waitFor();
  });

  await step('the other order is offered, where they do not say which', async () => {
    await page.getByRole('button', { name: 'Or is it 0.5° N, 3.5° E?' }).press('Enter');
    assert.deepEqual(await here('0.5° N, 3.5° E'), ['Aland\nlevel 0']);
    await page.locator('#here-title:focus').waitFor();
    // As the answer itself has it, also in the other order.
    await field.fill('0.5° E 3.5° n');
    assert.deepEqual(await options.locator('.type').allTextContents(), ['longitude first']);
    await field.fill('01 004');
    await page.locator('#found-note').getByText('No unit has this name or GID.').waitFor();
  });

  await step('where nothing is, the answer says so; it is closed', async () => {
    // The other order of these is no point.
    await field.fill('40.4168 -103.7038');
    assert.equal(await options.count(), 1);
    await field.press('Enter');
    assert.deepEqual(await here('40.4168° N, 103.7038° W'), []);
    await card.getByText('No unit contains this point.').waitFor();
    await page.getByRole('button', { name: 'Close what is here' }).press('Enter');
    await page.locator('#heading:focus').waitFor();
    assert.equal(await card.isVisible(), false);
  });

  /** Is it what was pressed, to half a pixel? */
  const assertAt = async (latitude: number, longitude: number): Promise<void> => {
    const [, north, east] = /^([\d.]+)° N, ([\d.]+)° E$/.exec(await card.locator('h2').innerText()) ?? [];
    assert.ok(Math.abs(Number(north) - latitude) < 0.005 && Math.abs(Number(east) - longitude) < 0.005, `${east}`);
  };

  await step('so do the other button and a long press on the map', async () => {
    await goToView(page, `${service.url}/#lv0?map=8.00/3.50/0.50`);
    const at = await middleOf(page);
    await page.mouse.click(at.x, at.y, { button: 'right' });
    await card.getByText('Næst').waitFor();
    await assertAt(3.5, 0.5);
    await page.getByRole('button', { name: 'Close what is here' }).click();
    const touch = await page.context().newCDPSession(page);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await card.getByText('Næst').waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('button', { name: 'Close what is here' }).click();
  });

  await step('a click on a unit selects it, one where nothing is drawn asks', async () => {
    const { x, y } = await middleOf(page);
    await page.mouse.click(x, y);
    await page.locator('#facts').waitFor();
    assert.equal(await card.isVisible(), false);
    await goToView(page, `${service.url}/#lv0?map=8.00/0.50/7.00`);
    await page.mouse.click(x, y);
    await card.getByText('No unit contains this point.').waitFor();
    await assertAt(0.5, 7);
  });
});

journey('someone lists what is on the screen', { service, hasMap: 'asked' }, async (page, step) => {
  const list = (): Promise<void> => page.getByRole('button', { name: 'List what is on the screen' }).click();
  let bbox = '';
  await waitForPlace(page, 'r1', '2 countries');

  await step('it is a list of each level, in the box of the map', async () => {
    await goToView(page, `${service.url}/#lv0?map=8.00/3.50/0.50`);
    await list();
    await waitForPlace(page, 'r1', '1 country in this box');
    assert.deepEqual(await namesIn(page), ['Aland']);
    [, bbox = ''] = /#lv0\?bbox=([\d.,-]+)&map=8\.00\/3\.50\/0\.50$/.exec(page.url()) ?? [];
    const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
    assert.ok(west < 0.5 && 0.5 < east && east < 4 && south < 3.5 && 3.5 < north, bbox);
    const levels = page.locator('#levels button');
    await levels.nth(2).waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Level 01', 'Level 11', 'Level 22']);
    await levels.nth(2).click();
    await waitForPlace(page, 'r1', '2 districts in this box');
    assert.deepEqual(await namesIn(page), ['Næst', 'Wüst "late"']);
  });

  await step('request and address have the box, the breadcrumb leads out', async () => {
    await page.getByRole('tab', { name: 'Request' }).click();
    const url = `${service.url}/api/v1/geojsonl/lv2?bbox=${bbox}&geometry=medium`;
    assert.equal(await page.locator('#url').textContent(), url);
    await page.getByRole('tab', { name: 'Browse' }).click();
    await selectUnit(page, 'Næst');
    assert.ok(page.url().includes(`#lv2?bbox=${bbox}&unit=AAA.1.1_1&map=`), page.url());
    const address = page.url();
    await page.goto(`${service.url}/#lv0`);
    await waitForPlace(page, 'r1', '2 countries');
    await page.goto(address);
    await waitForPlace(page, 'r1', '2 districts in this box');
    await page.getByRole('button', { name: 'r1', exact: true }).click();
    await waitForPlace(page, 'r1', '2 countries');
  });

  await step('across the antimeridian its west is greater than its east; an empty list says so', async () => {
    await goToView(page, `${service.url}/#lv0?map=6.00/0.00/180.00`);
    await list();
    await waitForPlace(page, 'r1', '0 units in this box');
    await page.locator('#message').getByText('None of this level is in the box.').waitFor();
    assert.match(page.url(), /#lv0\?bbox=17\d\.\d+,-\d\.\d+,-17\d\.\d+,\d\.\d+&map=/);
  });
});

journey('someone looks closer', { service, hasMap: 'asked' }, async (page, step) => {
  const queries: string[] = [];
  page.on('request', (request) => {
    const [, query] = /\/geojsonl\/(.*)/.exec(request.url()) ?? [];
    if (request.method() === 'GET' && query !== undefined) queries.push(query);
  });
  const hasDetail = (key: string): Promise<void> =>
    until(
      async () => (await featuresOf(page, 'detail')).some(({ properties }) => properties?.['key'] === key),
      `${key} keeps its coarse shape`,
    );

  await step('real shapes of the units in sight are fetched, once', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    // Closer than the overview of a release of 14 degrees is exact.
    await goToView(page, `${service.url}/#lv0?map=11.00/1.00/12.00`);
    await hasDetail('1/3');
    await goToView(page, `${service.url}/#lv0?map=11.00/1.00/1.00`);
    await hasDetail('1/2');
    await goToView(page, `${service.url}/#lv0?map=11.00/1.00/12.00`);
    await hasDetail('1/3');
    assert.equal(queries.filter((query) => query === 'lv1?page-size=1&start-at=3').length, 1);
  });

  await step('the region under the pointer lights up in its real shape, not in the coarse one below', async () => {
    const { x, y } = await middleOf(page);
    await page.mouse.move(x + 5, y);
    await page.mouse.move(x, y);
    await page.locator('.map-name').getByText('All', { exact: true }).waitFor();
    const isHovered = (source: string): Promise<boolean> =>
      page.evaluate<boolean>(`!!theMap.getFeatureState({ source: '${source}', id: '1/3' }).hover`);
    assert.deepEqual([await isHovered('detail'), await isHovered('regions')], [true, false]);
  });

  await step('a click on a country brings the map to it, as one on a region does', async () => {
    await page.goto(`${service.url}/docs`);
    await page.goto(`${service.url}/#token=${TOKEN}`);
    await waitForPlace(page, 'r1', '2 countries');
    // A part of Aland without regions.
    const { x, y } = await pixelOf(page, 3, 1);
    const zoom = (): Promise<number> => page.evaluate<number>('theMap.getZoom()');
    const before = await zoom();
    await page.mouse.click(x, y);
    await page.locator('#facts').getByRole('heading', { name: 'Aland' }).waitFor();
    await until(async () => (await zoom()) > before + 0.5, 'the map stays');
    await waitForPlace(page, 'r1', '2 countries');
  });

  await step('the map names the unit under the pointer; a click picks it among its siblings', async () => {
    await page.goto(`${service.url}/#lv0`);
    await selectUnit(page, 'Beland');
    await mapAtRest(page);
    const { x, y } = await middleOf(page);
    await page.mouse.move(x + 5, y);
    await page.mouse.move(x, y);
    await page.locator('.map-name').getByText('All', { exact: true }).waitFor();
    await page.mouse.click(x, y);
    await waitForPlace(page, 'Beland', '1 region');
    await page.locator('#facts').getByRole('heading', { name: 'All' }).waitFor();
    assert.equal(await row(page, 'All').getAttribute('aria-current'), 'true');
  });

  await step('the provinces of a region are one request for shapes, and one for their points', async () => {
    await page.goto(`${service.url}/#lv0`);
    await waitForPlace(page, 'r1', '2 countries');
    queries.length = 0;
    await page.goto(`${service.url}/#lv1?gid-0=AAA`);
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await until(() => queries.length >= 2, 'no points were asked for');
    assert.deepEqual(queries.slice(0, 2), [
      'lv1?gid-0=AAA&geometry=low',
      'lv1?gid-0=AAA&geometry=point&page-size=2&start-at=1',
    ]);
  });
});
