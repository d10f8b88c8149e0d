// The pages of the recipes: those with a map, one as it is printed, and the form: in Chromium, with MapLibre from a server
// of its own, from a service with tokens and from a public one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { docsPage } from '../../proxy/site/docs-page.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { browserOf, WITHOUT_CHROMIUM } from '../support/processes/chromium.ts';
import { codeIn, unescaped } from '../support/readme-code.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { createPageServer } from './page-server.ts';

const MAP = readFileSync('proxy/examples/clients/map.html', 'utf8');
const TILES = readFileSync('proxy/examples/clients/tiles.html', 'utf8');
const NUMBERS = readFileSync('proxy/examples/clients/numbers.html', 'utf8');
/** What draws each page, the least part of the picture that has one of its colours, and this colour. */
const DRAWN = [
  ['the country', MAP, 0.1, '#ccddee'],
  ['tiles', TILES, 0.001, '#ccddee'],
  ['numbers', NUMBERS.replace("'lv2'", "'lv1'").replace(/(?<=bounds = )\[.*?\]/, '[0, 0, 4, 4]'), 0.01, '#006d2c'],
] as const;
/** How much of a picture, which is a data URL, has a colour; runs in the browser. */
const FILLED = `async (picture, colour) => {
  const image = await createImageBitmap(await (await fetch(picture)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let filled = 0;
  for (let i = 0; i < data.length; i += 4)
    if (((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]) === Number.parseInt(colour.slice(1), 16)) filled++;
  return filled / (data.length / 4);
}`;

test('README and /docs print the page', () => {
  assert.equal(codeIn('proxy/examples/clients/README.md', 'html', 'maplibre'), MAP);
  const [, shown = ''] = /<code>(&lt;!doctype.*?)<\/code>/s.exec(docsPage()) ?? [];
  assert.equal(unescaped(shown), MAP);
  const page = docsPage({ publicUrl: 'https://boundaries.example.org' });
  assert.doesNotMatch(page, /127\.0\.0\.1/);
  assert.match(page, /base = 'https:\/\/boundaries\.example\.org'/);
});

for (const [what, page, least, colour] of DRAWN)
  test(`it draws ${what}, with a token or from a public service`, { skip: WITHOUT_CHROMIUM }, async () => {
    const folder = temporaryFolder();
    const attribution = ['Survey of Aland', 'Friends of Beland'];
    await buildRelease(writeCountries(), folder, { geometries: ['full', 'low'], tiles: 4, attribution });
    const pages = createPageServer();
    const port = await listen(pages.server);
    const browser = await browserOf('webgl');
    for (const isPublic of [true, false]) {
      const { url } = await startService(folder, { isPublic, explorer: true });
      pages.serve(page.replace('gid-0=ESP', 'gid-0=AAA'), port, url, isPublic ? '' : TOKEN);
      const tab = await browser.newPage({ viewport: { width: 400, height: 300 } });
      const faults: string[] = [];
      tab.on('pageerror', (error) => faults.push(String(error)));
      await tab.goto(`http://127.0.0.1:${port}`);
      const filled = async (): Promise<number> => {
        const picture = (await tab.locator('#map').screenshot()).toString('base64');
        return tab.evaluate(`(${FILLED})('data:image/png;base64,${picture}', '${colour}')`);
      };
      await until(
        async () => faults.length > 0 || (await filled()) > least,
        () => `nothing is drawn, public: ${isPublic}`,
      );
      assert.deepEqual(faults, []);
      assert.match(
        await tab.locator('.maplibregl-ctrl-attrib').innerText(),
        /Survey of Aland(?: ·|;) Friends of Beland/,
      );
      await tab.close();
    }
  });

test('the form has three lists, each of the units below what was chosen before, and the GID of the last choice', {
  skip: WITHOUT_CHROMIUM,
}, async () => {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder, { geometries: ['full', 'none'] });
  const pages = createPageServer();
  const port = await listen(pages.server);
  const { url } = await startService(folder);
  pages.serve(readFileSync('proxy/examples/clients/form.html', 'utf8'), port, url, TOKEN);
  const tab = await (await browserOf('plain')).newPage();
  const faults: string[] = [];
  tab.on('pageerror', (error) => faults.push(String(error)));
  await tab.goto(`http://127.0.0.1:${port}`);
  const gid = (): Promise<string> => tab.getByLabel('GID').inputValue();
  const [country, region, last] = ['Country', 'Region', 'Province or municipality'].map((label) =>
    tab.getByLabel(label),
  );
  assert.ok(country !== undefined && region !== undefined && last !== undefined);
  for (const [list, name, expected] of [
    [country, 'Aland', 'AAA'],
    [region, 'North', 'AAA.1_1'],
    [last, 'Wüst "late"', 'AAA.1.2_1'],
  ] as const) {
    await list.selectOption(name);
    assert.equal(await gid(), expected);
  }
  // By the keyboard alone: the first letter chooses, and the list behind follows.
  await region.focus();
  await tab.keyboard.type('S');
  await last.getByText('Søst').waitFor({ state: 'attached' });
  assert.deepEqual([await gid(), await last.locator('option').count()], ['AAA.2_1', 2]);
  await country.selectOption('Choose');
  assert.deepEqual([await region.isDisabled(), await last.isDisabled(), await gid()], [true, true, '']);
  assert.deepEqual(faults, []);
  // As the file comes, without a token.
  pages.serve(readFileSync('proxy/examples/clients/form.html', 'utf8'), port, url, '');
  await tab.reload();
  await tab.getByRole('alert').getByText('Send a token in the header').waitFor();
  await tab.close();
});
