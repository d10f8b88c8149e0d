// The map of the explorer in Chromium with WebGL in software: what a person sees, as colours of pixels, and what a click
// picks. The page is one of this test, with the policy of the explorer; the release is a real one of a few square units.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { send } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { PROGRAM, WITHOUT_CHROMIUM } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const SKIP = WITHOUT_CHROMIUM;
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-quic', '--disable-background-networking'];
const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const SIZE = { width: 800, height: 600 };
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
const service = await startService(folder, { explorer: true });
const policy = String((await send(service, '/', { authorization: undefined })).headers['content-security-policy']);

const browsers = new Map<string, Promise<Browser>>();
after(async () => {
  for (const browser of browsers.values()) await (await browser).close();
});

function launch(flags: readonly string[]): Promise<Browser> {
  const key = flags.join(' ');
  const browser =
    browsers.get(key) ?? chromium.launch({ executablePath: PROGRAM ?? '', args: [...ARGUMENTS, ...flags] });
  browsers.set(key, browser);
  return browser;
}

interface MapPage {
  page: Page;
  /** Runs a script that has `map`, `overview` and `load`; its result as JSON has it. */
  run: (script: string) => Promise<unknown>;
  /** Waits until the pixel of a place has this colour. */
  sees: (longitude: number, latitude: number, colour: RegExp | string) => Promise<void>;
  /** Where a place is on the page. */
  pixelOf: (longitude: number, latitude: number) => Promise<{ x: number; y: number }>;
}

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
    onView: (view) => views.push(view),
  });
  map.showOverview(overview);`;

/** Runs `use` with a map that shows the overview, and asserts that the browser reports no error and no violation. */
async function onMap(use: (page: MapPage) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
  const browser = await launch(SOFTWARE_WEBGL);
  const context = await browser.newContext({
    viewport: SIZE,
    reducedMotion: 'reduce',
    colorScheme: 'light',
    ...options,
  });
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

/** The colour of a pixel, from a picture of that pixel alone: its data is a filter, which does nothing here, and the channels. */
async function colourAt(page: Page, { x, y }: { x: number; y: number }): Promise<string> {
  const png = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const data = inflateSync(Buffer.concat(parts));
  return `#${data.subarray(1, 4).toString('hex')}`;
}

/** What map.css has, in light and in dark. */
const LIGHT = { sea: '#d9e6ec', land: '#eef0e9', chosen: '#10222d' };
const DARK = { sea: '#0d151a' };
const UNITS = /^#(86c5b6|f1c68c|a5bee2|e8aba1|c8d190|c8b0d7)$/;
/** A view of Aland, Beland and a strip of sea. */
const NEAR = 'map.setView({ zoom: 6, longitude: 4, latitude: 2 });';

test(
  'shows the overview in colours that differ between neighbours, without a violation of the policy',
  { skip: SKIP },
  () =>
    onMap(async ({ page, run, sees, pixelOf }) => {
      await run(NEAR);
      await sees(3.5, 0.5, UNITS);
      await sees(4.5, 0.5, UNITS);
      await sees(4, -0.6, LIGHT.sea);
      assert.notEqual(await colourAt(page, await pixelOf(3.5, 0.5)), await colourAt(page, await pixelOf(4.5, 0.5)));
    }),
);

test('a click picks the unit of the overview, and where units are in front one of those first', { skip: SKIP }, () =>
  onMap(async ({ page, run, sees, pixelOf }) => {
    const click = async (longitude: number, latitude: number): Promise<unknown> => {
      const { x, y } = await pixelOf(longitude, latitude);
      await page.mouse.click(x, y);
      return run('return picked.pop() ?? null');
    };
    await run(NEAR);
    await sees(4.5, 0.5, UNITS);
    assert.deepEqual(await click(4.5, 0.5), { level: 0, fid: 2, gid: 'BBB' });
    assert.equal(await click(4, -0.6), null);
    await run('map.setUnits(1, await load(1))');
    await sees(4.5, 0.5, LIGHT.land);
    let unit: unknown;
    await until(async () => Object((unit = await click(0.3, 0.3)))?.level === 1, 'a unit of level 1 is picked');
    assert.deepEqual(unit, { level: 1, fid: 2, gid: 'AAA.2_1' });
    assert.deepEqual(await click(4.5, 0.5), { level: 0, fid: 2, gid: 'BBB' });
    await run('map.setUnits(1, [])');
    await page.mouse.move(1, 1);
    await sees(4.5, 0.5, UNITS);
  }),
);

test('a further page adds units of the level, units it has already are kept once', { skip: SKIP }, () =>
  onMap(async ({ run, sees }) => {
    await run(`${NEAR} const units = await load(1); map.setUnits(1, [units[0]]); window.rest = units;`);
    await sees(0.3, 2.3, UNITS);
    await sees(2.7, 0.3, /^#(?!d9e6ec)/);
    await run('map.addUnits(1, rest)');
    await sees(0.3, 0.3, UNITS);
    await sees(0.3, 2.3, UNITS);
  }),
);

test('the selected unit has an outline, whichever layer it is in, until another is selected', { skip: SKIP }, () =>
  onMap(async ({ run, sees }) => {
    await run(`${NEAR} map.select({ level: 0, fid: 2 })`);
    await sees(8, 1, LIGHT.chosen);
    await run('map.setUnits(1, await load(1)); map.select({ level: 1, fid: 1 })');
    await sees(0, 3, LIGHT.chosen);
    await sees(8, 1, /^#(?!10222d)/);
    // A unit without geometry has no outline.
    await run('map.select({ level: 1, fid: 3 })');
    await sees(0, 3, /^#(?!10222d)/);
  }),
);

test('a unit that is cut at the antimeridian is shown in one piece, without the cut', { skip: SKIP }, () =>
  onMap(async ({ page, run, sees, pixelOf }) => {
    const box = await run('return map.boxOf({ level: 0, fid: 3 })');
    assert.ok(Array.isArray(box));
    assert.deepEqual(box.map(Math.round), [178, -18, -178, -16]);
    await run('map.fit([map.boxOf({ level: 0, fid: 3 })])');
    await until(async () => Object(await run('return map.view()')).zoom > 6, 'the map is zoomed in');
    await sees(179, -16.5, UNITS);
    const fill = await colourAt(page, await pixelOf(179, -16.5));
    for (const longitude of [178.5, 179.99, 180, 180.01, 181.5]) await sees(longitude, -16.5, fill);
    await run('map.select({ level: 0, fid: 3 })');
    await sees(178, -17, LIGHT.chosen);
    await sees(180, -16.5, fill);
  }),
);

test(
  'fits the world where nothing is asked for, and boxes on both sides of the antimeridian the short way',
  { skip: SKIP },
  () =>
    onMap(async ({ run }) => {
      const longitudeAfter = async (script: string): Promise<number> =>
        Object(await run(`${script}; return map.view()`)).longitude;
      assert.equal(Math.round(await longitudeAfter('map.fit([[170, 0, 175, 5], [-175, 0, -170, 5]])')), 180);
      assert.equal(Math.round(await longitudeAfter('map.fit([[0, 0, 4, 4]])')), 2);
      const world = Object(await run('map.fit(); return map.view()'));
      assert.ok(world.zoom < 1, `zoom ${world.zoom}`);
      assert.ok(Array.isArray(await run('return views')) && Number(await run('return views.length')) >= 3);
    }),
);

test('full-resolution units take the place of those of the overview, with the same colour', { skip: SKIP }, () =>
  onMap(async ({ page, run, sees, pixelOf }) => {
    await run(NEAR);
    await sees(3.5, 0.5, UNITS);
    const colour = await colourAt(page, await pixelOf(3.5, 0.5));
    const visible = await run('return map.visibleOverview().map(({ level, id }) => [level, id])');
    assert.deepEqual(visible, [
      [0, 1],
      [0, 2],
      [1, 1],
      [1, 2],
    ]);
    // Half of Aland as its full resolution: what is west of it is sea.
    await run(`const [unit] = await load(0);
      map.showDetail([{ ...unit, geometry: { type: 'Polygon', coordinates: [[[2, 0], [4, 0], [4, 4], [2, 4], [2, 0]]] } }])`);
    await sees(0.5, 0.5, LIGHT.sea);
    await sees(3.5, 0.5, colour);
    await run('map.showDetail([])');
    await sees(0.5, 0.5, colour);
  }),
);

test('follows the system from light to dark and back', { skip: SKIP }, () =>
  onMap(async ({ page, run, sees }) => {
    await run(NEAR);
    await sees(4, -0.6, LIGHT.sea);
    await page.emulateMedia({ colorScheme: 'dark' });
    await sees(4, -0.6, DARK.sea);
    await sees(4.5, 0.5, /^#(2e7f73|9d7238|47689c|95534a|71803a|765a8d)$/);
    await page.emulateMedia({ colorScheme: 'light' });
    await sees(4, -0.6, LIGHT.sea);
  }),
);

test('is moved with the keyboard and with buttons that have names', { skip: SKIP }, () =>
  onMap(async ({ page, run }) => {
    await run(NEAR);
    const view = async (): Promise<{ zoom: number; longitude: number }> => Object(await run('return map.view()'));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await until(async () => (await view()).zoom === 7, 'zoom 7');
    await page.getByRole('region', { name: /^Map/ }).focus();
    await page.keyboard.press('ArrowRight');
    await until(async () => (await view()).longitude > 4, 'a view further east');
  }),
);

test('names the unit under the pointer as text, whatever its name', { skip: SKIP }, () =>
  onMap(async ({ page, run, sees, pixelOf }) => {
    const name = '<img src=x onerror=alert(1)>';
    await run(`${NEAR} const units = await load(1); units[1].title = ${JSON.stringify(name)}; map.setUnits(1, units)`);
    await sees(0.3, 0.3, UNITS);
    const { x, y } = await pixelOf(0.3, 0.3);
    await page.mouse.move(x, y);
    await page.locator('.map-name', { hasText: name }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
  }),
);

test('is drawn again after the browser took WebGL away and gave it back', { skip: SKIP }, () =>
  onMap(async ({ run, sees }) => {
    await run(`${NEAR} map.setUnits(1, await load(1))`);
    await sees(0.3, 0.3, UNITS);
    await run(`const canvas = document.querySelector('canvas');
      const gl = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
      const lost = new Promise((resolve) => canvas.addEventListener('webglcontextlost', resolve, { once: true }));
      const restored = new Promise((resolve) => canvas.addEventListener('webglcontextrestored', resolve, { once: true }));
      gl.loseContext();
      await lost;
      await new Promise((resolve) => setTimeout(resolve));
      gl.restoreContext();
      await restored;`);
    await sees(0.3, 0.3, UNITS);
    await sees(4.5, 0.5, LIGHT.land);
  }),
);

test('without WebGL 2 there is a clear error instead of a map', { skip: SKIP }, async () => {
  const browser = await launch(['--disable-3d-apis']);
  const context = await browser.newContext({ viewport: SIZE });
  const page = await context.newPage();
  await openBlank(page);
  await assert.rejects(
    page.evaluate(`(async () => {${START}})()`),
    /There is no map: this browser has no WebGL 2, or has it switched off\./,
  );
  await context.close();
});
