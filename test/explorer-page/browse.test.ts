// Browse: the list, the breadcrumb and the facts of a unit, in step with the map and with the browser's own buttons.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  ExplorerBrowser,
  HOSTILE,
  namesIn,
  openUnit,
  row,
  selectUnit,
  startExplorer,
  startLargeExplorer,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer();
/** The map takes most of the time of a page; it is in one of these tests, and in the long ones. */
const browser = new ExplorerBrowser({ hasWebGl: false });
const withMap = new ExplorerBrowser();

// The tests are checked without the types of a browser.
interface Box {
  getBoundingClientRect(): { top: number; bottom: number };
}

/** The steps of the breadcrumb. */
const STEPS = '#path li';

test(
  'opens on the world: every country in the list, the release, and whose data it is, with its links',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await waitForPlace(page, 'r1', '2 countries');
      assert.deepEqual(await namesIn(page), ['Aland', 'Beland']);
      // Once, but for the line of credits.
      assert.equal(await page.getByText('r1', { exact: true }).filter({ visible: true }).count(), 1);
      const credits = page.locator('#credits');
      assert.match(
        (await credits.textContent()) ?? '',
        /^Release r1, 2026-11-22Tests & <i>friends<\/i>, example\.org\/data\.Second source \(example\.com\)Licence: CC-BY-4\.0Map: /,
      );
      const links = await credits
        .getByRole('link')
        .evaluateAll((all: { href: string }[]) => all.map(({ href }) => href));
      const licence = 'https://spdx.org/licenses/CC-BY-4.0.html';
      assert.deepEqual(links.slice(0, 3), ['https://example.org/data', 'https://example.com/', licence]);
      assert.equal(await page.locator('#path').isVisible(), false);
    }),
);

test('a licence without a public text is named without a link', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await page.route('**/about.json', async (route) => {
      const about = await (await route.fetch()).json();
      await route.fulfill({ json: { ...about, licence: 'LicenseRef-acme' } });
    });
    await page.reload();
    await page.locator('#credits').getByText('Licence: LicenseRef-acme', { exact: true }).waitFor();
    assert.equal(await page.locator('#credits a[href*=spdx]').count(), 0);
  }),
);

test(
  'opening a unit lists its units with their types and counts; breadcrumb and back lead to where it was',
  {
    skip: SKIP,
  },
  () =>
    withMap.onPage(service, async (page) => {
      await openUnit(page, 'Aland');
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      assert.deepEqual(await namesIn(page), [HOSTILE, 'North'], 'in order of name');
      assert.deepEqual(await page.locator('#rows .open').allTextContents(), ['1 inside', '3 inside']);
      await openUnit(page, 'North');
      await waitForPlace(page, 'North', '3 districts');
      assert.deepEqual(await page.locator(STEPS).allTextContents(), ['r1', 'Aland', 'North']);
      assert.equal(await page.locator('#rows .open').count(), 0, 'leaves are not offered to be opened');
      assert.match(page.url(), /#lv2\?gid-1=AAA\.1_1/);
      await page.getByRole('button', { name: 'Aland', exact: true }).click();
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      await page.goBack();
      await waitForPlace(page, 'North', '3 districts');
      await page.goBack();
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      await page.goBack();
      await waitForPlace(page, 'r1', '2 countries');
      await page.goForward();
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
    }),
);

test('a level may be skipped: all districts of a country at once', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await openUnit(page, 'Aland');
    const levels = page.locator('#levels button');
    await levels.getByText('4').waitFor();
    await levels.getByText('Districts').waitFor();
    assert.deepEqual(await levels.allTextContents(), ['Regions and others2', 'Districts4']);
    await levels.last().click();
    await waitForPlace(page, 'Aland', '4 districts');
    assert.match(page.url(), /#lv2\?gid-0=AAA/);
    assert.equal(await levels.last().getAttribute('aria-pressed'), 'true');
  }),
);

test('a selected unit shows its columns, counts and box, and is opened from there', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await selectUnit(page, 'Aland');
    const facts = page.locator('#facts');
    await facts.getByText('Districts', { exact: true }).waitFor();
    assert.match(
      (await facts.textContent()) ?? '',
      /GIDAAARegions and others2 insideDistricts4 insideArea196,\d{3} km²Box0\.00° N to 4\.00° N, 0\.00° E/,
    );
    await facts.getByText('3 properties').click();
    assert.match((await facts.locator('details').textContent()) ?? '', /fid1GID_0AAACOUNTRYAland$/);
    await facts.getByRole('button', { name: 'Open 2 inside' }).click();
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    assert.equal(await facts.isVisible(), false);
  }),
);

test(
  'a double click on a row opens its unit; Escape closes the facts and leaves the focus in the list',
  {
    skip: SKIP,
  },
  () =>
    browser.onPage(service, async (page) => {
      await selectUnit(page, 'Beland');
      await page.keyboard.press('Escape');
      await page.locator('#facts').waitFor({ state: 'hidden' });
      await page.locator('.choose:focus').getByText('Beland').waitFor();
      await row(page, 'Aland').dblclick();
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
    }),
);

test('a chosen row stays in sight above the facts, also the last one of a long list', { skip: SKIP }, async () => {
  await browser.onPage(await startLargeExplorer(60), async (page) => {
    await waitForPlace(page, 'Aland', '60 units');
    const last = page.locator('#rows .choose').filter({ visible: true });
    const bottom = (await page.locator('#rows').boundingBox())?.height ?? 0;
    const name = `District ${Math.floor(bottom / 40)}`;
    await row(page, name).click();
    await page
      .locator('#facts')
      .getByText(/^\d+ properties$/)
      .waitFor();
    const [chosen, facts] = [
      await last.and(page.locator('[aria-current]')).boundingBox(),
      await page.locator('#facts').boundingBox(),
    ];
    assert.ok(chosen && facts && chosen.y + chosen.height <= facts.y, JSON.stringify({ chosen, facts }));
  });
});

test('the row of a unit that an address selects stays in sight while its facts arrive', { skip: SKIP }, async () => {
  const many = await startLargeExplorer(300);
  await browser.onPage(many, async (page) => {
    await waitForPlace(page, 'Aland', '300 units');
    for (const district of [200, 40, 290]) {
      await page.goto(`${many.url}/#lv1?gid-0=AAA&unit=AAA.${district}_1`);
      await page
        .locator('#facts')
        .getByRole('heading', { name: `District ${district}` })
        .waitFor();
      await page.locator('#facts').getByText('km²').waitFor();
      // Until the progress above the list and the facts below it have their heights.
      const isInside = (): Promise<boolean> =>
        row(page, `District ${district}`).evaluate((element: Box & { closest: (selector: string) => Box }) => {
          const [current, rows] = [element.getBoundingClientRect(), element.closest('#rows').getBoundingClientRect()];
          return current.top >= rows.top && current.bottom <= rows.bottom;
        });
      await until(isInside, `District ${district} is out of sight`);
    }
  });
});

test('a unit without geometry is named as such, and cannot be opened', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await openUnit(page, 'Aland');
    await openUnit(page, 'North');
    await selectUnit(page, 'Nowhere');
    await page.locator('#facts').getByText('no geometry').waitFor();
    assert.equal(await page.locator('#facts').getByRole('button', { name: /^Open/ }).count(), 0);
  }),
);

test('text of the data is shown as text, never as markup', { skip: SKIP }, () =>
  browser.onPage(service, async (page) => {
    await openUnit(page, 'Aland');
    await selectUnit(page, HOSTILE);
    await page.getByRole('button', { name: 'Open 1 inside' }).click();
    await waitForPlace(page, HOSTILE, '1 district');
    assert.equal(await page.locator('img').count(), 1, 'the icon of the page');
  }),
);

test('a list of 3,000 units scrolls by a window of rows, and is reached by keys to its end', {
  skip: SKIP,
}, async () => {
  await browser.onPage(await startLargeExplorer(3000), async (page) => {
    await waitForPlace(page, 'Aland', '3,000 units');
    assert.ok((await page.locator('#rows li').count()) < 60);
    await row(page, 'District 1').focus();
    await page.keyboard.press('End');
    await page.locator('.choose:focus').getByText('District 3000').waitFor();
    await page.keyboard.press('PageUp');
    await page.locator('.choose:focus').getByText('District 2990').waitFor();
    await page.locator('#rows').evaluate((box: { scrollTop: number }) => {
      box.scrollTop = 0;
    });
    await row(page, 'District 2').waitFor();
    assert.equal(await page.locator('.choose:focus').textContent(), 'District 2990', 'the focus is not lost');
  });
});

test('units are named and nested by the columns that the release names', { skip: SKIP }, async () => {
  const source = writeDataset(join(temporaryFolder(), 'named.gpkg'), 'GPKG', [
    {
      name: 'states',
      columns: ['shapeGroup', 'label'],
      features: [{ fid: 1, values: ['AAA', 'Aland'], wkt: square(0, 0, 4) }],
    },
    {
      name: 'parts',
      columns: ['shapeGroup', 'shapeID', 'label'],
      features: [{ fid: 1, values: ['AAA', 'A-1', 'North'], wkt: square(0, 2, 2) }],
    },
  ]);
  const folder = temporaryFolder();
  await buildRelease(source, folder, {
    layers: [
      { level: 0, value: 'states' },
      { level: 1, value: 'parts' },
    ],
    gidColumns: [
      { level: undefined, of: 0, columns: ['shapeGroup'] },
      { level: undefined, of: 1, columns: ['shapeID'] },
    ],
    nameColumns: [{ level: undefined, value: 'label' }],
  });
  await browser.onPage(await startService(folder, { explorer: true }), async (page) => {
    await waitForPlace(page, 'Aland', '1 unit');
    await selectUnit(page, 'North');
    await page.locator('#facts').getByText('A-1').first().waitFor();
  });
});
