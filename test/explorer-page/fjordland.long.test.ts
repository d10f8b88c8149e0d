// A country with thousands of islands in the explorer: what is drawn of them when it is selected.
import assert from 'node:assert/strict';
import { featuresOf, mapAtRest } from './asked-map.ts';
import { journey, selectUnit, waitForPlace } from './explorer-page.ts';
import { startFjordland } from './fjordland.ts';

/** Of 3,500: a simplified shape has not all of them. */
const ISLANDS_MIN = 2_500;
/** Pixels of a whole outline. */
const OUTLINE_WIDTH = 2.5;

const service = await startFjordland();

journey('a country with 3,500 islands is outlined, not black', { service, hasMap: 'asked' }, async (page, step) => {
  const warnings: string[] = [];
  page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
  await waitForPlace(page, 'Fjordland', '6 units');
  await page.getByRole('button', { name: 'fjordland-2026', exact: true }).click();
  await waitForPlace(page, 'fjordland-2026', '1 country');

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
});
