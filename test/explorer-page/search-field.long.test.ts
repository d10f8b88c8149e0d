// The search field of the explorer: a combobox over the units of all levels, of one, or inside the open unit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { holdRequests, WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { ExplorerBrowser, HOSTILE, openUnit, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser({ hasWebGl: false });

/** Types into the search field, and waits for what is said of the results. */
async function search(page: Page, text: string, note: string): Promise<void> {
  await page.getByLabel('Search by name, GID or coordinates').fill(text);
  await page.locator('#found-note').getByText(note, { exact: true }).waitFor();
}

test('finds units of every level by name, without accents or case, and shows type and parents', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await search(page, 'WUST', '1 unit');
    const option = page.locator('#found [role=option]');
    assert.deepEqual(await option.locator('span').allTextContents(), ['Wüst "late"', 'District', 'Aland › North']);
    assert.equal(await option.getAttribute('aria-selected'), 'true');
    await search(page, 'AAA.2.1_1', '1 unit');
    await search(page, 'nothing like it', 'No unit has this name or GID.');
    assert.equal(await page.locator('#find').getAttribute('aria-expanded'), 'false');
  }),
);

test(
  'Enter goes to the active result: its siblings are listed, it is selected, and its facts are shown',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      await search(page, 'a', '3 units');
      const field = page.locator('#find');
      const active = page.locator('#found [aria-selected=true]');
      const first = (await active.textContent()) ?? '';
      await field.press('ArrowDown');
      assert.notEqual(await active.textContent(), first);
      assert.equal(await active.getAttribute('id'), await field.getAttribute('aria-activedescendant'));
      await field.press('ArrowUp');
      assert.equal(await active.textContent(), first);
      await field.press('ArrowUp');
      await page.locator('#found [role=option]').last().and(active).waitFor();
      await search(page, 'næst', '1 unit');
      await field.press('Enter');
      await waitForPlace(page, 'North', '3 districts');
      await page.locator('#facts').getByRole('heading', { name: 'Næst' }).waitFor();
      assert.equal(await page.locator('[aria-current=true]').textContent(), 'Næst');
      assert.equal(await field.inputValue(), '');
      assert.equal(await page.locator('#found-box').isVisible(), false);
      await page.locator('#find:focus').waitFor();
    }),
);

test('a click picks a result; hostile names are text', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await search(page, 'onerror', '1 unit');
    await page.locator('#found [role=option]').getByText(HOSTILE).click();
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    await page.locator('#facts').getByRole('heading', { name: HOSTILE }).waitFor();
  }),
);

test('a unit of the list that is shown is only selected', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/overview')) requests++;
    });
    await search(page, 'beland', '1 unit');
    await page.keyboard.press('Enter');
    await page.locator('#facts').getByRole('heading', { name: 'Beland' }).waitFor();
    await page.waitForURL(/unit=BBB/);
    assert.equal(requests, 0);
  }),
);

test('the search may be limited to a level; Escape and leaving it close the results', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await search(page, 'a', '3 units');
    await page.getByLabel('Where to search').selectOption('Level 1');
    await page.locator('#found-note').getByText('2 units', { exact: true }).waitFor();
    assert.deepEqual(await page.locator('#find-level option').allTextContents(), [
      'All levels',
      'Level 0',
      'Level 1',
      'Level 2',
    ]);
    await page.locator('#find').press('Escape');
    assert.equal(await page.locator('#found-box').isVisible(), false);
    assert.equal(await page.locator('#find').inputValue(), '');
    await search(page, 'a', '2 units');
    await page.getByRole('tab', { name: 'Browse' }).focus();
    await page.locator('#found-box').waitFor({ state: 'hidden' });
  }),
);

test('inside the open unit, while there is one', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    await search(page, 'north', '1 unit');
    await openUnit(page, 'Beland');
    const where = page.getByLabel('Where to search');
    await where.selectOption('In Beland');
    await search(page, 'north', 'No unit has this name or GID.');
    await search(page, 'all', '1 unit');
    await page.locator('#find').press('Escape');
    await page.locator('#path').getByText('r1').click();
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(await where.inputValue(), '');
  }),
);

test('while one types, the last answer wins', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    const release = await holdRequests(page, '**/api/v1/search?q=north*');
    const asked = page.waitForRequest('**/api/v1/search?q=north*');
    await page.locator('#find').fill('north');
    await asked;
    await search(page, 'nowhere', '1 unit');
    release();
    await search(page, 'a', '3 units');
    assert.equal(await page.locator('#found .name').first().textContent(), 'Aland');
  }),
);

test('says why a search fails', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
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
    },
    { expected: [503] },
  ),
);

test('the ring of the focus lies on the field itself, not on the choice of level beside it', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    for (const id of ['find', 'find-level']) {
      await page.locator(`#${id}`).focus();
      const style = `getComputedStyle(document.getElementById('${id}'))`;
      const [width, offset] = await page.evaluate<number[]>(
        `[${style}.outlineWidth, ${style}.outlineOffset].map((length) => Number.parseFloat(length))`,
      );
      assert.ok(width !== undefined && width >= 2 && offset === -width, `${id}: ${width} ${offset}`);
    }
  }),
);
