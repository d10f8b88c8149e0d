// The map of a page, for tests that ask it: where places are in the window, what its sources have, whether it rests.
import assert from 'node:assert/strict';
import type { Feature } from 'geojson';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';

/** A place in the window. */
export interface Pixel {
  x: number;
  y: number;
}

/**
 * Gives the page's own map to tests, as `theMap` of the page: its library makes maps that say so. To be called before
 * the page is opened.
 */
export async function exposeMap(page: Page): Promise<void> {
  const contentType = 'text/javascript';
  const path = 'node_modules/maplibre-gl/dist/maplibre-gl.mjs';
  await page.route(/\/lib\/maplibre-gl\.mjs\?own$/, (route) => route.fulfill({ contentType, path }));
  await page.route(/\/lib\/maplibre-gl\.mjs$/, (route) => {
    const own = JSON.stringify(`${route.request().url()}?own`);
    const body = `export * from ${own};
      import { Map as OwnMap } from ${own};
      export class Map extends OwnMap {
        constructor(options) {
          super(options);
          globalThis.theMap = this;
        }
      }`;
    return route.fulfill({ contentType, body });
  });
}

/** Waits until the map has drawn what it has, and does not move. */
export function mapAtRest(page: Page): Promise<void> {
  const isAtRest = '!!globalThis.theMap?.loaded() && !theMap.isMoving()';
  return until(() => page.evaluate<boolean>(isAtRest), 'the map does not rest');
}

/** Goes to an address of the page that is open, with a view of the map, and waits until the map has drawn it. */
export async function goToView(page: Page, address: string): Promise<void> {
  await page.goto(address);
  const view = /map=([\d./-]+)/.exec(address)?.[1];
  const seen = `[theMap.getZoom(), theMap.getCenter().lat, theMap.getCenter().lng].map((n) => n.toFixed(2)).join('/')`;
  await until(async () => (await page.evaluate<string>(seen)) === view, `the map does not go to ${view}`);
  await mapAtRest(page);
}

/** Where a place is in the window, once the map has been fitted to something and rests. */
export async function pixelOf(page: Page, longitude: number, latitude: number): Promise<Pixel> {
  await page.waitForURL(/map=/);
  await mapAtRest(page);
  const { x, y } = await page.evaluate<Pixel>(`theMap.project([${longitude}, ${latitude}])`);
  const map = await boxOf(page, '#map');
  return { x: map.x + x, y: map.y + y };
}

/** The middle of the map in the window. */
export async function middleOf(page: Page): Promise<Pixel> {
  const { x, y, width, height } = await boxOf(page, '#map');
  return { x: x + width / 2, y: y + height / 2 };
}

/** Where a part of the page is in the window. */
export async function boxOf(page: Page, selector: string): Promise<Pixel & { width: number; height: number }> {
  return (await page.locator(selector).boundingBox()) ?? assert.fail(`${selector} is not shown`);
}

/** The features of a source of the map. */
export async function featuresOf(page: Page, source: string): Promise<Feature[]> {
  const { features } = await page.evaluate<{ features: Feature[] }>(`theMap.getSource('${source}').getData()`);
  return features;
}
