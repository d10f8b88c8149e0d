// The page of the tests of the explorer's map: an element for the map, under the policy of the explorer, in Chromium
// with WebGL in software; and what is seen there, as colours of pixels. The release is a real one of a few square
// units.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { send } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { browserOf, WITHOUT_CHROMIUM } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Of the page and of the map. */
const SIZE = { width: 800, height: 600 };
/** What map.css has in light. */
export const LIGHT = { sea: '#d9e6ec', land: '#eef0e9', chosen: '#10222d' };
export const UNITS = /^#(86c5b6|f1c68c|a5bee2|e8aba1|c8d190|c8b0d7)$/;
/** A view of Aland, Beland and a strip of sea. */
export const NEAR = 'map.setView({ zoom: 6, longitude: 4, latitude: 2 });';
const TILE_PIXELS = 512;

/** Two islands that are parts of one unit, cut at the antimeridian as RFC 7946 has it: 178 to -178 degrees. */
const CUT =
  'MULTIPOLYGON(((178 -18,178 -16,180 -16,180 -18,178 -18)),((-180 -18,-180 -16,-178 -16,-178 -18,-180 -18)))';

const folder = temporaryFolder();
const source = writeDataset(join(folder, 'map.gpkg'), 'GPKG', [
  {
    name: 'ADM_0',
    columns: ['GID_0', 'COUNTRY'],
    features: [
      { fid: 1, values: ['AAA', 'Aland'], wkt: square(0, 0, 4) },
      { fid: 2, values: ['BBB', 'Beland'], wkt: square(4, 0, 4) },
      { fid: 3, values: ['CCC', 'Cutland'], wkt: CUT },
      { fid: 4, values: ['DDD', 'Nowhere'], wkt: null },
    ],
  },
  {
    name: 'ADM_1',
    columns: ['GID_1', 'GID_0', 'NAME_1'],
    features: [
      { fid: 1, values: ['AAA.1_1', 'AAA', 'North'], wkt: square(0, 2, 2) },
      { fid: 2, values: ['AAA.2_1', 'AAA', 'South'], wkt: square(0, 0, 2) },
      { fid: 3, values: ['AAA.3_1', 'AAA', 'Nowhere'], wkt: null },
    ],
  },
]);
await buildRelease(source, folder, { accept: ['empty-geometries', 'null-gids'] });
const service = await startService(folder, { explorer: 'modules' });
const policy = String((await send(service, '/', { authorization: undefined })).headers['content-security-policy']);

export interface MapPage {
  page: Page;
  /** Runs a script that has `map`, `overview` and `load`; its result as JSON has it. */
  run: (script: string) => Promise<unknown>;
  /** Waits until the pixel of a place has this colour. */
  sees: (longitude: number, latitude: number, colour: RegExp | string) => Promise<void>;
  /** Where a place is on the page. */
  pixelOf: (longitude: number, latitude: number) => Promise<{ x: number; y: number }>;
}

/** Starts the map in such a page; its variables are those of `run`. */
const START = `
  const { createMap } = await import('/explorer/map/map.js');
  const { readOverview } = await import('/explorer/api/overview.js');
  const fetched = async (path) => (await fetch('/api/v1/' + path, { headers: ${JSON.stringify(AUTHORIZED)} })).json();
  window.overview = readOverview(await fetched('overview'));
  window.load = async (level) => {
    const { features } = await fetched('fc/lv' + level);
    return features.map((unit) => ({
      ...unit,
      gids: [unit.properties.GID_0, unit.properties.GID_1].slice(0, level + 1),
      title: unit.properties['NAME_' + level],
    }));
  };
  window.picked = [];
  window.views = [];
  window.map = await createMap(document.getElementById('map'), {
    onPick: (unit) => picked.push(unit),
    onHere: () => {},
    onView: (view) => views.push(view),
    onDrawing: () => {},
  });
  map.showOverview(overview);`;

/** A test with a map that shows the overview; asserts that the browser reports no error and no violation, too. */
export function mapTest(title: string, use: (page: MapPage) => Promise<void>): void {
  test(title, { skip: WITHOUT_CHROMIUM }, () => onMap(use));
}

async function onMap(use: (page: MapPage) => Promise<void>): Promise<void> {
  const browser = await browserOf('webgl');
  const context = await browser.newContext({ viewport: SIZE, reducedMotion: 'reduce', colorScheme: 'light' });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  await openBlank(page);
  const run = (script: string): Promise<unknown> => page.evaluate(`(async () => {${script}})()`);
  await run(START);
  const pixelOf = async (longitude: number, latitude: number): Promise<{ x: number; y: number }> => {
    const view = Object(await run('return map.view()'));
    const scale = (TILE_PIXELS * 2 ** view.zoom) / 360;
    const turns = Math.round((view.longitude - longitude) / 360);
    return {
      x: Math.round(SIZE.width / 2 + (longitude + 360 * turns - view.longitude) * scale),
      y: Math.round(SIZE.height / 2 - (mercator(latitude) - mercator(view.latitude)) * scale),
    };
  };
  const sees = async (longitude: number, latitude: number, colour: RegExp | string): Promise<void> => {
    let seen = '';
    const matches = async (): Promise<boolean> => {
      seen = await colourAt(page, await pixelOf(longitude, latitude));
      return typeof colour === 'string' ? seen === colour : colour.test(seen);
    };
    await until(matches, () => `${colour} at ${longitude}, ${latitude}: it is ${seen}`);
  };
  await use({ page, run, sees, pixelOf });
  assert.deepEqual(faults, []);
  await context.close();
}

/** A page with nothing but an element for the map. */
async function openBlank(page: Page): Promise<void> {
  const body = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Map</title>
    <link rel="stylesheet" href="/explorer/map/map.css"><div id="map"></div>`;
  const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
  await page.route(`${service.url}/of-the-test`, (route) => route.fulfill({ headers, body }));
  await page.goto(`${service.url}/of-the-test`);
  await page.evaluate(
    `document.body.style.margin = '0'; document.getElementById('map').style.height = '${SIZE.height}px'`,
  );
}

/** The latitude as the map has it, in degrees of longitude. */
function mercator(latitude: number): number {
  return (Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) * 180) / Math.PI;
}

/**
 * The colour of a pixel, from a picture of that pixel alone: its data is a filter, which does nothing here, and the
 * channels.
 */
export async function colourAt(page: Page, { x, y }: { x: number; y: number }): Promise<string> {
  const png = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const data = inflateSync(Buffer.concat(parts));
  return `#${data.subarray(1, 4).toString('hex')}`;
}
