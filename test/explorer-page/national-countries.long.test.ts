// Countries of awkward shapes in the explorer: what is drawn of thousands of islands, and which part of a country is
// seen.
import assert from 'node:assert/strict';
import { featuresOf, mapAtRest, pixelOf } from './asked-map.ts';
import { journey, selectUnit, waitForPlace } from './explorer-page.ts';
import { startCountry } from './national-countries.ts';

/** Of 3,500: a simplified shape has not all of them. */
const ISLANDS_MIN = 2_500;
/** Pixels of a whole outline. */
const OUTLINE_WIDTH = 2.5;

journey(
  'a selected country with 3,500 islands is outlined, not black, and the map has no warnings',
  { service: () => startCountry('fjordland', { isAlone: false }), hasMap: 'asked' },
  async (page, step) => {
    const warnings: string[] = [];
    page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
    await waitForPlace(page, 'fjordland-2026', '2 countries');
    await page.waitForURL(/map=/);

    await step('it is outlined, every part of it', async () => {
      await selectUnit(page, 'Fjordland');
      await page.getByRole('button', { name: 'Zoom to' }).click();
      await mapAtRest(page);
      const outlines = await featuresOf(page, 'chosen');
      assert.ok(outlines.length > ISLANDS_MIN, `${outlines.length} outlines`);
    });

    await step('as the map draws it, islands have a thin line, the coast a whole one', async () => {
      const drawn = await page.evaluate<[from: number, width: number][]>(`theMap
      .queryRenderedFeatures({ layers: ['chosen-line'] })
      .map(({ properties, layer }) => [properties.from, layer.paint['line-width']])`);
      const zoom = await page.evaluate<number>('theMap.getZoom()');
      const islands = drawn.filter(([from]) => from > zoom + 2).map(([, width]) => width);
      const coasts = drawn.filter(([from]) => from <= zoom).map(([, width]) => width);
      assert.ok(islands.length > 1000, `${islands.length} islands`);
      assert.ok(coasts.length > 0 && coasts.every((width) => width === OUTLINE_WIDTH), coasts.join());
      const isThin = (width: number): boolean => width < 0.5 * OUTLINE_WIDTH;
      assert.ok(islands.every(isThin), `${islands.filter((width) => !isThin(width))}`);
    });

    assert.deepEqual(warnings, []);
  },
);

journey(
  'a tall country is fitted below the button that lists what is on the screen',
  { service: () => startCountry('fjordland'), hasMap: 'asked' },
  async (page) => {
    await waitForPlace(page, 'Fjordland', '6 units');
    const north = await pixelOf(page, 15, 71.2);
    const button = await page.locator('#list-seen').boundingBox();
    assert.ok(button && north.y > button.y + button.height, JSON.stringify({ button, north }));
  },
);

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
])
  journey(
    `a long country is shown without its far island, which 'Show all' brings into sight: ${viewport.width} pixels`,
    { service: () => startCountry('thinland'), viewport, hasMap: 'asked' },
    async (page) => {
      await waitForPlace(page, 'Thinland', '10 units');
      const { x } = await pixelOf(page, -72.5, 0);
      const map = await page.locator('#map').boundingBox();
      // Its middle is that of the map.
      assert.ok(map && Math.abs(x - (map.x + map.width / 2)) < map.width / 8, `${x}`);
      const all = page.getByRole('button', { name: 'Show all' });
      const [button, zoom] = [await all.boundingBox(), await page.locator('.map-zoom').boundingBox()];
      assert.ok(button && zoom && button.x + button.width < zoom.x, JSON.stringify({ button, zoom }));
      const before = page.url();
      await all.click();
      await all.waitFor({ state: 'hidden' });
      await page.waitForURL((url) => url.href !== before);
      const island = await pixelOf(page, -150, -27.1);
      assert.ok(island.x > map.x && island.x < map.x + map.width, JSON.stringify(island));
      assert.equal(await page.evaluate('document.activeElement.id'), 'list-seen');
    },
  );

journey(
  'a country opens with all of its units, be some of them on the other side of a gulf',
  { service: () => startCountry('gulfland'), hasMap: 'asked' },
  async (page) => {
    await waitForPlace(page, 'Gulfland', '24 units');
    const { x } = await pixelOf(page, -87, 20);
    const map = await page.locator('#map').boundingBox();
    assert.ok(map && x < map.x + map.width, `${x}`);
  },
);
