// Countries of awkward shapes in the explorer: what is drawn of thousands of islands, and which part of a country is seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { until } from '../support/until.ts';
import { ExplorerBrowser, selectUnit, waitForPlace } from './explorer-page.ts';
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
    const before = await darkShare(page, blank);
    await selectUnit(page, 'Fjordland');
    await until(async () => (await darkShare(page, blank)) > before + 0.002, 'an outline');
    await page.getByRole('button', { name: 'Zoom to' }).click();
    await page.waitForLoadState('networkidle');
    const share = await darkShare(page, blank);
    assert.ok(share < 0.025, `${share} of the map is dark`);
    assert.deepEqual(warnings, []);
  });
});
