// Countries of awkward shapes in the explorer: what is drawn of thousands of islands, and which part of a country is
// seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { until } from '../support/until.ts';
import { ExplorerBrowser, selectUnit, viewOf, waitForPlace } from './explorer-page.ts';
import { startCountry } from './national-countries.ts';

const browser = new ExplorerBrowser();

/** How much of the map is as dark as the outline of a selected unit, from 0 to 1. */
async function darkShare(page: Page, blank: Page): Promise<number> {
  const png = await page.locator('#map').screenshot();
  return blank.evaluate<number>(`(async () => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    let dark = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 200) dark++;
    return dark / (data.length / 4);
  })()`);
}

test('a selected country with 3,500 islands is outlined, not black, and the map has no warnings', {
  skip: SKIP,
}, async () => {
  const service = await startCountry('fjordland', { isAlone: false });
  await browser.onPage(service, async (page) => {
    const warnings: string[] = [];
    page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
    await waitForPlace(page, 'fjordland-2026', '2 countries');
    await page.waitForURL(/map=/);
    const blank = await page.context().newPage();
    // It is dark, too.
    await page.locator('#map-note').waitFor({ state: 'hidden' });
    const before = await darkShare(page, blank);
    await selectUnit(page, 'Fjordland');
    let seen = 0;
    const isOutlined = async (): Promise<boolean> => {
      seen = await darkShare(page, blank);
      return seen > before + 0.002;
    };
    await until(isOutlined, () => `an outline: ${before}, then ${seen} of the map is dark`);
    await page.getByRole('button', { name: 'Zoom to' }).click();
    await page.waitForLoadState('networkidle');
    const share = await darkShare(page, blank);
    assert.ok(share < 0.025, `${share} of the map is dark`);
    assert.deepEqual(warnings, []);
  });
});

test('a tall country is fitted below the button that lists what is on the screen', { skip: SKIP }, async () => {
  const service = await startCountry('fjordland');
  await browser.onPage(service, async (page) => {
    await waitForPlace(page, 'Fjordland', '6 units');
    const pixelOf = await viewOf(page);
    const button = await page.locator('#list-seen').boundingBox();
    assert.ok(
      button && pixelOf(15, 71.2).y > button.y + button.height,
      JSON.stringify({ button, north: pixelOf(15, 71.2) }),
    );
  });
});

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
])
  test(`a long country is shown without its far island, which 'Show all' brings into sight: ${viewport.width} pixels`, {
    skip: SKIP,
  }, async () => {
    const service = await startCountry('thinland');
    await browser.onPage(
      service,
      async (page) => {
        await waitForPlace(page, 'Thinland', '10 units');
        const map = await page.locator('#map').boundingBox();
        assert.ok(map);
        const pixelOf = await viewOf(page);
        // Its middle is that of the map.
        assert.ok(Math.abs(pixelOf(-72.5, 0).x - (map.x + map.width / 2)) < map.width / 8, `${pixelOf(-72.5, 0).x}`);
        const all = page.getByRole('button', { name: 'Show all' });
        const [button, zoom] = [await all.boundingBox(), await page.locator('.map-zoom').boundingBox()];
        assert.ok(button && zoom && button.x + button.width < zoom.x, JSON.stringify({ button, zoom }));
        const before = page.url();
        await all.click();
        await all.waitFor({ state: 'hidden' });
        await page.waitForURL((url) => url.href !== before);
        const island = (await viewOf(page))(-150, -27.1);
        assert.ok(island.x > map.x && island.x < map.x + map.width, JSON.stringify(island));
        assert.equal(await page.evaluate('document.activeElement.id'), 'list-seen');
      },
      { viewport },
    );
  });

test('a country opens with all of its units, be some of them on the other side of a gulf', { skip: SKIP }, async () => {
  const service = await startCountry('gulfland');
  await browser.onPage(service, async (page) => {
    await waitForPlace(page, 'Gulfland', '24 units');
    const map = await page.locator('#map').boundingBox();
    assert.ok(map);
    const { x } = (await viewOf(page))(-87, 20);
    assert.ok(x < map.x + map.width, `${x}`);
  });
});
