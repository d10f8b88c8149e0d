// The explorer in a real browser: what a person does with it, with the mouse, by keyboard and on a telephone. And that it
// keeps to its own origin, runs nothing that is not a file of ours, and tells nobody without a token about the data.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { feature } from 'topojson-client';
import { CURRENT_PATH } from '../../format/layout.ts';
import { LEVELS, PAGE_CAPS } from '../../format/levels.ts';
import { currentToJson } from '../../format/release.ts';
import { cutAtAntimeridian } from '../../generator/datasets/antimeridian.ts';
import { readAtlas } from '../../generator/datasets/sample/atlas.ts';
import { explorerAssets } from '../../proxy/site/explorer-files.ts';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { send, textOf } from '../support/http/http-client.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const SKIP = BROWSER === undefined && 'there is no Chromium here; on Debian: apt-get install chromium';
const BROWSER_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const TIMEOUT_MS = 15_000;
const TOKEN = AUTHORIZED.authorization.slice('Bearer '.length);
const ATTRIBUTION = 'Tests & <i>friends</i>';
const HOSTILE = '<img src=x onerror=alert(1)>';
const PATHS = [...explorerAssets(openapiDocument(undefined)).keys()];

const source = join(temporaryFolder(), 'small.gpkg');
writeDataset(
  source,
  'GPKG',
  countryLayers().map((layer) => ({
    ...layer,
    features: layer.features.map((unit) => ({
      ...unit,
      values: unit.values.map((value) => (value === 'South' ? HOSTILE : value)),
    })),
  })),
);
const folder = temporaryFolder();
await buildRelease(source, folder, { attribution: [ATTRIBUTION] });
const proxy = await startService(folder, { explorer: true });

let browser: Browser | undefined;
after(() => browser?.close());

/** Runs `use` on the explorer's page, and asserts that the page kept to itself meanwhile. */
async function onPage(
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions & { path?: string; service?: RunningService } = {},
): Promise<void> {
  const { path = '/', service = proxy, ...rest } = options;
  browser ??= await chromium.launch({ executablePath: BROWSER ?? '', args: BROWSER_ARGUMENTS });
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1200, height: 800 },
    ...rest,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`${error}`));
  page.on('console', (message) => {
    // A refused request is told there too.
    if (message.type() === 'error' && !/the server responded with a status of 4/.test(message.text()))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== service.url) faults.push(`a request to ${request.url()}`);
  });
  await page.goto(`${service.url}${path}`);
  await use(page);
  assert.deepEqual(faults, []);
  await context.close();
}

/** Types the token and loads a first page; `units` is what is then said of them. */
async function load(page: Page, units: string, pageSize = ''): Promise<void> {
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByLabel('page-size').fill(pageSize);
  await page.getByRole('button', { name: 'Load page' }).click();
  await page.getByText(units, { exact: true }).waitFor();
}

/** Where a place is on the screen when the map shows 0..14 degrees east of 0..4 north, as the fixture has them. */
async function placeOf(page: Page, longitude: number): Promise<{ x: number; y: number }> {
  const box = await page.locator('#map').boundingBox();
  assert.ok(box);
  const padding = 24;
  return { x: box.x + padding + (longitude / 14) * (box.width - 2 * padding), y: box.y + box.height / 2 };
}

async function namesOf(page: Page): Promise<string[]> {
  return page.locator('#list button > span').allTextContents();
}

test('the page needs no token, and says whose boundaries it shows', { skip: SKIP }, () =>
  onPage(async (page) => {
    await page.getByText('Paste a token, then load a page').waitFor();
    assert.equal(await page.locator('#release').textContent(), 'r1');
    assert.equal(await page.locator('#attribution').textContent(), ATTRIBUTION);
    assert.equal(await page.locator('#exchange').isVisible(), false);
  }),
);

test('units are named and nested by the columns that the release names', { skip: SKIP }, async () => {
  const named = join(temporaryFolder(), 'named.gpkg');
  writeDataset(named, 'GPKG', [
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
  const out = temporaryFolder();
  await buildRelease(named, out, {
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
  const service = await startService(out, { explorer: true });
  await onPage(
    async (page) => {
      await load(page, '1 of 1 units');
      assert.deepEqual(await namesOf(page), ['Aland']);
      await page.locator('#list button').first().click();
      await page.getByRole('button', { name: 'Units inside (lv1)' }).click();
      await page.locator('#list').getByText('North').waitFor();
      assert.deepEqual(await page.locator('#path li').allTextContents(), ['World', 'Aland']);
      assert.deepEqual(await page.locator('#list button > code').allTextContents(), ['A-1']);
    },
    { service },
  );
});

test('a click on a country leads to its units, and the way back', { skip: SKIP }, () =>
  onPage(async (page) => {
    await load(page, '2 of 2 units');
    const { x, y } = await placeOf(page, 2);
    await page.mouse.move(x, y);
    await page.locator('.leaflet-tooltip').getByText('Aland').waitFor();
    await page.mouse.click(x, y);
    await page.getByRole('heading', { name: 'Aland' }).waitFor();
    await page.getByRole('button', { name: 'Units inside (lv1)' }).click();
    await page.locator('#list').getByText('North').waitFor();
    assert.match((await page.locator('#curl').textContent()) ?? '', /\/api\/v1\/geojsonl\/lv1\?gid-0=AAA'$/);
    assert.equal(new URL(page.url()).hash, '#geojsonl/lv1?gid-0=AAA');
    assert.deepEqual(await page.locator('#path li').allTextContents(), ['World', 'Aland']);
    assert.deepEqual(await namesOf(page), ['North', HOSTILE]);
    await page.getByRole('button', { name: 'World' }).click();
    await page.locator('#list').getByText('Beland').waitFor();
    await page.goBack();
    await page.locator('#list').getByText('North').waitFor();
  }),
);

test('text of the data is shown as text, never as markup', { skip: SKIP }, () =>
  onPage(async (page) => {
    await load(page, '2 of 2 units');
    await page.locator('#list').getByText('Aland').click();
    await page.getByRole('button', { name: 'Units inside (lv1)' }).click();
    await page.locator('#list').getByText(HOSTILE).click();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    const { x, y } = await placeOf(page, 7);
    await page.mouse.move(x, y);
    assert.equal(await page.locator('img').count(), 0);
  }),
);

test('follows next page by page and to the end, in either format', { skip: SKIP }, async () => {
  for (const format of ['geojsonl', 'fc'])
    await onPage(async (page) => {
      await page.getByText(format, { exact: true }).click();
      await page.getByText('lv2', { exact: true }).click();
      await load(page, '1 of 4 units', '1');
      const answer = page.locator('#answer');
      await answer.getByText('200 OK').waitFor();
      await answer.getByText('1 on this page, 4 in all').waitFor();
      assert.match((await answer.textContent()) ?? '', /Time\d+ msSize\d.* sent, \d.* of text/);
      assert.match((await answer.textContent()) ?? '', new RegExp(`Link<${proxy.url}/api/v1/${format}/lv2\\?.*"next"`));
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('2 of 4 units').waitFor();
      assert.match((await page.locator('#curl').textContent()) ?? '', /start-at=c_/);
      await page.getByRole('button', { name: 'Load all' }).click();
      await page.getByText('4 of 4 units').waitFor();
      await answer.getByText('none: this is the last page').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Next page' }).isDisabled(), true);
      assert.equal((await namesOf(page)).length, 4);
    });
});

test('what is being loaded can be stopped, and gone on with', { skip: SKIP }, () =>
  onPage(async (page) => {
    await page.getByText('lv2', { exact: true }).click();
    await load(page, '1 of 4 units', '1');
    await page.route('**/api/**', () => {});
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText('4 of 4 units').waitFor();
  }),
);

test('says what to do when there is no token, a bad one, or a mistake in the request', { skip: SKIP }, () =>
  onPage(async (page) => {
    const alert = page.getByRole('alert');
    await page.getByRole('button', { name: 'Load page' }).click();
    await alert.getByText('A token is needed').waitFor();
    await alert.getByText('401 token-missing').waitFor();
    await page.getByLabel('Token').fill('abc');
    await page.keyboard.press('Enter');
    await alert.getByText('This token is not accepted').waitFor();
    await alert.getByText('401 token-invalid').waitFor();
    await page.getByLabel('Token').fill(`TOKEN=${TOKEN}\n`);
    await page.getByLabel('page-size').fill('0');
    await page.keyboard.press('Enter');
    await alert.getByText('page-size is "0". Allowed: a whole number of at least 1.').waitFor();
    await alert.getByText('400 bad-parameter').waitFor();
    await page.getByLabel('page-size').fill('');
    await page.getByLabel('gid-0').fill('none');
    await page.keyboard.press('Enter');
    await page.getByText('No unit matches').waitFor();
  }),
);

test('a walk whose release is gone can be begun again on the new one', { skip: SKIP }, async () => {
  const out = temporaryFolder();
  await buildRelease(source, out);
  const service = await startService(out, { explorer: true });
  await onPage(
    async (page) => {
      await page.getByText('lv2', { exact: true }).click();
      await load(page, '1 of 4 units', '1');
      await buildRelease(source, out, { release: 'r2' });
      writeFileSync(join(out, CURRENT_PATH), currentToJson({ release: 'r2', hosted: ['r2'] }));
      await service.releases.refresh();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('The release of this walk is gone').waitFor();
      await page.getByText('410 release-gone').waitFor();
      await page.getByRole('button', { name: 'Begin again' }).click();
      await page.locator('#answer').getByText('r2').waitFor();
    },
    { service },
  );
});

test('can be used with the keyboard alone', { skip: SKIP }, () =>
  onPage(async (page) => {
    const { keyboard } = page;
    const focused = page.locator(':focus');
    await page.getByText('Paste a token').first().waitFor();
    await page.locator('#token:focus').waitFor();
    await keyboard.insertText(TOKEN);
    await keyboard.press('Enter');
    await page.getByText('2 of 2 units').waitFor();
    await page.locator('#find').focus();
    await keyboard.press('Tab');
    assert.match((await focused.textContent()) ?? '', /^Aland/);
    await keyboard.press('Enter');
    assert.equal(await focused.textContent(), 'Units inside (lv1)');
    await keyboard.press('Escape');
    assert.equal(await page.locator('#card').isVisible(), false);
    assert.match((await focused.textContent()) ?? '', /^Aland/);
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await page.locator('#list').getByText('North').waitFor();
  }),
);

test('an address with a request in it is loaded once there is a token', { skip: SKIP }, () =>
  onPage(
    async (page) => {
      assert.equal(await page.getByLabel('gid-1').inputValue(), 'AAA.1_1');
      await page.locator('#token:focus').waitFor();
      await page.keyboard.insertText(TOKEN);
      await page.keyboard.press('Enter');
      await page.getByText('2 of 2 units').waitFor();
    },
    { path: '/#fc/lv2?gid-1=AAA.1_1' },
  ),
);

// The tests are checked without the types of a browser.
declare const document: { body: object; documentElement: { scrollWidth: number; clientWidth: number } };
declare function getComputedStyle(element: object): { backgroundColor: string };

test('is dark where the system is', { skip: SKIP }, async () => {
  const colours: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const)
    for (const path of ['/', '/docs'])
      await onPage(
        async (page) => {
          colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        },
        { colorScheme, path },
      );
  assert.deepEqual(colours, ['rgb(255, 255, 255)', 'rgb(255, 255, 255)', 'rgb(18, 25, 30)', 'rgb(18, 25, 30)']);
});

test('fits a telephone', { skip: SKIP }, async () => {
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  const excess = (page: Page): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await onPage(async (page) => {
    await load(page, '2 of 2 units');
    const { x, y } = await placeOf(page, 12);
    await page.touchscreen.tap(x, y);
    await page.getByRole('heading', { name: 'Beland' }).waitFor();
    await page.getByRole('button', { name: 'Units inside (lv1)' }).tap();
    await page.getByText('1 of 1 units').waitFor();
    assert.equal(await excess(page), 0);
  }, phone);
  await onPage(async (page) => assert.equal(await excess(page), 0), { ...phone, path: '/docs' });
});

test('the page of the interface shows every path and every problem', { skip: SKIP }, () =>
  onPage(
    async (page) => {
      const text = (await page.locator('body').textContent()) ?? '';
      for (const part of ['/api/v1/fc/lv5', 'page-size', 'Boundaries-Matched', 'release-gone', 'origin-slow'])
        assert.ok(text.includes(part), part);
      await page.getByRole('link', { name: 'Explorer' }).click();
      await page.getByText('Paste a token, then load a page').waitFor();
    },
    { path: '/docs' },
  ),
);

test('every file is there in both codings, with a type, a tag and no way to run anything else', async () => {
  for (const path of PATHS) {
    const answers = await Promise.all(
      ['gzip', 'identity'].map((coding) => send(proxy, path, { authorization: undefined, 'accept-encoding': coding })),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.equal(answer.headers['cache-control'], 'public, no-cache');
      assert.equal(answer.headers.vary, 'Accept-Encoding');
      const again = await send(proxy, path, {
        authorization: undefined,
        'accept-encoding': answer.headers['content-encoding'],
        'if-none-match': answer.headers.etag,
      });
      assert.equal(again.status, 304, path);
      if (!answer.headers['content-type']?.startsWith('text/html')) continue;
      const policy = String(answer.headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; /);
      assert.doesNotMatch(policy, /unsafe|https?:|data:|\*/);
    }
    const [gzip, plain] = answers;
    assert.ok(gzip && plain && textOf(gzip) === textOf(plain), path);
    assert.notEqual(gzip.headers.etag, plain.headers.etag);
    assert.equal((await send(proxy, path, {}, 'POST')).status, 405);
  }
});

test('tells whoever has no token the release, its attribution, caps and columns, and nothing of the data', async () => {
  const anonymous = { authorization: undefined };
  const about = JSON.parse((await send(proxy, '/about.json', anonymous)).body.toString());
  const columns = LEVELS.map((level) =>
    level > 2
      ? { level, gidColumns: [], nameColumn: '' }
      : {
          level,
          gidColumns: ['GID_0', 'GID_1', 'GID_2'].slice(0, level + 1),
          nameColumn: level === 0 ? 'COUNTRY' : `NAME_${level}`,
        },
  );
  assert.deepEqual(about, { release: 'r1', attribution: [ATTRIBUTION], caps: PAGE_CAPS, levels: columns });
  for (const path of [...PATHS, '/openapi.json']) {
    const text = (await send(proxy, path, anonymous)).body.toString();
    assert.doesNotMatch(text, /\bAAA\b|Aland|Beland/, path);
  }
});

test('can be left out', async () => {
  const plain = await startService(folder);
  for (const path of PATHS) assert.equal((await send(plain, path)).status, 404, path);
  assert.equal((await send(plain, '/openapi.json')).status, 200);
});

test('the land is that of Natural Earth at 1:110 million, to a hundredth of a degree', () => {
  const { topology } = readAtlas('world-atlas/land-110m.json');
  const land = topology.objects['land'];
  assert.ok(land?.type === 'GeometryCollection');
  const polygons = feature(topology, land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : [],
  );
  const round = (degrees = 0): number => Math.round(degrees * 100) / 100;
  const coordinates = polygons
    .flatMap(cutAtAntimeridian)
    .map((polygon) => polygon.map((ring) => ring.map(([x, y]) => [round(x), round(y)])));
  const file = new URL('../../proxy/explorer/land.geojson', import.meta.url);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { type: 'MultiPolygon', coordinates });
});
