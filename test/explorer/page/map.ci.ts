// The map beside the list: what is here, what is on the screen, what is drawn, picked and asked for as one looks closer.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { LEVELS } from '../../../format/levels.ts';
import { layerOf, square } from '../../support/datasets/write-dataset.ts';
import type { RunningService } from '../../support/http/in-process-proxy.ts';
import { until } from '../../support/until.ts';
import {
  boxOf,
  colourAt,
  drawn,
  goToView,
  mapAtRest,
  middleOf,
  pixelOf,
  settledAddress,
  waitForDrawn,
} from './asked-map.ts';
import {
  ALL_SHAPES,
  HOSTILE,
  journey,
  namesIn,
  row,
  selectUnit,
  startExplorer,
  startLayers,
  TOKEN,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

journey('someone asks what is here', { service, hasMap: 'asked', hasTouch: true }, async (page, step) => {
  const card = page.locator('#here');
  const field = page.locator('#find');
  const options = page.locator('#found [role=option]');
  /** Waits for the answer at a point; its links, from the country down. */
  const here = async (point: string): Promise<string[]> => {
    await card.getByRole('heading', { name: point, exact: true }).waitFor();
    await card.getByText('Looking for units here…').waitFor({ state: 'hidden' });
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
    await waitForPlace(page, 'North', '3 × District');
    await page.locator('#facts').getByRole('heading', { name: 'Næst' }).waitFor();
  });

  await step('the other order is offered, where they do not say which', async () => {
    await page.getByRole('button', { name: 'Did you mean 0.5° N, 3.5° E?' }).press('Enter');
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
    await page.getByRole('button', { name: 'Close the units at this point' }).press('Enter');
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
    await page.getByRole('button', { name: 'Close the units at this point' }).click();
    const touch = await page.context().newCDPSession(page);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await card.getByText('Næst').waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('button', { name: 'Close the units at this point' }).click();
  });

  await step('a click on a unit selects it and ends the card, one where nothing is drawn asks', async () => {
    const { x, y } = await middleOf(page);
    await page.mouse.click(x, y, { button: 'right' });
    await card.getByText('Næst').waitFor();
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
    [, bbox = ''] = /#lv0\?bbox=([\d.,-]+)&map=8\.00\/3\.500\/0\.500$/.exec(page.url()) ?? [];
    const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
    assert.ok(west < 0.5 && 0.5 < east && east < 4 && south < 3.5 && 3.5 < north, bbox);
    const levels = page.locator('#levels button');
    await levels.nth(2).waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Level 0', 'Level 1', 'Level 2']);
    await levels.nth(2).click();
    await waitForPlace(page, 'r1', '2 × District in this box');
    assert.deepEqual(await namesIn(page), ['Næst', 'Wüst "late"']);
  });

  await step('request and address have the box, the breadcrumb leads out', async () => {
    await page.getByRole('tab', { name: 'Request' }).click();
    assert.equal(await page.locator('#url').textContent(), `${service.url}/api/v1/geojsonl/lv2?bbox=${bbox}`);
    await mapAtRest(page);
    assert.ok(await page.evaluate("theMap.querySourceFeatures('asked-box').length > 0"), 'the box is not drawn');
    await page.getByRole('tab', { name: 'Browse' }).click();
    await selectUnit(page, 'Næst');
    assert.ok(page.url().includes(`#lv2?bbox=${bbox}&unit=AAA.1.1_1&map=`), page.url());
    const address = page.url();
    await page.goto(`${service.url}/#lv0`);
    await waitForPlace(page, 'r1', '2 countries');
    await page.goto(address);
    await waitForPlace(page, 'r1', '2 × District in this box');
    await page.getByRole('button', { name: 'r1', exact: true }).click();
    await waitForPlace(page, 'r1', '2 countries');
  });

  await step('across the antimeridian its west is greater than its east; an empty list says so', async () => {
    await goToView(page, `${service.url}/#lv0?map=6.00/0.00/180.00`);
    await list();
    await waitForPlace(page, 'r1', '0 units in this box');
    await page.locator('#message').getByText('No unit of this level is in the box.').waitFor();
    assert.match(page.url(), /#lv0\?bbox=17\d\.\d+,-\d\.\d+,-17\d\.\d+,\d\.\d+&map=/);
  });
});

function zoomOf(page: Page): Promise<number> {
  return page.evaluate<number>('theMap.getZoom()');
}

journey('someone looks closer', { service, hasMap: 'asked' }, async (page, step) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    const [, path] = request.url().split('/api/v1/');
    if (path !== undefined) asked.push(path);
  });
  const name = page.locator('.map-name');
  const pointAt = async (longitude: number, latitude: number): Promise<{ x: number; y: number }> => {
    const { x, y } = await pixelOf(page, longitude, latitude);
    await page.mouse.move(x + 5, y);
    await page.mouse.move(x, y);
    return { x, y };
  };

  await step('the map shows the units of the list until one zooms, whatever its zoom; so does a link', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    const link = await settledAddress(page);
    // From 3.5 on regions are large enough.
    assert.ok((await zoomOf(page)) > 3.7);
    await waitForDrawn(page, 'fill', ['0/1', '0/2']);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await waitForDrawn(page, 'fill', ['1/3']);
    await page.goto(link);
    await waitForDrawn(page, 'fill', ['0/1', '0/2']);
  });

  await step('the world shows its countries, deeper levels as one comes closer', async () => {
    await goToView(page, `${service.url}/#lv0?map=2.00/2.00/4.00`);
    await waitForDrawn(page, 'fill', ['0/1', '0/2']);
    await goToView(page, `${service.url}/#lv0?map=5.00/2.00/6.00`);
    // Beland has units of level 2, too, which come later.
    await waitForDrawn(page, 'fill', ['1/1', '1/2', '1/3']);
    await goToView(page, `${service.url}/#lv0?map=7.00/3.00/1.00`);
    await waitForDrawn(page, 'fill', ['2/1', '2/4']);
  });

  await step('a view beside it takes tiles alone, and none that was there before', async () => {
    asked.length = 0;
    await page.evaluate('theMap.jumpTo({ center: [3, 1] })');
    await mapAtRest(page);
    await page.evaluate('theMap.jumpTo({ center: [1, 3] })');
    await mapAtRest(page);
    assert.ok(
      asked.length > 0 && asked.every((path) => /^tiles\/lv\d\/\d+\/\d+\/\d+\.mvt\?v=/.test(path)),
      asked.join(' '),
    );
    assert.equal(new Set(asked).size, asked.length);
  });

  await step('the unit under the pointer lights up and is named, a click picks it among its siblings', async () => {
    const { x, y } = await pointAt(0.5, 3.5);
    await name.getByText('Næst', { exact: true }).waitFor();
    assert.ok(await page.evaluate("theMap.getFeatureState({ source: 'lv2', sourceLayer: 'units', id: 1 }).hover"));
    await page.mouse.click(x, y);
    await waitForPlace(page, 'North', '3 × District');
    await page.locator('#facts').getByRole('heading', { name: 'Næst' }).waitFor();
    assert.equal(await row(page, 'Næst').getAttribute('aria-current'), 'true');
    assert.deepEqual(await drawn(page, 'chosen'), ['2/1']);
  });

  await step('an opened unit shows its own in colours; those beside it are pale, and can be picked', async () => {
    await goToView(page, `${service.url}/#lv2?gid-1=AAA.1_1&map=7.00/3.00/1.00`);
    await waitForPlace(page, 'North', '3 × District');
    assert.deepEqual(await drawn(page, 'fill'), ['2/1', '2/4']);
    assert.ok((await drawn(page, 'land')).includes('1/2'));
    const { x, y } = await pixelOf(page, 0.5, 1.9);
    // Not in the colour of land without data.
    const land = `getComputedStyle(document.documentElement).getPropertyValue('--map-land')`;
    assert.notEqual(await colourAt(page, { x, y }), await page.evaluate(land));
    await page.mouse.click(x, y);
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await page.locator('#facts').getByRole('heading', { name: HOSTILE }).waitFor();
  });

  await step('text of the data is text on the map, too', async () => {
    await pointAt(0.5, 1.9);
    await name.getByText(HOSTILE, { exact: true }).waitFor();
    assert.equal(await page.locator('img').count(), 1, 'the icon of the page');
  });

  await step('one leap out asks for tiles of the levels that are drawn there, alone', async () => {
    for (const [near, far] of [
      ['#lv0?map=7.00/3.00/1.00', '#lv0?map=2.00/2.00/4.00'],
      ['#lv2?gid-1=AAA.1_1&map=7.00/3.00/1.00', '#lv0?map=1.00/2.00/4.00'],
    ] as const) {
      await goToView(page, `${service.url}/${near}`);
      assert.ok((await drawn(page, 'fill')).includes('2/1'), near);
      asked.length = 0;
      await goToView(page, `${service.url}/${far}`);
      const deeper = asked.filter((path) => /^tiles\/lv[12]/.test(path));
      assert.deepEqual(deeper, [], far);
    }
  });

  await step('a click on a country brings the map to it, as one on a region does', async () => {
    await page.goto(`${service.url}/#lv0?map=2.00/1.00/3.00`);
    await waitForPlace(page, 'r1', '2 countries');
    const { x, y } = await pixelOf(page, 3, 1);
    await page.mouse.click(x, y);
    await page.locator('#facts').getByRole('heading', { name: 'Aland' }).waitFor();
    await until(async () => (await zoomOf(page)) > 4, 'the map stays');
    await waitForPlace(page, 'r1', '2 countries');
  });

  await step('a unit in several tiles has one outline; another that is selected takes it', async () => {
    await goToView(page, `${service.url}/#lv0?unit=AAA&map=9.00/2.00/2.00`);
    // Where two tiles meet there is no line.
    const [seam, beside] = [await pixelOf(page, (259 / 512) * 360 - 180, 1.75), await pixelOf(page, 2.2, 1.75)];
    assert.equal(await colourAt(page, seam), await colourAt(page, beside));
    await goToView(page, `${service.url}/#lv0?unit=AAA&map=6.00/2.00/4.00`);
    assert.deepEqual(await drawn(page, 'chosen'), ['0/1']);
    await row(page, 'Beland').click();
    await waitForDrawn(page, 'chosen', ['0/2']);
  });
});

/** Six levels: a town that is all of its country, and at the last one a village of its name in its corner. */
function startTown(): Promise<RunningService> {
  const gid = (level: number): string => ['A', ...Array(level).fill('1')].join('.');
  const layers = LEVELS.map((level) => {
    const own = LEVELS.slice(0, level + 1);
    const columns = [...own.map((n) => `GID_${n}`), level === 0 ? 'COUNTRY' : `NAME_${level}`];
    const town = [[...own.map(gid), level === 0 ? 'Land' : 'Town'], square(0, 0, 32)] as const;
    const village = [[...LEVELS.slice(0, 5).map(gid), 'B', 'Town'], square(32, 0, 4)] as const;
    return layerOf(`ADM_${level}`, columns, level === 5 ? [town, village] : [town]);
  });
  return startLayers(layers, { tiles: 6 });
}

journey('someone has six levels on the map', { service: startTown, hasMap: 'asked' }, async (page, step, { url }) => {
  await step('thirty tiles of them at once are thirty answers, by the limits of a service that sets none', async () => {
    const places = ['4/8/7', '5/16/15', '5/17/15', '5/16/14', '5/17/14'];
    const urls = LEVELS.flatMap((level) => places.map((place) => `${url}/api/v1/tiles/lv${level}/${place}.mvt`));
    const headers = { authorization: `Bearer ${TOKEN}` };
    const statuses = urls.map(() => 200);
    const asked = `Promise.all(${JSON.stringify(urls)}.map(async (url) => {
      const response = await fetch(url, { headers: ${JSON.stringify(headers)} });
      return (await response.arrayBuffer()).byteLength > 0 ? response.status : 204;
    }))`;
    assert.deepEqual(await page.evaluate(asked), statuses);
    // A tab has six connections, behind a reverse proxy with HTTP/2 as many requests at once as it likes.
    const responses = await Promise.all(urls.map((tile) => fetch(tile, { headers })));
    const answered = responses.map(({ status }) => status);
    assert.deepEqual(answered, statuses);
  });

  await step('a name that several levels have at one place is written once, of those above in capitals', async () => {
    // Of a release with one country the page goes there by itself.
    await page.locator('#heading').getByText('Land', { exact: true }).waitFor();
    const panel = await boxOf(page, '#panel');
    const chips = page.locator('#levels button');
    await chips.nth(4).waitFor();
    for (const chip of await chips.all()) {
      const { x, width } = (await chip.boundingBox()) ?? assert.fail('a chip is not shown');
      assert.ok(x + width <= panel.x + panel.width, 'a chip is cut off');
    }
    await goToView(page, `${url}/#lv5?gid-0=A&map=3.00/16.00/16.00`);
    const areThere = `${JSON.stringify(LEVELS)}.every((level) => theMap.getLayer('label-' + level) !== undefined)`;
    await until(() => page.evaluate<boolean>(areThere), 'a level has no labels');
    // Only then are all names placed.
    await page.evaluate(`new Promise((resolve) => theMap.once('idle', resolve).triggerRepaint())`);
    const names = `theMap.queryRenderedFeatures({ layers: theMap.getLayersOrder().filter((id) => id.startsWith('label-')) })
      .map(({ source, id, layer, properties }) => [source, id, properties.name, layer.layout['text-transform']])`;
    // Labels of two levels look different.
    const spacing = `${JSON.stringify(LEVELS)}.map((level) => theMap.getLayoutProperty('label-' + level, 'text-letter-spacing')[3])`;
    assert.equal(new Set(await page.evaluate<number[]>(spacing)).size, LEVELS.length);
    assert.deepEqual(await page.evaluate(names), [
      ['lv1', 1, 'Town', 'uppercase'],
      ['lv5', 2, 'Town', 'none'],
    ]);
  });
});
