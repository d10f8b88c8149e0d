// Browse: the list, the breadcrumb and the facts of a unit, in step with the browser's own buttons.
import assert from 'node:assert/strict';
import type { Request } from 'playwright-core';
import { HOSTILE, journey, namesIn, row, selectUnit, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();

/** The steps of the breadcrumb. */
const STEPS = '#path li';

journey('someone browses from the world to a district and back', { service }, async (page, step) => {
  const facts = page.locator('#facts');
  const levels = page.locator('#levels button');

  await step('the page opens on the world: every country, the release, and whose data it is', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    assert.deepEqual(await namesIn(page), ['Aland', 'Beland']);
    // Once, but for the line of credits.
    assert.equal(await page.getByText('r1', { exact: true }).filter({ visible: true }).count(), 1);
    const credits = page.locator('#credits');
    assert.match(
      (await credits.textContent()) ?? '',
      /^Tests & <i>friends<\/i>, example\.org\/data\.Second source \(example\.com\)Licence: CC-BY-4\.0Release r1, 2026-11-22Map: MapLibreColours only tell neighbours apart\.$/,
    );
    const links = await credits.getByRole('link').evaluateAll((all: { href: string }[]) => all.map(({ href }) => href));
    const licence = 'https://spdx.org/licenses/CC-BY-4.0.html';
    assert.deepEqual(links.slice(0, 3), ['https://example.org/data', 'https://example.com/', licence]);
    assert.equal(await page.locator('#path').isVisible(), false);
    await page.getByText('Choose a unit on the map or in the list. Then save it').waitFor();
  });

  await step('the credits are whole, however narrow the window is', async () => {
    await page.setViewportSize({ width: 500, height: 640 });
    const isCut =
      '(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight)';
    assert.equal(await page.evaluate(`${isCut}(document.getElementById('credits'))`), false);
    await page.setViewportSize({ width: 1000, height: 640 });
  });

  await step('Escape closes the facts of a unit and leaves the focus in the list', async () => {
    await selectUnit(page, 'Beland');
    await page.keyboard.press('Escape');
    await facts.waitFor({ state: 'hidden' });
    await page.locator('.choose:focus').getByText('Beland').waitFor();
  });

  await step('a selected unit shows its columns, counts and box, and is opened from there', async () => {
    await selectUnit(page, 'Aland');
    await facts.getByText('District', { exact: true }).waitFor();
    assert.match(
      (await facts.textContent()) ?? '',
      /GIDAAACopyRegion2 insideDistrict4 insideArea196,\d{3} km²Box0\.00° N to 4\.00° N, 0\.00° E/,
    );
    await facts.getByText('3 properties').click();
    assert.match((await facts.locator('details').textContent()) ?? '', /fid1GID_0AAACOUNTRYAland$/);
    const asked: string[] = [];
    const note = (request: Request): void => void asked.push(...request.url().split('/api/v1/').slice(1));
    page.on('request', note);
    await facts.getByRole('button', { name: 'Open 2 inside' }).click();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    page.off('request', note);
    // Not the names of a whole level.
    assert.deepEqual(asked.slice(0, 1), ['children?gid=AAA&level=lv0']);
    assert.ok(!asked.some((path) => path.startsWith('names/')), asked.join(' '));
    assert.equal(await facts.isVisible(), false);
  });

  await step('an opened unit lists its units with their counts, in order of name; so does one of these', async () => {
    assert.deepEqual(await namesIn(page), [HOSTILE, 'North']);
    assert.deepEqual(await page.locator('#rows .open').allTextContents(), ['1 inside', '3 inside']);
    await row(page, 'North').dblclick();
    await waitForPlace(page, 'North', '3 × District');
    assert.deepEqual(await page.locator(STEPS).allTextContents(), ['r1', 'Aland', 'North']);
    assert.equal(await page.locator('#rows .open').count(), 0, 'leaves are not offered to be opened');
    assert.match(page.url(), /#lv2\?gid-1=AAA\.1_1/);
  });

  await step('a unit without geometry is named as such, and cannot be opened', async () => {
    await selectUnit(page, 'Nowhere');
    await facts.getByText('no geometry').waitFor();
    assert.equal(await facts.getByRole('button', { name: /^Open/ }).count(), 0);
    await page.keyboard.press('Escape');
  });

  await step('breadcrumb, back and forward lead to where one was', async () => {
    await page.getByRole('button', { name: 'Aland', exact: true }).click();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await page.goBack();
    await waitForPlace(page, 'North', '3 × District');
    // A selection is a step, too, and so is the end of one.
    await page.goBack();
    await facts.getByRole('heading', { name: 'Nowhere' }).waitFor();
    await page.goBack();
    await facts.waitFor({ state: 'hidden' });
    await page.goBack();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await facts.getByRole('heading', { name: 'North' }).waitFor();
    await page.goBack();
    await facts.waitFor({ state: 'hidden' });
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    await facts.getByRole('heading', { name: 'Aland' }).waitFor();
    await page.goForward();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
  });

  await step('text of the data is shown as text, never as markup', async () => {
    await selectUnit(page, HOSTILE);
    await page.getByRole('button', { name: 'Open 1 inside' }).click();
    await waitForPlace(page, HOSTILE, '1 × District');
    assert.equal(await page.locator('img').count(), 1, 'the icon of the page');
    await page.goBack();
  });

  await step('a level may be skipped: all districts of a country at once', async () => {
    await levels.getByText('4').waitFor();
    await levels.getByText('District').waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Region2', 'District4']);
    await levels.last().click();
    await waitForPlace(page, 'Aland', '4 × District');
    assert.match(page.url(), /#lv2\?gid-0=AAA/);
    assert.equal(await levels.last().getAttribute('aria-pressed'), 'true');
  });

  await step('the skip link moves the focus and leaves the place', async () => {
    const before = page.url();
    await page.locator('#skip').focus();
    await page.keyboard.press('Enter');
    await page.locator('#heading:focus').waitFor();
    assert.equal(page.url(), before);
    await waitForPlace(page, 'Aland', '4 × District');
  });

  await step('an address that is no place is the world', async () => {
    await page.goto(`${service.url}/#lv9?gid-0=AAA`);
    await waitForPlace(page, 'r1', '2 countries');
  });
});
