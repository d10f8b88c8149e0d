// Accessibility: axe-core finds nothing in any state of the page, light or dark, and the keyboard alone leads from the
// sign-in to a saved file. And the page without WebGL.
import assert from 'node:assert/strict';
import { assertAccessible } from './axe.ts';
import {
  ALL_SHAPES,
  journey,
  openUnit,
  selectUnit,
  startExplorer,
  TOKEN,
  WINDOW,
  waitForPlace,
} from './explorer-page.ts';
import { EXPECTED_STATUSES, walkStates } from './states.ts';

const service = await startExplorer(ALL_SHAPES);

for (const colorScheme of ['light', 'dark'] as const)
  journey(
    `axe-core finds nothing in any state, ${colorScheme}`,
    {
      service,
      path: '/',
      colorScheme,
      expected: EXPECTED_STATUSES,
      ...(colorScheme === 'light' && { hasMap: true, viewport: WINDOW }),
    },
    (page, step) => walkStates(page, step, (shown) => assertAccessible(shown, colorScheme)),
  );

journey(
  'the keyboard alone leads to a saved file; the focus is never lost',
  { service, path: '/' },
  async (page, step) => {
    const { keyboard } = page;
    const focused = page.locator(':focus');
    const chosen = page.locator('.choose:focus').getByText('Aland');

    await step('to the world', async () => {
      await page.locator('#token:focus').waitFor();
      await keyboard.insertText(TOKEN);
      await keyboard.press('Enter');
      await page.locator('#heading:focus').waitFor();
      await waitForPlace(page, 'r1', '2 countries');
    });

    await step('to a unit and its facts, and back', async () => {
      for (const stop of ['Download', 'Aland']) {
        await keyboard.press('Tab');
        await focused.filter({ hasText: stop }).waitFor();
      }
      await keyboard.press('Enter');
      await page.locator('#facts').getByText('3 properties').waitFor();
      await chosen.waitFor();
      await keyboard.press('Tab');
      await page.locator('#facts button:focus').waitFor();
      assert.equal(await focused.getAttribute('aria-label'), 'Close Aland');
      await keyboard.press('Enter');
      await chosen.waitFor();
    });

    await step('into it', async () => {
      await keyboard.press('Enter');
      await page.locator('#facts').waitFor();
      await keyboard.press('Enter');
      await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
      await page.locator('#heading:focus').waitFor();
    });

    await step('to a file, and to the other tab', async () => {
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
    });
  },
);

journey('without WebGL the page says so, and list, search and facts work', { service }, async (page) => {
  await page.getByRole('heading', { name: 'No map' }).waitFor();
  await page.getByText('The map needs WebGL 2').waitFor();
  await openUnit(page, 'Aland');
  await selectUnit(page, 'North');
  await page.locator('#find').fill('beland');
  await page.locator('#found-note').getByText('1 unit', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('#facts').getByRole('heading', { name: 'Beland' }).waitFor();
  await assertAccessible(page);
});
