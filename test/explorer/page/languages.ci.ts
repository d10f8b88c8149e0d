// Names in the language that someone chooses, on all of the page; official codes of a unit.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { layerOf, square } from '../../support/datasets/write-dataset.ts';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { until } from '../../support/until.ts';
import { drawn, waitForDrawn } from './asked-map.ts';
import { assertAccessible } from './axe.ts';
import {
  ALL_SHAPES,
  chooseTable,
  copied,
  journey,
  namesIn,
  openUnit,
  search,
  selectUnit,
  startExplorer,
  WINDOW,
  waitForFacts,
  waitForPlace,
} from './explorer-page.ts';

const [EGYPT, CAIRO] = ['مصر', 'القاهرة'];

const folder = await buildLayers(
  [
    layerOf(
      'ADM_0',
      ['GID_0', 'COUNTRY', 'NAME_AR', 'NAME_FR', 'ISO'],
      [
        [['EGY', 'Egypt', EGYPT, 'Égypte', 'EG'], square(0, 0, 4)],
        [['FRA', 'France', null, 'France', 'FR'], square(6, 0, 4)],
      ],
    ),
    layerOf(
      'ADM_1',
      ['GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'NAME_AR', 'PCODE'],
      [
        [['EGY', 'Egypt', 'EGY.1_1', 'Cairo', CAIRO, 'EG01'], square(0, 0, 2)],
        [['EGY', 'Egypt', 'EGY.2_1', 'Giza', null, null], square(2, 0, 2)],
      ],
    ),
  ],
  {
    ...contentOptionsFrom({
      'name-column': ['lv0,lv1:ar=NAME_AR', 'lv0:fr=NAME_FR'],
      'code-column': ['lv0:iso2=ISO', 'lv1:pcode=PCODE'],
    }),
    ...ALL_SHAPES,
    tileLanguages: ['ar'],
  },
);

const service = await startService(folder, { explorer: true });

/** Waits until labels of a level show these texts: they are placed after what they label is drawn. */
async function waitForLabels(page: Page, level: number, texts: readonly string[]): Promise<void> {
  const shown = `globalThis.theMap?.getLayer('label-${level}') === undefined ? [] :
    theMap.queryRenderedFeatures({ layers: ['label-${level}'] })
      .map(({ layer }) => layer.layout['text-field'].toString()).sort()`;
  let seen: string[] = [];
  const isSo = async (): Promise<boolean> => {
    seen = await page.evaluate<string[]>(shown);
    return seen.join() === texts.join();
  };
  await until(isSo, () => `labels are ${seen}, not ${texts}`);
}

/** How the names of a part of the page are written. */
function written(page: Page, selector: string): Promise<(string | null)[]> {
  return page
    .locator(selector)
    .evaluateAll((all) => all.flatMap((one) => [one.getAttribute('lang'), one.getAttribute('dir')]));
}

journey('someone reads the names in Arabic', { service, hasMap: 'asked', viewport: WINDOW }, async (page, step) => {
  const language = page.getByLabel('Language of names');
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(...request.url().split('/api/v1/').slice(1)));

  await step('the languages of the release are offered by their own names; labels are the default ones', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    assert.deepEqual(await language.locator('option').allTextContents(), ['Default names', 'العربية', 'français']);
    assert.deepEqual(await namesIn(page), ['Egypt', 'France']);
    await waitForLabels(page, 0, ['Egypt', 'France']);
    assert.deepEqual(await written(page, '#rows .name'), [null, 'auto', null, 'auto']);
  });

  await step(
    'list and labels follow, in the order of that language; a unit without such a name keeps its own',
    async () => {
      await language.selectOption('العربية');
      await page.locator('#rows').getByText(EGYPT).waitFor();
      assert.deepEqual(await namesIn(page), [EGYPT, 'France']);
      await waitForLabels(page, 0, ['France', EGYPT]);
      assert.deepEqual(await written(page, '#rows .name'), ['ar', 'auto', 'ar', 'auto']);
      assert.match(page.url(), /#lv0\?lang=ar/);
    },
  );

  await step('so do the card, its codes, the way to it and the title of what is opened', async () => {
    await selectUnit(page, EGYPT);
    assert.deepEqual(await written(page, '#facts-title'), ['ar', 'auto']);
    assert.equal(
      await page.evaluate<string>("getComputedStyle(document.querySelector('#facts-title')).direction"),
      'rtl',
    );
    for (const [name, code] of [
      ['iso2', 'EG'],
      ['GID', 'EGY'],
    ] as const) {
      await page.getByRole('button', { name: `Copy ${name}` }).click();
      await until(async () => (await copied(page)) === code, `${code} is not in the clipboard`);
    }
    await openUnit(page, EGYPT);
    await waitForPlace(page, EGYPT, '2 units');
    assert.deepEqual(await namesIn(page), [CAIRO, 'Giza']);
    assert.deepEqual(await written(page, '#heading'), ['ar', 'auto']);
    await selectUnit(page, CAIRO);
    assert.match(page.url(), /#lv1\?lang=ar&gid-0=EGY&unit=EGY\.1_1/);
  });

  await step('search finds them in any language, by a code too, and says what it was', async () => {
    await search(page, 'EG01', '1 unit');
    assert.equal(await page.locator('#found .name').textContent(), CAIRO);
    assert.equal(await page.locator('#found .above').textContent(), `code EG01 · ${EGYPT}`);
    await assertAccessible(page);
    await search(page, 'Cairo', '1 unit');
    assert.equal(await page.locator('#found .name').textContent(), CAIRO);
    assert.deepEqual(await written(page, '#found .name'), ['ar', 'auto']);
    await search(page, '1, 1', '2 points');
    await page.keyboard.press('Enter');
    await page.locator('#here').getByRole('link', { name: CAIRO }).waitFor();
    assert.match((await page.locator('#here a').first().getAttribute('href')) ?? '', /^#lv0\?lang=ar&/);
  });

  await step('Back leads to the language of before; a link has its own', async () => {
    await page.goto(`${service.url}/#lv1?gid-0=EGY&unit=EGY.1_1`);
    await waitForPlace(page, 'Egypt', '2 units');
    await waitForFacts(page, 'Cairo');
    assert.equal(await language.inputValue(), '');
    await page.goBack();
    await waitForFacts(page, CAIRO);
    assert.equal(await language.inputValue(), 'ar');
    await page.goto(`${service.url}/#lv1?lang=ar&bbox=-1,-1,9,9`);
    await page.locator('#rows').getByText(CAIRO).waitFor();
  });

  await step('a language that the release does not have is that of the default names', async () => {
    await page.goto(`${service.url}/#lv0?lang=de`);
    await waitForPlace(page, 'r1', '2 countries');
    assert.deepEqual(await namesIn(page), ['Egypt', 'France']);
    assert.equal(await language.inputValue(), '');
    await drawn(page, 'fill');
    assert.deepEqual(
      asked.filter((path) => path.includes('lang=de')),
      [],
    );
  });

  await step('a table stays on the map in another language, and is not read again', async () => {
    const card = page.locator('.table-card');
    await page.getByRole('tab', { name: 'Table' }).click();
    await chooseTable(page, 'table.csv', 'gid,v\nEGY,1\nFRA,2\n');
    await card.getByText('2 of the 2 units of level 0 have a row.').waitFor();
    let workers = 0;
    page.on('worker', () => workers++);
    await page.getByRole('tab', { name: 'Browse' }).click();
    await language.selectOption('العربية');
    await page.locator('#rows').getByText(EGYPT).waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await card.getByLabel('Values are').selectOption('classes');
    await card.getByLabel('Number of classes').waitFor({ state: 'detached' });
    assert.deepEqual(await page.locator('.legend li').allTextContents(), ['1', '2']);
    await waitForDrawn(page, 'cover', ['0/1', '0/2']);
    assert.equal(workers, 0);
  });
});

journey('a release without languages offers none', { service: startExplorer }, async (page) => {
  await waitForPlace(page, 'r1', '2 countries');
  assert.equal(await page.getByLabel('Language of names').count(), 0);
});

const startPublic = (): Promise<RunningService> =>
  startService(folder, { explorer: true, isPublic: true, embedOrigins: ['https://example.org'] });

journey(
  'a map in a frame has the language of its address',
  { service: startPublic, hasMap: 'asked', path: '/embed#lv1?lang=ar&gid-0=EGY' },
  async (page, _, { url }) => {
    await page.getByRole('heading', { name: EGYPT }).waitFor({ state: 'attached' });
    await waitForLabels(page, 1, ['Giza', CAIRO]);
    const link = await page.getByRole('link', { name: 'Open in the explorer' }).getAttribute('href');
    assert.match(new URL(link ?? '', `${url}/`).hash, /^#lv1\?lang=ar&gid-0=EGY/);
  },
);
