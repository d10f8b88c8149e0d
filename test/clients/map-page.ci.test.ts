// The pages with a map, one as it is printed: in Chromium, with MapLibre from a server of its own, from a service with
// tokens and from a public one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
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

const MAP = readFileSync('proxy/examples/clients/map.html', 'utf8');
const TILES = readFileSync('proxy/examples/clients/tiles.html', 'utf8');
const LIBRARY = 'https://unpkg.com/maplibre-gl@6.17.0/dist';
/** How much of a picture, which is a data URL, has the colour of the units; runs in the browser. */
const FILLED = `async (picture) => {
  const image = await createImageBitmap(await (await fetch(picture)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let filled = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] === 0xcc && data[i + 1] === 0xdd && data[i + 2] === 0xee) filled++;
  return filled / (data.length / 4);
}`;

test('README and /docs print the page', () => {
  assert.equal(codeIn('proxy/examples/clients/README.md', 'html', 'maplibre'), MAP);
  const [, shown = ''] = /<code>(&lt;!doctype.*?)<\/code>/s.exec(docsPage()) ?? [];
  assert.equal(unescaped(shown), MAP);
  const page = docsPage({ publicUrl: 'https://boundaries.example.org' });
  assert.doesNotMatch(page, /127\.0\.0\.1/);
  assert.match(page, /base = 'https:\/\/boundaries\.example\.org'/);
  const { version } = JSON.parse(readFileSync('node_modules/maplibre-gl/package.json', 'utf8'));
  assert.ok(LIBRARY.includes(`@${version}/`));
});

for (const [what, PAGE] of Object.entries({ 'the country': MAP, tiles: TILES }))
  test(`it draws ${what}, with a token or from a public service`, { skip: WITHOUT_CHROMIUM }, async () => {
    const folder = temporaryFolder();
    const attribution = ['Survey of Aland', 'Friends of Beland'];
    await buildRelease(writeCountries(), folder, { geometries: ['full', 'low'], tiles: 4, attribution });
    let page = '';
    const server = createServer((req, res) => {
      const name = /^\/dist\/([\w.-]+)/.exec(req.url ?? '')?.[1];
      const isScript = name?.endsWith('.mjs');
      // As unpkg allows.
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('Content-Type', isScript ? 'text/javascript' : name === undefined ? 'text/html' : 'text/css');
      res.end(name === undefined ? page : readFileSync(join('node_modules/maplibre-gl/dist', name)));
    });
    const own = `http://127.0.0.1:${await listen(server)}`;
    const browser = await browserOf('webgl');
    for (const isPublic of [true, false]) {
      const { url } = await startService(folder, { isPublic, explorer: true });
      const token = isPublic ? '' : TOKEN;
      // Another origin, as unpkg is.
      page = PAGE.replaceAll(LIBRARY, `${own.replace('127.0.0.1', 'localhost')}/dist`)
        .replace('http://127.0.0.1:8080', url)
        .replace('gid-0=ESP', 'gid-0=AAA')
        .replace("token = ''", `token = '${token}'`);
      const tab = await browser.newPage({ viewport: { width: 400, height: 300 } });
      const faults: string[] = [];
      tab.on('pageerror', (error) => faults.push(String(error)));
      await tab.goto(own);
      const filled = async (): Promise<number> => {
        const picture = (await tab.locator('#map').screenshot()).toString('base64');
        return tab.evaluate(`(${FILLED})('data:image/png;base64,${picture}')`);
      };
      await until(
        async () => faults.length > 0 || (await filled()) > (what === 'tiles' ? 0.001 : 0.1),
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
