// The map of a page, for tests that ask it: where places are in the window, what it draws, whether it rests.
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';

/** Between two looks at the map: each one asks three processes. */
const LOOK_MS = 50;

/** A place in the window. */
export interface Pixel {
  x: number;
  y: number;
}

/**
 * Gives the page's own map to tests, as `theMap` of the page: its library makes maps that say so, that of the service
 * or of another site. To be called before the page is opened.
 */
export async function exposeMap(page: Page): Promise<void> {
  const contentType = 'text/javascript';
  const path = 'node_modules/maplibre-gl/dist/maplibre-gl.mjs';
  await page.route(/\/maplibre-gl\.mjs\?own$/, (route) => route.fulfill({ contentType, path }));
  await page.route(/\/maplibre-gl\.mjs$/, (route) => {
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

/** A page, or a frame in it. */
type Asked = Pick<Page, 'evaluate'>;

/** Waits until the map has drawn what it has, does not move, and is as `condition` says, an expression. */
export function mapAtRest(page: Asked, condition = 'true'): Promise<void> {
  const isAtRest = `!!globalThis.theMap?.loaded() && !theMap.isMoving() && ${condition}`;
  return until(() => page.evaluate<boolean>(isAtRest), `the map does not rest: ${condition}`, LOOK_MS);
}

/** Goes to an address of the page that is open, with a view of the map, and waits until the map has drawn it. */
export async function goToView(page: Page, address: string): Promise<void> {
  await page.goto(address);
  const view = /map=([\d./-]+)/.exec(address)?.[1];
  const seen = `[theMap.getZoom(), theMap.getCenter().lat, theMap.getCenter().lng].map((n) => n.toFixed(2)).join('/')`;
  await mapAtRest(page, `${seen} === '${view}'`);
}

/** Whether the address has the view that the map has: it is written some time after the map has moved. */
const IS_ADDRESSED = `(() => {
  const [zoom, lat, lng] = (/map=([^&]+)/.exec(location.hash)?.[1] ?? '').split('/').map(Number);
  const [there, here] = [theMap.project([lng || 0, lat || 0]), theMap.project(theMap.getCenter())];
  return Math.abs(zoom - theMap.getZoom()) < 0.006 && Math.hypot(there.x - here.x, there.y - here.y) < 1;
})()`;

/** The address, once the map rests and its view is written there. */
export async function settledAddress(page: Page): Promise<string> {
  await mapAtRest(page, IS_ADDRESSED);
  return page.url();
}

/** Where a place is in the window, once the map has been fitted to something and rests. */
export async function pixelOf(page: Page, longitude: number, latitude: number): Promise<Pixel> {
  await settledAddress(page);
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

/** The units that a kind of layer draws, such as `fill`: `0/2` is that of level 0 with fid 2. */
export async function drawn(page: Asked, kind: string): Promise<string[]> {
  await mapAtRest(page);
  const layers = `theMap.getLayersOrder().filter((id) => id.startsWith('${kind}-'))`;
  const units = `theMap.queryRenderedFeatures({ layers: ${layers} }).map(({ source, id }) => source.slice(2) + '/' + id)`;
  return page.evaluate<string[]>(`[...new Set(${units})].sort()`);
}

/** Waits until the map draws these units by a kind of layer, and no others: first it asks what the tiles of a level are. */
export async function waitForDrawn(page: Asked, kind: string, units: readonly string[]): Promise<void> {
  let seen: string[] = [];
  const isSo = async (): Promise<boolean> => {
    seen = await drawn(page, kind);
    return seen.join() === units.join();
  };
  await until(isSo, () => `${kind}: ${seen} is drawn, not ${units}`, LOOK_MS);
}

/**
 * The colour of a pixel of the window, from a picture of that pixel alone: its data is a filter, which does nothing
 * here, and the channels.
 */
export async function colourAt(page: Page, { x, y }: Pixel): Promise<string> {
  const png = await page.screenshot({ clip: { x: Math.round(x), y: Math.round(y), width: 1, height: 1 } });
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const data = inflateSync(Buffer.concat(parts));
  return `#${data.subarray(1, 4).toString('hex')}`;
}
