// Releases of somebody's own country: where the map opens at two widths, and what it shows where the highest levels
// lack.
import assert from 'node:assert/strict';
import { type FixtureLayer, layerOf, square } from '../../support/datasets/write-dataset.ts';
import type { RunningService } from '../../support/http/in-process-proxy.ts';
import { holdRequests } from '../../support/processes/chromium.ts';
import { sliceOf } from '../../support/slice.ts';
import { boxOf, pixelOf, settledAddress } from './asked-map.ts';
import { journey, openUnit, selectUnit, startLayers, TOKEN, waitForPlace } from './explorer-page.ts';

const WIDTHS = [
  { viewport: { width: 1280, height: 800 } },
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];
const ATTRIBUTION = [
  'Boundaries of somebody, with a long credit that says where they come from, when, and who has made them',
  'Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/',
];

/** Four provinces of 2 degrees in a row from 80 E, 26 N, each of two districts, and a far island. */
const PLACES = [0, 1, 2, 3].map((i): [number, number, number] => [80 + 2 * i, 26, 2]);
const ISLAND: [number, number, number] = [20, -40, 1];
const country = layerOf('ADM_0', ['GID_0', 'COUNTRY'], [[['NEP', 'Nepal'], multi([...PLACES, ISLAND])]]);
const provinces = layerOf(
  'ADM_1',
  ['GID_1', 'GID_0', 'COUNTRY', 'NAME_1'],
  [...PLACES, ISLAND].map((place, i) => [[`NEP.${i + 1}_1`, 'NEP', 'Nepal', `Province ${i + 1}`], square(...place)]),
);
const districts = layerOf(
  'ADM_2',
  ['GID_2', 'GID_1', 'GID_0', 'NAME_2'],
  PLACES.flatMap(([x, y], i) =>
    [0, 1].map((half) => {
      const values = [`NEP.${i + 1}.${half + 1}_1`, `NEP.${i + 1}_1`, 'NEP', `District ${2 * i + half + 1}`];
      return [values, square(x + half, y)] as const;
    }),
  ),
);

function multi(places: readonly [number, number, number][]): string {
  return `MULTIPOLYGON(${places.map((place) => square(...place).slice('MULTIPOLYGON('.length, -1)).join(',')})`;
}

const start = (layers: readonly FixtureLayer[]): Promise<RunningService> =>
  startLayers(layers, {
    attribution: [...ATTRIBUTION, 'lv2=Somebody else'],
    release: 'nepal-2026',
    date: '2026-11-22',
    tiles: 5,
  });

const service = await start([country, provinces, districts]);
const startDistricts = (): Promise<RunningService> => start([districts]);

for (const size of sliceOf(WIDTHS))
  journey(
    `opens inside the country, without its far island, above its credits: ${size.viewport.width} pixels`,
    { service, ...size, hasMap: 'asked' },
    async (page, step) => {
      let west = 0;

      await step('it fills what the button above and the credits leave free', async () => {
        await waitForPlace(page, 'Nepal', '5 units');
        assert.match(await page.title(), /^Nepal · /);
        assert.deepEqual(await page.locator('#path li').allTextContents(), ['nepal-2026', 'Nepal']);
        const [southWest, northEast] = [await pixelOf(page, 80, 26), await pixelOf(page, 88, 28)];
        west = southWest.x;
        const map = await boxOf(page, '#map');
        const button = await boxOf(page, '#map-buttons');
        const credits = await boxOf(page, '#credits');
        assert.ok(southWest.x > map.x && southWest.x < map.x + 60, JSON.stringify({ map, southWest }));
        assert.ok(northEast.x < map.x + map.width && northEast.x > map.x + map.width - 60);
        assert.ok(southWest.y < credits.y && northEast.y > map.y, JSON.stringify({ credits, southWest }));
        const middle = (southWest.y + northEast.y) / 2;
        assert.ok(Math.abs(middle - (button.y + button.height + credits.y) / 2) < 8, `${middle} ${credits.y}`);
        assert.equal(credits.y, map.y + map.height);
      });

      await step("'Show all of Nepal', beside the zoom, brings the island into sight", async () => {
        const all = page.getByRole('button', { name: 'Show all of Nepal' });
        const [map, button, zoom] = [
          await boxOf(page, '#map'),
          await all.boundingBox(),
          await boxOf(page, '.maplibregl-ctrl-group'),
        ];
        assert.ok(button && button.x + button.width < zoom.x, JSON.stringify({ button, zoom }));
        const before = await settledAddress(page);
        await all.click();
        await all.waitFor({ state: 'hidden' });
        await page.waitForURL((url) => url.href !== before);
        const { x } = await pixelOf(page, 20.5, -39.5);
        assert.ok(x > map.x && x < map.x + map.width, `${x}`);
        assert.equal(await page.evaluate('document.activeElement.id'), 'list-seen');
      });

      await step('its credits are whole: those of its own source, not those of deeper levels', async () => {
        const text = await page.locator('#credits').innerText();
        assert.match(text, /^Boundaries of somebody, .*creativecommons\.org.*Release nepal-2026, 2026-11-22/);
        assert.ok(!text.includes('Somebody else'));
        await page.getByRole('link', { name: /creativecommons/ }).waitFor();
        await page.goto(`${service.url}/#lv2?gid-1=NEP.1_1`);
        await page.locator('#credits').getByText('Somebody else').waitFor();
        await page.goBack();
      });

      await step('the release is a step up: the same place, with the country as one line', async () => {
        await page.getByRole('button', { name: 'nepal-2026', exact: true }).click();
        await waitForPlace(page, 'nepal-2026', '1 country');
        await openUnit(page, 'Nepal');
        await waitForPlace(page, 'Nepal', '5 units');
        assert.ok(Math.abs((await pixelOf(page, 80, 26)).x - west) < 8);
      });
    },
  );

journey('opens on the country before its tiles are there', { service, path: '/', hasMap: true }, async (page) => {
  const arrive = await holdRequests(page, '**/api/v1/tiles/**');
  await page.goto(`${service.url}/#token=${TOKEN}`);
  await waitForPlace(page, 'Nepal', '5 units');
  // Where the map is not drawn yet, it says so.
  const note = page.locator('#map-note');
  assert.equal(await note.innerText(), 'Loading the map…');
  // The world would be seen from zoom 0 or 1, at another place.
  await page.waitForURL(/map=5\.\d+\/27\.\d+\/84\.0+$/);
  arrive();
  await note.waitFor({ state: 'hidden' });
});

journey('a release of level 2 alone has a map', { service: startDistricts, hasMap: 'asked' }, async (page) => {
  const width = async (): Promise<number> => (await pixelOf(page, 81, 26)).x - (await pixelOf(page, 80, 26)).x;
  await waitForPlace(page, 'nepal-2026', '8 units');
  const whole = await width();
  await selectUnit(page, 'District 1');
  await page.waitForURL(/map=[^&]*\/80\.50*$/);
  assert.ok((await width()) > 3 * whole);
  // Back to it from elsewhere, and a scale for what is seen.
  const address = page.url();
  await page.locator('.maplibregl-ctrl-scale', { hasText: /^\d+\skm$/ }).waitFor();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.waitForURL((url) => url.href !== address);
  await page.getByRole('button', { name: 'Zoom to' }).click();
  await page.waitForURL(address);
});
