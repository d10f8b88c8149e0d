// The Request tab: the request that gives what is shown, and programs that walk all of its pages.
import assert from 'node:assert/strict';
import { copied, journey, openUnit, selectUnit, startExplorer, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();

journey('someone takes the request of what is shown', { service }, async (page, step) => {
  const url = page.locator('#url');
  const code = page.locator('#code');
  await waitForPlace(page, 'r1', '2 countries');

  await step('of a list, and of a selected unit', async () => {
    await page.getByRole('tab', { name: 'Request' }).click();
    assert.equal(await url.textContent(), `${service.url}/api/v1/geojsonl/lv0`);
    await page.getByRole('tab', { name: 'Browse' }).click();
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await selectUnit(page, 'North');
    await page.locator('#facts').getByRole('button', { name: 'Request' }).click();
    await page.locator('#request-heading:focus').waitFor();
    assert.equal(await url.textContent(), `${service.url}/api/v1/geojsonl/lv1?gid-1=AAA.1_1`);
    await page.getByRole('tab', { name: 'Browse' }).click();
    await page.getByRole('button', { name: 'Close North' }).click();
    await page.getByRole('tab', { name: 'Request' }).click();
    assert.equal(await url.textContent(), `${service.url}/api/v1/geojsonl/lv1?gid-0=AAA`);
  });

  await step('the code is a program in three languages for the whole listing, and is copied', async () => {
    for (const [language, mark] of [
      ['Python', 'urlopen'],
      ['JavaScript', 'await fetch'],
      ['Shell', 'curl'],
    ] as const) {
      await page.getByLabel('Language').selectOption(language);
      const text = (await code.textContent()) ?? '';
      assert.ok(text.includes(mark) && text.includes(`${service.url}/api/v1/geojsonl/lv1?gid-0=AAA`), text);
    }
    await page.locator('#code-actions button').click();
    await page.locator('#code-actions').getByText('Copied').waitFor();
    assert.match(await copied(page), /curl/);
  });
});
