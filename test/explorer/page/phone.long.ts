// The explorer on a phone, by touch, and where the system is dark.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { boxOf, middleOf, waitForDrawn } from './asked-map.ts';
import {
  ALL_SHAPES,
  journey,
  row,
  startExplorer,
  startLargeExplorer,
  waitForFacts,
  waitForPlace,
} from './explorer-page.ts';
import { EXPECTED_STATUSES, walkStates } from './states.ts';

const service = await startExplorer(ALL_SHAPES);

const SMALL = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };
const SIZES = [SMALL, { ...SMALL, viewport: { width: 390, height: 844 } }];
const WIDE = { viewport: { width: 768, height: 1024 } };
const BACKGROUNDS = { light: 'rgb(255, 255, 255)', dark: 'rgb(18, 25, 30)' };

/** Asserts that neither the page nor a part that scrolls is wider than its place. */
async function assertFits(page: Page): Promise<void> {
  // The tables of the documentation scroll.
  const parts = page.url().endsWith('/docs') ? 'html, body' : 'html, body, body *';
  const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('${parts}')]
    .filter((element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX))
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.tagName + ' ' + element.id + ' ' + element.className)`);
  assert.deepEqual(wide, []);
}

journey(
  'a phone of 320 pixels has room for every state of the page',
  { service, ...SMALL, path: '/', expected: EXPECTED_STATUSES, hasMap: true },
  (page, step) => walkStates(page, step, assertFits),
);

journey('someone pulls the sheet on a phone', { service, ...SMALL, hasMap: 'asked' }, async (page, step) => {
  const sheet = page.getByRole('button', { name: /^Panel height/ });

  await step('it has three heights', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    const heightOf = async (): Promise<number> => (await boxOf(page, '#panel')).height;
    const half = await heightOf();
    await sheet.tap();
    await page.getByRole('button', { name: 'Panel height: full. Change' }).waitFor();
    const full = await heightOf();
    await sheet.tap();
    await page.getByRole('button', { name: 'Panel height: low. Change' }).waitFor();
    const low = await heightOf();
    assert.ok(low < half && half < full, `${low} ${half} ${full}`);
  });

  await step('the credits stay in sight above it', async () => {
    await page.locator('#credits').getByText('Second source').waitFor();
    const credits = await boxOf(page, '#credits');
    assert.ok(credits.y + credits.height <= (await boxOf(page, '#panel')).y + 1);
    await sheet.tap();
  });

  await step('keys move it, also after it was pulled', async () => {
    const at = await boxOf(page, '#sheet');
    const [x, y] = [at.x + at.width / 2, at.y + 5];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 100);
    await page.mouse.up();
    for (const height of ['full', 'low', 'half']) {
      await page.getByRole('button', { name: `Panel height: ${height}. Change` }).waitFor();
      await sheet.press('Enter');
    }
    await sheet.tap();
    await sheet.tap();
  });

  await step('a tap on the map picks a unit', async () => {
    await page.getByRole('button', { name: 'Open Beland: 1 inside' }).tap();
    await waitForPlace(page, 'Beland', '1 × Region');
    await waitForDrawn(page, 'fill', ['1/3']);
    const { x, y } = await middleOf(page);
    await page.touchscreen.tap(x, y);
    await page.locator('#facts').getByRole('heading', { name: 'All' }).waitFor();
  });
});

for (const size of SIZES)
  journey(
    `what is offered is inside of a screen of ${size.viewport.width} pixels; the list returns where it was`,
    { service: () => startLargeExplorer(60), ...size, hasMap: true },
    async (page, step) => {
      const { width, height } = size.viewport;
      const assertInside = async (locator: Locator): Promise<void> => {
        let box: Awaited<ReturnType<Locator['boundingBox']>>;
        const isInside = async (): Promise<boolean> => {
          box = await locator.boundingBox();
          return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
        };
        // The panel moves while what it shows arrives.
        await until(isInside, () => JSON.stringify(box));
      };

      await step('the items of the menu', async () => {
        await waitForPlace(page, 'Aland', '60 units');
        await page.getByRole('button', { name: 'r1', exact: true }).tap();
        await waitForPlace(page, 'r1', '1 country');
        await page.getByRole('button', { name: 'Download' }).tap();
        const items = await page.getByRole('menuitem').all();
        assert.ok(items.length > 0);
        for (const item of items) await assertInside(item);
        await page.keyboard.press('Escape');
      });

      await step('the way into a unit, above its facts', async () => {
        await row(page, 'Aland').tap();
        const open = page.getByRole('button', { name: 'Open 60 inside', exact: true });
        await assertInside(open);
        await open.tap();
        await waitForPlace(page, 'Aland', '60 units');
      });

      await step('the row that was chosen, when its facts are closed', async () => {
        const chosen = row(page, 'District 30');
        await until(async () => {
          await page.locator('#rows').evaluate((box: { scrollTop: number }) => {
            box.scrollTop = 1200;
          });
          return chosen.isVisible();
        }, 'the row is not among those that are shown');
        await chosen.tap();
        await waitForFacts(page, 'District 30');
        await page.getByRole('button', { name: 'Close District 30' }).tap();
        await chosen.waitFor();
        await assertInside(chosen);
      });
    },
  );

for (const colorScheme of ['light', 'dark'] as const)
  journey(
    `a tablet has room for the page, which is ${colorScheme} where the system is`,
    { service, ...WIDE, colorScheme, hasMap: true },
    async (page) => {
      const background = 'getComputedStyle(document.body).backgroundColor';
      await waitForPlace(page, 'r1', '2 countries');
      await assertFits(page);
      assert.equal(await page.evaluate(background), BACKGROUNDS[colorScheme]);
      await page.goto(`${service.url}/docs`);
      assert.equal(await page.evaluate(background), BACKGROUNDS[colorScheme]);
    },
  );
