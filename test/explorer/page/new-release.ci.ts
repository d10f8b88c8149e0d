// A release takes the place of another while the page is open.
import assert from 'node:assert/strict';
import { type FixtureLayer, layerOf, square } from '../../support/datasets/write-dataset.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { goToView, mapAtRest, settledAddress } from './asked-map.ts';
import {
  ALL_SHAPES,
  buildExplorerRelease,
  chooseTable,
  journey,
  namesIn,
  saveFrom,
  selectUnit,
  startExplorer,
  TOKEN,
  waitForFacts,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);
const other = await startExplorer();

/** A release of a country with regions, of which one has this name. */
const regions = (name: string): FixtureLayer[] => [
  layerOf('ADM_0', ['GID_0', 'COUNTRY'], [[['AAA', 'Aland'], square(0, 0, 2)]]),
  layerOf(
    'ADM_1',
    ['GID_1', 'GID_0', 'NAME_1'],
    [
      [['AAA.1', 'AAA', name], square(0, 0, 1)],
      [['AAA.2', 'AAA', 'South'], square(1, 0, 1)],
    ],
  ),
];
const kept = temporaryFolder();
await buildLayers(regions('Old North'), {}, kept);
const open = await startService(kept, { explorer: true, isPublic: true });

journey('someone stays while a release is published', { service, hasMap: 'asked' }, async (page, step) => {
  const tiles: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('.mvt?v=')) tiles.push(request.url());
  });
  const versions = (): string[] => [...new Set(tiles.map((url) => new URL(url).searchParams.get('v') ?? ''))];

  await step('the page goes on with it at the same place, with its licence, date and tiles', async () => {
    await goToView(page, `${service.url}/#lv1?gid-0=AAA&map=6.00/2.00/2.00`);
    await selectUnit(page, 'North');
    const address = await settledAddress(page);
    const [before = assert.fail('no tiles were asked for')] = versions();
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Only North' }).waitFor();
    await buildExplorerRelease(service.folder, {
      ...ALL_SHAPES,
      release: 'r2',
      date: '2027-01-31',
      licence: 'ODbL-1.0',
    });
    await service.releases.refresh();
    tiles.length = 0;
    // What is being saved is saved.
    const { content } = await saveFrom(page, () => page.getByRole('menuitem', { name: 'Only North' }).click());
    assert.equal(JSON.parse(content.toString()).features.length, 1);
    await page.locator('#release').getByText('r2', { exact: true }).waitFor({ state: 'attached' });
    await page.locator('#credits').getByText('Release r2, 2027-01-31').waitFor({ state: 'attached' });
    await page.locator('#credits').getByText('Licence: ODbL-1.0').waitFor({ state: 'attached' });
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await waitForFacts(page, 'North');
    await mapAtRest(page, "theMap.getLayer('fill-1') !== undefined");
    assert.equal(page.url(), address);
    assert.equal(versions().length, 1);
    assert.notEqual(versions()[0], before);
  });
});

journey('answers are of several releases', { service: other, path: '/docs' }, async (page, step) => {
  let told = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/about.json')) told++;
  });
  await page.clock.install();
  await page.goto(`${other.url}/#token=${TOKEN}`);
  await waitForPlace(page, 'r1', '2 countries');
  told = 0;
  await page.route('**/api/v1/geojsonl/**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'boundaries-release': 'r0' } });
  });

  await step('what the service says of itself counts, which it is asked once in 30 seconds', async () => {
    await selectUnit(page, 'Aland');
    await selectUnit(page, 'Beland');
    assert.deepEqual([told, await page.locator('#release').textContent()], [1, 'r1']);
    await page.clock.fastForward(30_000);
    await selectUnit(page, 'Aland');
    assert.equal(told, 2);
    assert.equal(await page.locator('#facts').isVisible(), true);
  });
});

// On a page of its own: the browser keeps nothing for one whose requests a test has answered.
journey('the browser keeps names', { service: open, path: '/#lv1', isAlone: true }, async (page, step) => {
  const card = page.locator('.table-card');

  await step('those of the release before are neither listed nor matched', async () => {
    await waitForPlace(page, 'r1', '2 units');
    await page.getByRole('tab', { name: 'Table' }).click();
    await chooseTable(page, 'table.csv', 'name,v\nOld North,1\nSouth,2\n');
    await card.getByText('2 of the 2 units of level 1 in Aland have a row.').waitFor();
    await page.getByRole('tab', { name: 'Browse' }).click();
    await buildLayers(regions('New North'), { release: 'r2' }, kept);
    await open.releases.refresh();
    await selectUnit(page, 'South');
    await waitForPlace(page, 'r2', '2 units');
    assert.deepEqual(await namesIn(page), ['New North', 'South']);
    await page.getByRole('tab', { name: 'Table' }).click();
    await card.getByText('1 of the 2 units of level 1 in Aland have a row.').waitFor();
    assert.equal(await page.locator('#message').innerText(), '');
  });
});
