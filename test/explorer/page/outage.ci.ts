// What the page says when the service does not answer, and that it goes on from there; units that the release does not
// have.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { give, journey, openUnit, row, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();

/** Answers requests with 503, or something else, until the result is called. */
async function outage(page: Page, paths: string, answer = { status: 503, body: 'down' }): Promise<() => Promise<void>> {
  await page.route(paths, (route) => route.fulfill(answer));
  return () => page.unroute(paths);
}

/** Asserts that nothing says that it waits. */
async function assertAtRest(page: Page): Promise<void> {
  assert.doesNotMatch(await page.locator('body').innerText(), /loading|waiting/i);
}

journey('the service fails, and is there again', { service, path: '/', expected: [404, 503] }, async (page, step) => {
  const message = page.locator('#message');
  const facts = page.locator('#facts');
  const tryAgain = (): Promise<void> => message.getByRole('button', { name: 'Try again' }).click();

  await step('a page that was opened meanwhile gets its release and names', async () => {
    const portal = { status: 200, body: '<!doctype html>' };
    for (const answer of [undefined, portal]) {
      await page.locator('#token').waitFor();
      const ends = [await outage(page, '**/api/v1/**'), await outage(page, '**/about.json', answer)];
      await page.reload();
      await give(page, TOKEN);
      await message.getByText('The service has a fault').waitFor();
      await page.getByText('The service has no release yet, or it could not be asked.').waitFor();
      await assertAtRest(page);
      for (const end of ends) await end();
      await tryAgain();
      await waitForPlace(page, 'r1', '2 countries');
      if (answer === undefined) await page.reload();
    }
  });

  await step('an opened unit says that its names are missing, and has them afterwards', async () => {
    const noNames = page.locator('#subheading').getByText('The names could not be loaded');
    const end = await outage(page, '**/api/v1/**');
    await openUnit(page, 'Aland');
    await message.getByText('The service has a fault').waitFor();
    await noNames.waitFor();
    await assertAtRest(page);
    await tryAgain();
    await noNames.waitFor();
    await end();
    await tryAgain();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    assert.equal(await message.innerText(), '');
  });

  await step('a selected unit whose facts did not arrive says so, and gets them later', async () => {
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    const end = await outage(page, '**/api/v1/**');
    await row(page, 'Beland').click();
    await facts.getByText('not loaded').waitFor();
    await assertAtRest(page);
    await end();
    await tryAgain();
    await facts.getByText(/^\d+ properties$/).waitFor();
  });

  for (const [hash, said] of [
    ['lv0?unit=NOPE', 'This release has no unit NOPE at this level.'],
    ['lv1?gid-0=AAA&fid=99', 'no unit fid 99'],
    ['lv1?gid-0=NOPE', 'no unit NOPE'],
  ] as const)
    await step(`an address with a unit or parent that the release does not have says so: ${hash}`, async () => {
      await page.goto(`${service.url}/#lv0`);
      await waitForPlace(page, 'r1', '2 countries');
      await page.goto(`${service.url}/#${hash}`);
      await message.getByText('No such unit').waitFor();
      await message.getByText(said).waitFor();
    });
});
