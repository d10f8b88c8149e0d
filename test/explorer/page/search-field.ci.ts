// The search field, a combobox: its keys, its answers while one types, and where it searches.
import assert from 'node:assert/strict';
import { holdRequests } from '../../support/processes/chromium.ts';
import { journey, openUnit, search, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();

journey('someone types into the search field', { service, expected: [503] }, async (page, step) => {
  const field = page.locator('#find');
  const options = page.locator('#found [role=option]');
  await waitForPlace(page, 'r1', '2 countries');

  await step('arrow keys walk the results, round their ends', async () => {
    await search(page, 'a', '3 units');
    const active = page.locator('#found [aria-selected=true]');
    const first = (await active.textContent()) ?? '';
    await field.press('ArrowDown');
    assert.notEqual(await active.textContent(), first);
    assert.equal(await active.getAttribute('id'), await field.getAttribute('aria-activedescendant'));
    await field.press('ArrowUp');
    assert.equal(await active.textContent(), first);
    await field.press('ArrowUp');
    await options.last().and(active).waitFor();
  });

  await step('while one types, the last answer wins', async () => {
    const release = await holdRequests(page, '**/api/v1/search?q=north*');
    const asked = page.waitForRequest('**/api/v1/search?q=north*');
    await field.fill('north');
    await asked;
    await field.fill('nowhere');
    await page.locator('#found-note').getByText('1 unit', { exact: true }).waitFor();
    release();
    await search(page, 'a', '3 units');
    assert.equal(await page.locator('#found .name').first().textContent(), 'Aland');
  });

  await step('a search may be inside the open unit, while there is one', async () => {
    const where = page.getByLabel('Where to search');
    await search(page, 'north', '1 unit');
    await openUnit(page, 'Beland');
    await where.selectOption('In Beland');
    await search(page, 'north', 'No unit has this name or GID. Try fewer letters.');
    await search(page, 'all', '1 unit');
    await field.press('Escape');
    await page.locator('#path').getByText('r1').click();
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(await where.inputValue(), '');
  });

  await step('a search that fails says why', async () => {
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
  });

  await step('the ring of the focus lies on the field itself, not on the choice of level beside it', async () => {
    for (const id of ['find', 'find-level']) {
      await page.locator(`#${id}`).focus();
      const style = `getComputedStyle(document.getElementById('${id}'))`;
      const [width, offset] = await page.evaluate<number[]>(
        `[${style}.outlineWidth, ${style}.outlineOffset].map((length) => Number.parseFloat(length))`,
      );
      assert.ok(width !== undefined && width >= 2 && offset === -width, `${id}: ${width} ${offset}`);
    }
  });

  await step('on a phone it takes all of the sheet, which has its height again when one leaves', async () => {
    await page.setViewportSize({ width: 390, height: 700 });
    const sheet = page.getByRole('button', { name: /^Panel height/ });
    await page.getByRole('tab', { name: 'Browse' }).focus();
    const height = (): Promise<string> => page.evaluate<string>('document.body.dataset.sheet');
    for (const own of ['half', 'full', 'low']) {
      assert.equal(await height(), own);
      await field.focus();
      assert.equal(await height(), 'full');
      await page.getByRole('tab', { name: 'Browse' }).focus();
      assert.equal(await height(), own);
      await sheet.click();
    }
  });
});
