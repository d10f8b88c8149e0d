// The states of the page, one after the other as someone gets to them: for what must hold in each, such as that it is
// accessible, and that it fits the screen.
import type { Page } from 'playwright-core';
import { chooseTable, openUnit, type Step, TOKEN, waitForPlace } from './explorer-page.ts';

/** The statuses of the answers that some of them provoke. */
export const EXPECTED_STATUSES = [400, 404];

/**
 * Brings the page from the sign-in to each state.
 * @param assertSound what must hold in each
 */
export async function walkStates(page: Page, step: Step, assertSound: (page: Page) => Promise<void>): Promise<void> {
  const state = (title: string, act: () => Promise<void>): Promise<void> =>
    step(title, async () => {
      await act();
      await assertSound(page);
    });
  const { origin } = new URL(page.url());

  await state('sign-in', async () => {
    await page.locator('#token:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Paste a token first.').waitFor();
  });
  await state('world', async () => {
    await page.getByLabel('Token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await waitForPlace(page, 'r1', '2 countries');
  });
  await state('what is here', async () => {
    await page.locator('#find').fill('3.5, 0.5');
    await page.keyboard.press('Enter');
    await page.locator('#here').getByRole('link', { name: 'Aland' }).waitFor();
  });
  await state('search results', async () => {
    await page.getByRole('button', { name: 'Close the units at this point' }).click();
    await page.locator('#find').fill('a');
    await page.locator('#found [role=option]').first().waitFor();
  });
  await state('facts', async () => {
    await page.locator('#found [role=option]').first().click();
    await page.locator('#facts').getByText('3 properties').click();
  });
  await state('opened unit', async () => {
    await page.getByRole('button', { name: 'Close Aland' }).click();
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await page.locator('#levels').waitFor();
  });
  await state('download menu', async () => {
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menu').waitFor();
  });
  await state('request', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.locator('#url').getByText('/api/v1/geojsonl/lv1?gid-0=AAA').waitFor();
  });
  await state('a table is asked for', async () => {
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.getByText('The table stays in this browser').waitFor();
  });
  await state('a table, with all that is said of one', async () => {
    await chooseTable(page, 'table.csv', 'gid;total\nAAA.1_1;1,5\nAAA.2_1;x\nNowhere;2\nAAA.1_1;3\nBBB.1_1;7,25\n');
    await page.getByText('3 of the 3 units of level 1 have a row.').waitFor();
    for (const details of await page.locator('.table-card summary').all()) await details.click();
    await page.getByText('line 5: AAA.1_1 (first in line 2)').waitFor();
  });
  await state('a table is refused', async () => {
    await chooseTable(page, 'other.csv', 'gid\nAAA\n');
    await page.getByRole('alert').getByText('The table has one column').waitFor();
    await page.getByText('3 of the 3 units of level 1 have a row.').waitFor();
  });
  await state('empty', async () => {
    await page.goto(`${origin}/#lv1?gid-0=ZZZ`);
    await page.locator('#message').getByText('No such unit').waitFor();
  });
  await state('error', async () => {
    await page.goto(`${origin}/#lv1?bbox=${'0'.repeat(60)}`);
    await page.getByRole('alert').getByText('400 bad-parameter').waitFor();
  });
  await state('/docs', async () => {
    await page.goto(`${origin}/docs`);
  });
}
