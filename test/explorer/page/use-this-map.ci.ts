// 'Use this map' of the explorer: the code that it shows, run as it is on a page of another site, shows the same place
// with the credits of the data, whatever a GID has in it.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createPageServer } from '../../clients/page-server.ts';
import { countriesWith } from '../../support/datasets/small-datasets.ts';
import { startService, TOKEN } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { browserOf } from '../../support/processes/chromium.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exposeMap, mapAtRest } from './asked-map.ts';
import { ATTRIBUTION, buildExplorerRelease, copied, journey, waitForPlace } from './explorer-page.ts';

/** What ends a string, an attribute, a script or a comment. */
const HOSTILE = `'"\\</script><script>alert(1)</script>--><!-- &amp; \${x}`;

const pages = createPageServer();
const port = await listen(pages.server);
const SITE = `http://127.0.0.1:${port}`;

const folder = temporaryFolder();
await buildExplorerRelease(folder, { tiles: 6 });
const closed = await startService(folder, { explorer: true });
const open = await startService(folder, { explorer: true, isPublic: true, embedOrigins: [SITE] });
const hostile = await buildLayers(countriesWith('AAA', HOSTILE), { tiles: 6 });
const odd = await startService(hostile, { explorer: true, isPublic: true, embedOrigins: [SITE] });

/** Runs code on a page of another site, and asserts that nothing is wrong with it. */
async function onSite(code: string, use: (page: Page) => Promise<void>): Promise<void> {
  pages.serve(`<!doctype html><html lang="en"><title>A page</title>${code}`, port, '', '');
  const page = await (await browserOf('webgl')).newPage({ viewport: { width: 700, height: 620 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`${error}`));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('dialog', (dialog) => faults.push(dialog.message()));
  await exposeMap(page);
  await page.goto(SITE);
  await use(page);
  assert.deepEqual(faults, []);
  await page.close();
}

const VIEW = '[theMap.getZoom(), theMap.getCenter().lat, theMap.getCenter().lng].map((n) => n.toFixed(2)).join("/")';
const UNITS = '[...new Set(theMap.queryRenderedFeatures().map(({ properties }) => properties.gid))].sort()';

/** The map that the code for a library makes. */
function assertLibrary(code: string, units: string[], view: string): Promise<void> {
  return onSite(code, async (page) => {
    await mapAtRest(page, `${UNITS}.length > 0`);
    assert.deepEqual(await page.evaluate(UNITS), units);
    assert.equal(await page.evaluate(VIEW), view);
    const credits = await page.locator('.maplibregl-ctrl-attrib').innerText();
    for (const text of ATTRIBUTION) assert.ok(credits.includes(text), credits);
  });
}

const PLACE = '#lv1?gid-0=AAA&map=5.00/1.00/2.00';
const code = (page: Page): Promise<string> => page.locator('#map-code').innerText();

journey(
  'someone uses the map of a public service',
  { service: open, hasMap: 'asked', path: `/${PLACE}` },
  async (page, step) => {
    await step('the menu of downloads leads to it', async () => {
      await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
      await mapAtRest(page);
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('menuitem', { name: 'Use this map' }).click();
      await page.locator('#map-code-heading:focus').waitFor();
    });

    await step('in a frame', async () => {
      const frame = await code(page);
      assert.ok(frame.includes(SITE));
      await page.locator('#map-code-actions button').click();
      await page.locator('#map-code-actions').getByText('Copied').waitFor();
      assert.equal((await copied(page)).trim(), frame.trim());
      await onSite(frame, async (site) => {
        const [, embed] = site.frames();
        assert.ok(embed !== undefined);
        await mapAtRest(embed);
        assert.equal(embed.url(), `${open.url}/embed${PLACE}`);
        assert.equal(await embed.evaluate(VIEW), '5.00/1.00/2.00');
        for (const text of ATTRIBUTION) await embed.locator('#credits').getByText(text.slice(0, 13)).waitFor();
        assert.equal(await site.locator('iframe').getAttribute('title'), 'Map: Aland');
      });
    });

    await step('and with MapLibre, at the place to which it is moved', async () => {
      await page.evaluate('theMap.jumpTo({ center: [1, 1.5], zoom: 4 })');
      await page.waitForURL(/map=4\.00/);
      await page.getByLabel('Kind').selectOption('MapLibre');
      const library = await code(page);
      assert.doesNotMatch(library, /token|transformRequest/i);
      await assertLibrary(library, ['AAA.1_1', 'AAA.2_1'], '4.00/1.50/1.00');
    });

    await step('of a level that begins closer than the place, from its first zoom on', async () => {
      await page.route('**/tiles/lv1.json', async (route) => {
        const tiles = await (await route.fetch()).json();
        await route.fulfill({ json: { ...tiles, minzoom: 6 } });
      });
      await page.goto(`${open.url}/docs`);
      await page.goto(`${open.url}/${PLACE}`);
      await page.getByText('Zoom in to see level 1').waitFor();
      await page.getByRole('tab', { name: 'Request' }).click();
      await page.getByLabel('Kind').selectOption('MapLibre');
      await assertLibrary(await code(page), ['AAA.1_1', 'AAA.2_1'], '6.00/1.00/2.00');
    });
  },
);

journey('someone uses the map of a service with tokens', { service: closed, hasMap: 'asked' }, async (page, step) => {
  await step('whose code has a place for the token', async () => {
    await waitForPlace(page, 'r1', '2 countries');
    await page.goto(`${closed.url}/${PLACE}`);
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await mapAtRest(page);
    await page.getByRole('tab', { name: 'Request' }).click();
    const library = await code(page);
    assert.ok(!library.includes(TOKEN));
    assert.equal(await page.getByLabel('Kind').isVisible(), false);
    await assertLibrary(library.replace('YOUR_TOKEN', TOKEN), ['AAA.1_1', 'AAA.2_1'], '5.00/1.00/2.00');
  });
});

journey('nothing in a GID or a name ends the code', { service: odd, hasMap: 'asked', path: '/' }, async (page) => {
  const hash = `#lv1?gid-0=${encodeURIComponent(HOSTILE)}&map=5.00/1.00/2.00`;
  await page.goto(`${odd.url}/${hash}`);
  await waitForPlace(page, 'Aland', '2 units');
  await mapAtRest(page);
  await page.getByRole('tab', { name: 'Request' }).click();
  await onSite(await code(page), async (site) => {
    const [, embed] = site.frames();
    assert.ok(embed !== undefined);
    await mapAtRest(embed);
    assert.equal(await embed.title(), 'Aland');
  });
  await page.getByLabel('Kind').selectOption('MapLibre');
  await onSite(await code(page), async (site) => {
    await mapAtRest(site, `${UNITS}.length > 0`);
    assert.equal((await site.evaluate<string[]>(UNITS)).length, 2);
  });
});
