// Accessibility: axe-core finds nothing in any state of the page, light or dark, and the keyboard alone leads from the
// sign-in to a saved file. And the page without WebGL.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { ExplorerBrowser, openUnit, selectUnit, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const service = await startExplorer();
const browser = new ExplorerBrowser();

/** Asserts that axe-core finds no violation in the page as it is, best practices included. */
async function assertAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  );
  assert.deepEqual(found, [], state);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `axe-core finds nothing, ${colorScheme}: sign-in, world, here, search, facts, opened unit, menu`,
    { skip: SKIP },
    () =>
      browser.onPage(
        service,
        async (page) => {
          await page.locator('#token:focus').waitFor();
          await page.keyboard.press('Enter');
          await page.getByText('Paste a token first.').waitFor();
          await assertAccessible(page, 'sign-in');
          await page.getByLabel('Token').fill(TOKEN);
          await page.keyboard.press('Enter');
          await waitForPlace(page, 'r1', '2 countries');
          await assertAccessible(page, 'world');
          await page.locator('#find').fill('3.5, 0.5');
          await page.keyboard.press('Enter');
          await page.locator('#here').getByRole('link', { name: 'Aland' }).waitFor();
          await assertAccessible(page, 'what is here');
          await page.getByRole('button', { name: 'Close what is here' }).click();
          await page.locator('#find').fill('a');
          await page.locator('#found [role=option]').first().waitFor();
          await assertAccessible(page, 'search results');
          await page.keyboard.press('Escape');
          await selectUnit(page, 'Aland');
          await page.locator('#facts').getByText('3 properties').click();
          await assertAccessible(page, 'facts');
          await openUnit(page, 'Aland');
          await waitForPlace(page, 'Aland', '1 region, 1 free city');
          await page.locator('#levels').waitFor();
          await assertAccessible(page, 'opened unit');
          await page.getByRole('button', { name: 'Download' }).click();
          await page.getByRole('menu').waitFor();
          await assertAccessible(page, 'download menu');
        },
        { path: '/', colorScheme },
      ),
  );

  test(`axe-core finds nothing, ${colorScheme}: request, loading, empty, error, /docs`, { skip: SKIP }, () =>
    browser.onPage(
      service,
      async (page) => {
        await waitForPlace(page, 'r1', '2 countries');
        await page.getByRole('tab', { name: 'Request' }).click();
        await page.getByLabel('page-size').fill('1');
        await page.getByRole('button', { name: 'Send' }).click();
        await page.locator('#pager').getByText('Page 1 of 2').waitFor();
        await page.getByText(/^All \d+ headers$/).click();
        await assertAccessible(page, 'request');
        await page.route('**/api/**', () => {});
        await page.getByRole('button', { name: 'Load all' }).click();
        await page.getByRole('tab', { name: 'Browse' }).click();
        await page.getByRole('button', { name: 'Stop' }).waitFor();
        await assertAccessible(page, 'loading');
        await page.getByRole('button', { name: 'Stop' }).click();
        await page.unroute('**/api/**');
        await page.getByRole('tab', { name: 'Request' }).click();
        await page.getByLabel('gid-0').fill('ZZZ');
        await page.getByRole('button', { name: 'Send' }).click();
        await page.locator('#message').getByText('No such unit').waitFor();
        await assertAccessible(page, 'empty');
        await page.getByLabel('page-size').fill('0');
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByRole('alert').getByText('400 bad-parameter').waitFor();
        await assertAccessible(page, 'error');
        await page.goto(`${service.url}/docs`);
        await assertAccessible(page, '/docs');
      },
      { colorScheme, expected: [400] },
    ),
  );
}

test('the keyboard alone leads from the sign-in to a saved file; the focus is never lost', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      const { keyboard } = page;
      const focused = page.locator(':focus');
      await page.locator('#token:focus').waitFor();
      await keyboard.insertText(TOKEN);
      await keyboard.press('Enter');
      await page.locator('#heading:focus').waitFor();
      await waitForPlace(page, 'r1', '2 countries');
      for (const stop of ['Download', 'Aland']) {
        await keyboard.press('Tab');
        await focused
          .getByText(stop)
          .or(focused.filter({ hasText: stop }))
          .first()
          .waitFor();
      }
      await keyboard.press('Enter');
      await page.locator('#facts').getByText('3 properties').waitFor();
      await page.locator('.choose:focus').getByText('Aland').waitFor();
      await keyboard.press('Tab');
      await page.locator('#facts button:focus').waitFor();
      assert.equal(await focused.getAttribute('aria-label'), 'Close Aland');
      await keyboard.press('Enter');
      await page.locator('.choose:focus').getByText('Aland').waitFor();
      await keyboard.press('Enter');
      await page.locator('#facts').waitFor();
      await keyboard.press('Enter');
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      await page.locator('#heading:focus').waitFor();
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await page.locator('[role=menuitem]:focus').waitFor();
      const [file] = await Promise.all([page.waitForEvent('download'), keyboard.press('Enter')]);
      assert.match(file.suggestedFilename(), /\.geojson$/);
      await page.locator('#download:focus').waitFor();
      await page.locator('#tab-browse').focus();
      await keyboard.press('ArrowRight');
      await page.locator('#tab-request:focus').waitFor();
      await page.locator('#request').waitFor();
    },
    { path: '/' },
  ),
);

test('without WebGL the page says so, and list, search, facts and requests work', { skip: SKIP }, async () => {
  await new ExplorerBrowser({ hasWebGl: false }).onPage(service, async (page) => {
    await page.getByRole('heading', { name: 'No map' }).waitFor();
    await page.getByText(/WebGL 2/).waitFor();
    await openUnit(page, 'Aland');
    await selectUnit(page, 'North');
    await page.locator('#find').fill('beland');
    await page.locator('#found-note').getByText('1 unit', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#facts').getByRole('heading', { name: 'Beland' }).waitFor();
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.locator('#response').getByText('200 OK').waitFor();
    await assertAccessible(page, 'without a map');
  });
});
