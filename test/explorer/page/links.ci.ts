// Links: an address has the place, the selected unit and the view of the map, and leads there again.
import assert from 'node:assert/strict';
import { goToView, mapAtRest, type Pixel, settledAddress } from './asked-map.ts';
import {
  ALL_SHAPES,
  copied,
  journey,
  openUnit,
  selectUnit,
  startExplorer,
  TOKEN,
  waitForFacts,
  waitForPlace,
} from './explorer-page.ts';

const service = await startExplorer(ALL_SHAPES);

journey('someone gives a place to somebody', { service, hasMap: 'asked' }, async (page, step) => {
  const viewIn = (address: string): string | undefined => /map=([^&]+)/.exec(address)?.[1];

  await step('an empty answer is named, and the map stays where it is', async () => {
    await selectUnit(page, 'Beland');
    const before = viewIn(await settledAddress(page));
    const where = (): Promise<unknown> => page.evaluate('[theMap.getZoom(), theMap.getCenter()]');
    const seen = await where();
    // Both exist, and nothing is in both.
    await page.goto(`${service.url}/#lv2?gid-0=BBB&gid-1=AAA.1_1`);
    await page.locator('#message').getByText('No units here').waitFor();
    await waitForPlace(page, 'North', '0 units');
    await mapAtRest(page);
    assert.deepEqual(await where(), seen);
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    assert.equal(viewIn(await settledAddress(page)), before);
  });

  await step('back leads from a place and its view to the one before', async () => {
    await openUnit(page, 'Aland');
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await page.waitForURL(/gid-0=AAA&map=/);
    await page.goBack();
    await waitForPlace(page, 'r1', '2 countries');
    await page.goForward();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
  });

  await step('the link has place, selected unit and view', async () => {
    await selectUnit(page, 'North');
    const before = await settledAddress(page);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.waitForURL((url) => url.href !== before);
    assert.match(await settledAddress(page), /\/#lv1\?gid-0=AAA&unit=AAA\.1_1&map=\d+\.\d+\/\d+\.\d+\/\d+\.\d+$/);
    await page.locator('#facts').getByRole('button', { name: 'Copy link' }).click();
    await page.locator('#announce').getByText('Copied').waitFor({ state: 'attached' });
    assert.equal(await copied(page), page.url());
  });

  await step('and restores them for somebody else with a token', async () => {
    const address = page.url();
    await page.goto(`${service.url}/docs`);
    await page.goto(address);
    await page.getByLabel('Token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await waitForFacts(page, 'North');
    assert.equal(await settledAddress(page), address);
  });

  await step('an address leads to where the map was, to half a pixel each way, as a link and by Back', async () => {
    const spot = '[0.4567891, 3.4567891]';
    const place = (): Promise<Pixel> => page.evaluate<Pixel>(`theMap.project(${spot})`);
    for (const zoom of [3, 9, 16]) {
      await goToView(page, `${service.url}/#lv1?gid-0=AAA&map=${zoom}.00/1.00/1.00`);
      const elsewhere = page.url();
      await page.evaluate(`theMap.jumpTo({ center: ${spot} })`);
      const [before, link] = [await place(), await settledAddress(page)];
      for (const again of [() => page.goBack(), () => page.goto(link)]) {
        await page.goto(elsewhere);
        await mapAtRest(page, 'Math.abs(theMap.getCenter().lng - 1) < 1e-9');
        await again();
        await mapAtRest(page, 'Math.abs(theMap.getCenter().lng - 1) > 0.1');
        const { x, y } = await place();
        const off = Math.max(Math.abs(x - before.x), Math.abs(y - before.y));
        assert.ok(off < 0.51, `${off} pixels at zoom ${zoom}: ${link}`);
      }
    }
  });

  await step('a map that moves writes the address seldom, as browsers count that, and into its own entry', async () => {
    await goToView(page, `${service.url}/#lv1?gid-0=AAA&map=6.00/1.00/1.00`);
    await page.evaluate(`
      globalThis.writes = 0;
      globalThis.from = performance.now();
      const { replaceState } = history;
      history.replaceState = (...entry) => { writes++; replaceState.apply(history, entry); };
      for (let i = 1; i <= 120; i++) theMap.jumpTo({ center: [1 + i / 100, 1] });
      document.querySelector('#rows .choose').click();`);
    await page.waitForURL(/unit=AAA\.2_1/);
    const [writes = Infinity, seconds = 0] = await page.evaluate<number[]>(
      '[writes, (performance.now() - from) / 1000]',
    );
    assert.ok(writes <= 2 + 2 * seconds, `${writes} writes in ${seconds} s`);
    await mapAtRest(page);
    await page.goBack();
    await page.waitForURL((url) => url.hash === '#lv1?gid-0=AAA&map=6.00/1.000/2.200');
    await mapAtRest(page, 'Math.abs(theMap.getCenter().lng - 2.2) < 0.001');
    assert.equal(await page.locator('#facts').isVisible(), false);
  });
});
